"""Cells divided at the medians of what they hold."""

from itertools import product

import core_scenes as scenes
import numpy as np
import oracle
import pytest
from agreement import POLICIES, assert_true_answers, built
from numpy.testing import assert_array_equal

from core import Boxes, Spheres, build_octree, octants, query

NOT_LARGE = [
    (scene, kind)
    for scene, kind in product(scenes.SCENES, scenes.KINDS)
    # Copies of large spheres upon each other fill any tree.
    if kind is not scenes.as_spheres or scene in ("random", "whole", "icosphere")
]


def divided(items, **options):
    return built(items, **{"capacity": 8, "split": "median", **options})


def points(places):
    return Spheres(places, np.zeros(len(places)))


def spread_points(count=1000):
    """Crowd points towards a corner, so that middles would divide them badly."""
    return points(scenes.numbers(30).uniform(0, 1, (count, 3)) ** 4)


def centers_of(items):
    bounds = items.bounds()
    return (bounds.lower + bounds.upper) / 2


def inner_cells(tree):
    return np.flatnonzero(~tree.is_leaf)


def parts_of(tree, cell):
    """Items below each of the eight parts."""
    return [np.unique(tree.items_below(part)) for part in np.flatnonzero(tree.node_parent == cell)]


def wanted_middle(tree, cell, items):
    """Find the median on each axis, or the middle where that falls on a wall or beyond it."""
    lower, upper = tree.node_lower[cell], tree.node_upper[cell]
    median = np.median(centers_of(tree.items)[items], axis=0)
    return np.where((lower < median) & (median < upper), median, (lower + upper) / 2)


@pytest.mark.parametrize("policy", POLICIES)
@pytest.mark.parametrize("kind", scenes.KINDS)
@pytest.mark.parametrize("count", [299, 300])
def test_the_root_is_divided_at_the_medians(count, kind, policy):
    items = kind(scenes.random(count))
    tree = divided(items, straddlers=policy)
    assert_array_equal(tree.node_middle[0], np.median(centers_of(items), axis=0))


@pytest.mark.parametrize("policy", POLICIES)
@pytest.mark.parametrize(("scene", "kind"), NOT_LARGE)
def test_every_cell_is_divided_at_the_medians_of_what_it_holds(scene, kind, policy):
    """Or at its middle where they would not do."""
    tree = divided(kind(scenes.SCENES[scene]()), straddlers=policy, max_depth=5)
    for cell in inner_cells(tree)[:60]:
        held = np.unique(tree.items_below(cell))
        if (tree.node_middle[cell] != wanted_middle(tree, cell, held)).any():
            middle = (tree.node_lower[cell] + tree.node_upper[cell]) / 2
            assert_array_equal(tree.node_middle[cell], middle)
            assert copies_at_medians(tree, cell, held) > 4 * len(held)


def copies_at_medians(tree, cell, items):
    """Count the items of the parts that there would have been, with what might touch them."""
    walls = np.stack(
        (tree.node_lower[cell], wanted_middle(tree, cell, items), tree.node_upper[cell])
    )
    corners = np.array(list(product((0, 1), repeat=3)))
    lower, upper = (walls[corners + side, np.arange(3)] for side in (0, 1))
    return oracle.touching(tree.items[items], Boxes(lower, upper), tree.slack).sum()


@pytest.mark.parametrize("capacity", [1, 7])
def test_parts_hold_equally_many_points(capacity):
    tree = divided(spread_points(), capacity=capacity)
    for cell in inner_cells(tree):
        lower, upper = tree.node_lower[tree.node_parent == cell], tree.node_middle[cell]
        parts = parts_of(tree, cell)
        for axis in range(3):
            is_lower = lower[:, axis] < upper[axis]
            below, above = (
                np.unique(np.concatenate([parts[i] for i in np.flatnonzero(side)]))
                for side in (is_lower, ~is_lower)
            )
            assert abs(len(below) - len(above)) <= 1


def test_a_balanced_tree_is_shallow():
    items = spread_points(4096)
    assert divided(items).node_depth.max() <= 4
    assert divided(items, split="middle").node_depth.max() > 6


@pytest.mark.parametrize("policy", POLICIES)
@pytest.mark.parametrize(("scene", "kind"), NOT_LARGE)
def test_answers_are_true(scene, kind, policy):
    items = kind(scenes.SCENES[scene]())
    tree = divided(items, straddlers=policy, max_depth=6)
    for about in scenes.ABOUT:
        assert_true_answers(tree, about(items))


@pytest.mark.parametrize("policy", POLICIES)
@pytest.mark.parametrize("kind", scenes.KINDS)
@pytest.mark.parametrize("scene", scenes.WHOLE)
def test_answers_are_exact_in_whole_numbers(scene, kind, policy):
    tree = divided(kind(scenes.SCENES[scene]()), straddlers=policy, max_depth=5)
    for volumes in scenes.WHOLE_VOLUMES:
        assert_true_answers(tree, volumes(), exactly=True)


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
    assert len(tree.slots) <= 6 * 500
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


