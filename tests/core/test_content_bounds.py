"""Tight bounds of cell contents, checked cell by cell, and the work they save for rays."""

import core_scenes as scenes
import numpy as np
import pytest
import ray_scenes as rays
from agreement import POLICIES, built
from numpy.testing import assert_array_equal

from core import Boxes, DynamicOctree, nearest, ray_cast_all
from core.arrays import column_major, columns, gather


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


@pytest.mark.parametrize("policy", POLICIES)
@pytest.mark.parametrize("kind", scenes.KINDS)
def test_rays_and_points_find_the_same_with_and_without(kind, policy, monkeypatch):
    tree, other = (
        built(kind(scenes.random(2000, 0.1)), capacity=4, straddlers=policy) for _ in range(2)
    )
    asked = rays.about(tree.items, 400)
    found, near = ray_cast_all(tree, *asked), nearest(tree, asked[0], count=3)
    monkeypatch.setattr("core.walkable._WORTH", 0)
    plain, also = ray_cast_all(other, *asked), nearest(other, asked[0], count=3)
    assert "content_rows" not in vars(other)
    assert len(found.distances) > 100
    assert_array_equal(found.pairs, plain.pairs)
    assert_array_equal(found.distances, plain.distances)
    assert_array_equal(near.items, also.items)
    assert_array_equal(near.distances, also.distances)


def test_one_question_makes_no_table_of_a_large_tree():
    tree = built(scenes.random(2000, 0.1), capacity=4)
    ray_cast_all(tree, [[0.0, 0.0, 3.0]], [[0.0, 0.0, -1.0]])
    nearest(tree, [[0.0, 0.0, 3.0]])
    assert "content_rows" not in vars(tree)
    assert tree.boxes_for(1) is tree.loose_rows
    assert tree.boxes_for(len(tree.begin)) is tree.content_rows
    assert tree.boxes_for(1) is tree.content_rows


@pytest.mark.parametrize("count", [0, 3, 1000])
def test_records_are_gathered_like_rows(count):
    rows = scenes.numbers(5).normal(size=(6, 500))
    ids = scenes.numbers(6).integers(-3, 503, count)
    records = column_major(rows)
    assert not records.flags.writeable
    found = gather(records, ids)
    assert found.flags.c_contiguous
    assert_array_equal(found, gather(rows, ids))
    assert_array_equal(columns(records, ids), gather(rows, ids))
    assert_array_equal(columns(rows, ids), gather(rows, ids))
