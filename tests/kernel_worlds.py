"""Random worlds, and rays that ask them with the kernel and without: the answers are equal.

python tests/kernel_worlds.py SEED WORLDS [RAYS] looks at many, with up to so many rays in each.
"""

import sys
from contextlib import contextmanager
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Any

import numpy as np
from numpy.typing import NDArray

if __name__ == "__main__":
    sys.path.insert(0, str(Path(__file__).resolve().parent.parent))

import planted_scenes

from core import (
    Boxes,
    Capsules,
    DynamicOctree,
    OrientedBoxes,
    Regions,
    SceneOctree,
    Spheres,
    Triangles,
    build_octree,
    compiled,
    lone,
    nearest,
    query,
    query_any,
    query_count,
    ray_cast,
    ray_cast_all,
    ray_test,
)
from core.records import Record
from core.scene import packed as packed_scenes
from core.scene.in_rows import wound_about
from core.scene.moment import Moment
from core.steps import run
from core.touch.rays import Rays

SIZES = (1e-12, 1e-3, 1.0, 1.0, 1e4, 1e12)
SHIFTS = (0.0, 0.0, 0.0, 3.0, 1e3, 1e5)
ALL_BITS = 2**32 - 1
SCENE_QUESTIONS = ray_test, ray_cast, ray_cast_all
NOT_FINITE = (np.nan, np.inf, -np.inf)


class Most:
    """How many rays a world is asked with at most."""

    rays = 300


@dataclass(frozen=True, eq=False)
class Found(Record):
    """What a question found that answers with an array."""

    array: NDArray[Any]


@contextmanager
def packing(is_on, *, alone=False):
    """Let all trees be packed at the first question, or none; or walk all as they are."""
    of_tree, of_scene = lone.packed_tree, Moment.packed
    most = lone.MOST
    if is_on:
        lone.packed_tree = lambda tree, _, **options: of_tree(tree, 10**12, **options)
    else:
        lone.packed_tree = Moment.packed = lambda *_, **__: None
    lone.MOST = 10**9 if alone else 0
    try:
        yield
    finally:
        lone.MOST = most
        lone.packed_tree, Moment.packed = of_tree, of_scene


