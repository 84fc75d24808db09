"""The dynamic octree step by step: each behavior of the articles, and what is refused."""

import numpy as np
import pytest
from crowd import CORNERS, EVERYWHERE, WORLD, cells_of, cubes, tree_of, walls
from numpy.testing import assert_array_equal

from core import Boxes, DynamicOctree, Regions, Spheres, Triangles, query
from core.dynamic import maintenance

# Placement


def test_an_item_is_kept_in_the_deepest_cell_that_holds_it():
    tree = tree_of(cubes([1, 1, 1], [2, 1, 1], [7.5, 1, 1]), capacity=2, bounds=WORLD,
                   loose_factor=1.0, shrink_below=0, merge_below=1)  # fmt: skip
    octree = tree.octree
    (straddling,) = cells_of(tree, 2)
    assert straddling == 0
    assert octree.node_depth[cells_of(tree, 0)].min() > octree.node_depth[straddling]


def test_a_loose_cell_holds_what_straddles_its_wall_a_little():
    boxes = cubes(*(8 * CORNERS + 3), [7.75, 1, 1])
    tight, loose = (tree_of(boxes, bounds=WORLD, loose_factor=factor) for factor in (1.0, 1.25))
    assert cells_of(tight, 8) == [0]
    (cell,) = cells_of(loose, 8)
    assert walls(loose, cell) == [8, 0, 0, 16, 8, 8]


def test_a_copied_item_stands_in_every_leaf_it_touches():
    boxes = cubes(*(8 * CORNERS + 3), [7, 3, 3], [7, 7, 7], [7, 6, 5])
    tree = tree_of(boxes, bounds=WORLD, straddlers="copy")
    assert [len(cells_of(tree, item)) for item in range(8)] == [1] * 8
    # Box 8 ends on the wall x = 8, 9 on the point where all eight meet, 10 below two walls.
    assert [len(cells_of(tree, item)) for item in (8, 9, 10)] == [2, 8, 2]


def test_a_sphere_is_copied_to_what_it_touches_itself_not_its_bounds():
    spheres = Spheres([[6, 6, 4], [2, 2, 2]], [2.5, 1])
    tree = DynamicOctree(capacity=1, merge_below=1, bounds=WORLD, straddlers="copy", max_depth=1)
    tree.insert(cubes(*(8 * CORNERS + 5)))
    tree.insert(spheres)
    tree.check()
    found = [walls(tree, cell)[:3] for cell in cells_of(tree, 8)]
    assert found == [[0, 0, 0], [8, 0, 0], [0, 8, 0]]


def test_kinds_live_together():
    tree = DynamicOctree()
    tree.insert(cubes([0, 0, 0]))
    assert isinstance(tree.octree.items, Boxes)
    tree.insert(Spheres([[5, 5, 5]], [1]))
    tree.insert(Regions([[9, 9, 9]], [[9, 9, 10]], [2]))
    assert isinstance(tree.octree.items, Regions)
    tree.remove([0, 2])
    assert isinstance(tree.octree.items, Spheres)
    tree.move([1], cubes([3, 3, 3]))
    assert isinstance(tree.octree.items, Boxes)
    assert_array_equal(query(tree.octree, cubes([4, 4, 4])), [[0], [1]])


# Splitting and merging


@pytest.mark.parametrize("straddlers", ["keep", "copy"])
def test_a_leaf_splits_above_capacity_and_merges_below_the_minimum(straddlers):
    boxes = cubes(*(8 * CORNERS + 3), [1, 1, 1])
    tree = tree_of(boxes[:8], straddlers=straddlers, bounds=WORLD, shrink_below=0)
    assert len(tree.octree.node_depth) == 1
    tree.insert(boxes[8:])
    assert len(tree.octree.node_depth) == 9
    tree.remove([0, 1, 2, 3, 4])
    assert len(tree.octree.node_depth) == 9
    tree.remove([5])
    assert len(tree.octree.node_depth) == 1
    assert (tree.turnover.splits, tree.turnover.merges) == (1, 1)


def test_how_far_a_crowded_leaf_is_divided_may_depend_on_what_came_before():
    """Two that share all near parts would be divided further if asked again: that is no fault."""
    root = Boxes([[-0.5, 0, -1]], [[1.5, 2, 1]])
    tree = DynamicOctree(capacity=1, merge_below=1, max_depth=4, straddlers="copy", bounds=root)
    tree.insert(Boxes([[0, 0, 0]], [[1, 2, 0]]))
    tree.insert(Boxes([[-1, 0, 0]], [[1, 1, 1]]))
    tree.check()
    cells = len(tree.octree.node_depth)
    tree.move([0], Boxes([[0, 0, 0]], [[1, 2, 0]]))
    tree.check()
    assert len(tree.octree.node_depth) > cells


def test_a_leaf_that_should_be_divided_is_noticed(monkeypatch):
    monkeypatch.setattr(maintenance, "overfull", lambda *_: np.empty(0, np.intp))
    tree = DynamicOctree(bounds=WORLD)
    tree.insert(cubes(*(8 * CORNERS + 3), [1, 1, 1]))
    monkeypatch.undo()
    with pytest.raises(AssertionError):
        tree.check()


