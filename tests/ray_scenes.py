"""Rays about small scenes, and how answers are compared with the truth."""

from functools import partial

import core_scenes as scenes
import numpy as np
import ray_oracle
from numpy.testing import assert_allclose, assert_array_equal

from core import Boxes, Triangles, ray_cast, ray_cast_all, ray_test

KINDS = scenes.KINDS


def about(items, count=40, seed=20):
    """Rays from in and around items towards places among them; some along an axis."""
    random, (middle, half) = scenes.numbers(seed), scenes.extent(items)
    origins = middle + half * random.uniform(-1.5, 1.5, (count, 3))
    towards = middle + half * random.uniform(-1, 1, (count, 3)) - origins
    axes = np.eye(3)[random.integers(0, 3, count)] * random.choice((-1, 1), (count, 1))
    return origins, np.where(np.arange(count)[:, None] % 4 == 0, axes, towards)


def closest(found):
    """Item and step of the first crossing of each ray; -1 and infinity for a miss."""
    steps = np.where(np.isnan(found.astype(float)), np.inf, found)
    if steps.shape[1] == 0:
        return np.full(len(steps), -1), np.full(len(steps), np.inf)
    least = steps.min(axis=1)
    items = (steps == least[:, None]).argmax(axis=1)
    return np.where(np.isinf(least.astype(float)), -1, items), least.astype(float)


def matrix(crossings, rays, items):
    """Crossings as a matrix of distances, after a look at their form."""
    pairs, distances = crossings.pairs, crossings.distances
    assert pairs.shape == (2, len(distances)) and pairs.dtype == np.intp
    order = np.lexsort((pairs[1], distances, pairs[0]))
    assert_array_equal(order, np.arange(len(order)))
    found = np.full((rays, items), np.nan)
    found[pairs[0], pairs[1]] = distances
    assert np.count_nonzero(~np.isnan(found)) == len(distances)
    return found


def assert_consistent(tree, origins, directions, **limits):
    """See that the three questions agree; return all distances as a matrix."""
    hits = ray_cast(tree, origins, directions, **limits)
    every = ray_cast_all(tree, origins, directions, **limits)
    found = matrix(every, len(origins), len(tree.items))
    items, distances = closest(found)
    assert_array_equal(hits.items, items)
    assert_array_equal(hits.distances, distances)
    assert_array_equal(ray_test(tree, origins, directions, **limits), items >= 0)
    missed = items < 0
    assert np.isnan(hits.positions[missed]).all() and np.isnan(hits.normals[missed]).all()
    assert np.isnan(hits.barycentric[missed]).all()
    return found


def assert_true(tree, origins, directions, reaches=np.inf, limits=np.inf):
    """All questions are answered with the truth, exactly: for whole numbers."""
    found = assert_consistent(tree, origins, directions, max_distance=limits)
    truth = ray_oracle.crossings(tree.items, origins, directions, reaches, number=ray_oracle.exact)
    steps = truth.astype(float)
    assert_array_equal(np.isnan(found), np.isnan(steps))
    lengths = np.linalg.norm(np.asarray(directions, float), axis=1)
    # Where a ray just touches a sphere, halving stops at half of the digits.
    doubt = 1e-12 if isinstance(tree.items, Triangles | Boxes) else 1e-6
    assert_allclose(found, steps * lengths[:, None], rtol=doubt, atol=doubt)
    if isinstance(tree.items, Triangles):
        assert_array_equal(closest(found)[0], closest(truth)[0])


def assert_nearly_true(tree, origins, directions, doubt=1e-9):
    """Hits differ from the truth only where rounding decides."""
    found = assert_consistent(tree, origins, directions)
    crossings = partial(ray_oracle.crossings, tree.items, origins, directions)
    surely = crossings(grown=-doubt)
    possibly = crossings(grown=doubt) if doubt else surely
    assert not (np.isnan(found) & ~np.isnan(surely)).any()
    assert not (~np.isnan(found) & np.isnan(possibly)).any()
    return found
