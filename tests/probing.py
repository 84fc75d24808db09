"""The probe without a window: what it asks at a place, and what it would show."""

import bpy
import numpy as np

from octree_ext.octree_addon.probe import pointer, session
from octree_ext.octree_addon.probe.shapes import Sight, shape_at


def view3d():
    """Return a 3D view of the start-up screen and its main region, for `temp_override`."""
    screen = bpy.context.window_manager.windows[0].screen
    area = next(each for each in screen.areas if each.type == "VIEW_3D")
    region = next(each for each in area.regions if each.type == "WINDOW")
    return {"window": bpy.context.window_manager.windows[0], "area": area, "region": region}


def spot():
    """Return a pixel of that 3D view."""
    with bpy.context.temp_override(**view3d()):
        return pointer.spot_of(bpy.context, 10, 10)


def ask_at(point, *, is_hit=False, direction=(0.0, 0.0, -1.0), normal=(0.0, 0.0, 0.0)):
    """Ask at a place in the scene what the settings ask, as if the pointer were there."""
    place, way = np.array(point, np.float64), np.array(direction, np.float64)

    def wish(context, _):
        sight = Sight(place, way, place, is_hit, np.array(normal, np.float64))
        return shape_at(context.scene, sight)

    with bpy.context.temp_override(**view3d()):
        session.ask(bpy.context, spot(), wish)
    return session.current()


def answered(*place, **options):
    """Ask at a place until there is an answer, and return it."""
    live = ask_at(*place, **options)
    while live.answered is None:
        assert session.go_on() == 0.0 or live.answered, live.hint
    return live.answered
