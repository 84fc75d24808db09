"""Invariants of every tree, for any items and options."""

from dataclasses import replace

import core_scenes as scenes
import numpy as np
import pytest
from agreement import POLICIES, built
from numpy.testing import assert_array_equal

from core import Boxes, build_octree
from core.options import SPLITS

OPTIONS = (
    {},
    {"capacity": 4, "max_depth": 6},
    {"capacity": 1, "max_depth": 3, "min_size": 0.2},
    {"capacity": 4, "bounds": Boxes([[-0.4, 0.1, -0.3]], [[0.9, 0.8, 0.5]])},
    {"capacity": 4, "straddlers": "keep"},
    {"capacity": 4, "straddlers": "keep", "loose_factor": 2.0},
    {"capacity": 4, "straddlers": "hybrid", "hybrid_limit": 2},
    {"capacity": 4, "max_depth": 6, "split": "median"},
    {"capacity": 2, "split": "median", "bounds": Boxes([[-0.4, 0.1, -0.3]], [[0.9, 0.8, 0.5]])},
    {"capacity": 4, "split": "median", "straddlers": "keep", "loose_factor": 1.5},
    {"capacity": 4, "split": "median", "straddlers": "hybrid", "hybrid_limit": 2},
)
VIEWS = (
    "invalid_items", "node_lower", "node_upper", "loose_lower", "loose_upper", "node_middle",
    "node_depth", "node_parent",
)  # fmt: skip


@pytest.fixture(params=range(len(OPTIONS)), ids=lambda number: f"options{number}")
def options(request):
    return OPTIONS[request.param]


@pytest.fixture(params=scenes.SCENES)
def tree(request, options):
    return built(scenes.SCENES[request.param](), **options)


def test_cells_are_numbered_from_the_root_parents_first(tree):
    parent, depth = tree.node_parent, tree.node_depth
    assert (parent[0], depth[0]) == (-1, 0)
    assert (parent[1:] < np.arange(1, len(parent))).all()
    assert (parent[1:] >= 0).all()
    assert_array_equal(depth[1:], depth[parent[1:]] + 1)
    assert depth.max() <= tree.max_depth


def test_a_cell_has_eight_children_or_none(tree):
    children = np.bincount(tree.node_parent[1:], minlength=len(tree.node_parent))
    assert_array_equal(children, np.where(tree.is_leaf, 0, 8))
    assert_array_equal(np.isnan(tree.node_middle), np.repeat(tree.is_leaf[:, None], 3, axis=1))


def test_child_walls_share_bits_with_their_parents(tree):
    child = np.flatnonzero(tree.node_parent >= 0)
    parent = tree.node_parent[child]
    middle = tree.node_middle[parent]
    lower, upper = tree.node_lower[child], tree.node_upper[child]
    below = (lower == tree.node_lower[parent]) & (upper == middle)
    above = (lower == middle) & (upper == tree.node_upper[parent])
    assert (below | above).all()
    sides = np.where(above, 1, 0) @ [1, 2, 4]
    flat = (lower == upper).any(axis=1)
    keys = np.sort((parent * 8 + sides)[~flat])
    assert (np.diff(keys) > 0).all()


def test_leaves_tile_the_root(tree):
    sizes = (tree.node_upper - tree.node_lower) / (tree.node_upper[0] - tree.node_lower[0])
    assert sizes[tree.is_leaf].prod(axis=1).sum() == pytest.approx(1, rel=1e-9)


def test_the_slice_of_a_subtree_holds_the_items_of_its_cells(tree):
    cells = scenes.numbers().integers(0, len(tree.node_depth), 20)
    for cell in {0, *cells.tolist()}:
        below, ids = [cell], [tree.items_in(cell)]
        while below:
            below = np.flatnonzero(np.isin(tree.node_parent, below)).tolist()
            ids += [tree.items_in(one) for one in below]
        assert_array_equal(np.sort(tree.items_below(cell)), np.sort(np.concatenate(ids)))


