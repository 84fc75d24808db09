"""Pairs that begin, last and end."""

import numpy as np
import pytest
from numpy.testing import assert_array_equal

from core import DynamicOctree, Spheres, overlapping_pairs

ROW = np.arange(40)[:, None] * [1.0, 0, 0]
NOTHING = np.empty((2, 0), np.intp)


def balls(centers):
    return Spheres(centers, np.full(len(centers), 0.5))


def row_of_balls(**options):
    """Return a tree of forty balls, each touching the next."""
    tree = DynamicOctree(**options)
    tree.insert(balls(ROW))
    return tree


def test_at_first_all_pairs_began():
    began, lasted, ended = row_of_balls().changes()
    assert_array_equal(began, [np.arange(39), np.arange(1, 40)])
    assert_array_equal(lasted, NOTHING)
    assert_array_equal(ended, NOTHING)


@pytest.mark.parametrize("moving", [1, 40])
@pytest.mark.parametrize("straddlers", ["keep", "copy"])
def test_pairs_begin_last_and_end(straddlers, moving):
    """Whether one moves or all do: then all pairs are looked for anew."""
    tree = row_of_balls(straddlers=straddlers)
    all_pairs, _, _ = tree.changes()
    places = ROW.copy()
    places[0] = [20, 1, 0]
    tree.move(np.arange(moving), balls(places[:moving]))
    began, lasted, ended = tree.changes()
    assert_array_equal(began, [[0], [20]])
    assert_array_equal(lasted, all_pairs[:, 1:])
    assert_array_equal(ended, [[0], [1]])
    began, lasted, ended = tree.changes()
    assert began.size == ended.size == 0
    assert lasted.shape == (2, 39)


def test_all_move_before_any_pair_is_looked_for():
    """Two that swap places touch their old neighbors' other side, and no one in between."""
    tree = row_of_balls()
    tree.changes()
    tree.move([0, 39], balls(ROW[[39, 0]]))
    began, _, ended = tree.changes()
    assert_array_equal(began, [[0, 1], [38, 39]])
    assert_array_equal(ended, [[0, 38], [1, 39]])


def test_pairs_end_with_their_items():
    tree = row_of_balls()
    tree.changes()
    tree.remove([5, 20])
    tree.remove([6])
    tree.insert(balls([[5, 0, 0]]))
    began, lasted, ended = tree.changes()
    assert_array_equal(began, [[4], [40]])
    assert_array_equal(ended, [[4, 5, 6, 19, 20], [5, 6, 7, 20, 21]])
    assert lasted.shape == (2, 34)


def test_what_came_and_went_in_between_is_not_told_of():
    tree = row_of_balls()
    tree.changes()
    new = tree.insert(balls([[5, 0, 0]]))
    tree.move([3], balls([[9, 9, 9]]))
    tree.move([3], balls(ROW[[3]]))
    tree.remove(new)
    began, lasted, ended = tree.changes()
    assert began.size == ended.size == 0
    assert lasted.shape == (2, 39)


def test_telling_of_few_looks_for_few():
    """All that still touch last, the same as all pairs there are."""
    random = np.random.default_rng(3)
    places = random.random((600, 3)) * 20
    tree = DynamicOctree()
    tree.insert(balls(places))
    tree.changes()
    for _ in range(20):
        some = random.permutation(600)[:30]
        places[some] += random.random((30, 3)) - 0.5
        tree.move(some, balls(places[some]))
        began, lasted, _ = tree.changes()
        now = np.concatenate((began, lasted), axis=1)
        wanted = overlapping_pairs(tree.octree)
        assert wanted.shape[1] > 20
        assert_array_equal(now[:, np.lexsort(now[::-1])], wanted)
