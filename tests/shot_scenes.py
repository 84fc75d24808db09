"""A scene to hide parts of, and an answer about its cameras without asking any."""

from collections.abc import Iterable

import bpy
import numpy as np
from blender_scenes import camera, cube, link

from octree_ext.octree_addon import shot


def street() -> dict[str, bpy.types.Object]:
    """Add six cubes, one of them animated, with a light, a camera and a second view layer.

    Hidden beforehand: Eyeless by the eye, Dark by the monitor, Unrendered by the render icon;
    and in the second view layer Cube 1 by the eye.
    """
    names = ("Cube 0", "Cube 1", "Moving", "Eyeless", "Dark", "Unrendered")
    found = {name: cube(name, location=(3 * x, 0, 0)) for x, name in enumerate(names)}
    found["Camera"] = camera(location=(0, -9, 0))
    found["Lamp"] = link(bpy.data.objects.new("Lamp", bpy.data.lights.new("Lamp", "POINT")))
    for frame in (1, 11):
        found["Moving"].location.z = frame
        found["Moving"].keyframe_insert("location", frame=frame)
    other = bpy.context.scene.view_layers.new("Other")
    bpy.context.view_layer.update()
    found["Eyeless"].hide_set(True)
    found["Dark"].hide_viewport = True
    found["Unrendered"].hide_render = True
    found["Cube 1"].hide_set(True, view_layer=other)
    bpy.context.view_layer.update()
    return found


def keep_answer(unseen: Iterable[bpy.types.Object], seen: Iterable[bpy.types.Object] = ()) -> None:
    """Have the scene's cameras, as it were, seen some objects and not others, in one frame."""
    unseen, seen = list(unseen), list(seen)
    subjects = tuple(shot.Subject(item.session_uid, item.name) for item in [*unseen, *seen])
    flags = np.array([False] * len(unseen) + [True] * len(seen))
    answer = shot.Seen(subjects, ("Camera",), (1,), flags.reshape(-1, 1, 1), True, {}, {})
    shot.keep(bpy.context.scene, answer)
