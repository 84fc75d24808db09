"""Random worlds, and rays that ask them with the kernel and without: the answers are equal.

python tests/kernel_worlds.py SEED WORLDS looks at many.
"""

import sys
from contextlib import contextmanager
from dataclasses import dataclass, replace
from functools import partial
from pathlib import Path
from typing import Any

import numpy as np
from numpy.typing import NDArray

if __name__ == "__main__":
    sys.path.insert(0, str(Path(__file__).resolve().parent.parent))

from core import (
    SceneOctree,
    Spheres,
    Triangles,
    build_octree,
    compiled,
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

SIZES = (1e-12, 1e-3, 1.0, 1.0, 1e4, 1e12)
SHIFTS = (0.0, 0.0, 0.0, 3.0, 1e3, 1e5)
ALL_BITS = 2**32 - 1
SCENE_QUESTIONS = ray_test, ray_cast, ray_cast_all


@dataclass(frozen=True, eq=False)
class Found(Record):
    """What a question found that answers with an array."""

    array: NDArray[Any]


@contextmanager
def packing(is_on):
    """Let all trees be packed at the first question, or none."""
    rooms = compiled, packed_scenes
    made = [room.packed for room in rooms]
    for room, pack in zip(rooms, made, strict=True):
        room.packed = partial(_packed_at_once, pack) if is_on else (lambda *_: None)
    try:
        yield
    finally:
        for room, pack in zip(rooms, made, strict=True):
            room.packed = pack


def _packed_at_once(pack, asked, _):
    return pack(asked, 10**12)


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
    count = int(random.choice([1, 7, 300]))
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


def options(random):
    return {
        "capacity": int(random.choice([1, 8, 32])),
        "straddlers": str(random.choice(["copy", "keep", "hybrid"])),
        "split": str(random.choice(["middle", "median"])),
        "max_depth": int(random.choice([3, 10, 30])),
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
    centers = points[:40]
    radii = np.resize(np.append(np.ptp(points, axis=0), 0.0), len(centers))
    spheres = Spheres(centers, radii * np.resize([1, 0.1, 0.01], len(centers)))
    for question in (query, query_count, query_any):
        found.append(Found(question(tree, spheres, groups=groups)))
    most = {"max_distance": float(np.max(limits, initial=0.0)), "groups": groups}
    return found + [nearest(tree, points, count=count, **most) for count in (1, 5)]


def world(seed):
    """Return the octree and the question of a seed."""
    random = np.random.default_rng(seed)
    vertices, faces = triangles(random)
    origins, directions = rays(random, vertices)
    limits = ends(random, origins, vertices)
    size, shift = random.choice(SIZES), random.choice(SHIFTS, 3)
    masks = random.integers(0, 8, len(faces)).astype(np.uint32) if random.random() < 0.2 else None
    chosen = options(random)
    if chosen["straddlers"] != "keep":
        del chosen["loose_factor"]
    limits = limits * size if np.ndim(limits) else float(limits * size)
    items = Triangles((vertices + shift) * size, faces)
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
    chosen = options(random)
    if chosen["straddlers"] != "keep":
        del chosen["loose_factor"]
    tree = SceneOctree(**chosen)
    meshes = [triangles(random) for _ in range(random.integers(1, 4))]
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


def assert_scenes_equal(seed):
    tree, question = scene(seed)
    asked = dict(zip(("max_distance", "groups"), question[2:], strict=True))
    found = []
    for is_on in (False, True):
        with packing(is_on):
            found.append([ask(tree, *question[:2], **asked) for ask in SCENE_QUESTIONS])
    assert np.array_equal(found[0][0], found[1][0]), seed
    assert found[0][1:] == found[1][1:], seed
    assert signs_of(found[0][1:]) == signs_of(found[1][1:]), seed
    return len(question[0])


def assert_equal(seed):
    tree, question = world(seed)
    with packing(False):
        expected = answers(tree, *question)
    with packing(True):
        found = answers(tree, *question)
    assert np.array_equal(found[0], expected[0]), seed
    assert found[1:] == expected[1:], seed
    assert signs_of(found[1:]) == signs_of(expected[1:]), seed
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
    random = np.random.default_rng(seed)
    name = str(random.choice(["first_child", "begin", "own_end", "end", "references", "order"]))
    array = getattr(tree, name).copy()
    some = random.integers(0, len(array), 1 + len(array) // 8)
    wrong = random.choice([-(2**40), -1, 0, 1, len(array) - 1, len(array), 2**40], len(some))
    array[some] = np.where(random.random(len(some)) < 0.5, wrong, array[some] + 1)
    packed = compiled.Packed(replace(tree, **{name: array}))
    if packed.is_sound:
        asked = compiled.Questions(origins, directions, np.array([np.inf]))
        packed.cast(asked, (np.empty(len(origins), np.intp),), any_hit=False)
        packed.cast_all(asked, np.zeros(len(origins), np.int8))
        turns = np.arange(len(origins))
        packed.nearest(origins, turns, 3, np.inf)
        packed.touched(np.append(origins, origins[:, :1] ** 2, axis=1), turns)
    return packed.is_sound


if __name__ == "__main__":
    first, count = map(int, sys.argv[1:])
    assert not compiled.why_not(), compiled.why_not()
    seeds = range(first, first + count)
    asked = sum(assert_equal(seed) + assert_scenes_equal(seed) for seed in seeds)
    sound = sum(map(survive_damage, seeds))
    print(f"{count} worlds, {asked} rays: no difference; {sound} of as many damaged trees packed")