def test_cells_of_items_and_items_of_cells_agree(tree):
    items, cells = tree.cells_of()
    keys = items * len(tree.node_depth) + cells
    assert (np.diff(keys) > 0).all()
    assert_array_equal(np.bincount(cells, minlength=len(tree.node_depth)), tree.item_counts)
    for cell in scenes.numbers().integers(0, len(tree.node_depth), 20):
        assert_array_equal(tree.items_in(cell), items[cells == cell])
    some = np.array([7, 3, 7])
    assert_array_equal(tree.cells_of(some), tree.cells_of()[:, np.isin(items, some)])


def test_every_item_stands_somewhere(tree):
    assert_array_equal(np.unique(tree.cells_of()[0]), np.arange(len(tree.items)))
    assert len(tree) == len(tree.items)


def test_a_leaf_over_capacity_had_a_reason(tree):
    """It is as deep or as small as is allowed, or no division of it was worth keeping."""
    over = tree.is_leaf & (tree.item_counts > tree.capacity)
    edge = (tree.node_upper - tree.node_lower).max(axis=1) / 2
    stopped = (tree.node_depth == tree.max_depth) | (edge < tree.min_size)
    for leaf in np.flatnonzero(over & ~stopped)[:10]:
        box = Boxes(tree.node_lower[leaf, None], tree.node_upper[leaf, None])
        alone = {name: getattr(tree, name) for name in ("split", "straddlers", "hybrid_limit")}
        ids = tree.items_in(leaf)
        again = built(tree.items[ids], bounds=box, capacity=tree.capacity, max_depth=1, **alone)
        assert again.is_leaf.all() or (again.item_counts[1:] == len(ids)).any()


def test_arrays_are_read_only(tree):
    held = [value for value in vars(tree).values() if isinstance(value, np.ndarray)]
    views = [getattr(tree, name) for name in VIEWS]
    assert len(held) > 10
    for array in (*held, *views):
        with pytest.raises(ValueError, match="read-only"):
            array[...] = 0


def test_enlarged_cells_are_enlarged_about_their_centers(tree):
    factor = tree.loose_factor if tree.straddlers == "keep" else 1.0
    lower, upper = tree.node_lower, tree.node_upper
    grown = (factor - 1) / 2 * (upper - lower)
    np.testing.assert_allclose(tree.loose_lower, lower - grown, rtol=1e-12, atol=1e-12)
    np.testing.assert_allclose(tree.loose_upper, upper + grown, rtol=1e-12, atol=1e-12)
    if factor == 1:
        assert np.shares_memory(tree.loose_lower, tree.node_lower)


BROKEN = {
    "an item lost": lambda tree: {
        "references": np.where(tree.references == 5, 6, tree.references)
    },
    "an item out of range": lambda tree: {"references": tree.references + 1},
    "a middle moved": lambda tree: {"middle_rows": tree.middle_rows * 0.75},
    "a wall moved": lambda tree: {"cell_rows": tree.cell_rows + np.eye(len(tree.node_depth))[9]},
    "a depth wrong": lambda tree: {"node_depth": tree.node_depth + (tree.node_parent == 0)},
    "all depths wrong": lambda tree: {"node_depth": tree.node_depth + 1},
    "a parent wrong": lambda tree: {"node_parent": np.maximum(tree.node_parent - 1, -1)},
    "a slice too short": lambda tree: {"end": tree.end - (tree.node_depth == 1)},
    "a slice too long": lambda tree: {"own_end": tree.own_end + tree.is_leaf},
    "children elsewhere": lambda tree: {"first_child": np.where(tree.is_leaf, -1, 1)},
}


@pytest.mark.parametrize("damage", BROKEN)
@pytest.mark.parametrize("policy", POLICIES)
@pytest.mark.parametrize("split", SPLITS)
def test_check_notices(damage, policy, split):
    tree = build_octree(scenes.random(), capacity=8, straddlers=policy, split=split)
    tree.check()
    with pytest.raises(AssertionError):
        replace(tree, **BROKEN[damage](tree)).check()


def test_check_notices_outsiders_that_are_none():
    """An item within the root must be in a cell."""
    tree = build_octree(scenes.random(1), bounds=Boxes([[-9, -9, -9]], [[9, 9, 9]]))
    one = np.ones(1, int)
    with pytest.raises(AssertionError):
        replace(tree, outside=1, begin=one, own_end=one, end=one).check()
