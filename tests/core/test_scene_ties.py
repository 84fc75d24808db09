"""Nearest triangles of scenes where many are equally far: the smaller numbers, as in one tree."""

import numpy as np
from hypothesis import given
from hypothesis import strategies as st
from hypothesis.extra.numpy import arrays
from numpy.testing import assert_array_equal
from scene_oracle import Baked

from core import SceneOctree, Triangles, build_octree, nearest


def scene_of(triangles, shifts):
    scene = SceneOctree()
    matrices = np.tile(np.eye(4), (len(shifts), 1, 1))
    matrices[:, :3, 3] = shifts
    scene.place([scene.add_mesh(triangles)] * len(shifts), matrices)
    return scene


def test_of_two_equally_far_the_smaller_one_is_found():
    corners = [[21, 22, 19], [22, 24, 22], [15, 19, 24]]
    triangles = Triangles(corners, [[0, 1, 2], [2, 2, 2], [2, 1, 0]])
    wanted = nearest(build_octree(triangles), [[13, 12, 33]], count=2)
    found = nearest(scene_of(triangles, [[0, 0, 0]]), [[13, 12, 33]], count=2)
    assert_array_equal(wanted.items, [[0, 1]])
    assert_array_equal(found.items, wanted.items)


@st.composite
def crowded(draw):
    """Return a scene of whole numbers in which triangles are the same, turned, or points."""
    corners = draw(arrays(np.int64, (4, 3), elements=st.integers(0, 30)))
    faces = draw(arrays(np.int64, (draw(st.integers(1, 6)), 3), elements=st.integers(0, 3)))
    shifts = draw(arrays(np.int64, (draw(st.integers(1, 3)), 3), elements=st.integers(-1, 1)))
    return scene_of(Triangles(corners, faces), shifts)


@given(
    crowded(),
    arrays(np.int64, (5, 3), elements=st.integers(-40, 60)),
    st.integers(1, 8),
)
def test_ties_are_told_as_by_one_tree(scene, points, count):
    baked = Baked(scene)
    wanted, found = (nearest(each, points, count=count) for each in (baked.tree, scene))
    assert_array_equal((found.placements, found.items), baked.named(wanted.items))
    assert_array_equal(found.distances, wanted.distances)
