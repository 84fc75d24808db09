"""Views and rooms ask for inside as the core does: both agree with a formula over all bodies."""

import numpy as np
import pytest
from solid_bodies import WORLD

from octree_ext.core import SceneOctree, Triangles
from octree_ext.octree_addon.cameras.never_seen.views import in_solids
from octree_ext.octree_addon.snapshots.rooms import rooms_in


def mesh_of(body):
    return Triangles(body.triangles.vertices, body.triangles.faces)


@pytest.mark.parametrize("name", WORLD)
def test_views_look_from_where_the_formula_says_outside(name):
    scene = SceneOctree()
    scene.place([scene.add_mesh(mesh_of(WORLD[name]))], np.eye(4)[None])
    points = np.random.default_rng(1).uniform(-0.5, 8.5, (300, 3))
    assert (in_solids(scene, points) == WORLD[name].holds(points)).all()
    assert in_solids(scene, points[:0]).shape == (0,)


@pytest.mark.parametrize("name", WORLD)
def test_a_room_is_a_body_that_holds_two_things(name):
    body, scene = WORLD[name], SceneOctree()
    points = np.array([[0.5, 0.5, 0.5], [3.5, 0.5, 0.5], [0.5, 3.5, 0.5]])
    corners = np.vstack((np.zeros(3), np.eye(3))) / 64
    part = Triangles(corners, [[0, 2, 1], [0, 1, 3], [0, 3, 2], [1, 2, 3]])
    matrices = np.tile(np.eye(4), (len(points) + 1, 1, 1))
    matrices[1:, :3, 3] = points
    scene.place([scene.add_mesh(mesh_of(body))] + [scene.add_mesh(part)] * 3, matrices)
    assert rooms_in(scene, np.arange(4)).tolist() == [0] * bool(body.holds(points).all())
