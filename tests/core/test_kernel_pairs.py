"""Pairs of triangles in the compiled kernel: ways and contacts have NumPy's bits."""

import kernel_pairs as pairs
import numpy as np
import pytest
from support.kernels import needs_kernel
from tuned import tuned

import core
from core import (
    SceneOctree,
    Triangles,
    build_octree,
    distances,
    distances_steps,
    overlapping_pairs,
)

pytestmark = needs_kernel


@pytest.mark.parametrize("first", range(0, 60, 20))
def test_shortest_ways_are_equal_to_the_last_bit(first):
    assert sum(map(pairs.assert_ways_equal, range(first, first + 20)))


def test_surfaces_cross_as_numpy_says():
    assert sum(map(pairs.assert_crossings_equal, range(40)))
    with tuned(core, nodes_walked=20):
        assert sum(map(pairs.assert_crossings_equal, range(10)))


def test_lists_of_triangles_that_touch_are_those_of_numpy():
    assert sum(map(pairs.assert_lists_equal, range(40)))
    with tuned(core, nodes_walked=20):
        assert sum(map(pairs.assert_lists_equal, range(10)))


def test_triangles_touch_as_numpy_says():
    assert sum(map(pairs.assert_contacts_equal, range(60)))


def test_pairs_of_two_trees_are_those_of_numpy():
    assert sum(map(pairs.assert_joins_equal, range(30)))
    with tuned(core, pairs_walked=50):
        assert sum(map(pairs.assert_joins_equal, range(10)))
    with tuned(core, joined_crowd=900):
        assert sum(map(pairs.assert_joins_equal, range(10)))


def test_pairs_of_bounds_are_those_of_numpy_in_its_order():
    assert sum(map(pairs.assert_bounds_equal, range(60)))


def test_two_leaves_may_hold_more_pairs_than_there_is_room_for_at_first():
    stacked = Triangles(np.eye(3), np.tile([0, 1, 2], (150, 1)))
    beside = Triangles(np.eye(3) + 0.9, np.tile([0, 1, 2], (9, 1)))
    trees = [build_octree(each, capacity=200) for each in (stacked, stacked, beside)]
    here, there = pairs.with_and_without(lambda: overlapping_pairs(*trees[:2]))
    assert here.shape == (2, 150 * 150) and np.array_equal(here, there)
    assert overlapping_pairs(*trees[1:]).shape == (2, 0)


def test_leaves_that_hold_crowds_are_left_to_numpy():
    """Two leaves of 600 triangles make more pairs than the kernel compares."""
    stacked = Triangles(np.eye(3), np.tile([0, 1, 2], (600, 1)))
    trees = [build_octree(stacked, max_depth=0) for _ in range(2)]
    here, there = pairs.with_and_without(lambda: overlapping_pairs(*trees))
    assert here.shape == (2, 600 * 600) and np.array_equal(here, there)


@pytest.mark.parametrize("together", [1, 40])
def test_a_search_that_is_interrupted_goes_on_where_it_was(together):
    with tuned(core, nodes_walked=together):
        assert sum(map(pairs.assert_ways_equal, range(8)))


def test_few_patches_are_looked_at_however_many_triangles_there_are():
    """Each pair of patches is a step."""
    scenes = map(apart, (8, 32, 128))
    with tuned(core, nodes_walked=1):
        counts = [sum(1 for _ in distances_steps(scene, [[0], [1]])) for scene in scenes]
    assert 10 < counts[0] < counts[-1] < 250  # of up to a billion pairs


def apart(side):
    """Place two hills of 2 side * side triangles with their tops toward each other."""
    scene, turned = SceneOctree(), np.diag([1.0, 1.0, -1.0, 1.0])
    turned[0, 3] = 0.03
    hill = pairs.heights(side, lambda places: -(places**2).sum(axis=1) - 0.2)
    scene.place([scene.add_mesh(hill)] * 2, [np.eye(4), turned])
    return scene


def test_sheets_that_contradict_themselves_are_walked_somehow():
    assert sum(map(pairs.survive_damage, range(40)))
    assert sum(map(pairs.survive_a_damaged_join, range(40)))


def test_of_a_thousand_equal_ways_the_lowest_triangles_are_named():
    """Two fans whose tips face each other: all triangles of both are equally near."""
    around = np.linspace(0, 2 * np.pi, 41)[:-1]
    rim = np.stack((np.cos(around), np.sin(around), 1.1 + 0 * around), axis=1)
    faces = np.stack((0 * around, 1 + np.arange(40), 1 + np.roll(np.arange(40), 1)), axis=1)
    scene = SceneOctree()
    fan = Triangles(np.concatenate(([[0, 0, 0.1]], rim)), faces.astype(int))
    turned = np.diag([-0.9, 1.1, -1.3, 1.0])
    scene.place([scene.add_mesh(fan)] * 2, [np.eye(4), turned])
    here, there = pairs.with_and_without(lambda: distances(scene, [[0, 1], [1, 0]]))
    assert here == there
    np.testing.assert_allclose(here.distances, 0.23)
    assert here.items.tolist() == [[0, 0], [0, 0]]
