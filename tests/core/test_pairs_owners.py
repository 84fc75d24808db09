"""Pairs of different owners, pairs in steps, and pairs without a tree: as brute force says."""

import importlib
from functools import partial

import core_scenes as scenes
import numpy as np
import pair_oracle
import pytest
from agreement import POLICIES, built
from costs import most_held
from hypothesis import given
from hypothesis import strategies as st
from numpy.testing import assert_array_equal
from pair_scenes import KINDS, boxes, corners, spheres, triangles
from stepping import finished
from tuned import tuned

import core
from core import (
    Boxes,
    DynamicOctree,
    HalfSpaces,
    Spheres,
    Triangles,
    build_octree,
    overlapping_pairs,
    overlapping_pairs_steps,
    pairs_inside,
    pairs_touching,
    pairs_within,
    query,
)

asking = importlib.import_module("core.pairs.api")


def between(items, owners, margin=0):
    near = pair_oracle.near(items, items, margin)
    return np.argwhere(np.triu(near & (owners[:, None] != owners), 1)).T


@pytest.mark.parametrize("policy", POLICIES)
@pytest.mark.parametrize("margin", [0, 2])
@pytest.mark.parametrize("kind", KINDS)
def test_pairs_of_one_owner_do_not_count(kind, margin, policy):
    for count, owner_count, seed in ((40, 3, 5), (90, 7, 6), (90, 60, 7)):
        items = kind(seed, count)
        owners = scenes.numbers(seed).integers(0, owner_count, count)
        tree = built(items, capacity=3, straddlers=policy)
        found = overlapping_pairs(tree, owners=owners, margin=margin)
        assert_array_equal(found, between(items, owners, margin))


@given(st.data())
def test_any_owners(data):
    count = data.draw(st.integers(0, 40))
    items = data.draw(st.sampled_from(KINDS))(data.draw(st.integers(0, 9)), max(count, 12))
    owners = data.draw(st.lists(st.integers(0, 3), min_size=len(items), max_size=len(items)))
    tree = build_octree(items, capacity=data.draw(st.integers(1, 9)))
    found = overlapping_pairs(tree, owners=owners)
    assert_array_equal(found, between(items, np.array(owners)))


def test_items_of_one_owner_are_not_tested(monkeypatch):
    """Two carpets, each of one owner, that meet along an edge."""
    tested = []

    def noted(items, ids, others, numbers):
        tested.append(np.stack((ids, numbers)))
        return test(items, ids, others, numbers)

    test = asking.touching
    monkeypatch.setattr(asking, "touching", noted)
    items = scenes.random(2_000, 0.1)
    owners = (items.vertices[items.faces[:, 0], 0] > 0).astype(int)
    tree = build_octree(items)
    found = overlapping_pairs(tree, owners=owners)
    pairs = owners[tree.order[np.concatenate(tested, axis=1)]]
    assert (pairs[0] != pairs[1]).all()
    everything = overlapping_pairs(tree)
    apart = owners[everything[0]] != owners[everything[1]]
    assert_array_equal(found, everything[:, apart])
    assert 0 < found.shape[1] < everything.shape[1] / 10


@pytest.mark.parametrize("margin", [0.0, 0.5])
def test_one_owner_has_nobody_to_touch(margin, monkeypatch):
    def fail(*_arguments):
        raise AssertionError("looked at pairs of one owner")

    monkeypatch.setattr(asking, "candidate_pairs", fail)
    tree = build_octree(triangles())
    assert overlapping_pairs(tree, owners=[7] * 40, margin=margin).shape == (2, 0)
    assert overlapping_pairs(build_octree(boxes(count=0)), owners=[]).shape == (2, 0)


@pytest.mark.parametrize("margin", [0, 1])
def test_owners_are_of_the_items_in_order_of_their_ids(margin):
    tree = DynamicOctree(capacity=3, merge_below=2)
    masks = np.tile([1, 2, 3], 20)
    items = boxes(count=60)
    ids = tree.insert(items, groups=masks)
    tree.remove(ids[::5])
    kept = np.delete(np.arange(60), np.arange(0, 60, 5))
    owners = scenes.numbers(8).integers(0, 4, len(kept))
    expected = kept[between(items[kept], owners, margin)]
    assert_array_equal(overlapping_pairs(tree.octree, owners=owners, margin=margin), expected)
    is_there = (masks[expected] & 2 != 0).all(axis=0)
    found = overlapping_pairs(tree.octree, owners=owners, margin=margin, groups=2)
    assert_array_equal(found, expected[:, is_there])


def test_owners_of_items_that_are_set_aside_mean_nothing():
    items = triangles(4, 40)
    vertices = items.vertices.copy()
    vertices[items.faces[5]] = np.nan
    items = Triangles(vertices, items.faces)
    owners = np.arange(40) % 2
    found = overlapping_pairs(build_octree(items, capacity=4), owners=owners)
    assert_array_equal(found, between(items, owners))


@pytest.mark.parametrize("margin", [0.0, 0.05])
def test_memory_follows_the_pairs_of_different_owners(margin):
    """Two piles, far from each other, each of one owner: millions of pairs within them."""
    pile = np.concatenate((scenes.numbers(9).uniform(0, 1, (3_000, 3)), [[100, 0, 0]] * 2))
    items = Boxes(pile, pile + 0.5)
    owners = (pile[:, 0] > 50).astype(int)
    tree = build_octree(items)
    ask = partial(overlapping_pairs, tree, owners=owners, margin=margin)
    assert ask().shape == (2, 0)
    assert most_held(ask) < 40_000_000


