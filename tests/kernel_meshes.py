"""Random meshes, split and summed with the kernel and without: equal, to the last bit.

python tests/kernel_meshes.py SEED WORLDS looks at many.
"""

import sys
from pathlib import Path

import numpy as np

if __name__ == "__main__":
    sys.path.insert(0, str(Path(__file__).resolve().parent.parent))

from core import SUMMED_TOGETHER, checksums, compiled, split_quads, use_kernel
from core.compiled import quads

SQUARE = np.array([[0.0, 0, 0], [1, 0, 0], [1, 1, 0], [0, 1, 0]])
CUTS = np.array([[[0, 1, 2], [0, 2, 3]], [[0, 1, 3], [1, 2, 3]]])
SHAPES = (
    "convex", "folded", "concave", "flat", "whole", "line", "point", "sizes", "far", "needle",
)  # fmt: skip


def quads_of(random, count, shape):
    """Return corners (n, 4, 3) of quads of one kind, in single precision."""
    places = SQUARE + random.normal(size=(count, 4, 3)) * 0.1
    if shape == "folded":
        places = random.normal(size=(count, 4, 3))
    elif shape == "concave":
        places[:, 2] = places[:, 0] + random.uniform(-0.6, 0.4, (count, 1)) * (1, 1, 0)
    elif shape == "flat":
        places[:, :, 2] = 0.0
    elif shape == "whole":
        places = random.integers(-2, 3, (count, 4, 3)) * 1.0
    elif shape == "line":
        places = random.normal(size=(count, 4, 1)) * random.normal(size=3) + random.normal(size=3)
    elif shape == "point":
        some = random.integers(0, 4, (2, count))
        places[np.arange(count), some[0]] = places[np.arange(count), some[1]]
    elif shape == "sizes":
        places *= 10.0 ** random.uniform(-44, 38, (count, 1, 1))
    elif shape == "far":
        places = SQUARE * 0.01 + random.normal(size=(count, 1, 3)) * 10.0 ** random.integers(0, 8)
    elif shape == "needle":
        places *= (1, 10.0 ** random.uniform(-9, 0), 1)
    with np.errstate(all="ignore"):
        return places.astype(np.float32)


def polygons_of(random, count, shape):
    """Return positions, corners and polygons of triangles and quads that share no vertex.

    Vertices stand in any order. Polygons of five corners are rare.
    """
    places = quads_of(random, count, shape)
    sizes = random.choice([3, 4, 4, 4], count)
    if random.random() < 0.1 and count:
        sizes[random.integers(count)] = 5
        places = np.concatenate((places, places[:, :1] + np.float32(0.5)), axis=1)
    taken = np.arange(places.shape[1]) < sizes[:, None]
    order = random.permutation(taken.sum())
    positions = np.empty((len(order), 3), np.float32)
    positions[order] = places[taken]
    polygons = np.arange(count, dtype=np.int32).repeat(sizes - 2)
    return positions, order.astype(np.int32), polygons


def cross(a, b):
    """Return cross products, (n, 3), and sums of their terms' sizes, (n,)."""
    product, size = np.empty_like(a), np.zeros(len(a))
    for axis in range(3):
        one = a[:, axis - 2] * b[:, axis - 1]
        other = a[:, axis - 1] * b[:, axis - 2]
        product[:, axis] = one - other
        size += np.abs(one) + np.abs(other)
    return product, size


def split_by_numpy(positions, corners, polygons, *, by_corner=False):
    """Return what the kernel has to, by its formula."""
    firsts = np.flatnonzero(np.diff(polygons, prepend=-1))
    counts = np.diff(firsts, append=len(polygons))
    if (counts > 2).any():
        return None
    faces = np.empty((len(polygons), 3), np.intp)
    begins = firsts + 2 * polygons[firsts]
    faces[firsts[counts == 1]] = begins[counts == 1][:, None] + np.arange(3)
    named = begins[counts == 2][:, None] + np.arange(4)
    places = positions[corners[named]]
    with np.errstate(all="ignore"):
        ways = (places[:, 1:] - places[:, :1]).astype(np.float64)
        (one, size), (other, other_size) = (cross(ways[:, n], ways[:, 1]) for n in (0, 2))
        agreement = one[:, 0] * other[:, 0] + one[:, 1] * other[:, 1] + one[:, 2] * other[:, 2]
        certain = np.abs(agreement) > size * other_size * 2.0**-20
        for each in (size, other_size):
            certain &= (each >= 2.0**-50) & (each <= 2.0**60)
    if not certain.all():
        return None
    cuts = CUTS[(agreement > 0).astype(int)]
    pairs = np.take_along_axis(named[:, None], cuts, axis=2)
    for half in (0, 1):
        faces[firsts[counts == 2] + half] = pairs[:, half]
    return (faces if by_corner else corners[faces].astype(np.intp)).T


def assert_quads_equal(seed):
    """Split what a seed tells, by the kernel and by its formula; return how many triangles."""
    random = np.random.default_rng(seed)
    count = int(random.choice([0, 1, 2, 9, 300]))
    mesh = polygons_of(random, count, random.choice(SHAPES))
    before, quads._PIECE = quads._PIECE, int(random.choice([1, 2, 3, 7, 1 << 17]))
    try:
        for by_corner in (False, True):
            found = split_quads(*mesh, by_corner=by_corner)
            known = split_by_numpy(*mesh, by_corner=by_corner)
            assert (found is None) == (known is None), seed
            if found is not None:
                assert found.dtype == np.intp and not found.flags.writeable
                np.testing.assert_array_equal(found, known, str(seed))
    finally:
        quads._PIECE = before
    return len(mesh[2])


def assert_sums_equal(seed):
    """Sum what a seed tells, with the kernel and without; return how many words."""
    random = np.random.default_rng(seed)
    count = int(random.choice([0, 1, 5, SUMMED_TOGETHER, 16 * SUMMED_TOGETHER]))
    count = max(0, count + int(random.integers(-2, 3)))
    words = random.integers(-(2**63), 2**63 - 1, count) >> random.integers(0, 63)
    found = []
    for is_wanted in (False, True):
        use_kernel(is_wanted)
        try:
            found.append(checksums(words))
        finally:
            use_kernel(True)
    np.testing.assert_array_equal(*found, str(seed))
    assert found[0].dtype == found[1].dtype == np.uint64
    return count


if __name__ == "__main__":
    first, count, *_ = map(int, sys.argv[1:])
    assert not compiled.why_not(), compiled.why_not()
    seeds = range(first, first + count)
    asked = assert_quads_equal, assert_sums_equal
    read = sum(ask(seed) for seed in seeds for ask in asked)
    print(f"{count} worlds of {read} triangles and words: no difference")
