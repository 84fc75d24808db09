"""Random worlds, and rays that ask them with the kernel and without: the answers are equal.

python tests/kernel_worlds.py SEED WORLDS looks at many.
"""

import sys
from contextlib import contextmanager
from dataclasses import replace
from pathlib import Path

import numpy as np

if __name__ == "__main__":
    sys.path.insert(0, str(Path(__file__).resolve().parent.parent))

from core import Triangles, build_octree, compiled, lone, nearest, ray_cast, ray_cast_all, ray_test

SIZES = (1e-12, 1e-3, 1.0, 1.0, 1e4, 1e12)
SHIFTS = (0.0, 0.0, 0.0, 3.0, 1e3, 1e5)
ALL_BITS = 2**32 - 1


@contextmanager
def packing(is_on, *, alone=False):
    """Let all trees be packed at the first question, or none; or walk all as they are."""
    made, most = compiled.packed, lone.MOST
    compiled.packed = (lambda tree, rays: made(tree, 10**12)) if is_on else (lambda *_: None)
    lone.MOST = 10**9 if alone else 0
    try:
        yield
    finally:
        compiled.packed, lone.MOST = made, most


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
    random = np.random.default_rng(seed)
    name = str(random.choice(["first_child", "begin", "own_end", "end", "references", "order"]))
    array = getattr(tree, name).copy()
    some = random.integers(0, len(array), 1 + len(array) // 8)
    wrong = random.choice([-(2**40), -1, 0, 1, len(array) - 1, len(array), 2**40], len(some))
    array[some] = np.where(random.random(len(some)) < 0.5, wrong, array[some] + 1)
    damaged = replace(tree, **{name: array})
    packed = compiled.Packed(damaged)
    walked = lone.Lone(damaged)
    if walked.is_sound:
        lone._KNOWN[damaged] = walked
        lone.rays(damaged, origins[:99], directions[:99], np.inf, ALL_BITS)
        lone.nearest(damaged, origins[:99], 1, np.inf, ALL_BITS)
    if packed.is_sound:
        asked = compiled.Questions(origins, directions, np.array([np.inf]))
        packed.cast(asked, (np.empty(len(origins), np.intp),), any_hit=False)
        packed.cast_all(asked, np.zeros(len(origins), bool))
        packed.nearest(origins, 3, np.inf)
    return packed.is_sound


if __name__ == "__main__":
    first, count = map(int, sys.argv[1:])
    assert not compiled.why_not(), compiled.why_not()
    asked = sum(assert_equal(seed) for seed in range(first, first + count))
    sound = sum(survive_damage(seed) for seed in range(first, first + count))
    print(f"{count} worlds, {asked} rays: no difference; {sound} of as many damaged trees packed")
