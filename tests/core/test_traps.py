"""Defects of other libraries in building and in the walls of cells, each with its name."""

import inspect
import sys

import core_scenes as scenes
import numpy as np
import pytest
from agreement import POLICIES, assert_true_answers, built
from numpy.testing import assert_array_equal

from core import Boxes, Spheres, Triangles, build_octree, query, statistics

UNIT = Boxes([[0, 0, 0]], [[1, 1, 1]])


def touched(items, volumes, **options):
    return query(built(items, **options), volumes)[1].tolist()


def points(*places):
    return Spheres(places, np.zeros(len(places)))


# Building


@pytest.mark.parametrize("policy", POLICIES)
def test_a_fan_of_more_triangles_than_capacity_ends(policy):
    """Kurt Miller's octree divides the pole of a UV sphere for ever."""
    tree = built(scenes.uv_sphere(32, 16), capacity=30, max_depth=20, straddlers=policy)
    assert tree.node_depth.max() <= 20
    assert statistics(tree).references_per_item < 20
    assert_array_equal(query(tree, points((0, 0, 1)))[1], np.arange(960)[touching_pole()])


def touching_pole():
    triangles = scenes.uv_sphere(32, 16)
    return (triangles.vertices[triangles.faces] == (0, 0, 1)).all(axis=2).any(axis=1)


@pytest.mark.parametrize("policy", POLICIES)
@pytest.mark.parametrize("kind", scenes.KINDS)
def test_coincident_items_end_in_one_leaf(kind, policy):
    item = kind(scenes.random())[np.zeros(100, int)]
    tree = built(item, straddlers=policy)
    assert len(tree.node_depth) == 1
    assert_array_equal(tree.items_in(0), np.arange(100))


def test_coincident_items_beside_others_make_no_chain_of_cells():
    """The pile and the far point part at once; the pile is then divided no further."""
    tree = built(points(*[(0.1, 0.1, 0.1)] * 100, (1, 1, 1), (0, 0, 0)), capacity=8)
    deepest = tree.node_depth[tree.cells_of([5])[1]]
    assert deepest.max() < 5
    assert tree.item_counts.max() == 100


def test_one_tiny_and_one_far_item():
    tree = built(points((0, 0, 0), (1e-30, 0, 0), (1, 1, 1)), capacity=1)
    assert len(tree.node_depth) == 9
    assert touched(tree.items, points((1e-30, 0, 0)), capacity=1) == [1]


@pytest.mark.parametrize("scene", ["uv_sphere", "icosphere", "random", "clustered"])
def test_straddlers_do_not_multiply(scene):
    """The default options keep the number of references low in all scenes."""
    assert statistics(built(scenes.SCENES[scene]())).references_per_item < 8


def test_child_walls_do_not_drift_apart():
    bounds = Boxes([[0.1, 0.2, 0.3]], [[0.7, 0.9, 1.1]])
    tree = built(
        points((0.1, 0.2, 0.3), (0.1 + 0.6 * 2**-19.5, 0.2, 0.3)),
        capacity=1,
        max_depth=20,
        bounds=bounds,
    )
    walls = np.concatenate((tree.node_lower[:, 0], tree.node_upper[:, 0]))
    depth = tree.node_depth.max()
    assert depth == 20
    assert len(np.unique(walls)) == depth + 2
    assert touched(tree.items, points(*tree.node_middle[~tree.is_leaf][-1:]), capacity=1) == []


# Walls of cells


@pytest.mark.parametrize("policy", POLICIES)
def test_a_point_on_a_middle_plane_is_found(policy):
    """A strict comparison puts it in none of eight leaves."""
    places = [(x, y, z) for x in (0, 0.5, 1) for y in (0, 0.5, 1) for z in (0, 0.5, 1)]
    items = points(*places)
    tree = built(items, capacity=1, straddlers=policy, bounds=UNIT)
    assert_array_equal(tree.node_middle[0], [0.5, 0.5, 0.5])
    assert_array_equal(query(tree, items), [np.arange(27)] * 2)


@pytest.mark.parametrize("policy", POLICIES)
@pytest.mark.parametrize("kind", scenes.KINDS)
def test_sheets_exactly_on_cell_walls(kind, policy):
    items = kind(scenes.grid(4))[:96]
    root = scenes.smallest_cube(items)
    tree = built(items, capacity=2, max_depth=6, straddlers=policy, bounds=root)
    ask = Boxes(tree.node_lower[1:60], tree.node_upper[1:60])
    assert_true_answers(tree, ask, exactly=kind is not scenes.as_spheres)


@pytest.mark.parametrize("policy", POLICIES)
def test_boxes_that_fill_cells_touch_all_their_neighbors(policy):
    places = np.stack(np.meshgrid(*[range(4)] * 3), axis=-1).reshape(-1, 3)
    root = Boxes([[0, 0, 0]], [[4, 4, 4]])
    tree = built(Boxes(places, places + 1), capacity=1, straddlers=policy, bounds=root)
    counts = np.bincount(query(tree, tree.items)[0])
    assert_array_equal(counts, (3 - (places % 3 == 0)).prod(axis=1))


