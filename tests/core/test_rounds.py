"""Rounds give each place once, a few of each owner first, until it is closed."""

import numpy as np

from core.rounds import first_of_each, in_rounds

OWNERS = np.repeat([0, 2, 3], [1, 40, 7])


def test_the_first_of_each_are_the_first_of_their_run():
    assert first_of_each(np.array([4, 4, 4, 6, 7, 7]), 2).tolist() == [1, 1, 0, 1, 1, 1]


def test_rounds_grow_and_give_each_place_once():
    rounds = list(in_rounds(OWNERS, 2, 3, lambda of, _: of >= 0))
    counts = [np.bincount(OWNERS[places], minlength=4).tolist() for places in rounds]
    assert counts == [[1, 0, 2, 2], [0, 0, 6, 5], [0, 0, 18, 0], [0, 0, 14, 0]]
    assert np.array_equal(np.sort(np.concatenate(rounds)), np.arange(len(OWNERS)))


def test_what_is_closed_in_between_comes_no_more():
    closed, seen = np.zeros(4, bool), []
    for places in in_rounds(OWNERS, 1, 2, lambda of, places: ~closed[of] & (places != 2)):
        seen += places.tolist()
        closed[3] = True
    assert seen[:3] == [0, 1, 41]
    assert sorted(seen) == [0, 1, *range(3, 42)]
