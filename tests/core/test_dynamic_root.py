"""The root of a dynamic octree: where it lies, how it grows and shrinks."""

import numpy as np
import pytest
from crowd import CORNERS, EVERYWHERE, WORLD, cells_of, cubes, tree_of, walls
from numpy.testing import assert_array_equal

from core import Boxes, DynamicOctree, query


def test_without_bounds_the_root_is_a_cube_around_the_first_items():
    more = np.array([-36, -54, -45, 108, 90, 99]) / 4096
    tree = tree_of(cubes([0, 0, 0], [3, 1, 7]))
    assert_array_equal(walls(tree, 0), np.add([-2, -3, 0, 6, 5, 8], 8 * more))
    tree.remove([0, 1])
    tree.insert(cubes([1e6, 0, 0]))
    assert_array_equal(walls(tree, 0), np.add([1e6, 0, 0, 1e6 + 1, 1, 1], more))


def test_the_root_grows_towards_the_octant_with_most_outsiders():
    tree = tree_of(cubes([1, 1, 1]), bounds=WORLD, grow_above=3, loose_factor=1.0)
    tree.insert(cubes([-9, 3, 3], [20, 3, 3], [20, 20, 3]))
    assert_array_equal(tree.outside, [1, 2, 3])
    assert walls(tree, 0) == [0, 0, 0, 16, 16, 16]
    tree.insert(cubes([20, 3, 4]))
    tree.check()
    assert_array_equal(tree.outside, [1, 3])
    assert walls(tree, 0) == [0, -16, -16, 32, 16, 16]
    assert tree.turnover.growths == 1


def test_the_old_root_is_a_part_of_the_new_one_bit_by_bit():
    tree = tree_of(cubes(*(CORNERS * 0.3 + 0.1), [0.7, 0.1, 0.1], size=0.1),
                   bounds=Boxes([[0.1] * 3], [[0.9] * 3]))  # fmt: skip
    old = walls(tree, 0)
    tree.insert(cubes([1.3, 0.2, 0.2], size=0.1))
    octree = tree.octree
    rows = np.column_stack((octree.node_lower, octree.node_upper)).tolist()
    assert walls(tree, 0) != old
    assert old in rows[1:9]


def test_what_ends_on_the_old_roots_wall_stands_on_both_sides_of_it():
    boxes = cubes(*(CORNERS * 8 + 3), [15, 3, 3])
    tree = tree_of(boxes, bounds=WORLD, straddlers="copy")
    tree.insert(cubes([20, 3, 3]))
    tree.check()
    assert walls(tree, 0)[3] == 32
    assert {walls(tree, cell)[0] for cell in cells_of(tree, 8)} == {8, 16}


def test_the_root_shrinks_to_its_only_busy_part():
    tree = tree_of(
        cubes(*(CORNERS * 4 + 1), [1, 1, 2]), bounds=WORLD, shrink_below=2, grow_above=2
    )
    assert walls(tree, 0) == [0, 0, 0, 8, 8, 8]
    tree.check()


def test_the_fullest_part_has_the_most_items_however_many_copies_another_has():
    tree = tree_of(
        cubes(*(CORNERS * 4 + 2)), bounds=WORLD, straddlers="copy", capacity=1, merge_below=1,
        merge="deferred", shrink_below=3, grow_above=3,
    )  # fmt: skip
    tree.insert(Boxes([[9, 9, 9], [9, 12, 9], [9, 15, 9]], [[16, 9, 9], [16, 12, 9], [16, 15, 9]]))
    octree = tree.octree
    assert len(octree.items_below(8)) > len(octree.items_below(1)) == 8
    tree.prune()
    tree.check()
    assert walls(tree, 0) == [0, 0, 0, 8, 8, 8]
    assert_array_equal(tree.outside, [8, 9, 10])


def test_what_lies_outside_a_shrunken_root_is_found():
    tree = DynamicOctree(bounds=WORLD, shrink_below=2, grow_above=2, merge_below=1)
    tree.insert(cubes([15, 15, 15], [9, 1, 1]))
    tree.insert(cubes(*(CORNERS * 4 + 1), [1, 1, 2]))
    tree.check()
    assert_array_equal(tree.outside, [0, 1])
    assert len(query(tree.octree, EVERYWHERE)[1]) == 11


def test_a_root_never_shrinks_so_far_that_it_would_grow_again():
    tree = DynamicOctree(bounds=WORLD, shrink_below=9, grow_above=0, merge_below=1)
    tree.insert(cubes([15, 15, 15]))
    tree.insert(cubes(*(CORNERS * 4 + 1), [1, 1, 2]))
    tree.check()
    assert walls(tree, 0) == [0, 0, 0, 16, 16, 16]
    assert tree.turnover.growths == 0


@pytest.mark.parametrize("far", [1e9, -1e15, 1e40])
@pytest.mark.parametrize("straddlers", ["keep", "copy"])
def test_an_item_that_flies_far_out_multiplies_nothing(straddlers, far):
    places = np.random.default_rng(5).integers(0, 64, (2000, 3)) * 8.0
    tree = DynamicOctree(straddlers=straddlers)
    tree.insert(Boxes(places, places + 1))
    tree.move([0], cubes([far] * 3))
    tree.check()
    assert len(tree.octree.references) < 2 * len(tree)


def test_deep_trees_do_not_copy_by_rounding():
    places = np.random.default_rng(5).integers(0, 64, (500, 3)) * 8.0
    tree = DynamicOctree(straddlers="copy", max_depth=60)
    tree.insert(Boxes(places, places + 1))
    for far in (1e20, 3, -1e40, 3):
        tree.move([0], cubes([far] * 3))
        tree.check()
        assert len(tree.octree.references) < 2 * len(tree)


@pytest.mark.parametrize("merge", ["eager", "deferred"])
@pytest.mark.parametrize("straddlers", ["keep", "copy"])
def test_the_root_comes_back_from_however_far(straddlers, merge):
    places = np.random.default_rng(5).integers(0, 64, (2000, 3)) * 8.0
    tree = DynamicOctree(straddlers=straddlers, merge=merge)
    tree.insert(Boxes(places, places + 1))
    for far in (1e10, -1e40):
        tree.move([0], cubes([far] * 3))
        tree.move([0], cubes([3.0] * 3))
        tree.prune()
        tree.check()
        octree = tree.octree
        assert octree.item_counts.max() <= 40
        assert octree.node_upper[0].max() - octree.node_lower[0].min() < 2048


def test_a_root_stays_where_no_smaller_one_would_set_items_apart():
    tree = tree_of(cubes(*[[3, 3, 3]] * 20), bounds=WORLD)
    assert walls(tree, 0) == [0, 0, 0, 16, 16, 16]