@pytest.mark.parametrize(("depth", "reached"), [(0, 0), (1, 1), (3, 3), (20, 20), (25, 20)])
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
    assert len(tree.slots) < 1.5 * len(places)


@pytest.mark.parametrize("factor", [1.0, 1.5, 2.0])
@pytest.mark.parametrize("kind", scenes.KINDS)
@pytest.mark.parametrize("scene", ["random", "clustered", "flat", "slivers", "uv_sphere"])
def test_no_part_around_its_centre_holds_a_kept_item_whole(scene, kind, factor):
    items = kind(scenes.SCENES[scene]())
    tree = divided(items, straddlers="keep", loose_factor=factor)
    holding = oracle.inside(items.bounds(), Boxes(tree.loose_lower, tree.loose_upper))
    holding &= oracle.inside(points(centers_of(items)), Boxes(tree.node_lower, tree.node_upper))
    ids, homes = tree.cells_of()
    assert_array_equal(ids, np.arange(len(items)))
    assert holding[homes, ids].all()
    assert not (holding & (tree.node_parent[:, None] == homes)).any()


def test_loose_parts_are_enlarged_about_their_own_centres():
    tree = divided(scenes.random(), straddlers="keep", loose_factor=1.5)
    size = tree.node_upper - tree.node_lower
    sizes = size[tree.node_parent == 0]
    assert len(np.unique(sizes[:, 0])) == 2
    np.testing.assert_allclose(tree.loose_lower, tree.node_lower - size / 4, rtol=1e-12)
    np.testing.assert_allclose(tree.loose_upper, tree.node_upper + size / 4, rtol=1e-12)


@pytest.mark.parametrize("policy", POLICIES)
def test_building_again_gives_the_same_tree(policy):
    one, other = (divided(scenes.clustered(), straddlers=policy) for _ in range(2))
    assert_array_equal(one.cell_rows, other.cell_rows)
    assert_array_equal(one.slots, other.slots)


@pytest.mark.parametrize("policy", POLICIES)
def test_the_order_of_items_does_not_matter(policy):
    items = scenes.random()
    order = scenes.numbers(35).permutation(len(items))
    one, other = (divided(some, straddlers=policy) for some in (items, items[order]))
    assert_array_equal(one.cell_rows, other.cell_rows)
    for cell in range(0, len(one.node_depth), 7):
        assert_array_equal(one.items_in(cell), np.sort(order[other.items_in(cell)]))


@pytest.mark.parametrize("power", [-300, -7, 9, 300])
@pytest.mark.parametrize("policy", POLICIES)
def test_scaling_by_a_power_of_two_scales_the_tree(policy, power):
    items = scenes.random()
    one = divided(items, straddlers=policy, loose_factor=1.5)
    other = divided(scenes.moved(items, 2.0**power), straddlers=policy, loose_factor=1.5)
    assert_array_equal(one.cell_rows * 2.0**power, other.cell_rows)
    assert_array_equal(one.slots, other.slots)


@pytest.mark.parametrize("policy", POLICIES)
def test_an_exact_shift_shifts_the_tree(policy):
    items, shift = scenes.whole(), np.array([2.0**20, -(2.0**18), 2.0**10])
    one = divided(items, straddlers=policy, max_depth=4)
    other = divided(scenes.moved(items, 1, shift), straddlers=policy, max_depth=4)
    assert_array_equal(one.node_middle + shift, other.node_middle)
    assert_array_equal(one.cells_of(), other.cells_of())


@pytest.mark.parametrize("policy", POLICIES)
def test_invalid_items_move_no_median(policy):
    boxes = scenes.random().bounds()
    lower = np.concatenate((boxes.lower, [[np.nan, 0, 0], [-np.inf, 0, 0]]))
    upper = np.concatenate((boxes.upper, [[np.nan, 9, 9], [9, 9, 9]]))
    tree = divided(Boxes(lower, upper), straddlers=policy)
    assert_array_equal(tree.invalid_items, [300, 301])
    assert_array_equal(tree.cell_rows, divided(boxes, straddlers=policy).cell_rows)


def test_what_rounding_hides_from_all_parts_is_neither_lost_nor_invented(monkeypatch):
    monkeypatch.setattr(octants, "touched", lambda items, ids, *_: np.zeros(len(ids), np.uint8))
    tree = build_octree(scenes.random(), capacity=8, split="median")
    assert len(tree.strays) > 10
    for about in scenes.ABOUT:
        assert_true_answers(tree, about(tree.items))


@pytest.mark.parametrize("kind", scenes.KINDS)
def test_an_empty_batch_and_a_single_item_make_one_cell(kind):
    for count in (0, 1):
        tree = divided(kind(scenes.random())[:count], capacity=1)
        assert (len(tree), len(tree.node_depth)) == (count, 1)
        assert query(tree, Boxes([[-9] * 3], [[9] * 3])).shape == (2, count)
