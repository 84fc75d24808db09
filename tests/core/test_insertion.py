"""Insertion: the cells that hold each item."""

import core_scenes as scenes
import numpy as np
import oracle
import pytest
from agreement import POLICIES, assert_true_answers, built
from numpy.testing import assert_array_equal

from core import Boxes, Spheres, build_octree, child_masks, query
from core.options import SPLITS

NOT_WHOLE = [name for name in scenes.SCENES if name not in scenes.WHOLE]


def standing(tree):
    """Return a matrix of cells (rows) that hold items (columns)."""
    matrix = np.zeros((len(tree.node_depth), len(tree.items)), bool)
    items, cells = tree.cells_of()
    matrix[cells, items] = True
    return matrix


def cells(tree, chosen=slice(None), grown=0.0):
    return Boxes(tree.node_lower[chosen] - grown, tree.node_upper[chosen] + grown)


@pytest.mark.parametrize("split", SPLITS)
@pytest.mark.parametrize("policy", ["copy", "hybrid"])
@pytest.mark.parametrize("kind", scenes.KINDS)
@pytest.mark.parametrize("scene", scenes.SCENES)
def test_a_leaf_holds_what_truly_touches_it_and_little_else(scene, kind, policy, split):
    """In whole numbers the truth is exact; else it is asked of leaves shrunk by a rounding."""
    items = kind(scenes.SCENES[scene]())[:100]
    options = {"straddlers": policy, "split": split, "bounds": scenes.root_of(scene, items)}
    tree = built(items, capacity=4, max_depth=3, **options)
    leaves, held = cells(tree, tree.is_leaf), standing(tree)
    kept = held[~tree.is_leaf].any(axis=0)
    shrunk = 0.0 if scene in scenes.WHOLE else -1e-12
    touching = oracle.touching(items, leaves, shrunk)
    assert (touching <= held[tree.is_leaf] | kept).all()
    assert (held[tree.is_leaf] <= oracle.touching(items, leaves, tree.slack)).all()
    assert tree.slack < 1e-4 * scenes.extent(items)[1]


@pytest.mark.parametrize("scene", scenes.SCENES)
def test_copies_stand_in_leaves_only(scene):
    tree = built(scenes.SCENES[scene](), capacity=8, straddlers="copy")
    assert tree.item_counts[~tree.is_leaf].sum() == 0


@pytest.mark.parametrize("factor", [1.0, 1.25, 2.0, 4.0])
@pytest.mark.parametrize("kind", scenes.KINDS)
@pytest.mark.parametrize("scene", scenes.SCENES)
def test_kept_items_lie_whole_in_their_one_cell(scene, kind, factor):
    items = kind(scenes.SCENES[scene]())
    root = scenes.root_of(scene, items)
    tree = built(items, capacity=8, straddlers="keep", loose_factor=factor, bounds=root)
    ids, homes = tree.cells_of()
    bounds = items.bounds()
    assert_array_equal(ids, np.arange(len(items)))
    assert (bounds.lower >= tree.loose_lower[homes]).all()
    assert (bounds.upper <= tree.loose_upper[homes]).all()


@pytest.mark.parametrize("factor", [1.0, 1.5, 2.0])
@pytest.mark.parametrize("kind", scenes.KINDS)
@pytest.mark.parametrize("scene", NOT_WHOLE)
def test_no_deeper_cell_around_its_center_holds_a_kept_item_whole(scene, kind, factor):
    items = kind(scenes.SCENES[scene]())
    tree = built(items, capacity=8, straddlers="keep", loose_factor=factor)
    bounds = items.bounds()
    upwards = 1e-12  # A center on a wall belongs to the upper cell.
    middles = Spheres((bounds.lower + bounds.upper) / 2 + upwards, np.zeros(len(items)))
    loose = Boxes(tree.loose_lower, tree.loose_upper)
    holding = oracle.inside(bounds, loose) & oracle.inside(middles, cells(tree))
    deepest = (holding * tree.node_depth[:, None]).max(axis=0)
    assert_array_equal(tree.node_depth[tree.cells_of()[1]], deepest)