@pytest.mark.parametrize("policy", POLICIES)
def test_an_object_beside_the_root_is_not_dropped(policy):
    items = points((0.5, 0.5, 0.5), (2, 0, 0), (1, 1, 1), (-9, -9, -9))
    tree = built(items, capacity=1, bounds=UNIT, straddlers=policy)
    assert_array_equal(query(tree, items), [[0, 1, 2, 3]] * 2)
    assert len(tree) == 4


# Flat, and without extent


@pytest.mark.parametrize("axis", range(3))
@pytest.mark.parametrize("policy", POLICIES)
def test_flat_meshes(axis, policy):
    corners = np.roll(scenes.flat().vertices, axis, axis=1).reshape(-1, 3, 3)
    tree = built(scenes.loose_triangles(corners), capacity=8, max_depth=6, straddlers=policy)
    assert tree.node_depth.max() > 1
    assert_true_answers(tree, scenes.spheres_about(tree.items))


@pytest.mark.parametrize("direction", [(1, 0, 0), (0, 0, -1), (1, 2, 3)])
def test_all_on_a_line(direction):
    places = np.arange(200)[:, None] * np.array(direction)
    tree = built(points(*places), capacity=4)
    assert_array_equal(query(tree, points(*places)), [np.arange(200)] * 2)
    assert tree.node_depth.max() >= 5


@pytest.mark.parametrize("kind", scenes.KINDS)
@pytest.mark.parametrize("place", [(0, 0, 0), (1 / 3, -7, 1e6)])
def test_all_in_one_point(place, kind):
    items = kind(Triangles([place], np.zeros((100, 3), int)))
    for capacity in (1, 100):
        tree = built(items, capacity=capacity)
        assert len(query(tree, points(place))[0]) == 100
        assert len(query(tree, points(np.add(place, 1e-3)))[0]) == 0


# Limits


@pytest.mark.parametrize("policy", POLICIES)
@pytest.mark.parametrize("capacity", [1, 7, 32])
def test_capacity_means_at_most(policy, capacity):
    """Kurt Miller's text says at most, his code fewer than."""
    places = np.arange(capacity + 1)[:, None] * np.ones(3)
    full = built(points(*places[:capacity]), capacity=capacity, straddlers=policy)
    assert len(full.node_depth) == 1
    one_more = built(points(*places), capacity=capacity, straddlers=policy)
    assert len(one_more.node_depth) == 9


@pytest.mark.parametrize("policy", POLICIES)
def test_capacity_and_one_more_coincident_items(policy):
    """The blog's octree divides for ever."""
    tree = built(points(*[(1, 2, 3)] * 9, (0, 0, 0), (8, 8, 8)), capacity=8, straddlers=policy)
    assert tree.item_counts.max() == 9
    assert len(tree.node_depth) < 50


def test_the_deepest_tree_needs_no_recursion():
    """Builds and queries work without recursion."""
    places = np.concatenate((np.zeros((1, 3)), 0.5 ** np.arange(30)[:, None] * np.ones(3)))
    limit, depth = sys.getrecursionlimit(), len(inspect.stack())
    sys.setrecursionlimit(depth + 36)  # twenty levels more would not fit
    try:
        tree = build_octree(points(*places), capacity=1, max_depth=20)
        found = query(tree, points(*places))
    finally:
        sys.setrecursionlimit(limit)
    assert tree.node_depth.max() == 20
    assert_array_equal(found, [np.arange(31)] * 2)


def test_large_straddlers_have_other_policies():
    """A capacity of 8 once made a hundred references of each triangle."""
    references = [
        statistics(built(scenes.random(1000, 0.5), capacity=8, straddlers=policy))
        for policy in ("copy", "hybrid", "keep")
    ]
    copied, limited, kept = (figures.references_per_item for figures in references)
    assert copied > 2 * limited > 4 * kept == 4
    for scene in ("uv_sphere", "icosphere"):
        assert statistics(built(scenes.SCENES[scene](), capacity=8)).references_per_item < 8


@pytest.mark.parametrize("capacity", [8, 32])
@pytest.mark.parametrize("height", [0.0, 2.0], ids=["fan", "cone"])
def test_hybrid_copies_fans_and_cones_only_while_that_is_cheap(height, capacity):
    """It copied each triangle 85 times, as "copy" does."""
    turns = 2 * np.pi * np.arange(5000) / 5000
    rim = np.stack((np.cos(turns), np.sin(turns), 0 * turns), axis=1)
    corners = np.arange(5000)
    faces = np.stack((corners, np.roll(corners, -1), np.full(5000, 5000)), axis=1)
    fan = Triangles(np.concatenate((rim, [[0.0, 0.0, height]])), faces)
    tree = built(fan, capacity=capacity, straddlers="hybrid")
    assert len(tree.node_depth) > 1
    assert statistics(tree).references_per_item < 8.1
