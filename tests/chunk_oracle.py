"""Surfaces to be cut into chunks, and what cells of a lattice are, by their definitions."""

from itertools import pairwise

import numpy as np
from numpy.testing import assert_allclose, assert_array_equal

from core import Triangles

AXES = {"octree": 3, "quadtree": 2}


def surface(count=24, shift=(0.0, 0.0, 0.0)):
    """Return a hilly square of triangles that share vertices, open around."""
    x, y = np.meshgrid(*[np.linspace(-1, 1, count + 1)] * 2, indexing="ij")
    vertices = np.stack((x, y, 0.3 * np.sin(5 * x) * np.cos(4 * y)), axis=-1).reshape(-1, 3)
    numbers = np.arange(len(vertices)).reshape(count + 1, -1)
    a, b, c, d = (part.ravel() for part in (numbers[:-1, :-1], numbers[1:, :-1],
                                            numbers[1:, 1:], numbers[:-1, 1:]))  # fmt: skip
    faces = np.concatenate((np.stack((a, b, c), axis=1), np.stack((a, c, d), axis=1)))
    return Triangles(vertices * 0.97 + shift, faces)


def together(*parts):
    """Return all triangles, and the number of the part that each is of."""
    starts = np.cumsum([0, *(len(part.vertices) for part in parts)])
    faces = [part.faces + start for part, start in zip(parts, starts, strict=False)]
    owners = np.repeat(np.arange(len(parts)), [len(part) for part in parts])
    vertices = np.concatenate([part.vertices for part in parts])
    return Triangles(vertices, np.concatenate(faces)), owners


def check_lattice(made, cell, axes):
    """Check walls, codes and neighbors against their definitions."""
    edges = cell * 2.0**made.levels
    assert_array_equal(edges, made.root_size / 2.0**made.depths)
    halves = made.root_lower / (made.root_size / 2)
    assert_allclose(halves, np.round(halves), atol=1e-6)
    fine = made.depths > 0
    assert_array_equal((made.coordinates * edges[:, None])[fine][:, :2], made.lower[fine][:, :2])
    assert len(np.unique(made.codes)) == len(made.codes)
    assert ((made.codes >> axes * made.depths) == 1).all()
    aligned = [code << axes * (20 - depth) for code, depth in
               zip(made.codes.tolist(), made.depths.tolist(), strict=True)]  # fmt: skip
    assert all(one < other for one, other in pairwise(aligned))
    low = np.maximum(made.lower[:, None], made.lower)
    high = np.minimum(made.upper[:, None], made.upper)
    flat, apart = high == low, (high < low).any(axis=2)
    assert (np.eye(len(low), dtype=bool) | apart | flat.any(axis=2)).all()
    ones, others = (~apart & (flat.sum(axis=2) == 1)).nonzero()
    axis = flat[ones, others].argmax(axis=1)
    side = 2 * axis + (made.upper[ones, axis] == low[ones, others, axis])
    wanted = np.stack((ones, side, others))
    assert_array_equal(made.neighbors, wanted[:, np.lexsort(wanted[::-1])])
