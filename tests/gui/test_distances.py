"""Dimension lines in the 3D view, which follow an object that is moved; pictures in tests/out."""

import numpy as np
import pytest
from gui.harness import wait_for

pytestmark = pytest.mark.window

CENTER = (430, 420)
GOLD = (1.0, 0.85, 0.2)


def build_row():
    """Stand a ball and two cubes beside each other, the ball active, seen from the front."""
    import bpy

    bpy.data.objects.remove(bpy.data.objects["Cube"])
    for x in (3.0, 7.0):
        bpy.ops.mesh.primitive_cube_add(size=2, location=(x, 0, 0))
    bpy.ops.mesh.primitive_ico_sphere_add(subdivisions=4, location=(0, 0, 0))
    bpy.ops.view3d.view_axis(type="FRONT")
    bpy.ops.view3d.view_all()
    bpy.ops.ed.undo_push(message="Row")


def measure():
    import bpy

    bpy.ops.octree.measure_distances("EXEC_DEFAULT", True, pairs="ACTIVE")
    return bpy.context.scene.octree.results.kept[0].count


def shift(distance):
    import bpy

    bpy.context.object.location.z += distance


def gold_in(picture):
    """Return where dimension lines and their texts are, (n, 2)."""
    seen = picture[130:760, 70:880, :3] / 255.0
    return np.argwhere(np.abs(seen - GOLD).max(axis=-1) < 0.06)


def test_dimensions_are_drawn_and_follow(window):
    window.call(build_row)
    plain = len(gold_in(window.picture("distances_plain")))
    assert window.call(measure) == 2
    before = gold_in(window.picture("distances"))
    assert len(before) > plain + 100
    window.call(shift, 2.0)
    after = gold_in(window.picture("distances_moved"))
    assert len(after) > plain + 100
    assert np.ptp(after[:, 0]) > np.ptp(before[:, 0]) + 20  # no longer level
    window.move(*CENTER)
    window.keys("ctrl+z", "ctrl+z")
    wait_for(lambda: len(gold_in(window.picture("distances_undone"))) <= plain + 10)
