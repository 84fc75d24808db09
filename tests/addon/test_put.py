"""Put: where held objects come to rest at a point; or what is in the way, and nothing moves."""

import bpy
import numpy as np
import pytest
from blender_scenes import cube, mesh_object, select_only
from snapshots import whole_file

from octree_ext.core import run
from octree_ext.octree_addon.answers.kept import active_result
from octree_ext.octree_addon.place.hold import HeldShape
from octree_ext.octree_addon.snapshots import scene_steps

CLOSE = 1e-5


@pytest.fixture
def shelf():
    """Add two boards, the upper one a unit and a half above the lower, and a box far away."""
    cube("Lower", location=(0, 0, -0.05), scale=(4, 2, 0.1))
    cube("Upper", location=(0, 0, 1.55), scale=(4, 2, 0.1))
    item = cube("Box", location=(30, 0, 5))
    select_only(item)
    return item


def put(point, **options):
    assert bpy.ops.octree.put(point=point, **options) == {"FINISHED"}


def picture(point, turn=0.0):
    target = run(scene_steps(bpy.context, None))
    return HeldShape(np.array(point, float), turn).answer(bpy.context, target)


def test_it_rests_between_boards(shelf):
    put((0.5, 0.2, 0))
    assert tuple(shelf.location) == pytest.approx((0.5, 0.2, 0.5), abs=CLOSE)
    assert shelf.location.z >= 0.5
    bpy.ops.octree.audit(band=0.0)
    assert active_result(bpy.context.scene).count == 0


def test_a_point_a_hair_below_a_face_lifts_it_onto_that(shelf):
    put((0.5, 0.2, -1.1e-5))
    assert shelf.location.z == pytest.approx(0.5, abs=2e-5)
    with pytest.raises(RuntimeError, match="In the way: Lower"):
        put((0.5, 0.2, -4.5e-5))


def test_the_picture_is_green_where_it_is_put_and_red_with_what_is_in_the_way(shelf):
    seen = picture((0.5, 0.2, 0))
    put((0.5, 0.2, 0))
    corners = np.array([shelf.matrix_world @ v.co for v in shelf.data.vertices])
    assert np.allclose(seen.faces.min(axis=0), corners.min(axis=0), atol=CLOSE)
    assert seen.hue[1] > seen.hue[0]
    assert "Lower" in seen.words
    shelf.location = (30, 0, 5)
    shelf.scale = (1, 1, 1.6)
    bpy.context.view_layer.update()
    seen = picture((0.5, 0.2, 0))
    assert seen.hue[0] > seen.hue[1]
    assert seen.words == "In the way: Upper"
    before = whole_file()
    with pytest.raises(RuntimeError, match="In the way: Upper"):
        put((0.5, 0.2, 0), leave_copy=True)
    assert whole_file() == before


def test_it_is_turned_and_leaves_a_linked_copy(shelf):
    put((0.5, 0.2, 0), turn=np.pi / 6, leave_copy=True)
    copy = bpy.data.objects["Box.001"]
    assert copy.data == shelf.data
    assert tuple(copy.location) == (30, 0, 5)
    assert shelf.rotation_euler.z == pytest.approx(np.pi / 6, abs=CLOSE)
    assert shelf.location.z == pytest.approx(0.5, abs=CLOSE)
    assert shelf.select_get() and not copy.select_get()


def test_several_are_held_as_one(shelf):
    other = cube("Other", 0.5, location=(30, 1, 5))
    select_only(shelf, other)
    put((0.0, -0.6, 0))
    assert (other.location - shelf.location).length == pytest.approx(1, abs=CLOSE)
    with pytest.raises(RuntimeError, match="Only one object"):
        put((0.0, -0.6, 0), turn=0.5)


def test_it_is_lifted_over_bumps(shelf):
    bump = mesh_object("Bump", [(8, 0, 0), (9, 0, 0), (8.5, 1, 0), (8.5, 0.3, 0.3)],
                       [(0, 1, 3), (1, 2, 3), (2, 0, 3), (0, 2, 1)])  # fmt: skip
    cube("Ground", 4, location=(8, 0, -2))
    select_only(shelf)
    put((7.8, 0.3, 0))  # one edge of it stands on the slope
    assert 0.55 < shelf.location.z < 0.75
    bpy.ops.octree.audit(band=0.0, contained=False)
    assert active_result(bpy.context.scene).count == 0
    assert bump.location.length == 0


def test_nothing_to_hold_is_said(shelf):
    shelf.lock_location[0] = True
    with pytest.raises(RuntimeError, match="Nothing to hold: locked"):
        put((0, 0, 0))
    select_only()
    with pytest.raises(RuntimeError, match="Select what to hold"):
        put((0, 0, 0))
