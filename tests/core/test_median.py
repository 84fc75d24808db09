"""Cells divided at the medians of their items."""

from itertools import product

import core_scenes as scenes
import numpy as np
import oracle
import pytest
from agreement import POLICIES, assert_true_answers
from median_scenes import (
    NOT_LARGE,
    centers_of,
    divided,
    inner_cells,
    parts_of,
    points,
    spread_points,
    wanted_middle,
)
from numpy.testing import assert_array_equal

from core import Boxes, build_octree, child_masks, query


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


@pytest.mark.parametrize("factor", [1.0, 1.5, 2.0])
@pytest.mark.parametrize("kind", scenes.KINDS)
@pytest.mark.parametrize("scene", ["random", "clustered", "flat", "slivers", "uv_sphere"])
def test_no_part_around_its_center_holds_a_kept_item_whole(scene, kind, factor):
    items = kind(scenes.SCENES[scene]())
    tree = divided(items, straddlers="keep", loose_factor=factor)
    holding = oracle.inside(items.bounds(), Boxes(tree.loose_lower, tree.loose_upper))
    holding &= oracle.inside(points(centers_of(items)), Boxes(tree.node_lower, tree.node_upper))
    ids, homes = tree.cells_of()
    assert_array_equal(ids, np.arange(len(items)))
    assert holding[homes, ids].all()
    assert not (holding & (tree.node_parent[:, None] == homes)).any()


def test_loose_parts_are_enlarged_about_their_own_centers():
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
    assert_array_equal(one.references, other.references)


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
    assert_array_equal(one.references, other.references)


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
    monkeypatch.setattr(
        child_masks, "touched_children", lambda items, ids, *_: np.zeros(len(ids), np.uint8)
    )
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
