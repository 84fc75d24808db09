"""Where a cell is not divided at the median: piles, walls, limits of size and depth."""

import core_scenes as scenes
import numpy as np
import oracle
import pytest
from agreement import POLICIES, assert_true_answers
from median_scenes import centers_of, divided, inner_cells, points, spread_points, wanted_middle
from numpy.testing import assert_array_equal

from core import Boxes


@pytest.mark.parametrize("policy", POLICIES)
@pytest.mark.parametrize("kind", scenes.KINDS)
def test_coincident_items_end_in_one_leaf(kind, policy):
    """The median lies upon them: dividing there would copy them into all eight parts."""
    items = kind(scenes.coincident())
    tree = divided(items, straddlers=policy)
    assert tree.item_counts.max() >= 100
    alone = divided(items[:100], straddlers=policy)
    assert len(alone.node_depth) == 1


@pytest.mark.parametrize("policy", ["copy", "hybrid"])
def test_a_median_in_a_pile_gives_way_to_the_middle(policy):
    """Dividing there would copy the whole pile into all eight parts."""
    places = scenes.numbers(36).uniform(0, 1, (100, 3))
    places[:60] = places[0]
    tree = divided(points(places), straddlers=policy, hybrid_limit=8)
    assert_array_equal(tree.node_middle[0], (tree.node_lower[0] + tree.node_upper[0]) / 2)
    assert tree.item_counts.max() <= 60 + 8


@pytest.mark.parametrize("policy", POLICIES)
@pytest.mark.parametrize("flat_axes", [(1, 2), (2,), (0,), (0, 1)])
def test_points_on_a_line_or_plane_are_parted(flat_axes, policy):
    """The median across is a wall of the cells below, which gives way to their middle."""
    places = scenes.numbers(31).uniform(-1, 1, (500, 3))
    places[:, flat_axes] = 0.25
    tree = divided(points(places), straddlers=policy)
    assert tree.item_counts[tree.is_leaf].max() <= 8
    assert len(tree.references) <= 6 * 500
    beyond_root = inner_cells(tree)[1:]
    for axis in flat_axes:
        assert (tree.node_middle[beyond_root, axis] != 0.25).all()


def test_a_median_on_a_wall_gives_way_to_the_middle():
    """Most points lie in the corner of the root, on three of its walls."""
    places = np.zeros((50, 3))
    places[30:] = scenes.numbers(32).uniform(0, 1, (20, 3))
    root = Boxes([[0, 0, 0]], [[1, 2, 4]])
    tree = divided(points(places), bounds=root, max_depth=1)
    assert_array_equal(tree.node_middle[0], [0.5, 1, 2])


def test_only_the_axis_on_the_wall_gives_way():
    places = scenes.numbers(33).uniform(0, 1, (50, 3))
    places[:, 1] = 1
    root = Boxes([[0, 0, 0]], [[1, 1, 1]])
    tree = divided(points(places), bounds=root, max_depth=1)
    x, _, z = np.median(places, axis=0)
    assert_array_equal(tree.node_middle[0], [x, 0.5, z])


@pytest.mark.parametrize("policy", POLICIES)
@pytest.mark.parametrize("min_size", [0.02, 0.1, 0.26, 0.5, 0.51])
def test_no_cell_is_smaller_than_min_size(min_size, policy):
    root = Boxes([[0, 0, 0]], [[1, 1, 1]])
    tree = divided(spread_points(), bounds=root, min_size=min_size, capacity=1, straddlers=policy)
    edges = (tree.node_upper - tree.node_lower).max(axis=1)
    assert edges[1:].min(initial=1) >= min_size
    assert len(edges) == 1 if min_size > 0.5 else len(edges) > 1
    middle = (tree.node_lower + tree.node_upper) / 2
    for leaf in np.flatnonzero(tree.is_leaf & (tree.item_counts > 1) & (edges / 2 >= min_size)):
        sides = centers_of(tree.items)[tree.items_in(leaf)] > middle[leaf]
        assert (sides == sides[0]).all(), "two could have been parted"


@pytest.mark.parametrize(("depth", "reached"), [(0, 0), (1, 1), (3, 3), (20, 20)])
def test_no_cell_is_deeper_than_allowed(depth, reached):
    """A pile in the corner of the root keeps the medians on its walls; the rest nears it."""
    steps = np.concatenate((np.zeros(50), 2.0 ** -np.arange(41)))
    tree = divided(points(np.repeat(steps[:, None], 3, axis=1)), capacity=1, max_depth=depth)
    assert tree.max_depth == depth
    assert tree.node_depth.max() == reached


@pytest.mark.parametrize("policy", POLICIES)
@pytest.mark.parametrize("root", [[[0, 0, 0], [0.5, 0.25, 0.5]], [[0, 0, 0], [0, 1, 1]]])
def test_outsiders_stand_in_the_root_and_move_no_median(root, policy):
    items = scenes.random(size=0.1).bounds()
    bounds = Boxes(root[:1], root[1:])
    tree = divided(items, straddlers=policy, bounds=bounds, capacity=2)
    within = oracle.inside(items, bounds)[0]
    assert_array_equal(np.setdiff1d(np.flatnonzero(~within), tree.items_in(0)), [])
    if within.sum() > 2:
        held = np.flatnonzero(within)
        assert_array_equal(tree.node_middle[0], wanted_middle(tree, 0, held))
    for about in scenes.ABOUT:
        assert_true_answers(tree, about(items))


@pytest.mark.parametrize("axis", range(3))
def test_a_flat_root_is_not_divided_across(axis):
    """All that lies in it would touch both sides, on every level again."""
    places = scenes.numbers(34).uniform(0, 1, (400, 3))
    places[:, axis] = 0.5
    corners = np.zeros(3), np.ones(3)
    for corner in corners:
        corner[axis] = 0.5
    tree = divided(points(places), bounds=Boxes(*(corner[None] for corner in corners)))
    assert len(tree.references) < 1.5 * len(places)