@pytest.mark.parametrize(
    "owners",
    [[1, 2], np.zeros((40, 1), int), np.zeros(40), [-1] * 40, ["a"] * 40, np.zeros(41, int)],
)
def test_owners_are_one_number_for_each_item(owners):
    with pytest.raises(ValueError, match="owners"):
        overlapping_pairs(build_octree(triangles()), owners=owners)


def test_owners_need_one_tree():
    tree = build_octree(triangles())
    with pytest.raises(ValueError, match="owners"):
        overlapping_pairs(tree, tree, owners=[0] * 40)


@pytest.mark.parametrize("policy", POLICIES)
@pytest.mark.parametrize("margin", [0.0, 0.1])
def test_steps_yield_ascending_fractions_and_return_the_pairs(policy, margin):
    items = scenes.random(3_000, 0.05)
    tree, other = (build_octree(each, straddlers=policy) for each in (items, spheres(count=90)))
    for others in ((), (other,), (tree,)):
        fractions, pairs = finished(overlapping_pairs_steps(tree, *others, margin=margin))
        assert_array_equal(pairs, overlapping_pairs(tree, *others, margin=margin))
        assert fractions == sorted(fractions)
        assert fractions[0] >= 0 and fractions[-1] == 1


def test_boxes_are_compared_in_many_small_steps():
    for items in (triangles(5, 200, 9), boxes(6, 200, 9)):
        tree = build_octree(items, capacity=4)
        expected = overlapping_pairs(tree)
        owners = np.arange(200) % 3
        apart = owners[expected[0]] != owners[expected[1]]
        with tuned(core, boxes_paired=5):
            fractions, pairs = finished(overlapping_pairs_steps(tree))
            assert_array_equal(pairs, expected)
            assert fractions == sorted(fractions) and len(fractions) > len(items) / 10
            assert_array_equal(overlapping_pairs(tree, owners=owners), expected[:, apart])


def test_steps_check_at_the_call():
    with pytest.raises(ValueError, match="margin"):
        overlapping_pairs_steps(build_octree(triangles()), margin=-1)


def all_pairs(items, others):
    both = np.indices((len(items), len(others))).reshape(2, -1)
    return scenes.numbers(1).permutation(both, axis=1)


@pytest.mark.parametrize("kind", KINDS)
@pytest.mark.parametrize("volumes", [spheres(count=9), boxes(count=9), HalfSpaces([[1, 2, 0, 1]])])
def test_pairwise_tests_say_what_the_tree_says(kind, volumes):
    items = kind()
    tree = build_octree(items, capacity=3)
    ids, numbers = all_pairs(items, volumes)
    for relation, test in (("touching", pairs_touching), ("inside", pairs_inside)):
        holds = test(items, ids, volumes, numbers)
        assert holds.dtype == bool
        found = np.stack((numbers[holds], ids[holds]))
        expected = query(tree, volumes, relation=relation)
        assert_array_equal(found[:, np.lexsort(found[::-1])], expected)


@pytest.mark.parametrize("margin", [0, 2])
@pytest.mark.parametrize("one", KINDS)
@pytest.mark.parametrize("other", KINDS)
def test_pairs_within_a_margin_are_those_of_brute_force(one, other, margin):
    items, others = one(3, 20), other(4, 20)
    ids, numbers = all_pairs(items, others)
    near = pair_oracle.near(items, others, margin)
    found = pairs_within(items, ids, others, numbers, margin=margin)
    assert_array_equal(found, near[ids, numbers])


def test_items_that_are_not_finite_are_in_no_pair():
    items = Spheres([[0, 0, 0], [np.nan, 0, 0], [0, np.inf, 0]], [1, 1, 1])
    volume = Boxes([[-9] * 3], [[9] * 3])
    here = [0, 1, 2], volume, [0, 0, 0]
    assert pairs_touching(items, *here).tolist() == [True, False, False]
    assert pairs_inside(items, *here).tolist() == [True, False, False]
    assert pairs_within(items, *here, margin=1).tolist() == [True, False, False]


def test_no_pairs_give_no_flags():
    for test in (pairs_touching, pairs_inside, pairs_within):
        assert test(boxes(), [], boxes(), []).shape == (0,)


def test_bad_pairs_are_errors():
    ones, others = boxes(), spheres()
    for test in (pairs_touching, pairs_inside, pairs_within):
        with pytest.raises(ValueError, match="ids"):
            test(ones, [40], others, [0])
        with pytest.raises(ValueError, match="numbers"):
            test(ones, [0], others, [-1])
        with pytest.raises(ValueError, match="length"):
            test(ones, [0, 1], others, [0])
        with pytest.raises(ValueError, match="items"):
            test(corners(1, 3, 3), [0], others, [0])
    with pytest.raises(ValueError, match="volumes"):
        pairs_touching(ones, [0], triangles(), [0])
    with pytest.raises(ValueError, match="volumes"):
        pairs_inside(ones, [0], Spheres([[0, np.nan, 0]], [1]), [0])
    with pytest.raises(ValueError, match="others"):
        pairs_within(ones, [0], HalfSpaces([[0, 0, 1, 0]]), [0])
    with pytest.raises(ValueError, match="margin"):
        pairs_within(ones, [0], others, [0], margin=-1)
