"""Items that are not finite are set aside, listed, and never fatal; such volumes are errors."""

import core_scenes as scenes
import numpy as np
import pytest
from agreement import POLICIES, built
from numpy.testing import assert_array_equal

from core import (
    Boxes,
    Regions,
    Spheres,
    Triangles,
    build_octree,
    query,
    query_any,
    query_count,
)

UNIT = Boxes([[0, 0, 0]], [[1, 1, 1]])


@pytest.mark.parametrize("bad", [np.nan, np.inf, -np.inf])
@pytest.mark.parametrize("policy", POLICIES)
@pytest.mark.parametrize("kind", scenes.KINDS)
def test_items_that_are_not_finite_are_set_aside_and_listed(kind, policy, bad):
    good = kind(scenes.random())
    rows = good.rows.copy()
    spoilt = np.array([0, 7, 150, 299])
    rows[[0, -1, 1, 2], spoilt] = bad
    items = type(good).from_rows(rows) if kind is not scenes.as_triangles else with_corners(rows)
    tree = built(items, capacity=8, straddlers=policy)
    assert_array_equal(tree.invalid_items, spoilt)
    assert len(tree) == 296
    assert not np.isin(spoilt, tree.cells_of()[0]).any()
    everything = Boxes([[-9, -9, -9]], [[9, 9, 9]])
    wanted = np.setdiff1d(np.arange(300), spoilt)
    for relation in ("touching", "inside", "candidates"):
        assert_array_equal(query(tree, everything, relation=relation)[1], wanted)


def with_corners(rows):
    return scenes.loose_triangles(rows.reshape(3, 3, -1).transpose(2, 0, 1))


@pytest.mark.parametrize(
    "kind", [Spheres, lambda centers, radii: Regions(centers, centers, radii)]
)
def test_infinite_radii_are_set_aside_without_a_warning(kind):
    tree = built(kind([[np.inf, 0, 0], [0, 0, 0], [1, 0, 0]], [np.inf, np.inf, 1]))
    assert_array_equal(tree.invalid_items, [0, 1])


@pytest.mark.parametrize("bad", [np.nan, np.inf, -np.inf])
@pytest.mark.parametrize("ask", [query, query_any, query_count])
@pytest.mark.parametrize("about", scenes.ABOUT)
def test_volumes_that_are_not_finite_are_errors_that_name_the_first(about, ask, bad):
    tree, volumes = build_octree(scenes.random(), capacity=8), about(scenes.random())
    for coordinate in range(len(volumes.rows)):
        rows = volumes.rows.copy()
        rows[coordinate, [3, 5]] = bad
        with pytest.raises(ValueError, match=r"^volumes must be finite, got .* in row 3$"):
            ask(tree, type(volumes).from_rows(rows))


def test_only_bad_items_make_an_empty_tree():
    tree = built(Boxes(np.full((3, 3), np.nan), np.full((3, 3), np.nan)))
    assert len(tree) == 0
    assert query(tree, UNIT).shape == (2, 0)


def test_bad_vertices_that_no_face_uses_do_not_matter():
    good = scenes.random()
    vertices = np.concatenate((good.vertices, [[np.nan] * 3, [np.inf] * 3]))
    tree = built(Triangles(vertices, good.faces), capacity=8)
    assert len(tree.invalid_items) == 0
    assert_array_equal(tree.node_lower, build_octree(good, capacity=8).node_lower)
