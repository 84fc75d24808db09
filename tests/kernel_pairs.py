"""Random pairs of surfaces, with the kernel and without: ways and contacts are equal, bit by bit.

python tests/kernel_pairs.py SEED WORLDS looks at many.
"""

import sys
from dataclasses import replace
from pathlib import Path
from types import SimpleNamespace

import numpy as np

if __name__ == "__main__":
    sys.path.insert(0, str(Path(__file__).resolve().parent.parent))

import kernel_worlds as worlds
from tuned import tuned

import core
from core import (
    SceneOctree,
    Triangles,
    build_octree,
    compiled,
    overlapping_pairs,
    use_kernel,
)
from core.pairs.broad_phase import near_bounds
from core.place import guests
from core.place.gaps import gaps_between
from core.scene.dual_walk import Surfaces
from core.scene.pairs import overlapping
from core.scene.placed import PlacedTriangles
from core.steps import run
from core.touch.triangle_pairs import triangles_touch_triangles

SIZES = (1e-12, 1e-3, 1.0, 1.0, 1e4, 1e12)
KINDS = ("plain", "slivers", "whole", "flat", "twins", "fan", "grid", "points")


def with_and_without(ask):
    """Return what is answered with the kernel, and without."""
    found = []
    try:
        for is_wanted in (True, False):
            use_kernel(is_wanted)
            found.append(ask())
    finally:
        use_kernel(True)
    return found


