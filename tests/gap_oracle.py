"""Gaps along a direction by brute force: each triangle with each; and surfaces that lie flush."""

from itertools import permutations, product

import numpy as np
from audit_scenes import box
from kernel_pairs import heights

from core import SceneOctree, Triangles
from core.gaps.shadows import exact_gaps, shadow_gaps
from core.gaps.way import Way
from core.place.sliding import scale_of
from core.steps import run

WAYS = ([0, 0, -1], [0, 0, 1], [0, 1, 0], [1, 0, 0], [1, 1, 0], [3, -1, 0], [0, 1, -2], [1, 2, -4])
EVERYTHING = 2**32 - 1


def gaps(moment, pool, way, rows, *, signed=False):
    """Return what `least` does of a pair of rows."""
    sides = [entries_of(moment, pool, row) for row in rows]
    entries = np.stack(np.meshgrid(*sides, indexing="ij")).reshape(2, -1)
    corners = np.concatenate(
        [corners_of(moment, pool, *side) for side in zip(entries, rows, strict=True)]
    )
    return least(way, pool.items(entries), corners, signed=signed)


def least(way, items, corners, *, signed=False):
    """Return the gap, its triangles and corner, whether any cross, and all faces in one plane.

    Of pairs of triangles, (2, n), with corners (6, 3, n); of equal gaps those of triangles that
    cross, of these of the smallest numbers, then of the lowest corner.
    """
    found = shadow_gaps(way, corners, signed=signed)
    best = [(np.inf, True, -1, -1, -1)]
    for held, is_apart in ((found.crossing, False), (found.flat[~found.faces], True)):
        best += [(0.0, is_apart, *items[:, pair].tolist(), -1) for pair in held]
    if len(found.pairs):
        values, _ = exact_gaps(way, corners[..., found.pairs], found.corners)
        ends = items[:, found.pairs].tolist()
        best += [
            (value, True, *rest)
            for value, *rest in zip(values.tolist(), *ends, found.corners.tolist(), strict=True)
        ]
    gap, is_apart, *where = min(best)
    faces = sorted(map(tuple, items[:, found.flat[found.faces]].T.tolist()))
    return (gap, *where), not is_apart, faces if gap > 0 else []


def entries_of(moment, pool, row):
    mesh = moment.placements.meshes[row]
    return pool.firsts[mesh] + np.arange(moment.meshes.sizes[mesh])


def corners_of(moment, pool, entries, row):
    """Return the corners of triangles, (3 corners, 3 axes, n)."""
    return moment.placed(pool, entries, np.full(len(entries), row)).rows.reshape(3, 3, -1)


def flush(random):
    """Return a moment of surfaces in whole numbers that often end where others do, and sheets."""
    scene, count = SceneOctree(), int(random.integers(2, 4))
    made, are_turned = (needles, 0) if random.random() < 0.2 else (whole_mesh, 1)
    meshes = [scene.add_mesh(made(random)) for _ in range(count)]
    turns = [np.eye(3)[list(order)] for order in permutations(range(3))]
    where = np.tile(np.eye(4), (count, 1, 1))
    for matrix in where:
        if random.random() < 0.5 * are_turned:
            matrix[:3, :3] = turns[random.integers(6)] * random.choice([-2, -1, 0.5, 1, 1], 3)
        if random.random() < 0.1:
            matrix[:3, random.integers(3)] *= random.choice([0, 1e-9])
        if random.random() < 0.3 * are_turned:  # about an axis, by an angle that is rounded
            one, other = random.permutation(3)[:2]
            matrix[[[one], [other]], [[one, other]]] = [[0.8, -0.6], [0.6, 0.8]]
        matrix[random.integers(3), 3] = random.choice([-1, 0, 1, 2, 0.5])
    where[:, :3] *= random.choice([1, 1, 1e-3, 1e6])
    where[:, :3, 3] += random.choice([0, 0, 0.1, 1e5])
    scene.place(meshes, where)
    moment = scene._snapshot(EVERYTHING)
    moment = moment.scaled(scale_of(moment))
    return moment, run(moment.meshes.pool(np.unique(moment.placements.meshes)))


def whole_mesh(random):
    """Return a box, a level grid, triangles in whole numbers, some without area, or both."""
    kind = random.integers(5)
    low = random.integers(-1, 1, 3)
    solid = box(low, low + random.integers(1, 3, 3))
    grid = heights(int(random.choice([1, 2, 5])), lambda places: 0 * places[:, 0])
    if kind < 3:
        return (solid, grid, grid)[kind]
    count = int(random.choice([1, 3, 12]))
    corners = random.integers(-1, 2, (count, 3, 3)).astype(float)
    corners[:, :, random.integers(3)] *= random.choice([0, 1])
    thin, along = random.random(count) < random.choice([0, 0.3, 1]), random.choice([0, 2, 2])
    for corner in (1, 2):  # to a point, or to a line along an axis
        corners[thin, corner] = corners[thin, 0]
        corners[thin, corner, along] += random.integers(0, 3, thin.sum())
    loose = Triangles(corners.reshape(-1, 3), np.arange(3 * count).reshape(-1, 3))
    return loose if kind == 3 else both(grid, loose)


def needles(random):
    """Triangles without area along z, at the same few places."""
    corners = np.repeat(random.integers(0, 2, (int(random.choice([2, 9])), 1, 3)), 3, axis=1)
    corners[:, :, 2] += random.integers(0, 3, corners.shape[:2])
    return Triangles(
        corners.reshape(-1, 3).astype(float), np.arange(corners.size // 3).reshape(-1, 3)
    )


def both(one, other):
    """Return the triangles of two meshes as one."""
    faces = np.concatenate((one.faces, other.faces + len(one.vertices)))
    return Triangles(np.concatenate((one.vertices, other.vertices)), faces)


def way_of(random):
    """Return a way along an axis, in a plane of two, or between all."""
    return Way.of(random.choice([-1, 1]) * np.array(WAYS[random.integers(len(WAYS))], float))


def pairs_of(moment, random):
    """Return pairs of rows, (2, p)."""
    (there,) = moment.placements.is_there.nonzero()
    every = np.array([pair for pair in product(there, there) if pair[0] != pair[1]]).T
    return every[:, random.permutation(every.shape[1])[:6]]
