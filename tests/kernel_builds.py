"""Random items, built with the kernel and without: the octrees are equal, to the last bit.

python tests/kernel_builds.py SEED WORLDS looks at many.
"""

import sys
from dataclasses import fields
from pathlib import Path

import numpy as np

if __name__ == "__main__":
    sys.path.insert(0, str(Path(__file__).resolve().parent.parent))

import kernel_worlds as worlds

from core import (
    Boxes,
    DynamicOctree,
    Regions,
    Spheres,
    Triangles,
    build_octree,
    compiled,
    run,
    use_kernel,
)
from core.scene import store
from core.scene.pool import _indexed as pool_of

SHEETS = ("order", "firsts", "corners", "corner_counts")
STRADDLERS = ("copy", "copy", "copy", "clip", "keep", "hybrid")


def items_of(random):
    """Return triangles, or boxes, spheres or regions; some are not finite."""
    vertices, faces = worlds.triangles(random)
    size, shift = random.choice(worlds.SIZES), random.choice(worlds.SHIFTS, 3)
    corners = (vertices + shift) * size
    if random.random() < 0.2:
        corners[random.random(corners.shape) < 0.5] *= 0.0  # zeros of both signs
    if random.random() < 0.2:
        bad = random.integers(0, len(corners), 1 + len(corners) // 50)
        bad_axes = random.integers(0, 3, len(bad))
        corners[bad, bad_axes] = random.choice(worlds.NOT_FINITE, len(bad))
    if random.random() < 0.7:
        return Triangles(corners, faces[: random.choice([0, len(faces), len(faces)])])
    radii = random.random(len(corners)) * size * 10.0 ** random.uniform(-3, 0)
    upper = corners + radii[:, None] * random.random((len(corners), 3))
    kinds = Boxes(corners, upper), Spheres(corners, radii), Regions(corners, upper, radii)
    return kinds[random.integers(3)]


def options_of(random, items):
    """Return options of a build; a deep one of many would take NumPy minutes."""
    chosen = worlds.options(random, len(items))
    straddlers = STRADDLERS[random.integers(6)]
    is_clip = straddlers == "clip" and not isinstance(items, Triangles)
    chosen["straddlers"] = "copy" if is_clip else straddlers
    if chosen["straddlers"] != "keep":
        del chosen["loose_factor"]
    if random.random() < 0.7:
        chosen["split"] = "middle"
    lower, upper = items.limits()
    finite = np.isfinite(lower).all(axis=0) & np.isfinite(upper).all(axis=0)
    if random.random() < 0.3 and finite.any():  # of which many items lie outside
        middle = np.median(lower[:, finite], axis=1)
        half = np.ptp(lower[:, finite], axis=1) / random.choice([3, 8, 1e9])
        chosen["bounds"] = Boxes([middle - half], [middle + half])
    return chosen


def assert_builds_equal(seed):
    """Build what a seed tells, with the kernel and without; return of how many items."""
    random = np.random.default_rng(seed)
    items = items_of(random)
    chosen, found = options_of(random, items), []
    for is_wanted in (False, True):
        use_kernel(is_wanted)
        try:
            found.append(build_octree(items, **chosen))
        except ValueError as error:
            found.append(str(error))
        finally:
            use_kernel(True)
    assert_same(*found, seed)
    return len(items)


def assert_moves_equal(seed):
    """Let items come, move and go, with the kernel and without; return how many there are."""
    random = np.random.default_rng(seed)
    items = items_of(random)
    lower, upper = items.limits()
    finite = np.isfinite(lower).all(axis=0) & np.isfinite(upper).all(axis=0)
    rows = np.concatenate((lower[:, finite], upper[:, finite]))
    if rows.shape[1] == 0:
        return 0
    factor, capacity = random.choice([1.0, 1.25, 2.0, 1.7]), int(random.choice([4, 8, 32]))
    options = {
        "loose_factor": factor,
        "capacity": capacity,
        "merge_below": int(random.integers(1, capacity + 1)),
        "merge": random.choice(["eager", "eager", "deferred"]),
        "grow_above": int(random.choice([0, 0, 3, 40])),
        "shrink_below": int(random.choice([0, 0, 3, 40])),
        "max_depth": int(random.choice([2, 10, 10])),
    }
    trees = [DynamicOctree(**options) for _ in range(2)]
    radii = random.random(rows.shape[1]) * np.ptp(rows, axis=1).max() / random.choice([9, 1e3])
    kinds = Boxes(rows[:3].T, rows[3:].T), Spheres(rows[:3].T, radii)
    made = kinds[random.integers(2)]
    some = random.permutation(len(made))[: 1 + len(made) // 3]
    places = made[random.permutation(len(made))[: len(some)]]
    for is_wanted, tree in enumerate(trees):
        use_kernel(bool(is_wanted))
        try:
            ids = tree.insert(made)
            tree.move(ids[some], places)
            tree.remove(ids[some[::2]])
            tree.move(ids[some[1::2]], made[some[1::2]])
            few = some[1::2][: len(tree) // 17]
            len(tree.octree.references)  # of which few go elsewhere, and no cell holds more
            tree.move(ids[few], made[np.roll(few, 1)])
            few = few[:4]
            tree.move(ids[few], made[np.roll(few, 1)])  # of which none may be due for change
            tree.move(ids[few], made[few])
        finally:
            use_kernel(True)
    assert_same(trees[0].octree, trees[1].octree, seed)
    assert trees[0].turnover == trees[1].turnover, seed
    return len(made)


def assert_layouts_equal(seed):
    """Lay out some meshes, with the kernel and without; return of how many triangles."""
    random = np.random.default_rng(seed)
    many = [each for each in (items_of(random) for _ in range(8)) if isinstance(each, Triangles)]
    if not many:
        return 0
    found, before = [], store._MANY
    least = int(random.choice([before, 3]))
    for is_wanted in (False, True):
        use_kernel(is_wanted)
        store._MANY = least
        try:
            with np.errstate(all="ignore"):
                meshes = [store.Mesh.of(each) for each in many]
                some = [mesh for mesh in meshes if len(mesh.valid)]
                pool = [run(pool_of(some))] if some else []
        finally:
            use_kernel(True)
            store._MANY = before
        for sheet in pool:
            sheet.nodes.check(sheet.arranged, sheet.order)
        found.append(
            [getattr(mesh, name) for mesh in meshes for name in ("valid", "bounds", "parts")]
            + [getattr(sheet, name) for sheet in pool for name in SHEETS]
            + [sheet.arranged.rows for sheet in pool]
            + [getattr(sheet.nodes, name) for sheet in pool for name in vars(sheet.nodes)]
        )
    for known, made in zip(*found, strict=True):
        # Of 0 and -0 either may be a bound.
        np.testing.assert_array_equal(known, made, str(seed))
        assert known.dtype == made.dtype, seed
    return sum(map(len, many))


def assert_same(one, other, seed=None):
    """Assert that octrees, or what is said of them, are equal, all numbers to the last bit."""
    if isinstance(one, str):
        assert one == other, seed
        return
    for field in fields(one):
        known, found = getattr(one, field.name), getattr(other, field.name)
        if isinstance(known, np.ndarray):
            assert known.dtype == found.dtype, (seed, field.name)
            assert known.tobytes() == found.tobytes(), (seed, field.name)
    assert one.arranged.rows.tobytes() == other.arranged.rows.tobytes(), seed
    assert (one.slack, one.outside) == (other.slack, other.outside), seed
    other.check()


if __name__ == "__main__":
    first, count, *_ = map(int, sys.argv[1:])
    assert not compiled.why_not(), compiled.why_not()
    seeds = range(first, first + count)
    asked = assert_builds_equal, assert_moves_equal, assert_layouts_equal
    built = sum(ask(seed) for seed in seeds for ask in asked)
    print(f"{count} worlds of {built} items: no difference")
