"""Random audits, with the kernel and without: findings and their parts are equal, bit by bit.

python tests/kernel_audits.py SEED WORLDS looks at many.
"""

import sys
from pathlib import Path

import numpy as np

if __name__ == "__main__":
    sys.path.insert(0, str(Path(__file__).resolve().parent.parent))

import kernel_pairs as pairs
import kernel_worlds as worlds

from core import SceneOctree, Triangles, audit, compiled
from core.clash import contacts, coplanar, cutting, depth, inside
from core.scene.placed import PlacedTriangles
from core.steps import run
from core.touch.triangle_distance import points_to_triangles

MARGINS = (1e-9, 1e-5, 0.01, 0.3)


def solid(random):
    """Make a closed ring of walls, as thick as it likes to be, maybe in whole numbers."""
    sides, rings = int(random.integers(3, 9)), int(random.integers(2, 5))
    turn = 2 * np.pi * np.arange(sides) / sides
    circle = np.stack((np.cos(turn), np.sin(turn)), axis=1) * random.choice([0.2, 1.0])
    heights = np.linspace(-1, 1, rings) * random.choice([0.05, 1.0])
    points = [np.column_stack((circle, np.full(sides, height))) for height in heights]
    points += [[(0, 0, heights[0]), (0, 0, heights[-1])]]
    here, there = np.arange(sides), np.roll(np.arange(sides), -1)
    faces = []
    for ring in range(rings - 1):
        low, high = ring * sides, (ring + 1) * sides
        faces += [(here + low, there + low, there + high), (here + low, there + high, here + high)]
    last = (rings - 1) * sides
    faces += [(there, here, here * 0 + rings * sides)]
    faces += [(here + last, there + last, here * 0 + rings * sides + 1)]
    points = np.concatenate(points)
    if random.random() < 0.4:
        points = np.round(points * 2) / 2
    return Triangles(points, np.concatenate([np.stack(each, axis=1) for each in faces]))


def scene(seed):
    """Place solids, and sometimes loose triangles, on and in each other."""
    random, built = np.random.default_rng(seed), SceneOctree()
    numbers = [built.add_mesh(solid(random)) for _ in range(4)]
    if random.random() < 0.3:
        numbers.append(built.add_mesh(pairs.mesh(random)))
    count = 12
    matrices = worlds.matrices(random, count)
    matrices[:, 0, 0] = np.nan_to_num(matrices[:, 0, 0])
    flat = random.random(count) < 0.5
    matrices[flat, :3, :3] = np.eye(3)
    matrices[:, :3, 3] = random.uniform(-1.5, 1.5, (count, 3))
    if random.random() < 0.5:
        matrices[:, :3, 3] = np.round(matrices[:, :3, 3] * 2) / 2
    matrices[:, :3] *= random.choice([1e-12, 1e-3, 1.0, 1.0, 1e6, 1e30])
    built.place(random.choice(numbers, count), matrices)
    return built


def assert_audits_equal(seed):
    """Compare all that is found."""
    random = np.random.default_rng(seed)
    options = {"clearance": random.choice([0.0, 0.1]), "band": random.choice([None, 1e-5])}
    with np.errstate(all="ignore"):
        here, there = pairs.with_and_without(lambda: audit(scene(seed), **options))
    for name, value in vars(here).items():
        np.testing.assert_array_equal(value, getattr(there, name), f"{seed}: {name}")
    return len(here)


def assert_nearest_equal(seed):
    """Compare the nearest triangles of points in rows."""
    random, built = np.random.default_rng(seed), scene(seed)
    moment = built._snapshot(worlds.ALL_BITS)
    (rows,) = moment.placements.is_there.nonzero()
    rows = np.sort(rows[random.integers(0, len(rows), 300)])
    boxes = moment.placements.boxes[:, rows]
    points = boxes[:3] + random.uniform(0, 1, (3, 300)).round(1) * (boxes[3:] - boxes[:3])
    limits = np.full(300, np.inf)
    found = pairs.with_and_without(
        lambda: run(inside.nearest_triangles(moment, points, rows, limits))
    )
    np.testing.assert_array_equal(*(lengths for lengths, _ in found), err_msg=str(seed))
    np.testing.assert_array_equal(*(corners for _, corners in found), err_msg=str(seed))
    return len(rows)


