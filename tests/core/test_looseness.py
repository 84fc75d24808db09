"""Looseness pays: what the table of the essay says."""

import numpy as np
import pytest
from numpy.testing import assert_array_equal

from benchmarks import looseness
from core import Boxes


def test_a_middle_part_holds_what_straddles_the_middle():
    """In a cell from 0 to 1: astride the middle, across a quarter, too large, at a corner."""
    start = np.array([[0.4, 0.1, 0.1], [0.2, 0.1, 0.4], [0.1, 0.4, 0.4], [0.9, 0.9, 0.9]])
    end = np.array([[0.6, 0.2, 0.4], [0.6, 0.2, 0.6], [0.65, 0.6, 0.6], [1.0, 1.0, 1.0]])
    assert_array_equal(looseness.held_by_middle(start, end), [True, False, False, True])
    assert_array_equal(looseness.held_by_loose(start, end, 1.0), [False, False, False, True])
    assert_array_equal(looseness.held_by_loose(start, end, 1.5), [True, True, False, True])


def test_what_is_kept_is_told_in_shares_of_its_cell():
    corners = np.arange(9)[:, None] * [1.0, 1, 1] + np.zeros(3)
    boxes = Boxes(np.vstack((corners, [[4, 1, 1]])), np.vstack((corners + 0.5, [[6, 2, 2]])))
    start, end = looseness.kept_by(looseness.tree_of(boxes, 1.0), boxes)
    size = 8.5
    astride = (end - start)[:, 0].argmax()
    assert start[astride] == pytest.approx(np.array([4, 1, 1]) / size)
    assert end[astride] == pytest.approx(np.array([6, 2, 2]) / size)


def test_looseness_pays_in_a_forest():
    rows, kept, icoseptree = looseness.measured((1, 1.25, 1.5, 2))
    factors, upper, share, tests, _ = rows.T
    assert kept > looseness.TREES / 2
    assert upper[0] > 1_000 and upper[factors >= 1.25].max() == 0
    assert tests[0] > 4 * tests[factors == 1.25]
    assert (np.diff(tests) < 0).all() and (np.diff(share) > 0).all()
    assert share[factors == 1.25] < icoseptree < share[factors == 1.5]
