"""What cells really hold, against a look at each cell, and what it saves rays."""

import core_scenes as scenes
import numpy as np
import pytest
from agreement import POLICIES, built
from numpy.testing import assert_array_equal

from core import Boxes, DynamicOctree
from core.arrays import column_major, gather


def truth(tree):
    """Span the items of each cell within its enlarged walls, cell by cell, (6, m)."""
    lower, upper = (rows[:, tree.order] for rows in tree.items.limits())
    held = np.empty((6, len(tree.node_depth)))
    for cell in range(len(tree.node_depth))[::-1]:  # children before their parents
        own = tree.references[tree.begin[cell] : tree.own_end[cell]]
        low, high = lower[:, own], upper[:, own]
        low = np.maximum(low, tree.loose_lower[cell][:, None] - tree.slack)
        high = np.minimum(high, tree.loose_upper[cell][:, None] + tree.slack)
        below = held[:, (tree.node_parent == cell).nonzero()[0]]
        held[:3, cell] = np.concatenate((low, below[:3]), axis=1).min(axis=1, initial=np.inf)
        held[3:, cell] = np.concatenate((high, below[3:]), axis=1).max(axis=1, initial=-np.inf)
    return held


def assert_hold(tree):
    assert_array_equal(tree.content_rows, truth(tree))
    assert not tree.content_rows.flags.writeable


@pytest.mark.parametrize("split", ["middle", "median"])
@pytest.mark.parametrize("policy", POLICIES)
@pytest.mark.parametrize("kind", scenes.KINDS)
def test_extents_are_those_of_the_items(kind, policy, split):
    bounds = Boxes([[-1, -1, -1]], [[0.9, 1, 1]])
    items = kind(scenes.random(600, 0.1))
    tree = built(items, capacity=4, straddlers=policy, split=split, bounds=bounds)
    assert tree.outside > 0
    assert_hold(tree)


def test_loose_cells_have_extents_beyond_their_walls():
    tree = built(scenes.random(600, 0.1), capacity=4, straddlers="keep", loose_factor=2.0)
    assert_hold(tree)
    assert (tree.content_rows[:3] < tree.cell_rows[:3]).any()


def test_a_changing_tree_has_extents():
    tree = DynamicOctree(capacity=4)
    lower, upper = scenes.as_boxes(scenes.random(300, 0.1)).limits()
    tree.insert(Boxes(lower.T, upper.T))
    tree.remove(np.arange(50))
    assert_hold(tree.octree)


def test_an_empty_tree_has_extents():
    assert built(Boxes(np.empty((0, 3)), np.empty((0, 3)))).content_rows.shape == (6, 1)


@pytest.mark.parametrize("count", [0, 3, 1000])
def test_records_are_gathered_like_rows(count):
    rows = scenes.numbers(5).normal(size=(6, 500))
    ids = scenes.numbers(6).integers(-3, 503, count)
    records = column_major(rows)
    assert not records.flags.writeable
    found = gather(records, ids)
    assert found.flags.c_contiguous
    assert_array_equal(found, gather(rows, ids))
