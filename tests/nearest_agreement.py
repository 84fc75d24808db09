"""Comparing the nearest items with brute force."""

import core_scenes as scenes
import nearest_oracle as oracle
import numpy as np
from agreement import TOLERANCE, largest_coordinate
from nearest_oracle import exact
from numpy.testing import assert_allclose, assert_array_equal

from core import nearest


def corners_of(scene):
    triangles = scenes.SCENES[scene]()
    return triangles.vertices[triangles.faces]


def points_about(items, count=60, seed=20):
    """Places all around, some far away, some in or on the items."""
    random, (middle, half) = scenes.numbers(seed), scenes.extent(items)
    spread = 10.0 ** random.choice([-2, -1, 0, 0, 0, 1, 4], (count, 1))
    bounds = items.bounds()
    chosen = random.integers(len(items), size=count // 2)
    inside = (bounds.lower + bounds.upper)[chosen] / 2
    return np.concatenate((middle + half * spread * random.uniform(-1, 1, (count, 3)), inside))


def whole_points(count=40, seed=21):
    return scenes.numbers(seed).integers(-9, 10, (count, 3)).astype(float)


def assert_nearest(tree, points, count=1, max_distance=np.inf):
    """Compare with brute force, up to what two correct formulas may differ by."""
    items = tree.items
    found = nearest(tree, points, count=count, max_distance=max_distance)
    assert_well_formed(found, len(points), count, max_distance)
    doubt = TOLERANCE * max(largest_coordinate(items), np.abs(points).max(initial=0))
    every = oracle.distances(items, points)
    every[np.isnan(every)] = np.inf
    best = np.sort(every, axis=1)[:, :count]
    wanted = np.full((len(points), count), np.inf)
    wanted[:, : best.shape[1]] = best
    surely = wanted <= max_distance - doubt
    assert (found.items[surely] >= 0).all()
    hit = found.items >= 0
    assert_allclose(found.distances[hit], wanted[hit], rtol=0, atol=doubt)
    own = every[hit.nonzero()[0], found.items[hit]]
    assert_allclose(found.distances[hit], own, rtol=0, atol=doubt)
    assert_positions(found, items, points, doubt)


def assert_well_formed(found, questions, count, max_distance):
    assert (found.items.dtype, found.items.shape) == (np.intp, (questions, count))
    assert (found.distances.dtype, found.distances.shape) == (float, (questions, count))
    assert (found.positions.dtype, found.positions.shape) == (float, (questions, count, 3))
    hit = found.items >= 0
    assert (found.distances[hit] <= max_distance).all()
    assert (found.items[~hit] == -1).all()
    assert (found.distances[~hit] == np.inf).all()
    assert np.isnan(found.positions[~hit]).all()
    assert np.isfinite(found.positions[hit]).all()
    # Ascending by distance, then by item; each item once.
    before, after = found.distances[:, :-1], found.distances[:, 1:]
    assert (before <= after).all()
    tied = (before == after) & hit[:, 1:]
    assert (found.items[:, :-1] < found.items[:, 1:])[tied].all()
    keys = found.items + np.arange(questions)[:, None] * (found.items.max(initial=0) + 1)
    assert len(np.unique(keys[hit])) == hit.sum()


def assert_positions(found, items, points, doubt):
    """See that positions lie on their items, so far from the points as is said."""
    row, rank = (found.items >= 0).nonzero()
    places, lengths = found.positions[row, rank], found.distances[row, rank]
    ids = found.items[row, rank]
    apart = np.sqrt(oracle.dot(places - points[row], places - points[row]))
    assert_allclose(apart, lengths, rtol=0, atol=doubt)
    for some in np.array_split(np.arange(len(ids)), max(1, len(ids) // 200)):
        left = np.diagonal(oracle.distances(items[ids[some]], places[some]))
        assert (left <= doubt).all()
    assert_array_equal(places[lengths == 0], points[row][lengths == 0])


def assert_exactly_nearest(tree, points, count=1, max_distance=np.inf, known=None):
    """In whole numbers: the same items, the same distances to the last bit."""
    found = nearest(tree, points, count=count, max_distance=max_distance)
    assert_well_formed(found, len(points), count, max_distance)
    known = oracle.distances(tree.items, points, exact) if known is None else known
    ids = oracle.nearest(known, count, max_distance)
    assert_array_equal(found.items, ids)
    row, rank = (ids >= 0).nonzero()
    assert_array_equal(found.distances[row, rank], known[row, ids[row, rank]])
    assert_positions(found, tree.items, points, 1e-9)
