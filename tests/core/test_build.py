"""The options of a build, one by one."""

import core_scenes as scenes
import numpy as np
import pytest
from agreement import POLICIES, built, flags
from numpy.testing import assert_array_equal

from core import Boxes, Spheres, Triangles, build_octree, query
from core.options import SPLITS

VOLUMES = tuple(about(scenes.random()) for about in scenes.ABOUT)
BOUNDS = (
    None,
    Boxes([[-3, -1, -2]], [[1, 2, 5]]),  # not a cube
    Boxes([[0, 0, 0]], [[0.5, 0.25, 0.5]]),  # most items reach beyond it
    Boxes([[9, 9, 9]], [[10, 10, 10]]),  # all items lie beyond it
    Boxes([[0, 0, 0]], [[0, 1, 1]]),  # flat
    Boxes([[0.1, 0.1, 0.1]], [[0.1, 0.1, 0.1]]),  # a point
)


def corner_points(count=200):
    return Spheres(scenes.numbers(20).uniform(-1, 1, (count, 3)), np.zeros(count))


@pytest.mark.parametrize("relation", ["touching", "inside"])
@pytest.mark.parametrize("bounds", range(len(BOUNDS)))
@pytest.mark.parametrize("policy", POLICIES)
@pytest.mark.parametrize("split", SPLITS)
def test_every_way_to_build_gives_the_same_answers(split, policy, bounds, relation):
    items = scenes.random()
    single = build_octree(items, max_depth=0)
    for capacity, depth, loose in ((1, 3, 1.0), (8, 10, 1.5), (8, 10, 2.0), (40, 20, 3.0)):
        tree = built(
            items,
            capacity=capacity,
            max_depth=depth,
            loose_factor=loose,
            hybrid_limit=2,
            split=split,
            straddlers=policy,
            bounds=BOUNDS[bounds],
        )
        for volumes in VOLUMES:
            assert_array_equal(
                query(tree, volumes, relation=relation),
                query(single, volumes, relation=relation),
            )


def test_depth_zero_is_one_cell():
    tree = built(scenes.random(), capacity=1, max_depth=0)
    assert len(tree.node_depth) == 1
    assert_array_equal(tree.items_in(0), np.arange(300))


def test_capacity_means_at_most():
    points = corner_points(32)
    assert len(built(points, capacity=32).node_depth) == 1
    assert len(built(points, capacity=31).node_depth) == 9


@pytest.mark.parametrize("capacity", [1, 5, 32])
def test_points_never_fill_a_leaf_over_capacity(capacity):
    tree = built(corner_points(1000), capacity=capacity, max_depth=20)
    assert tree.item_counts[tree.is_leaf].max() <= capacity


@pytest.mark.parametrize("policy", POLICIES)
def test_no_cell_is_deeper_than_allowed(policy):
    tree = built(scenes.uv_sphere(), capacity=4, max_depth=3, straddlers=policy)
    assert tree.node_depth.max() == 3


def test_as_great_depths_are_allowed_as_a_grid_has():
    points = Spheres([[0, 0, 0], [2.0**-15, 0, 0], [1, 1, 1]], [0, 0, 0])
    unit = Boxes([[0, 0, 0]], [[1, 1, 1]])
    tree = built(points, capacity=1, max_depth=20, bounds=unit)
    assert tree.node_depth.max() == 16
    assert tree.max_depth == 20
    for depth in (21, 30, 1000):
        with pytest.raises(ValueError, match=f"max_depth must .* at most 20, got {depth}"):
            build_octree(points, max_depth=depth)


@pytest.mark.parametrize(("min_size", "depth"), [(0.5, 1), (0.26, 1), (0.25, 2), (0.1, 3), (2, 0)])
def test_min_size_is_compared_with_the_childrens_edge(min_size, depth):
    tree = built(
        corner_points(1000),
        capacity=1,
        min_size=min_size,
        bounds=Boxes([[-1, -1, -1]], [[0, 0, 0]]),
    )
    assert tree.node_depth.max() == depth


def test_min_size_is_compared_with_the_longest_edge():
    flat = Boxes([[-1, -1, -0.01]], [[1, 1, 0.01]])
    tree = built(corner_points(4000)[:], capacity=1, min_size=0.5, bounds=flat, max_depth=8)
    assert tree.node_depth.max() == 2


