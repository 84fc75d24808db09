"""The nearest items at the limits: none, few, far, and questions that make no sense."""

import core_scenes as scenes
import nearest_oracle as oracle
import numpy as np
import pytest
from agreement import POLICIES, built
from nearest_agreement import (
    assert_exactly_nearest,
    assert_well_formed,
    corners_of,
    whole_points,
)
from nearest_oracle import KINDS, as_kind, exact

from core import Boxes, Triangles, nearest

SHAPES = pytest.mark.parametrize("kind", KINDS)
POLICY = pytest.mark.parametrize("policy", POLICIES)


@SHAPES
def test_more_wanted_than_there_are(kind):
    items = as_kind(kind, corners_of("whole")[:5])
    assert_exactly_nearest(built(items, capacity=1), whole_points(), 9)


@SHAPES
@pytest.mark.parametrize("bounds", [None, Boxes([[-1, -1, -1]], [[1, 1, 1]])])
@pytest.mark.parametrize("count", [1, 3])
def test_an_empty_tree_has_no_nearest_item(kind, bounds, count):
    tree = built(as_kind(kind, []), bounds=bounds)
    for points in (whole_points(), np.empty((0, 3))):
        assert_well_formed(nearest(tree, points, count=count), len(points), count, np.inf)
        assert (nearest(tree, points, count=count).items == -1).all()


@pytest.mark.parametrize("points", [[], np.empty((0, 3))])
def test_no_points_have_no_answers(points):
    found = nearest(built(scenes.random()), points, count=4)
    assert_well_formed(found, 0, 4, np.inf)


def test_items_that_are_not_finite_are_never_found():
    corners = corners_of("random")[:30].copy()
    corners[[3, 7, 20], 1, 2] = np.nan, np.inf, -np.inf
    tree = built(as_kind(Triangles, corners), capacity=4)
    found = nearest(tree, np.nan_to_num(corners[:, 0], posinf=1, neginf=-1), count=30)
    assert (np.sort(found.items[:, :27]) == np.delete(np.arange(30), [3, 7, 20])).all()
    assert (found.items[:, 27:] == -1).all()


@SHAPES
def test_the_greatest_distance_counts_too(kind):
    items = as_kind(kind, corners_of("whole")[:60])
    tree, points = built(items, capacity=4), whole_points()
    known = oracle.distances(items, points, exact)
    for length in np.unique(np.sort(known, axis=1)[:, :3])[:20]:
        for most in (length, np.nextafter(length, -1).clip(0), 0.0):
            assert_exactly_nearest(tree, points, 3, most, known)


@pytest.mark.parametrize(
    ("points", "options", "message"),
    [
        ([[0, 0]], {}, r"points must have shape \(n, 3\), got \(1, 2\)"),
        ([0, 0, 0], {}, r"points must have shape \(n, 3\), got \(3,\)"),
        ([[0, 0, 0], [0, np.nan, 0]], {}, r"points must be finite, got .*nan.* in row 1"),
        ([[0, 0, np.inf]], {}, r"points must be finite, got .*inf.* in row 0"),
        ([[0, 0, 0]], {"count": 0}, "count must be a whole number of at least 1, got 0"),
        ([[0, 0, 0]], {"count": 1.5}, "count must be a whole number, got 1.5"),
        ([[0, 0, 0]], {"count": True}, "count must be a whole number of at least 1, got True"),
        ([[0, 0, 0]], {"max_distance": -1}, "max_distance must be a number of at least 0, got -1"),
        ([[0, 0, 0]], {"max_distance": np.nan}, "max_distance must be a number of at least 0"),
        ([[0, 0, 0]], {"max_distance": "1"}, "max_distance must be a number of at least 0"),
        ([[0, 0, 0]], {"max_distance": [1, 2]}, "max_distance must be a number, got"),
    ],
)
def test_bad_questions_are_errors(points, options, message):
    with pytest.raises(ValueError, match=message):
        nearest(built(scenes.random()), points, **options)


def test_only_a_tree_can_be_asked():
    with pytest.raises(ValueError, match="tree must be one of Octree, got Triangles"):
        nearest(scenes.random(), [[0, 0, 0]])