@pytest.mark.parametrize("split", SPLITS)
@pytest.mark.parametrize("limit", [2, 3, 7])
def test_hybrid_keeps_what_touches_too_many_parts(limit, split):
    options = {"straddlers": "hybrid", "hybrid_limit": limit, "split": split}
    tree = built(scenes.random(), capacity=8, **options)
    held = standing(tree)
    for cell in np.flatnonzero(~tree.is_leaf):
        parts = cells(tree, tree.node_parent == cell)
        kept = tree.items[tree.items_in(cell)]
        assert (oracle.touching(kept, parts, tree.slack).sum(axis=0) > limit).all()
    passed = np.zeros_like(held)
    for cell in np.flatnonzero(tree.node_parent >= 0)[::-1]:
        passed[cell] |= held[cell]
        passed[tree.node_parent[cell]] |= passed[cell]
    for cell in np.flatnonzero(~tree.is_leaf):
        assert passed[tree.node_parent == cell].sum(axis=0).max() <= limit


@pytest.mark.parametrize("policy", POLICIES)
@pytest.mark.parametrize("kind", scenes.KINDS)
def test_outsiders_stand_in_the_root(kind, policy):
    items = kind(scenes.random(size=0.1))
    root = Boxes([[-0.5, -0.5, -0.5]], [[0.5, 0.5, 0.5]])
    tree = built(items, capacity=4, straddlers=policy, bounds=root)
    beyond = np.flatnonzero(~oracle.inside(items.bounds(), root)[0])
    assert len(beyond) > 100
    assert np.isin(beyond, tree.items_in(0)).all()
    assert_array_equal(np.unique(tree.cells_of(beyond)[1]), [0])
    assert tree.node_depth.max() > 0


def test_candidates_are_the_items_of_touched_cells():
    """Asked of a single point away from all walls, they are the items of one leaf."""
    tree = built(scenes.random(), capacity=8)
    leaf = np.flatnonzero(tree.is_leaf & (tree.item_counts > 0))[3]
    middle = (tree.node_lower[leaf] + tree.node_upper[leaf]) / 2
    assert_array_equal(
        query(tree, Spheres([middle], [0]), relation="candidates")[1], tree.items_in(leaf)
    )


def below(tree):
    """Return a matrix of subtrees (rows) that hold items (columns)."""
    held = standing(tree)
    for cell in range(len(held) - 1, 0, -1):
        held[tree.node_parent[cell]] |= held[cell]
    return held


@pytest.mark.parametrize("split", SPLITS)
@pytest.mark.parametrize("policy", POLICIES)
@pytest.mark.parametrize("kind", scenes.KINDS)
@pytest.mark.parametrize("scene", scenes.SCENES)
def test_every_division_separates_something_without_many_copies(scene, kind, policy, split):
    """At most four times the items; itself, or by a division further down."""
    options = {"capacity": 6, "max_depth": 5, "straddlers": policy, "split": split}
    items = kind(scenes.SCENES[scene]())
    tree = built(items, bounds=scenes.root_of(scene, items), **options)
    counts = below(tree).sum(axis=1)
    separates = np.zeros(len(counts), bool)
    for cell in np.flatnonzero(~tree.is_leaf)[::-1]:
        parts = np.flatnonzero(tree.node_parent == cell)
        passed = counts[cell] - tree.item_counts[cell]
        assert counts[parts].sum() <= 4 * counts[cell]
        occupied = parts[counts[parts] > 0]
        separates[cell] = (counts[occupied] < counts[cell]).any() or separates[parts].any()
        assert separates[cell]
        assert passed > 0


def test_items_that_rounding_hides_from_all_parts_are_neither_lost_nor_invented(
    in_numpy, monkeypatch
):
    monkeypatch.setattr(
        child_masks, "touched_children", lambda items, ids, *_: np.zeros(len(ids), np.uint8)
    )
    tree = build_octree(scenes.random(), capacity=8)
    assert len(tree.strays) > 10
    for about in scenes.ABOUT:
        assert_true_answers(tree, about(tree.items))