def mesh(random):
    """Scattered, thin, in whole numbers, flat, many in one place, round a corner, of no area."""
    count = int(random.choice([1, 7, 9, 70, 400]))
    corners = random.uniform(-1, 1, (count, 1, 3)) + random.normal(size=(count, 3, 3)) / 4
    kind = random.choice(KINDS)
    if kind == "slivers":
        width = 10.0 ** random.uniform(-16, -2, (count, 1))
        corners[:, 2] = corners[:, :2].mean(axis=1) + width * corners[:, 2]
    elif kind == "whole":
        corners = np.round(corners * 2)
    elif kind == "flat":
        corners[:, :, random.integers(3)] = random.choice([0.0, -0.0, 0.1])
    elif kind == "twins":
        corners = corners[random.integers(0, count, count) // 3]
    elif kind == "fan":
        corners[:, 0] = random.normal(size=3)
    elif kind == "grid":
        side = int(np.ceil(np.sqrt(count)))
        places = np.stack((*np.divmod(np.arange(count), side), np.zeros(count)), axis=1)
        corners = (places[:, None] + [[0, 0, 0], [1, 0, 0], [0, 1, 0]]) / side
    elif kind == "points":
        corners[:, 1:] = corners[:, :1] + random.choice([0.0, 1.0]) * corners[:, 1:2]
    return Triangles(corners.reshape(-1, 3), np.arange(3 * count).reshape(-1, 3))


def heights(side, height):
    """Return 2 side * side triangles over a square from -1 to 1, as high as places (n, 2) tell."""
    places = np.stack(np.meshgrid(*[np.linspace(-1, 1, side + 1)] * 2), axis=-1).reshape(-1, 2)
    here = np.arange((side + 1) * side).reshape(side, -1)[:, :-1].ravel()
    faces = [np.stack((here, here + 1, here + side + 2), axis=1)]
    faces.append(np.stack((here, here + side + 2, here + side + 1), axis=1))
    return Triangles(np.column_stack((places, height(places))), np.concatenate(faces))


def surfaces(seed, apart=1.0):
    """Return the moment of a scene, rows of pairs (2, p), limits and turns."""
    random = np.random.default_rng(seed)
    scene, count = SceneOctree(), int(random.choice([2, 3, 8]))
    meshes = [scene.add_mesh(mesh(random)) for _ in range(random.integers(1, 4))]
    where = worlds.matrices(random, count)
    where[:, :3, :3] /= np.maximum(np.abs(where[:, :3, :3]).max(axis=(1, 2), keepdims=True), 1)
    if random.random() < 0.5:
        where[:, :3, :3] = np.eye(3)
    steps = np.arange(count)[:, None] * random.choice([0.0, 3.0, 4.0, 1e3], 3) * apart
    where[:, :3, 3] = steps + random.choice([0.0, 1e6, 0.3]) * random.integers(0, 2, 3)
    where[:, :3] *= random.choice(SIZES)
    scene.place(random.choice(meshes, count), where)
    moment = scene._snapshot(worlds.ALL_BITS)
    (there,) = moment.placements.is_there.nonzero()
    if len(there) < 2:
        return None
    rows = np.stack((there, np.roll(there, 1)))
    boxes = moment.placements.boxes[:, rows].reshape(2, 3, -1)
    sizes = np.abs(boxes[1] - boxes[0]).max() + np.ptp(boxes)
    limits = random.choice([np.inf, np.inf, sizes, sizes / 8, 0.0], rows.shape[1])
    return moment, rows, limits, random.integers(0, 2, rows.shape[1])


def assert_ways_equal(seed):
    made = surfaces(seed)
    if made is None:
        return 0
    moment, rows, limits, turned = made
    pool = run(moment.meshes.pool(np.unique(moment.placements.meshes[rows])))
    side = Surfaces(moment, pool)
    here, there = with_and_without(lambda: run(gaps_between(side, rows, limits, turned)))
    assert here.lengths.tobytes() == there.lengths.tobytes(), (seed, here.lengths, there.lengths)
    np.testing.assert_array_equal(here.items, there.items, err_msg=str(seed))
    np.testing.assert_array_equal(here.entries, there.entries, err_msg=str(seed))
    return rows.shape[1]


def assert_crossings_equal(seed):
    """Compare what crosses what, or touches; of the first side, or of each pair."""
    made = surfaces(seed, (0.0, 0.3, 1.0)[seed % 3])
    if made is None:
        return 0
    moment, rows, _, _ = made
    random = np.random.default_rng(seed)
    rows = rows[:, random.integers(0, rows.shape[1], 12)]
    pool = run(moment.meshes.pool(np.unique(moment.placements.meshes[rows])))
    side = Surfaces(moment, pool)
    asked = SimpleNamespace(
        clearance=random.choice([None, 0.0]), guests=moment, first_only=random.random() < 0.5
    )

    def ask():
        search = guests._Crossing(asked, (side, side), rows)
        run(search.walked())
        return search

    here, there = with_and_without(ask)
    np.testing.assert_array_equal(here.refused, there.refused, err_msg=str(seed))
    if not asked.first_only:
        np.testing.assert_array_equal(here.crossed, there.crossed, err_msg=str(seed))
    left = ~here.crossed & (here.limits >= 0)
    np.testing.assert_array_equal(here.touched[left], there.touched[left], err_msg=str(seed))
    np.testing.assert_array_equal(here.limits >= 0, there.limits >= 0, err_msg=str(seed))
    return int(here.crossed.sum() + here.touched.sum())


def assert_lists_equal(seed):
    """Compare all triangles of a scene that touch, of those that are near or flush too."""
    made = surfaces(seed, (0.0, 0.3)[seed % 2])
    if made is None:
        return 0
    with tuned(core, touches_listed=1024):  # as much as may be recorded
        here, there = with_and_without(lambda: run(overlapping(made[0], 0.0, None, False, False)))
    np.testing.assert_array_equal(here, there, err_msg=str(seed))
    return here.shape[1]


def contacts(seed):
    """Return two batches of triangles, pair by pair near each other, or touching, or almost."""
    random = np.random.default_rng(seed)
    count = 300
    ones = random.normal(size=(count, 3, 3))
    others = ones.mean(axis=1, keepdims=True) + random.normal(size=(count, 3, 3)) / 2
    if random.random() < 0.4:
        ones, others = np.round(ones * 2), np.round(others * 2)
    kinds = random.integers(0, 10, count)
    weights = random.dirichlet([0.5] * 3, (count, 2)).round(random.integers(1, 9))
    inside = np.einsum("pkc,pcx->pkx", weights, ones)
    others[kinds == 1, 0] = inside[kinds == 1, 0]  # a corner in the face, or an edge
    others[kinds == 2, :2] = inside[kinds == 2]
    others[kinds == 3, 1] = ones[kinds == 3, 2]
    others[kinds == 4, :2] = ones[kinds == 4, 1:]
    for thin in (ones, others):
        slim = (kinds == 5) & (random.random(count) < 0.7)
        width = 10.0 ** random.uniform(-17, -3, (count, 1))
        thin[slim, 2] = (thin[:, :2].mean(axis=1) + width * thin[:, 2])[slim]
    flat = kinds == 6
    ones[flat, :, 2] = others[flat, :, 2] = 0.25
    others[kinds == 7] = ones[kinds == 7][:, ::-1]
    others[kinds == 8, 1:] = others[kinds == 8, :1]
    away = kinds == 9
    normal = np.cross(ones[:, 1] - ones[:, 0], ones[:, 2] - ones[:, 0])
    lift = normal[:, None] * random.choice([0.0, 1e-17, 1e-14, 1e-11], (count, 1, 1))
    others[away] = (ones[:, ::-1] + lift)[away]
    size, shift = random.choice([*SIZES, 1e-160, 1e155, 1e307]), random.choice(worlds.SHIFTS, 3)
    with np.errstate(over="ignore"):
        both = (np.concatenate((ones, others)) + shift) * size
    faces = np.arange(6 * count).reshape(-1, 3)
    vertices = np.where(both == 0, random.choice([0.0, -0.0]), both).reshape(-1, 3)
    if random.random() < 0.5:
        return Triangles(vertices, faces[:count]), Triangles(vertices, faces[count:])
    matrices = worlds.matrices(random, 9)
    matrices[:, 0, 0] = np.nan_to_num(matrices[:, 0, 0])
    rows = np.ascontiguousarray(matrices[:, :3].reshape(-1, 12).T)
    places = random.integers(0, 9, count)
    placed = (
        PlacedTriangles(Triangles(vertices, faces), rows, np.ones(9), entries, places)
        for entries in (np.arange(count), np.arange(count, 2 * count))
    )
    return tuple(placed)


def assert_contacts_equal(seed):
    ones, others = contacts(seed)
    with np.errstate(all="ignore"):
        pairs = np.arange(len(ones)), np.roll(np.arange(len(ones)), seed % 3)
        here, there = with_and_without(
            lambda: triangles_touch_triangles(ones, pairs[0], others, pairs[1])
        )
    np.testing.assert_array_equal(here, there, err_msg=str(seed))
    walked = compiled.touching_triangles(ones, pairs[0] * 2, others, pairs[1] - 3)
    assert walked is not None and len(walked[1]) >= len(ones) // 2 - 1  # those are not there
    return len(ones)


def crossing_trees(seed):
    """Return two trees of triangles that cross, each with options of its own."""
    random = np.random.default_rng(seed)
    size, shift, trees = random.choice(SIZES), random.choice(worlds.SHIFTS, 3), []
    for _ in range(2):
        vertices, faces = mesh(random).vertices, None
        if random.random() < 0.5:
            vertices, faces = worlds.triangles(random)
        faces = np.arange(len(vertices)).reshape(-1, 3) if faces is None else faces
        some = random.permutation(len(faces))[: 600 if random.random() < 0.9 else None]
        corners = (vertices + shift) * size
        if random.random() < 0.2:
            corners[random.integers(0, len(corners), 3)] = random.choice(worlds.NOT_FINITE)
        chosen = worlds.options(random, len(faces)) | {"straddlers": "copy"}
        chosen.pop("loose_factor")
        trees.append(build_octree(Triangles(corners, faces[some]), **chosen))
    return trees if random.random() < 0.8 else trees[:1] * 2


def assert_joins_equal(seed):
    trees = crossing_trees(seed)
    here, there = with_and_without(lambda: overlapping_pairs(*trees))
    np.testing.assert_array_equal(here, there, err_msg=str(seed))
    return here.shape[1]


def random_bounds(random):
    """Return bounds (6, n) of few or many sizes, some far away, some alike."""
    count, size = random.choice([1, 2, 6, 7, 40, 300]), random.choice(SIZES)
    lower = random.uniform(0, 1, (3, count)) + random.choice([0.0, 0.3, 2.0])
    sizes = random.uniform(0, random.choice([0.01, 0.2]), (3, count))
    rows = np.concatenate((lower, lower + sizes))
    rows[:, random.random(count) < 0.1] *= random.choice([1, 1, 1e6])
    rows[:, random.random(count) < 0.2] = rows[:, :1]
    return size * rows


def assert_bounds_equal(seed):
    """Compare pairs of bounds that may overlap, their order, too."""
    random = np.random.default_rng(seed)
    ones, others = random_bounds(random), random_bounds(random)
    owners = random.integers(0, random.choice([1, 3, 50]), ones.shape[1])
    found = 0
    for given in ((ones,), (ones, others), (ones, None, owners)):
        with tuned(core, boxes_paired=int(random.choice([1, 20, 16_384]))):
            here, there = with_and_without(lambda given=given: list(near_bounds(*given)))
        pairs = [np.concatenate([batch[1:] for batch in each], axis=1) for each in (here, there)]
        np.testing.assert_array_equal(*pairs, err_msg=str(seed))
        assert [each.done for each in here] == sorted(each.done for each in here)
        found += pairs[0].shape[1]
    return found


def survive_a_damaged_join(seed):
    trees, random = crossing_trees(seed), np.random.default_rng(seed)
    which = int(random.integers(2))
    name = str(random.choice(["first_child", "begin", "end", "references"]))
    array = getattr(trees[which], name).copy()
    some = random.integers(0, max(len(array), 1), 1 + len(array) // 8)[: len(array)]
    wrong = np.array([-(2**40), -1, 0, 1, len(array) - 1, len(array), 2**40])
    array[some] = np.where(random.random(len(some)) < 0.5, array[some] + 1,
                           random.choice(wrong, len(some)))  # fmt: skip
    trees[which] = replace(trees[which], **{name: array})
    batches = compiled.joined_triangles(*trees, 1e-9, 10**6)
    return sum(len(ones) for ones, _ in batches or ())


def damaged(pool, random):
    """Return sheets one of whose arrays contradicts the others."""
    name = str(random.choice(["first_child", "child_count", "begin", "end", "roots", "boxes"]))
    array = getattr(pool.nodes, name).copy()
    flat = array.reshape(-1)
    some = random.integers(0, len(flat), 1 + len(flat) // 8)
    wrong = [-(2**40), -1, 0, 1, 9, len(flat), 2**40]
    wrong += [np.nan] if array.dtype == np.float64 else []
    flat[some] = random.choice(wrong, len(some))
    return replace(pool, nodes=replace(pool.nodes, **{name: array}))


def survive_damage(seed):
    """Walk surfaces whose arrays contradict each other: some answer, or none, and no crash."""
    made = surfaces(seed)
    if made is None:
        return 0
    moment, rows, limits, turned = made
    pool = run(moment.meshes.pool(np.unique(moment.placements.meshes[rows])))
    random, placements = np.random.default_rng(seed), moment.placements
    pool = damaged(pool, random)
    nowhere = random.choice([-1, 0, 2**40], len(placements)).astype(np.intp)
    for placed in (placements.meshes, nowhere):
        walked = compiled.shortest_ways(
            (pool, placed, placements.matrices),
            random.choice([rows, -rows, rows + 2**40], 1)[0],
            limits,
            np.zeros(rows.shape[1]),
            turned,
        )
        assert run(walked) is not None
        side = pool, placed, placements.matrices
        assert run(compiled.listed_touches(side, rows, np.zeros(rows.shape[1]), 0.0)) is not None
    return 1


if __name__ == "__main__":
    first, count = map(int, sys.argv[1:])
    assert not compiled.why_not(), compiled.why_not()
    tests = assert_ways_equal, assert_contacts_equal, assert_joins_equal
    tests += assert_crossings_equal, assert_lists_equal, assert_bounds_equal
    tests += survive_damage, survive_a_damaged_join
    pairs = sum(test(seed) for seed in range(first, first + count) for test in tests)
    print(f"{count} worlds, {pairs} pairs: no difference")
