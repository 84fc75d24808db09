"""Answers against brute force: every kind of item, every kind of volume, every scene."""

import core_scenes as scenes
import numpy as np
import pytest
from agreement import POLICIES, TRUTH, assert_true_answers, built, flags, truth
from numpy.testing import assert_array_equal
from tuned import tuned

import core
from core import (
    Boxes,
    Capsules,
    Frusta,
    HalfSpaces,
    OrientedBoxes,
    Regions,
    Spheres,
    Triangles,
    build_octree,
    query,
    query_any,
    query_count,
)

NO_VOLUMES = (
    Boxes([], []),
    Spheres([], []),
    Regions([], [], []),
    OrientedBoxes([], [], []),
    Capsules([], [], []),
    HalfSpaces([]),
    Frusta([]),
)


@pytest.mark.parametrize("about", scenes.ABOUT)
@pytest.mark.parametrize("kind", scenes.KINDS)
@pytest.mark.parametrize("scene", scenes.SCENES)
def test_answers_equal_brute_force(scene, kind, about):
    items = kind(scenes.SCENES[scene]())
    root = scenes.root_of(scene, items)
    assert_true_answers(built(items, capacity=8, max_depth=6, bounds=root), about(items))


@pytest.mark.parametrize("volumes", scenes.WHOLE_VOLUMES)
@pytest.mark.parametrize("kind", scenes.KINDS)
@pytest.mark.parametrize("scene", scenes.WHOLE)
def test_answers_in_whole_numbers_equal_brute_force_exactly(scene, kind, volumes):
    items = kind(scenes.SCENES[scene]())[::5]
    for root in (None, scenes.root_of(scene, items)):
        tree = built(items, capacity=4, bounds=root)
        assert_true_answers(tree, volumes()[:6], exactly=True)


@pytest.mark.parametrize("split", ["middle", "median"])
@pytest.mark.parametrize("policy", POLICIES)
@pytest.mark.parametrize("about", scenes.ABOUT)
@pytest.mark.parametrize("kind", scenes.KINDS)
def test_answers_do_not_depend_on_how_the_tree_was_built(kind, about, policy, split):
    """Some items lie beyond the bounds of the root."""
    items = kind(scenes.random(150))
    options = {"straddlers": policy, "split": split, "loose_factor": 1.5}
    tree = built(items, capacity=4, bounds=Boxes([[-0.9] * 3], [[0.8] * 3]), **options)
    assert tree.outside
    assert_true_answers(tree, about(items, 12))


@pytest.mark.parametrize("about", scenes.ABOUT)
@pytest.mark.parametrize("kind", scenes.KINDS)
def test_the_questions_asked_here_have_answers_of_both_sorts(kind, about):
    """Few pairs are left in doubt, and each relation holds for some and not for others."""
    items = kind(scenes.random(2000, 0.1))
    for relation in TRUTH:
        surely, possibly = truth(items, about(items), relation, exactly=False)
        assert (possibly & ~surely).mean() < 1e-3
        assert 0 < surely.mean() < 0.6


@pytest.mark.parametrize("policy", POLICIES)
def test_pairs_are_sorted_by_volume_and_item_each_once(policy):
    tree = built(scenes.random(), capacity=4, straddlers=policy, loose_factor=1.5)
    volumes = scenes.spheres_about(tree.items, 200)
    for relation in (*TRUTH, "candidates"):
        pairs = query(tree, volumes, relation=relation)
        assert len(pairs[0]) > 100
        flags(pairs, volumes, tree.items)


@pytest.mark.parametrize("kind", scenes.KINDS)
@pytest.mark.parametrize("bounds", [None, Boxes([[-1, -1, -1]], [[1, 1, 1]])])
def test_an_empty_tree_answers_everything_with_nothing(kind, bounds):
    tree = built(kind(Triangles([], [])), bounds=bounds)
    for volumes in (*(about(scenes.random()) for about in scenes.ABOUT), *NO_VOLUMES):
        for relation in (*TRUTH, "candidates"):
            pairs = query(tree, volumes, relation=relation)
            assert (pairs.shape, pairs.dtype) == ((2, 0), np.intp)
        assert_array_equal(query_any(tree, volumes), np.zeros(len(volumes), bool))
        assert_array_equal(query_count(tree, volumes), np.zeros(len(volumes), int))


