"""The edges of cells."""

import core_scenes as scenes
import numpy as np
import pytest
from agreement import built
from numpy.testing import assert_array_equal

from core import cell_segments

TREE = built(scenes.random(), capacity=8, straddlers="keep", loose_factor=1.5)


def test_twelve_edges_join_the_corners_that_differ_on_one_axis():
    segments = cell_segments(TREE, [0])
    assert segments.shape == (12, 2, 3)
    differs = segments[:, 0] != segments[:, 1]
    assert_array_equal(differs.sum(axis=1), np.ones(12))
    assert_array_equal(differs.sum(axis=0), [4, 4, 4])
    lower, upper = TREE.node_lower[0], TREE.node_upper[0]
    assert ((segments == lower) | (segments == upper)).all()
    assert len(np.unique(np.sort(segments, axis=1).reshape(12, 6), axis=0)) == 12
    assert len(np.unique(segments.reshape(24, 3), axis=0)) == 8


@pytest.mark.parametrize("cells", [[3, 0, 3], np.array([5]), range(9), np.array([1, 2], np.uint8)])
def test_cells_come_in_the_order_asked_for(cells):
    segments = cell_segments(TREE, cells).reshape(-1, 12, 2, 3)
    assert len(segments) == len(cells)
    assert_array_equal(segments.min(axis=(1, 2)), TREE.node_lower[cells])
    assert_array_equal(segments.max(axis=(1, 2)), TREE.node_upper[cells])


@pytest.mark.parametrize("none", [[], (), np.empty(0, np.intp), np.flatnonzero([])])
def test_no_cells_have_no_edges(none):
    assert cell_segments(TREE, none).shape == (0, 2, 3)