def triangles(random):
    """Scattered, or slivers, or in whole numbers, or all in a plane, or many in one place."""
    count = int(random.choice([1, 5, 9, 60, 700, 4000]))
    corners = random.uniform(-1, 1, (count, 1, 3)) ** random.choice([1, 3])
    corners = corners + random.normal(size=(count, 3, 3)) * 10.0 ** random.uniform(-4, 0)
    kind = random.choice(["plain", "slivers", "whole", "flat", "twins", "shared"])
    if kind == "slivers":
        width = 10.0 ** random.uniform(-16, -2, (count, 1))
        corners[:, 2] = corners[:, :2].mean(axis=1) + width * corners[:, 2]
    elif kind == "whole":
        corners = np.round(corners * 4)
    elif kind == "flat":
        corners[:, :, random.integers(3)] = random.choice([0.0, 0.1])
    elif kind == "twins":
        corners = corners[random.integers(0, count, count) // 3]
    vertices = corners.reshape(-1, 3)
    faces = np.arange(3 * count).reshape(-1, 3)
    if kind == "shared":
        faces = random.integers(0, 3 * count, (count, 3))
    return vertices, faces


def rays(random, vertices):
    """Rays from anywhere, along axes, through vertices, from vertices, from far away."""
    count = int(random.choice([1, 7, Most.rays]))
    origins = random.uniform(-2, 2, (count, 3)) * np.abs(vertices).max()
    targets = vertices[random.integers(0, len(vertices), count)]
    directions = random.normal(size=(count, 3))
    kinds = random.integers(0, 6, count)
    directions[kinds == 1] = targets[kinds == 1] - origins[kinds == 1]
    directions[kinds == 2] = np.eye(3)[random.integers(0, 3, (kinds == 2).sum())]
    directions[kinds == 3] = np.round(directions[kinds == 3] * 2)
    origins[kinds == 4] = targets[kinds == 4]
    origins[kinds == 2] = np.round(origins[kinds == 2] * 4) / 4
    far = kinds == 5
    origins[far] = targets[far] - directions[far] * 10.0 ** random.uniform(1, 9, (far.sum(), 1))
    directions *= 10.0 ** random.choice([0, 0, -9, 9])
    directions[~directions.any(axis=1)] = (0, -0.0, -1)
    return origins, directions


def ends(random, origins, vertices):
    """Return where rays end: nowhere, all at one distance, each at its own."""
    size = np.abs(vertices).max() + 1e-300
    each = random.choice([0.0, size / 3, size, 3 * size, np.inf], len(origins))
    return [np.inf, float(size), each][random.integers(3)]


def options(random, count):
    """Options of a tree of so many triangles: a deep one of many would take NumPy minutes."""
    deepest = 20 if count < 100 else 7
    return {
        "capacity": int(random.choice([1, 8, 32])),
        "straddlers": str(random.choice(["copy", "keep", "hybrid"])),
        "split": str(random.choice(["middle", "median"])),
        "max_depth": int(random.choice([3, 5, deepest])),
        "loose_factor": float(random.choice([1.0, 2.0])),
    }


def answers(tree, origins, directions, limits, groups):
    """Return the answers of all questions: rays, and the nearest of where they begin and end."""
    asked = {"max_distance": limits, "groups": groups}
    found = [
        question(tree, origins, directions, **asked)
        for question in (ray_test, ray_cast, ray_cast_all)
    ]
    points = np.concatenate((origins, found[1].positions[found[1].items >= 0]))
    for asked in volumes(points[:12], np.ptp(points, axis=0)):
        found += touched(tree, asked, groups)
    most = {"max_distance": float(np.max(limits, initial=0.0)), "groups": groups}
    return found + [nearest(tree, points, count=count, **most) for count in (1, 5)]


def touched(tree, asked, groups):
    """Return what the questions of volumes find."""
    found = [Found(ask(tree, asked, groups=groups)) for ask in (query, query_count, query_any)]
    return [*found, Found(query(tree, asked, relation="inside", groups=groups))]


def volumes(centers, sizes):
    """Return volumes of each kind that the kernel looks at, some of no size, with whole corners.

    Where `sizes` are small beside the centers, they are rounded away.
    """
    count, turns = len(centers), np.array([[0.6, -0.8, 0.0], [0.8, 0.6, 0.0], [0.0, 0.0, 1.0]])
    radii = np.resize(np.append(sizes, 0.0), count) * np.resize([1, 0.1, 0.01], count)
    sides = np.resize(sizes, (count, 3)) * radii[:, None] / max(sizes.max(initial=0.0), 1e-300)
    sides[::5] = 0.0
    lower, upper = centers - sides, centers + sides
    return [
        Spheres(centers, radii),
        Boxes(lower, upper),
        Boxes(np.minimum(centers, centers[::-1]), np.maximum(centers, centers[::-1])),
        Regions(lower, upper, radii),
        OrientedBoxes(centers, sides, np.tile(turns, (count, 1, 1))),
        Capsules(centers, centers[::-1], radii),
    ]


def world(seed):
    """Return the octree and the question of a seed."""
    random = np.random.default_rng(seed)
    vertices, faces = triangles(random)
    origins, directions = rays(random, vertices)
    limits = ends(random, origins, vertices)
    size, shift = random.choice(SIZES), random.choice(SHIFTS, 3)
    masks = random.integers(0, 8, len(faces)).astype(np.uint32) if random.random() < 0.2 else None
    chosen = options(random, len(faces))
    if chosen["straddlers"] != "keep":
        del chosen["loose_factor"]
    limits = limits * size if np.ndim(limits) else float(limits * size)
    corners = (vertices + shift) * size
    if random.random() < 0.2:  # those that have these corners are set aside
        bad = random.integers(0, len(corners), 1 + len(corners) // 50)
        corners[bad, random.integers(0, 3, len(bad))] = random.choice(NOT_FINITE, len(bad))
    items = Triangles(corners, faces)
    tree = replace(build_octree(items, **chosen), groups=masks)
    groups = ALL_BITS if masks is None else 1
    return tree, ((origins + shift) * size, directions, limits, groups)


def matrices(random, count):
    """Turn, mirror, shear, flatten, stretch and shift; some are not finite."""
    found = np.zeros((count, 4, 4))
    found[:, :3, :3], found[:, 3, 3] = random.normal(size=(count, 3, 3)), 1
    found[:, :3, :3] *= 10.0 ** random.choice([0, 0, -3, 6], (count, 1, 1))
    found[:, :3, 3] = random.normal(size=(count, 3)) * random.choice([0.0, 1.0, 30.0, 1e6])
    kinds = random.integers(0, 8, count)
    found[kinds == 0, :3, :3] = np.eye(3)
    found[kinds == 1, :3, random.integers(3)] = 0
    found[kinds == 2, :3, 1] = found[kinds == 2, :3, 0] * (1 + 2.0**-20)
    found[kinds == 3] = np.round(found[kinds == 3])
    found[random.random(count) < 0.02, 0, 0] = np.nan
    return found


def scene(seed):
    """Return the scene and the question of a seed."""
    random = np.random.default_rng(seed)
    meshes = [triangles(random) for _ in range(random.integers(1, 4))]
    tree = SceneOctree()
    numbers = [tree.add_mesh(Triangles(*mesh)) for mesh in meshes]
    count = int(random.choice([1, 4, 40]))
    placed, where = random.choice(numbers, count), matrices(random, count)
    size, shift = random.choice(SIZES), random.choice(SHIFTS, 3)
    where[:, :3] *= size
    where[:, :3, 3] += shift * size
    masks = random.integers(0, 8, count) if random.random() < 0.2 else None
    tree.place(placed, where, groups=masks)
    corners = tree.triangles_of(tree.ids).vertices
    corners = corners[np.isfinite(corners).all(axis=1)] / size - shift
    if len(corners) == 0:
        corners = np.ones((1, 3))
    origins, directions = rays(random, corners)
    limits = ends(random, origins, corners)
    limits = limits * size if np.ndim(limits) else float(limits * size)
    groups = ALL_BITS if masks is None else 1
    return tree, ((origins + shift) * size, directions, limits, groups)


def moved(tree, seed):
    """Yield a scene as it is, after moves, some of them to nowhere, and without some of it."""
    random = np.random.default_rng(seed)
    yield tree
    some = tree.ids[random.random(len(tree.ids)) < 0.5]
    if len(some):
        tree.move(some, tree.matrices_of(some)[random.permutation(len(some))])
        yield tree
        lost = tree.matrices_of(some[:3])
        lost[:, 0, 3] = random.choice(NOT_FINITE, len(lost))
        tree.move(some[:3], lost)
        tree.remove(some[3:6])
        yield tree


def assert_scenes_equal(seed):
    tree, question = scene(seed)
    return sum(assert_scene_equal(each, question, seed) for each in moved(tree, seed))


def assert_scene_equal(tree, question, seed):
    asked = dict(zip(("max_distance", "groups"), question[2:], strict=True))
    found = []
    for is_on in (False, True):
        with packing(is_on):
            found.append([ask(tree, *question[:2], **asked) for ask in SCENE_QUESTIONS])
            found[-1] += scene_answers(tree, question[0], found[0][1], asked)
    assert np.array_equal(found[0][0], found[1][0]), seed
    assert found[0][1:] == found[1][1:], seed
    assert signs_of(found[0][1:]) == signs_of(found[1][1:]), seed
    return len(question[0])


def scene_answers(tree, origins, hits, asked):
    """Return what is nearest, what volumes touch, and about which points triangles wind."""
    groups, most = asked["groups"], float(np.max(asked["max_distance"], initial=0.0))
    points = np.concatenate((origins[:30], hits.positions[hits.items >= 0][:30]))
    found = [
        nearest(tree, points, count=count, max_distance=most, groups=groups) for count in (1, 4)
    ]
    for each in volumes(points[:12], np.ptp(points, axis=0)):
        found += touched(tree, each, groups)
    moment = tree._snapshot(groups)
    (there,) = moment.placements.is_there.nonzero()
    if len(there):
        rows = np.resize(there, len(points))
        ways = np.tile([[0.5377], [0.7127], [0.4507]], len(points))
        counting = how_triangles_count(moment)
        for scale in (1.0, 2.0**-9, 2.0**20):
            starts = np.ascontiguousarray(points.T * scale)
            rays = Rays.of(starts, ways, np.full(len(points), np.inf))
            here = moment.scaled(scale)
            found.append(Found(wound_about(here, rays, rows, *counting)))
    return found


def how_triangles_count(moment):
    """Return codes of all kinds for the triangles of meshes, and where those of each begin."""
    sizes = np.zeros(moment.meshes.born, np.intp)
    for number in np.unique(moment.placements.meshes):
        sizes[number] = len(moment.meshes[int(number)].triangles)
    return np.resize([-1, 0, -1, 5, -1, 9, 9], sizes.sum() + 1), np.cumsum(sizes) - sizes


def boxes(seed):
    """Return a tree of boxes, spheres or regions, and volumes to ask it."""
    random = np.random.default_rng(seed)
    count = int(random.choice([1, 9, 60, 3000]))
    size, shift = random.choice(SIZES), random.choice(SHIFTS, 3)
    centers, sides = random.normal(size=(count, 3)), random.random((count, 3))
    if random.random() < 0.3:
        centers, sides = np.round(centers * 3), np.round(sides * 2)
    sides *= 10.0 ** random.uniform(-3, 0)
    centers, sides = (centers + shift) * size, sides * size
    items = random.choice(3)
    lower, upper, radii = centers - sides, centers + sides, sides[:, 0]
    made = [Boxes(lower, upper), Spheres(centers, radii), Regions(lower, upper, radii)][items]
    chosen = options(random, count)
    if chosen["straddlers"] != "keep":
        del chosen["loose_factor"]
    some = centers[random.integers(0, count, 40)] + random.normal(size=(40, 3)) * size / 9
    return build_octree(made, **chosen), volumes(some, np.ptp(some, axis=0))


def with_threads(seed, threads):
    """Return what a tree and a scene answer to questions that several threads may walk."""
    found = []
    for tree, (origins, directions, limits, groups) in (world(seed), scene(seed)):
        asked = {"groups": groups, "threads": threads}
        spheres = Spheres(np.resize(origins, (100, 3)), np.full(100, np.ptp(origins)))
        with packing(True):
            for ask in SCENE_QUESTIONS:
                answer = ask(tree, origins, directions, max_distance=limits, **asked)
                found.append(Found(answer) if ask is ray_test else answer)
            found.append(nearest(tree, origins, count=2, **asked))
            for ask in (query, query_any, query_count):
                found.append(Found(ask(tree, spheres, **asked)))
    return found


def assert_boxes_equal(seed):
    tree, asked = boxes(seed)
    assert_items_equal(tree, asked, ALL_BITS, seed)
    return sum(map(len, asked))


def assert_planted_boxes_equal(seed):
    """Compare what has triangles that touch it planted, where floats are in doubt."""
    random = np.random.default_rng(seed)
    corners, both = planted_scenes.touching_pairs(seed, int(random.choice([9, 90, 300])))
    unit, shift = random.choice(planted_scenes.UNITS), random.choice([0, 2**12 + 1, 2**40 - 3])
    corners, (lower, upper) = (corners + shift) * unit, (both.swapaxes(1, 2) + shift) * unit
    corners = planted_scenes.nudged(corners, seed, random.choice([0, 0.1]))
    tree = build_octree(planted_scenes.triangles(corners), capacity=4)
    half, radii = (upper - lower) / 2, np.resize([0, unit], len(lower))
    turns = np.tile(np.eye(3), (len(lower), 1, 1))
    asked = [
        Boxes(lower, upper),
        Regions(lower, upper, radii),
        OrientedBoxes(lower + half, half, turns),
        Capsules(lower, upper, radii),
    ]
    assert_items_equal(tree, asked, ALL_BITS, seed)
    return sum(map(len, asked))


def assert_items_equal(tree, asked, groups, told):
    """Compare what volumes touch and what is nearest to their middles: packed, alone, by NumPy."""
    places = np.concatenate(
        [(low + (high - low) / 2).T[:40] for low, high in (each.limits() for each in asked)]
    )
    found = []
    for is_on, alone in ((False, False), (True, False), (False, True)):
        with packing(is_on, alone=alone):
            answers = [touched(tree, each, groups) for each in asked]
            near = [
                nearest(tree, places, count=count, max_distance=most, groups=groups)
                for count in (1, 4, 70)
                for most in (np.inf, float(np.ptp(places)) / 9)
            ]
            found.append((answers, near, signs_of(near)))
    assert found[0] == found[1] == found[2], told


def assert_moves_equal(seed):
    """Compare a tree of boxes or spheres that changes, of which questions ask some groups."""
    random = np.random.default_rng(seed)
    count = int(random.choice([1, 9, 200, 2000]))
    size = random.choice(SIZES)
    centers, sides = random.normal(size=(count, 3)) * size, random.random((count, 3)) * size / 9
    is_round = random.random() < 0.5

    def shapes(some, shift):
        where = centers[some] + shift
        return (
            Spheres(where, sides[some, 0])
            if is_round
            else Boxes(where - sides[some], where + sides[some])
        )

    tree = DynamicOctree(capacity=int(random.choice([4, 8, 32])))
    masks = random.integers(0, 8, count) if random.random() < 0.5 else None
    ids = tree.insert(shapes(slice(None), 0.0), groups=masks)
    asked = volumes(centers[random.integers(0, count, 30)], np.full(3, size))
    groups = ALL_BITS if masks is None else int(random.choice([1, 3, ALL_BITS]))
    for turn in range(3):
        assert_items_equal(tree.octree, asked, groups, (seed, turn))
        some = random.permutation(len(ids))[: 1 + len(ids) // 3]
        tree.move(ids[some], shapes(some, random.normal(size=3) * size / 3))
    return 3 * sum(map(len, asked))


def assert_bad_questions_equal(seed):
    """Compare what is said of volumes and rays with a number that is not finite, alone or not."""
    tree, (origins, directions, _, groups) = world(seed)
    random = np.random.default_rng(seed)
    starts = np.resize(origins, (5, 3))
    for asked in volumes(starts, np.ones(3))[:2]:
        rows, kind = asked.rows.copy(), type(asked)
        rows[random.integers(len(rows)), random.integers(5)] = random.choice(NOT_FINITE)

        def made(rows=rows, kind=kind):
            return Boxes(rows[:3].T, rows[3:].T) if kind is Boxes else Spheres(rows[:3].T, rows[3])

        assert_same_said(lambda made=made: query(tree, made(), groups=groups), seed)
    starts[random.integers(5), random.integers(3)] = random.choice(NOT_FINITE)
    ways = np.resize(directions, (5, 3))
    for question in SCENE_QUESTIONS:
        assert_same_said(lambda ask=question: ask(tree, starts, ways, groups=groups), seed)
    assert_same_said(lambda: nearest(tree, starts, groups=groups), seed)
    return 30


def assert_same_said(ask, seed):
    said = []
    for way in ({"is_on": False}, {"is_on": True}, {"is_on": False, "alone": True}):
        with packing(**way):
            try:
                found = ask()
                said.append(Found(found) if isinstance(found, np.ndarray) else found)
            except ValueError as error:
                said.append(str(error))
    assert said[0] == said[1] == said[2], (seed, said)


def assert_equal(seed):
    tree, question = world(seed)
    with packing(False):
        expected = answers(tree, *question)
    for way in ({"is_on": True}, {"is_on": False, "alone": True}):
        with packing(**way):
            found = answers(tree, *question)
        assert np.array_equal(found[0], expected[0]), (seed, way)
        assert found[1:] == expected[1:], (seed, way)
        assert signs_of(found[1:]) == signs_of(expected[1:]), (seed, way)
    return len(question[0])


def signs_of(records):
    """Return which numbers are negative, zeros too, as bytes; of what is no number, nothing."""
    arrays = [array for record in records for array in vars(record).values()]
    return [
        (np.signbit(each) & ~np.isnan(each)).tobytes()
        for each in arrays
        if isinstance(each, np.ndarray) and each.dtype == np.float64
    ]


def survive_damage(seed):
    """Ask a tree whose arrays contradict each other: some answer, or none, and no crash."""
    tree, (origins, directions, _, _) = world(seed)
    if seed % 4 == 3:
        tree = boxes(seed)[0]
    names = ["first_child", "begin", "own_end", "end", "references", "order"]
    damaged = damaged_in(tree, names, np.random.default_rng(seed))
    walked = lone.Lone(damaged)
    if walked.is_sound:
        lone._KNOWN[damaged] = walked
        lone.rays(damaged, origins[:99], directions[:99], np.inf, ALL_BITS)
        lone.crossings(damaged, origins[:99], directions[:99], np.inf, ALL_BITS)
        lone.nearest(damaged, origins[:99], 1, np.inf, ALL_BITS)
        for asked in volumes(origins[:99], np.ptp(origins, axis=0)):
            lone.volumes(damaged, asked, ALL_BITS)
    return ask_damaged(compiled.Packed.of(damaged), type(tree.items), origins, directions)


def survive_damaged_nodes(seed):
    """Ask a mesh whose nodes contradict each other, likewise."""
    tree, (origins, directions, _, _) = scene(seed)
    random, (numbers,) = np.random.default_rng(seed), tree._meshes.sizes.nonzero()
    if not len(numbers):
        return False
    pool = run(tree._meshes.pool(numbers))
    nodes = damaged_in(pool.nodes, ["first_child", "child_count", "begin", "end"], random)
    number = int(random.choice(numbers))
    packed = packed_scenes._packed_mesh(replace(pool, nodes=nodes), number)
    return ask_damaged(packed, Triangles, origins, directions)


def damaged_in(whole, names, random):
    """Return the same with an array, one of these, that contradicts the others."""
    name = str(random.choice(names))
    array = getattr(whole, name).copy()
    some = random.integers(0, len(array), 1 + len(array) // 8)
    wrong = random.choice([-(2**40), -1, 0, 1, len(array) - 1, len(array), 2**40], len(some))
    array[some] = np.where(random.random(len(some)) < 0.5, wrong, array[some] + 1)
    return replace(whole, **{name: array})


def ask_damaged(packed, kind, origins, directions):
    """Ask what was packed of damaged arrays; return whether it was packed."""
    if packed is None or not packed.is_sound:
        return False
    asked = compiled.Questions(origins, directions, np.array([np.inf]))
    turns = np.arange(len(origins))
    if kind is Triangles:
        packed.cast(asked, any_hit=False)
        packed.cast_all(asked)
    packed.nearest(origins, turns, 3, np.inf)
    for each in volumes(origins, np.ptp(origins, axis=0)):
        packed.touched(compiled.VolumesAsked.of(each, 1), turns)
    return True


if __name__ == "__main__":
    first, count, *most = map(int, sys.argv[1:])
    Most.rays = most[0] if most else Most.rays
    assert not compiled.why_not(), compiled.why_not()
    tests = (
        assert_equal,
        assert_scenes_equal,
        assert_boxes_equal,
        assert_planted_boxes_equal,
        assert_moves_equal,
    )
    tests += (assert_bad_questions_equal,)
    asked = sound = 0
    for seed in range(first, first + count):
        asked += sum(test(seed) for test in tests)
        sound += survive_damage(seed) + survive_damaged_nodes(seed)
        if (seed - first) % 10 == 9:
            print(f"{seed - first + 1} worlds, {asked} rays and volumes", flush=True)
    told = f"{count} worlds, {asked} rays and volumes: no difference"
    print(f"{told}; {sound} of twice as many damaged trees packed")