def test_the_root_is_a_cube_around_the_items_and_not_centered_on_them():
    tree = built(Boxes([[0, 0, 0], [1, 3, 2]], [[1, 1, 1], [4, 5, 3]]))
    below, above = np.array([36, 54, 45]) * (5 / 4096), np.array([108, 90, 99]) * (5 / 4096)
    assert_array_equal(tree.node_lower[0], [-0.5, 0, -1] - below)
    assert_array_equal(tree.node_upper[0], np.add([4.5, 5, 4], above))


@pytest.mark.parametrize("scene", scenes.SCENES)
def test_the_root_holds_all_items_and_is_a_little_larger(scene):
    items = scenes.moved(scenes.SCENES[scene](), 1 / 3, 0.1)
    tree, bounds, (_, half) = built(items), items.bounds(), scenes.extent(items)
    assert (bounds.lower > tree.node_lower[0]).all()
    assert (bounds.upper < tree.node_upper[0]).all()
    larger = 2 * half * (1 + 9 / 256)
    assert tree.node_upper[0] - tree.node_lower[0] == pytest.approx(larger, rel=1e-12)


def test_given_bounds_are_the_root():
    bounds = BOUNDS[1]
    tree = built(scenes.random(), bounds=bounds, capacity=4)
    assert_array_equal(np.concatenate((tree.node_lower[0], tree.node_upper[0])), bounds.rows[:, 0])
    middle = (bounds.lower[0] + bounds.upper[0]) / 2
    assert_array_equal(tree.node_middle[0], middle)


def test_options_are_attributes_of_the_tree():
    options = {
        "capacity": 3, "max_depth": 4, "min_size": 0.125, "split": "median",
        "straddlers": "hybrid", "hybrid_limit": 2, "loose_factor": 1.5, "bounds": BOUNDS[1],
    }  # fmt: skip
    tree = built(scenes.random(), **options)
    assert {name: getattr(tree, name) for name in options} == options


def test_defaults_are_those_of_the_contract():
    tree = build_octree(scenes.random())
    assert (tree.capacity, tree.max_depth, tree.min_size, tree.split) == (32, 10, 0.0, "middle")
    assert (tree.straddlers, tree.hybrid_limit, tree.loose_factor) == ("copy", 4, 1.0)
    assert tree.bounds is None


def test_building_again_gives_the_same_tree():
    one, other = (built(scenes.clustered(), capacity=4) for _ in range(2))
    assert_array_equal(one.node_lower, other.node_lower)
    assert_array_equal(one.cells_of(), other.cells_of())


@pytest.mark.parametrize("hybrid_limit", [1, 2, 4, 8])
def test_hybrid_copies_up_to_its_limit(hybrid_limit):
    tree = built(scenes.random(), capacity=8, straddlers="hybrid", hybrid_limit=hybrid_limit)
    copies = np.bincount(tree.cells_of()[0])
    if hybrid_limit == 1:
        assert (copies == 1).all()
    else:
        assert copies.max() > 1
    assert (tree.item_counts[~tree.is_leaf].sum() == 0) == (hybrid_limit == 8)


def test_keeping_names_each_item_once():
    tree = built(scenes.random(), capacity=8, straddlers="keep")
    assert_array_equal(tree.cells_of()[0], np.arange(300))


def test_loose_cells_let_small_straddlers_sink():
    tight, loose = (
        built(scenes.random(size=0.02), capacity=4, straddlers="keep", loose_factor=factor)
        for factor in (1.0, 2.0)
    )
    assert tight.item_counts[0] >= 10
    assert loose.item_counts[0] == 0


@pytest.mark.parametrize("kind", scenes.KINDS)
def test_an_empty_batch_makes_one_empty_cell(kind):
    tree = built(kind(Triangles([], [])))
    assert (len(tree), len(tree.node_depth), tree.is_leaf[0]) == (0, 1, True)
    assert flags(query(tree, Spheres([[0, 0, 0]], [1])), [0], []).shape == (1, 0)


def test_octrees_are_told_apart_whatever_their_options():
    one, other = built(scenes.random()), built(scenes.random())
    assert one != other
    assert len({one, other}) == 2
