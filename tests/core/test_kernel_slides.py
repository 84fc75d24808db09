"""Gaps along a direction in the compiled kernel: NumPy's bits, and the same triangles."""

import kernel_pairs as pairs
import kernel_slides as slides
import numpy as np
import pytest
from audit_scenes import box, scene_of
from support.kernels import needs_kernel
from tuned import tuned

import core
from core import SceneOctree, Triangles, slide, slide_steps

pytestmark = needs_kernel


@pytest.mark.parametrize("first", range(0, 60, 20))
def test_gaps_are_equal_to_the_last_bit(first):
    assert sum(map(slides.assert_gaps_equal, range(first, first + 20)))


@pytest.mark.parametrize("together", [1, 40])
def test_a_search_that_is_interrupted_goes_on_where_it_was(together):
    with tuned(core, nodes_walked=together):
        assert sum(map(slides.assert_gaps_equal, range(12)))


def test_the_kernel_answers_all_that_is_about_one_and_leaves_what_is_not():
    answered, left = sum(map(slides.left_to_numpy, range(60)))
    assert answered and not left
    low = box([-1, -1, -3], [1, 1, -2])
    thin = Triangles(np.array([[0, 0, 0], [1, 0, 0], [0, 1e-60, 0.0]]), [[0, 1, 2]])
    here, there = pairs.with_and_without(lambda: slide(scene_of(low, thin), [1], [1, 2, -4]))
    assert here == there


def test_sheets_that_contradict_themselves_are_searched_somehow():
    assert sum(map(slides.survive_damage, range(40)))


def test_faces_in_one_plane_have_as_much_room_as_they_want():
    """Two grids, one of them turned, that lie on each other."""
    grid = pairs.heights(48, lambda places: 0 * places[:, 0])
    scene, turned = SceneOctree(), np.eye(4)
    turned[:2, :2] = [[0.6, -0.8], [0.8, 0.6]]
    scene.place([scene.add_mesh(grid)] * 2, [np.eye(4), turned])
    here, there = pairs.with_and_without(lambda: slide(scene, [1], [0, 0, -1]))
    assert here == there
    assert here.distances.tolist() == [0.0] and here.onto.tolist() == [0]


def test_few_patches_are_looked_at_however_many_triangles_there_are():
    """Each pair of patches is a step."""
    with tuned(core, nodes_walked=1):
        steps = [slide_steps(above(side), [1], [0, 0, -1]) for side in (8, 32, 128)]
        counts = [sum(1 for _ in each) for each in steps]
    assert 10 < counts[0] < counts[-1] < 2_000  # of up to a billion pairs


def above(side):
    """Place two slopes of 2 side * side triangles, one hollow and one round, above each other."""
    scene, lifted = SceneOctree(), np.eye(4)
    lifted[:3, 3] = 0.03, 0.01, 3.0
    for bend in (-1.0, 1.0):
        scene.add_mesh(
            pairs.heights(side, lambda xy, bend=bend: xy[:, 0] / 2 + bend * (xy**2).sum(axis=1))
        )
    scene.place([0, 1], [np.eye(4), lifted])
    return scene


def test_of_equal_gaps_the_smallest_triangles_are_named_in_whatever_order_they_come():
    """Two fans whose tips are above each other: all triangles of both are equally near."""
    around = np.linspace(0, 2 * np.pi, 41)[:-1]
    rim = np.stack((np.cos(around), np.sin(around), 1.1 + 0 * around), axis=1)
    faces = np.stack((0 * around, 1 + np.arange(40), 1 + np.roll(np.arange(40), 1)), axis=1)
    vertices = np.concatenate(([[0, 0, 0.1]], rim))
    for order in (np.arange(40), np.random.default_rng(1).permutation(40)):
        scene, fan = SceneOctree(), Triangles(vertices, faces[order].astype(int))
        scene.place([scene.add_mesh(fan)] * 2, [np.diag([1, 1, -1, 1.0]), np.eye(4)])
        here, there = pairs.with_and_without(lambda s=scene: slide(s, [1], [0, 0, -1]))
        assert here == there
        np.testing.assert_allclose(here.distances, 0.2)
        assert here.items.tolist() == [[0], [0]]