@pytest.mark.parametrize("volumes", NO_VOLUMES)
@pytest.mark.parametrize("bounds", [None, Boxes([[0, 0, 0]], [[1, 1, 1]])])
def test_no_questions_have_no_answers(volumes, bounds):
    tree = built(scenes.random(), bounds=bounds)
    for relation in (*TRUTH, "candidates"):
        assert query(tree, volumes, relation=relation).shape == (2, 0)
    assert (query_any(tree, volumes).shape, query_any(tree, volumes).dtype) == ((0,), bool)
    assert (query_count(tree, volumes).shape, query_count(tree, volumes).dtype) == ((0,), np.intp)


@pytest.mark.parametrize("about", scenes.ABOUT)
def test_volumes_that_find_nothing_leave_the_shape_alone(about):
    items = scenes.random()
    far = far_off(about(items))
    for relation in (*TRUTH, "candidates"):
        assert query(build_octree(items), far, relation=relation).shape == (2, 0)


def far_off(volumes):
    if not isinstance(volumes, HalfSpaces):
        return scenes.moved(volumes, 1.0, (100, 0, 0))
    normals, offsets = volumes.planes[:, :3], volumes.planes[:, 3]
    back = 100 * np.linalg.norm(normals, axis=1)
    return HalfSpaces(np.column_stack((normals, offsets - back)))


@pytest.mark.parametrize("about", scenes.ABOUT)
def test_a_batch_is_answered_as_its_volumes_one_by_one(about):
    tree = built(scenes.random(), capacity=8)
    volumes = about(tree.items)
    alone = [query(tree, volumes[number])[1] for number in range(len(volumes))]
    assert_array_equal(query(tree, volumes)[1], np.concatenate(alone))
    twice = about(tree.items)[[3, 3]]
    assert_array_equal(query(tree, twice)[1], np.tile(alone[3], 2))


@pytest.mark.parametrize("relation", ["touching", "inside"])
def test_a_whole_subtree_handed_over_names_each_copy_once(relation):
    tree = built(scenes.uv_sphere(), capacity=4)
    around = Boxes([[-1, -1, -1], [-2, -2, -2]], [[1, 1, 1], [2, 2, 2]])
    assert_array_equal(query(tree, around, relation=relation)[1], np.tile(np.arange(960), 2))


def test_a_cell_inside_vouches_only_for_items_that_lie_in_it():
    """Spheres copied to a cell wholly in the box may reach out of the box."""
    tree = built(scenes.as_spheres(scenes.random()), capacity=4, max_depth=6)
    assert_true_answers(tree, scenes.boxes_about(tree.items, 60))


def test_more_pairs_than_one_slice_holds():
    tree = built(scenes.random(), capacity=16)
    everything = Spheres(np.zeros((2000, 3)), np.full(2000, 10.0))
    assert_array_equal(query_count(tree, everything), np.full(2000, 300))
    pairs = query(tree, everything, relation="inside")
    assert_array_equal(pairs, np.stack(np.divmod(np.arange(600_000), 300)))


@pytest.mark.parametrize("count", [1_023, 1_025, 2_049, 70_001])
def test_every_one_of_many_questions_gets_its_answer(count):
    points = np.random.default_rng(5).random((500, 3))
    tree = build_octree(Spheres(points, np.zeros(500)), capacity=8)
    asked = np.arange(count) % 500
    pairs = query(tree, Spheres(points[asked], np.zeros(count)))
    assert np.array_equal(pairs, [np.arange(count), asked])


def test_questions_that_find_too_much_together_are_asked_apart():
    items = scenes.random()
    tree, volumes = build_octree(items, capacity=8), scenes.boxes_about(items)
    whole = query(tree, volumes)
    with tuned(core, query_runs=5):
        assert_array_equal(query(tree, volumes), whole)
