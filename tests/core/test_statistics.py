"""Every figure, counted again from the tree's public face."""

import core_scenes as scenes
import numpy as np
import pytest
from agreement import POLICIES, built
from numpy.testing import assert_array_equal

from core import Boxes, Spheres, Triangles, statistics


@pytest.mark.parametrize("bounds", [None, Boxes([[0, 0, 0]], [[1, 1, 1]])])
@pytest.mark.parametrize("policy", POLICIES)
@pytest.mark.parametrize("split", ["middle", "median"])
@pytest.mark.parametrize("kind", scenes.KINDS)
def test_figures_are_what_one_counts(kind, split, policy, bounds):
    tree = built(kind(scenes.random()), capacity=8, split=split, straddlers=policy, bounds=bounds)
    figures, (items, cells) = statistics(tree), tree.cells_of()
    held = [len(tree.items_in(cell)) for cell in range(len(tree.node_depth))]
    assert figures.items == len(tree) == 300
    assert figures.invalid == 0
    assert figures.cells == len(tree.node_lower)
    assert figures.leaves == tree.is_leaf.sum()
    assert figures.occupied == len(np.unique(cells))
    assert figures.depth == tree.node_depth.max()
    assert figures.references == len(items) == sum(held)
    assert figures.references_per_item == len(items) / 300
    assert figures.fullest_leaf == max(np.array(held)[tree.is_leaf])
    assert_array_equal(figures.cells_per_depth, np.bincount(tree.node_depth))
    assert_array_equal(figures.items_per_depth, np.bincount(tree.node_depth[cells]))
    assert figures.items_per_depth.dtype == np.intp


def test_invalid_items_are_counted_apart():
    centers = np.zeros((5, 3))
    centers[3] = np.nan
    figures = statistics(built(Spheres(centers, np.ones(5))))
    assert (figures.items, figures.invalid, figures.references) == (4, 1, 4)


@pytest.mark.parametrize("kind", scenes.KINDS)
def test_an_empty_tree_has_figures(kind):
    figures = statistics(built(kind(Triangles([], []))))
    assert (figures.items, figures.cells, figures.leaves, figures.occupied) == (0, 1, 1, 0)
    assert (figures.references, figures.references_per_item, figures.fullest_leaf) == (0, 0, 0)
    assert_array_equal(figures.cells_per_depth, [1])
    assert_array_equal(figures.items_per_depth, [0])


@pytest.mark.parametrize("kind", scenes.KINDS)
def test_bytes_are_those_of_the_trees_own_arrays(kind):
    small, large = (
        statistics(built(kind(scenes.random(count, 0.1)))).bytes for count in (100, 1000)
    )
    assert 500 < small < large < 1_000_000


@pytest.mark.parametrize("kind", scenes.KINDS)
def test_bytes_hold_a_second_copy_of_the_items(kind):
    items = kind(scenes.random())
    tree = built(items, max_depth=0)
    rows = items.faces if kind is scenes.as_triangles else items.rows
    assert 0 <= statistics(tree).bytes - rows.nbytes - 300 * (8 + 8 + 1) < 500


def test_bytes_do_not_count_the_callers_items():
    """Their vertices are shared."""
    triangles = scenes.random()
    bare = Triangles(triangles.vertices, triangles.faces)
    more = Triangles(np.concatenate((triangles.vertices, np.zeros((9999, 3)))), triangles.faces)
    assert statistics(built(bare)).bytes == statistics(built(more)).bytes


def test_bytes_count_shared_arrays_once():
    tight, loose = (
        built(scenes.random(), capacity=8, straddlers="keep", max_depth=1, loose_factor=factor)
        for factor in (1.0, 1.5)
    )
    assert len(tight.node_depth) == len(loose.node_depth) == 9
    assert statistics(loose).bytes - statistics(tight).bytes == 9 * 6 * 8


@pytest.mark.parametrize("name", ["items", "depth", "cells_per_depth"])
def test_figures_are_frozen(name):
    figures = statistics(built(scenes.random()))
    with pytest.raises(AttributeError):
        setattr(figures, name, 0)