def test_the_uppermost_sparse_cell_merges():
    clump, far = cubes(*(CORNERS / 4), [0, 0, 0.5], size=0.25), cubes(*(8 * CORNERS[1:4] + 3))
    tree = DynamicOctree(bounds=WORLD, merge_below=4)
    tree.insert(Boxes(*np.concatenate(([clump.lower, clump.upper], [far.lower, far.upper]), 1)))
    depth = tree.octree.node_depth.max()
    assert depth > 3
    tree.remove(np.arange(6))
    tree.check()
    # Three of the clump in one leaf, below a root that holds six.
    assert len(tree.octree.node_depth) == 9
    assert tree.turnover.merges == 1
    tree.remove([6, 7, 8])
    assert len(tree.octree.node_depth) == 1
    assert tree.turnover.merges == 2


def test_deferred_merging_waits_for_prune():
    tree = tree_of(cubes(*(8 * CORNERS + 3), [1, 1, 1]), bounds=WORLD, merge="deferred")
    tree.remove(np.arange(7))
    tree.check()
    assert len(tree.octree.node_depth) == 9
    tree.prune()
    tree.check()
    assert len(tree.octree.node_depth) == 1


def test_with_merge_below_one_only_empty_cells_go():
    """As the leaf octree of the blog prunes them."""
    tree = tree_of(cubes(*(8 * CORNERS + 3), [1, 1, 1]), bounds=WORLD, merge_below=1,
                   merge="deferred", straddlers="copy")  # fmt: skip
    tree.remove(np.arange(8))
    tree.prune()
    assert tree.octree.is_leaf.all() or len(tree) == 1
    octree = tree.octree
    assert all(len(octree.items_below(cell)) for cell in np.flatnonzero(~octree.is_leaf))
    tree.remove([8])
    tree.prune()
    assert len(tree.octree.node_depth) == 1


@pytest.mark.parametrize("straddlers", ["keep", "copy"])
def test_coincident_items_stay_in_one_leaf(straddlers):
    tree = tree_of(cubes(*[[3, 3, 3]] * 50), straddlers=straddlers, bounds=WORLD)
    assert len(tree.octree.node_depth) == 1
    tree.insert(cubes([15, 15, 15]))
    tree.check()
    fullest = tree.octree.item_counts.max()
    assert fullest == 50
    assert tree.octree.node_depth.max() < 4


def test_depth_and_size_stop_splitting():
    points = Spheres(np.random.default_rng(1).random((200, 3)) * 16, np.zeros(200))
    assert tree_of(points, max_depth=2, bounds=WORLD).octree.node_depth.max() == 2
    octree = tree_of(points, min_size=4, bounds=WORLD).octree
    assert (octree.node_upper - octree.node_lower).min() == 4


# Moving


def test_a_move_within_the_cell_keeps_the_arrays():
    """An item that stays in its cell changes no array."""
    tree = tree_of(cubes(*(8 * CORNERS + 3), [1, 1, 1]), bounds=WORLD)
    before = tree.octree
    tree.move([8], cubes([1.5, 1, 1]))
    after = tree.octree
    for name in ("cell_rows", "loose_rows", "begin", "end", "node_parent"):
        assert getattr(after, name) is getattr(before, name)


@pytest.mark.parametrize("straddlers", ["keep", "copy"])
def test_a_ship_flies_through_all_cells(straddlers):
    tree = tree_of(cubes(*(8 * CORNERS + 3), [0, 0, 0]), bounds=WORLD, straddlers=straddlers)
    for place in np.arange(0, 15.25, 0.25):
        tree.move([8], cubes([place] * 3))
        tree.check()
        here = Boxes([[place] * 3], [[place] * 3])
        assert 8 in query(tree.octree, here)[1]


@pytest.mark.parametrize("straddlers", ["keep", "copy"])
def test_nothing_is_lost_however_far_small_or_large(straddlers):
    tree = tree_of(cubes(*(CORNERS * 4 + 1)), bounds=WORLD, straddlers=straddlers)
    odd = Boxes(
        [[1e9, 0, 0], [-1e300, 0, 0], [5, 5, 5], [-1e5, -1e5, -1e5], [2, 2, 2]],
        [[1e9, 0, 0], [-1e300, 0, 0], [5, 5, 5], [1e5, 1e5, 1e5], [2, 2, 2 + 1e-300]],
    )
    for item in range(len(odd)):
        tree.insert(odd[[item]])
        tree.check()
    for item in range(len(odd)):
        assert 8 + item in query(tree.octree, odd[[item]])[1]
    tree.remove([8, 9, 11])
    tree.check()
    assert len(query(tree.octree, EVERYWHERE)[1]) == 10


def test_triangles_are_refused():
    with pytest.raises(ValueError, match="items must be one of Boxes, Spheres, Regions"):
        DynamicOctree().insert(Triangles(np.zeros((3, 3)), [[0, 1, 2]]))