def assert_measures_equal(seed):
    """Compare distances of pairs of triangles, and of points from triangles."""
    random, margin = np.random.default_rng(seed), MARGINS[seed % len(MARGINS)]
    ones, others = pairs.contacts(seed)
    with np.errstate(all="ignore"):
        rows = np.concatenate((ones.rows, others.rows), axis=1)
        count = len(ones)
        vertices = rows.T.reshape(-1, 3)
        matrix = np.eye(4)[:3].reshape(12, 1)
        items = PlacedTriangles(
            Triangles(vertices, np.arange(6 * count).reshape(-1, 3)), matrix, np.ones(1),
            np.arange(2 * count), np.zeros(2 * count, np.intp),
        )  # fmt: skip
        lengths = compiled.measured_pairs(items, margin)
        known = ~np.isnan(lengths)
        slow = pairs.with_and_without(lambda: contacts._measured(items, margin))[1]
        np.testing.assert_array_equal(lengths[known], slow[known], err_msg=str(seed))
        points = rows[random.integers(3) * 3 :][:3, :count]
        triangles = np.roll(rows[:, count:], seed % 2, axis=1)
        here, there = pairs.with_and_without(lambda: points_to_triangles(points, triangles))
    np.testing.assert_array_equal(here, there, err_msg=str(seed))
    return int(known.sum())


def touching(seed):
    """Return triangles (9, n) and others that meet them, or lie in their planes."""
    random = np.random.default_rng(seed)
    count = 200
    ones = random.normal(size=(count, 3, 3))
    if random.random() < 0.4:
        ones = np.round(ones * 2)
    weights = random.dirichlet([0.6] * 3, (count, 3)).round(random.integers(1, 9))
    others = np.einsum("pkc,pcx->pkx", weights, ones)
    flat = random.random(count) < 0.3
    ones[flat, :, 2] = others[flat, :, 2] = 0.25
    lift = random.normal(size=(count, 3, 3)) * random.choice([0, 1e-9, 1e-4, 1.0], (count, 1, 1))
    others = others + lift
    return tuple(np.ascontiguousarray(each.reshape(count, 9).T) for each in (ones, others))


def assert_cuts_equal(seed):
    """Compare shared areas, how triangles are cut by others, and how pieces are divided."""
    random, (ones, others) = np.random.default_rng(seed), touching(seed)
    band = float(random.choice([1e-6, 1e-3]))
    theirs = np.roll(np.arange(ones.shape[1]), seed % 2)

    def ask():
        cutters = cutting.Cutters.of(ones, others, band)
        near = cutting._beside(ones, cutters, theirs, theirs[::-1].copy(), band)
        made, whose = cutting._cut_by(ones, cutters, theirs, band)
        queue = depth._Queue(ones, theirs, theirs > 3, np.arange(len(theirs)) / 50)
        divided = queue.divided(others, band)
        return (
            *coplanar.shared_areas(ones, others, band * 100),
            cutters.normals, cutters.flat, cutters.points, cutters.bounds, near, made, whose,
            *vars(divided).values(),
        )  # fmt: skip

    with np.errstate(all="ignore"):
        found = pairs.with_and_without(ask)
    for here, there in zip(*found, strict=True):
        np.testing.assert_array_equal(here, there, err_msg=str(seed))
    return np.count_nonzero(found[0][0])


def survive_damage(seed):
    """Ask for what is not there: it is left to NumPy."""
    random, (ones, others) = np.random.default_rng(seed), touching(seed)
    cutters = cutting.Cutters.of(ones, others, 1e-4)
    theirs = random.integers(0, 200, 200)
    theirs[random.integers(200)] = random.choice([-1, 200, 1 << 40])
    assert compiled.cut_parts(ones, cutters, theirs, 1e-4, 1e-5) is None
    assert compiled.parts_beside(ones, cutters, theirs, theirs[::-1], 1e-4) is None
    triangles = Triangles(ones.T.reshape(-1, 3), np.arange(600).reshape(-1, 3))
    items = PlacedTriangles(
        triangles, np.ones((12, 2)), np.ones(2), theirs, random.integers(-1, 3, 200)
    )
    assert len(compiled.measured_pairs(items, 0.1)) == 100
    return 1


if __name__ == "__main__":
    first, count = map(int, sys.argv[1:])
    assert not compiled.why_not(), compiled.why_not()
    tests = assert_audits_equal, assert_nearest_equal, assert_measures_equal, assert_cuts_equal
    tests += (survive_damage,)
    compared = sum(test(seed) for seed in range(first, first + count) for test in tests)
    print(f"{count} worlds, {compared} findings, distances and cuts: no difference")
