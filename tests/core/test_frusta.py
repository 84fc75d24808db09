"""Frusta from planes and from matrices."""

import core_scenes as scenes
import numpy as np
from numpy.testing import assert_allclose

from core import Boxes, Frusta, build_octree, query


def clip_matrix():
    """View from (1, 2, 3) along -z: depths 1 to 4, slopes 1 across and 0.5 up."""
    near, far = 1, 4
    projection = np.zeros((4, 4))
    projection[0, 0], projection[1, 1], projection[3, 2] = 1, 2, -1
    projection[2, 2:] = -(far + near) / (far - near), -2 * far * near / (far - near)
    view = np.eye(4)
    view[:3, 3] = -1, -2, -3
    return projection @ view


CLIP_CORNERS = np.array([
    [0, 1.5, 2], [2, 1.5, 2], [2, 2.5, 2], [0, 2.5, 2],
    [-3, 0, -1], [5, 0, -1], [5, 4, -1], [-3, 4, -1],
])  # fmt: skip


def test_frusta_from_planes_have_their_corners_where_three_planes_meet():
    planes = [
        [1, 0, 0, 1],
        [-1, 0, 0, 2],
        [0, 1, 0, 3],
        [0, -1, 0, 4],
        [0, 0, 1, 5],
        [0, 0, -1, 6],
    ]
    box = Boxes([[-1, -3, -5]], [[2, 4, 6]])
    assert_allclose(Frusta.from_planes([planes]).corners, scenes.hexahedra(box).corners)


def test_frusta_from_planes_whatever_their_lengths():
    views = scenes.views_about(scenes.random())
    planes = views.plane_rows.transpose(2, 0, 1)
    lengths = scenes.numbers().uniform(0.1, 10, (len(views), 6, 1))
    assert_allclose(Frusta.from_planes(planes * lengths).corners, views.corners, atol=1e-9)


def test_frusta_from_matrices_undo_the_projection():
    frusta = Frusta.from_matrices([clip_matrix()])
    assert_allclose(frusta.corners, [CLIP_CORNERS], atol=1e-12)


def test_a_tiny_near_plane_is_no_less_a_plane():
    """It is a ten-millionth as wide as the far one."""
    projection = np.diag([1.0, 1.0, -1 - 2e-7, 0.0])
    projection[2, 3], projection[3, 2] = -2e-3, -1.0
    frusta = Frusta.from_matrices([projection])
    assert frusta.is_solid.all()
    normals = frusta.plane_rows[:, :3, 0]
    assert (np.abs(np.linalg.norm(normals, axis=1)) > 0.25).all()
    inside = [[0, 0, -0.002], [0, 0, -9_000]]
    assert query(build_octree(Boxes(inside, inside)), frusta).tolist() == [[0, 0], [0, 1]]


def test_frusta_from_orthographic_matrices():
    frusta = Frusta.from_matrices([np.diag([1, 0.5, -0.25, 1])])
    box = Boxes([[-1, -2, -4]], [[1, 2, 4]])
    corners = scenes.hexahedra(box).corners[:, [4, 5, 6, 7, 0, 1, 2, 3]]
    assert_allclose(frusta.corners, corners)


def test_no_frusta_from_no_planes_and_no_matrices():
    assert len(Frusta.from_planes(np.empty((0, 6, 4)))) == 0
    assert len(Frusta.from_matrices(np.empty((0, 4, 4)))) == 0
