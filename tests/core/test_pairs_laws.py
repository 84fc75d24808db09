"""Laws of pairs, for any items in whole numbers; and what many pairs may cost."""

import core_scenes as scenes
import numpy as np
import pair_oracle
import pytest
from agreement import POLICIES, built
from costs import most_held
from hypothesis import given
from hypothesis import strategies as st
from numpy.testing import assert_array_equal
from whole_numbers import batches, options

from core import Boxes, build_octree, overlapping_pairs

margins = st.sampled_from((0, 0, 1, 2, 5))


def matrix(pairs, count, others):
    flags = np.zeros((count, others), bool)
    flags[pairs[0], pairs[1]] = True
    assert flags.sum() == pairs.shape[1]
    return flags


@given(batches(), options, margins)
def test_pairs_within_a_tree_equal_brute_force(items, options, margin):
    found = overlapping_pairs(built(items, **options), margin=margin)
    wanted = np.triu(pair_oracle.near(items, items, margin), 1)
    assert_array_equal(found, np.argwhere(wanted).T)


@given(batches(), batches(), options, options, margins)
def test_pairs_between_trees_equal_brute_force(ones, others, options, other_options, margin):
    tree, other = built(ones, **options), built(others, **other_options)
    found = overlapping_pairs(tree, other, margin=margin)
    assert_array_equal(found, np.argwhere(pair_oracle.near(ones, others, margin)).T)
    turned = matrix(overlapping_pairs(other, tree, margin=margin), len(others), len(ones))
    assert_array_equal(turned.T, matrix(found, len(ones), len(others)))


@given(batches(), options, margins, st.randoms(use_true_random=False))
def test_permuting_items_permutes_pairs(items, options, margin, random):
    order = np.array(random.sample(range(len(items)), len(items)), int)
    straight = overlapping_pairs(built(items, **options), margin=margin)
    shuffled = order[overlapping_pairs(built(items[order], **options), margin=margin)]
    shuffled.sort(axis=0)
    assert_array_equal(straight, shuffled[:, np.lexsort(shuffled[::-1])])


@given(batches(), options, margins, st.integers(-60, 60))
def test_scaling_by_a_power_of_two_changes_nothing(items, options, margin, power):
    options = {**options, "bounds": None}
    scaled = built(scenes.moved(items, 2.0**power), **options)
    assert_array_equal(
        overlapping_pairs(built(items, **options), margin=margin),
        overlapping_pairs(scaled, margin=margin * 2.0**power),
    )


@given(batches(), options, margins, st.tuples(*[st.integers(-(2**20), 2**20)] * 3))
def test_an_exact_shift_changes_nothing(items, options, margin, shift):
    options = {**options, "bounds": None}
    shifted = built(scenes.moved(items, 1, shift), **options)
    assert_array_equal(
        overlapping_pairs(built(items, **options), margin=margin),
        overlapping_pairs(shifted, margin=margin),
    )


@given(batches(), options, st.integers(0, 3), st.integers(0, 3))
def test_a_wider_margin_finds_no_less(items, options, margin, more):
    tree = built(items, **options)
    less, all_of_them = (
        matrix(overlapping_pairs(tree, margin=wide), len(items), len(items))
        for wide in (margin, margin + more)
    )
    assert (less <= all_of_them).all()


@pytest.mark.parametrize("axis", range(3))
@pytest.mark.parametrize("policy", POLICIES)
def test_a_crowded_cell_is_swept_without_a_loss(policy, axis):
    """A stack of sheets and some posts through them, all of them in one cell."""
    random = scenes.numbers(31)
    lower = random.integers(-9, 10, (400, 3))
    size = random.integers(0, 9, (400, 3))
    size[:, axis] = random.integers(0, 2, 400)
    size[::40] = 20
    items = Boxes(lower, lower + size)
    tree = built(items, max_depth=0, straddlers=policy)
    wanted = np.triu(pair_oracle.near(items, items), 1)
    assert_array_equal(overlapping_pairs(tree), np.argwhere(wanted).T)
    other = Boxes(lower[::2] + 1, lower[::2] + 1 + size[::-2])
    against = overlapping_pairs(tree, built(other, max_depth=0))
    assert_array_equal(against, np.argwhere(pair_oracle.near(items, other)).T)


# Peak memory, for any number of pairs.
CEILING = 60_000_000


@pytest.mark.parametrize("policy", POLICIES)
def test_looking_at_many_pairs_needs_no_more_memory(policy):
    """Diagonals side by side: the bounds of all of them meet, and none touches another."""
    place = np.arange(800)
    start = np.stack((place, 0 * place, 0 * place), axis=1)
    end = start + np.array((10_000, 10_000, 0))
    diagonals = scenes.loose_triangles(np.stack((start, end, end), axis=1))
    tree = build_octree(diagonals, max_depth=2, straddlers=policy)
    assert overlapping_pairs(tree).shape == (2, 0)
    assert most_held(lambda: overlapping_pairs(tree)) < CEILING


@pytest.mark.parametrize("policy", POLICIES)
def test_an_answer_needs_little_more_than_its_pairs(policy):
    count = 3_000
    pile = Boxes(np.zeros((count, 3)), np.ones((count, 3)))
    tree = build_octree(pile, straddlers=policy)
    pairs = overlapping_pairs(tree)
    assert pairs.shape[1] == count * (count - 1) // 2
    assert most_held(lambda: overlapping_pairs(tree)) < CEILING + 3 * pairs.nbytes


def test_sheets_do_not_make_copies_without_end():
    """They cross most cells of any depth; the tree keeps them, and so do the pairs."""
    height = np.arange(20_000.0)[:, None]
    sheets = Boxes(
        np.hstack((height * [0, 0] - 1e4, height)), np.hstack((height * [0, 0] + 1e4, height))
    )
    tree = build_octree(sheets, straddlers="keep")
    assert overlapping_pairs(tree).shape == (2, 0)
    assert overlapping_pairs(tree, margin=1).shape == (2, 19_999)
