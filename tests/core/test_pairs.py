"""Pairs within a tree and between two: exact in whole numbers, for every kind and policy."""

import importlib
from itertools import combinations_with_replacement

import core_scenes as scenes
import numpy as np
import pair_oracle
import pytest
from agreement import POLICIES, built
from numpy.testing import assert_array_equal
from pair_scenes import KINDS, boxes, regions, spheres, triangles

from core import Boxes, Triangles, build_octree, overlapping_pairs

NOTHING = np.empty((2, 0), np.intp)
asking = importlib.import_module("core.pairs.api")


MIXES = tuple(combinations_with_replacement(KINDS, 2))


def true_pairs(ones, others=None, margin=0):
    if others is None:
        return np.argwhere(np.triu(pair_oracle.near(ones, ones, margin), 1)).T
    return np.argwhere(pair_oracle.near(ones, others, margin)).T


def assert_pairs(found, wanted):
    assert found.dtype == np.intp
    assert_array_equal(found, wanted)


@pytest.mark.parametrize("policy", POLICIES)
@pytest.mark.parametrize("margin", [0, 1, 2])
@pytest.mark.parametrize("kind", KINDS)
def test_pairs_within_a_tree(kind, margin, policy):
    items = kind()
    tree = built(items, capacity=3, straddlers=policy)
    wanted = true_pairs(items, margin=margin)
    assert 10 < wanted.shape[1] < len(items) ** 2 / 3
    assert_pairs(overlapping_pairs(tree, margin=margin), wanted)


@pytest.mark.parametrize("margin", [0, 1, 2])
@pytest.mark.parametrize("kinds", MIXES)
def test_pairs_between_two_trees(kinds, margin):
    ones, others = kinds[0](5), kinds[1](6)
    other = built(others, capacity=5, max_depth=4)
    wanted = true_pairs(ones, others, margin)
    assert wanted.shape[1] > 0
    for policy in POLICIES:
        tree = built(ones, capacity=3, straddlers=policy, loose_factor=1.5)
        assert_pairs(overlapping_pairs(tree, other, margin=margin), wanted)
        turned = overlapping_pairs(other, tree, margin=margin)[::-1]
        assert_pairs(turned[:, np.lexsort(turned[::-1])], wanted)


@pytest.mark.parametrize("kind", KINDS)
def test_a_tree_against_itself_pairs_each_item_with_itself_too(kind):
    items = kind()
    tree = built(items, capacity=3)
    within, against = overlapping_pairs(tree), overlapping_pairs(tree, tree)
    same = np.stack((np.arange(len(items)),) * 2)
    both = np.concatenate((within, within[::-1], same), axis=1)
    assert_pairs(against, both[:, np.lexsort(both[::-1])])


@pytest.mark.parametrize("policy", POLICIES)
@pytest.mark.parametrize("kind", KINDS)
def test_items_beyond_the_root_are_paired(kind, policy):
    items, others = kind(), boxes(9)
    small = Boxes([[-2, -2, -2]], [[2, 2, 2]])
    tree = built(items, capacity=3, bounds=small, straddlers=policy)
    other = built(others, capacity=3, bounds=Boxes([[0, -4, 1]], [[3, 4, 1]]))
    assert tree.outside > 0
    assert_pairs(overlapping_pairs(tree), true_pairs(items))
    assert_pairs(overlapping_pairs(tree, other), true_pairs(items, others))


@pytest.mark.parametrize("margin", [0, 1])
@pytest.mark.parametrize("kind", KINDS)
def test_bad_items_are_in_no_pair(kind, margin):
    items = kind()
    everywhere = items.rows.copy()
    everywhere[1, ::5], everywhere[0, 3::7] = np.nan, np.inf
    if isinstance(items, Triangles):
        spoiled = scenes.loose_triangles(everywhere.T.reshape(-1, 3, 3))
    else:
        spoiled = items.from_rows(everywhere)
    tree = built(spoiled, capacity=3)
    assert len(tree.invalid_items) > 5
    assert_pairs(overlapping_pairs(tree, margin=margin), true_pairs(spoiled, margin=margin))
    other = built(kind(8))
    wanted = true_pairs(spoiled, other.items, margin)
    assert_pairs(overlapping_pairs(tree, other, margin=margin), wanted)


@pytest.mark.parametrize("kind", KINDS)
def test_empty_trees_have_no_pairs(kind):
    nothing, something = built(kind(count=0)), built(boxes())
    for pairs in (
        overlapping_pairs(nothing),
        overlapping_pairs(nothing, nothing, margin=1),
        overlapping_pairs(nothing, something),
        overlapping_pairs(something, nothing, margin=2),
        overlapping_pairs(built(kind(count=1)), margin=3),
    ):
        assert_pairs(pairs, NOTHING)


