"""Groups over a tree's life, and what a mask costs."""

from dataclasses import replace

import core_scenes as scenes
import numpy as np
import pytest
from agreement import POLICIES
from counters import PairsTested
from grouped import ALL, QUESTIONS, row, there, tree_of
from numpy.testing import assert_array_equal

from core import (
    CROSSING,
    Boxes,
    DynamicOctree,
    Spheres,
    Triangles,
    build_octree,
    nearest,
    overlapping_pairs,
    query,
    query_count,
    ray_cast,
    trace,
)
from core.snapshot import in_groups
from core.volumes import walked as queries

SPACE = Boxes([[-5, -8, -8]], [[1019, 1016, 1016]])


@pytest.mark.parametrize("question", QUESTIONS)
def test_in_a_static_tree_all_are_in_every_group(question):
    tree, ask = build_octree(row(9), capacity=2), QUESTIONS[question]
    for groups in (1, np.uint32(2**31), ALL):
        assert_array_equal(ask(tree, groups=groups), ask(tree))
    assert ask(tree).size
    assert ask(tree, groups=0).size == 0


@pytest.mark.parametrize("question", QUESTIONS)
def test_what_is_in_no_group_is_never_there(question):
    tree = tree_of(9, 0)
    for groups in (0, 1, ALL):
        assert QUESTIONS[question](tree.octree, groups=groups).size == 0
    tree.insert(row(9))
    assert QUESTIONS[question](tree.octree).size


@pytest.mark.parametrize("straddlers", ["keep", "copy"])
def test_rays_pass_through_what_is_not_there(straddlers):
    tree = tree_of(40, 1 << np.arange(40) // 10, straddlers=straddlers).octree
    for group in range(4):
        found = ray_cast(tree, [[-99, 0, 0]], [[1, 0, 0]], groups=1 << group)
        assert found.items == 10 * group
        assert found.distances == 94 + 10 * group
        found = ray_cast(tree, [[99, 0, 0]], [[-1, 0, 0]], groups=1 << group)
        assert found.items == 10 * group + 9


@pytest.mark.parametrize("straddlers", ["keep", "copy"])
def test_the_nearest_are_as_many_as_are_there(straddlers):
    tree = tree_of(1000, np.where(np.arange(1000) % 100 == 7, 2, 1), straddlers=straddlers).octree
    found = nearest(tree, [[-5, 0, 0]], count=12, groups=2)
    assert_array_equal(found.items, [[*range(7, 1000, 100), -1, -1]])
    assert_array_equal(found.distances[0, :10], range(7, 1000, 100))


@pytest.mark.parametrize("ask", [query, query_count])
@pytest.mark.parametrize("straddlers", ["keep", "copy"])
def test_what_is_not_there_is_not_tested(straddlers, ask, monkeypatch, in_numpy):
    counter = PairsTested()
    monkeypatch.setattr(queries, "touching", counter.watch(queries.touching))
    groups = np.where(np.arange(1000) % 100 < 7, 2, 1)
    tree = tree_of(1000, groups, straddlers=straddlers, bounds=SPACE).octree
    points = Spheres(row(1000).lower, np.ones(1000))
    _, candidates = query(tree, points, relation="candidates")
    ask(tree, points, groups=2)
    assert counter.counts(points)[1].max() == 1
    assert 70 <= sum(map(len, counter.entries)) <= np.count_nonzero(groups[candidates] == 2)


@pytest.mark.parametrize("policy", POLICIES)
def test_what_is_left_of_any_tree_is_sound(policy):
    """Even where items are not in order, some are set aside, and no cell vouches for others."""
    triangles = scenes.random(200)
    triangles = Triangles([*triangles.vertices, [np.nan] * 3], [*triangles.faces, [0, 1, 600]])
    strays = np.arange(0, 200, 3)
    tree = build_octree(triangles, capacity=4, straddlers=policy)
    tree = replace(tree, groups=np.arange(201, dtype=np.uint32), strays=strays)
    seen = in_groups(tree, 13)
    seen.check()
    left = np.flatnonzero(np.arange(200) & 13)
    assert_array_equal(seen.ids, left)
    doubted = np.sort(seen.named(seen.order[seen.strays]))
    assert_array_equal(doubted, np.intersect1d(tree.order[strays], left))


# A tree's life


def test_masks_stay_with_their_items():
    tree = tree_of(8, 1 << np.arange(8), bounds=Boxes([[-8] * 3], [[8] * 3]))
    tree.move([3, 5], Boxes([[700] * 3, [-4] * 3], [[701] * 3, [-3] * 3]))
    tree.remove([0, 4])
    assert tree.insert(row(2), groups=[8, 64]).tolist() == [8, 9]
    tree.prune()
    tree.check()
    for group, ids in enumerate([[], [1], [2], [3, 8], [], [5], [6, 9], [7]]):
        assert there(tree.octree, 1 << group) == ids
    assert there(tree.octree, 2 | 4 | 64) == [1, 2, 6, 9]
    assert there(tree.octree, ALL) == tree.ids.tolist()


def test_masks_may_come_late_and_stay_away():
    tree = DynamicOctree()
    tree.insert(row(2))
    assert tree.octree.groups is None
    tree.insert(row(1), groups=4)
    tree.insert(row(1))
    assert_array_equal(tree.octree.groups, np.array([ALL, ALL, 4, ALL], np.uint32))
    assert there(tree.octree, 8) == [0, 1, 3]
    assert there(tree.octree, 4) == [0, 1, 2, 3]


def test_changes_are_of_all_pairs():
    tree = tree_of(3, [0, 1, 2])
    assert overlapping_pairs(tree.octree).tolist() == [[1], [2]]
    assert tree.changes()[0].tolist() == [[0, 1], [1, 2]]
    tree.insert(row(100)[3:])
    tree.changes()
    tree.move([0], row(3)[2:])
    began, _, _ = tree.changes()
    assert began.tolist() == [[0, 0], [2, 3]]


def test_an_old_octree_refuses_masks_that_it_knows():
    tree = tree_of(3, [1, 2, 3])
    old = tree.octree
    assert there(old, 1) == [0, 2]
    tree.remove([0])
    with pytest.raises(RuntimeError, match="has changed"):
        there(old, 1)
    assert there(tree.octree, 1) == [2]


def test_a_trace_goes_where_a_ray_goes():
    tree = tree_of(40, 0, bounds=SPACE)
    tree.insert(row(50)[49:])
    octree = tree.octree
    states = trace(octree, ([-9, 0, 0], [1, 0, 0], np.inf))
    assert (states[octree.cells_of([40])[1]] == CROSSING).all()


# Cost


def test_without_masks_a_tree_is_asked_as_it_is():
    for tree in (build_octree(row(9)), tree_of(9, None).octree):
        assert in_groups(tree, ALL) is in_groups(tree, 1) is tree


def test_where_nobody_is_left_out_nothing_is_copied():
    tree = tree_of(9, 3).octree
    assert in_groups(tree, ALL).references is tree.references


def test_a_tree_remembers_a_few_masks():
    tree = tree_of(9, 1 << np.arange(9)).octree
    assert in_groups(tree, 5) is in_groups(tree, 5)
    for mask in range(1, 99):
        assert there(tree, mask) == [bit for bit in range(9) if mask >> bit & 1]
    assert len(tree._seen) < 9