def test_a_box_within_a_box_and_boxes_that_share_a_corner_are_pairs():
    lower = [[0, 0, 0], [2, 2, 2], [8, 8, 8], [8, 0, 0]]
    upper = [[8, 8, 8], [3, 3, 3], [9, 9, 9], [9, 1, 1]]
    for capacity in (1, 2, 32):
        found = overlapping_pairs(built(Boxes(lower, upper), capacity=capacity))
        assert_pairs(found, [[0, 0, 0], [1, 2, 3]])


@pytest.mark.parametrize("policy", POLICIES)
def test_a_margin_that_is_just_wide_enough_is_wide_enough(policy):
    """Three, four and twelve apart make thirteen."""
    tree = built(Boxes([[0, 0, 0], [4, 5, 13]], [[1, 1, 1], [5, 6, 14]]), straddlers=policy)
    assert overlapping_pairs(tree, margin=13).shape == (2, 1)
    assert overlapping_pairs(tree, margin=np.nextafter(13, 0)).shape == (2, 0)


def test_crossing_bars_and_plates_are_found():
    """No box holds a corner of another."""
    lower, upper = 4.0 - 4 * np.eye(3), 5.0 + 4 * np.eye(3)
    assert_pairs(overlapping_pairs(built(Boxes(lower, upper))), [[0, 0, 1], [1, 2, 2]])


def test_neighbors_are_skipped_by_their_vertex_numbers():
    sheet = scenes.grid(4)
    tree = built(sheet, capacity=4)
    wanted = true_pairs(sheet)
    shared = (sheet.faces[wanted[0]][:, :, None] == sheet.faces[wanted[1]][:, None]).any((1, 2))
    assert shared.any() and not shared.all()
    assert_pairs(overlapping_pairs(tree, skip_neighbours=True), wanted[:, ~shared])


def test_a_closed_mesh_does_not_meet_itself():
    assert overlapping_pairs(built(scenes.uv_sphere()), skip_neighbours=True).shape == (2, 0)


def many_kinds(count=300):
    yield boxes(11, count, 12), 0
    yield triangles(12, count, 12), 0
    yield spheres(13, count, 12), 0
    yield regions(14, count, 12), 0
    yield triangles(15, count, 12), 1


@pytest.mark.parametrize("policy", POLICIES)
@pytest.mark.parametrize("bounds", [None, Boxes([[-6] * 3], [[6] * 3])])
def test_each_pair_is_tested_once(policy, bounds, monkeypatch):
    """Copies in shared cells never make an exact test happen twice."""
    tested = []

    def noted(test):
        def ask(items, ids, volumes, numbers, *margin):
            tested.append(np.stack((ids, numbers)))
            return test(items, ids, volumes, numbers, *margin)

        return ask

    for name in ("touching", "triangles_near_triangles"):
        monkeypatch.setattr(asking, name, noted(getattr(asking, name)))
    for items, margin in many_kinds():
        tree = built(items, capacity=3, straddlers=policy, bounds=bounds)
        for others in ((), (tree,)):
            tested.clear()
            found = overlapping_pairs(tree, *others, margin=margin)
            pairs = np.concatenate(tested, axis=1)
            if not others:
                assert (pairs[0] != pairs[1]).all()
                pairs.sort(axis=0)
            assert len(np.unique(pairs, axis=1).T) == len(pairs.T) >= len(found.T)


def test_thousands_on_one_spot_are_all_pairs():
    count = 1_500
    pile = Boxes(np.zeros((count, 3)), np.ones((count, 3)))
    assert_pairs(overlapping_pairs(build_octree(pile)), np.triu_indices(count, 1))


@pytest.mark.parametrize("depth", [0, 3, 10])
def test_boxes_on_the_uppermost_walls_are_paired_once(depth):
    """So far out that deep cells have no room for a number between their walls."""
    places = scenes.numbers(21).integers(0, 6, (60, 3))
    lower = 2.0**30 + places * 2.0**-20
    tree = built(Boxes(lower, lower + 2.0**-20), capacity=1, max_depth=depth)
    assert_pairs(overlapping_pairs(tree), true_pairs(Boxes(places, places + 1)))


@pytest.mark.parametrize("margin", [-1.0, np.nan, np.inf, -np.inf, "wide", None])
def test_a_bad_margin_is_an_error(margin):
    with pytest.raises(ValueError, match="margin"):
        overlapping_pairs(built(boxes()), margin=margin)


def test_other_things_than_trees_are_errors():
    tree = built(boxes())
    with pytest.raises(ValueError, match="tree"):
        overlapping_pairs(boxes())
    with pytest.raises(ValueError, match="other"):
        overlapping_pairs(tree, boxes())


def test_skipping_neighbors_needs_one_tree_of_triangles():
    tree, mesh = built(boxes()), built(triangles())
    for wrong in ((tree,), (mesh, mesh), (mesh, tree)):
        with pytest.raises(ValueError, match="skip_neighbours"):
            overlapping_pairs(*wrong, skip_neighbours=True)
