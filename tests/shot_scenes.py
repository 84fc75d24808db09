"""A scene to hide parts of, the hiding, and an answer about its cameras without asking any."""

from collections.abc import Iterable, Mapping

import bpy
import numpy as np
from blender_scenes import camera, cube, depsgraph, link
from seen_tables import seen_answer

from octree_ext.octree_addon import cameras as shot
from octree_ext.octree_addon import hiding

ICONS = ("EYE", "MONITOR", "RENDER")
CUBES = {"Cube 0", "Cube 1", "Moving", "Eyeless", "Dark", "Unrendered"}
OURS = {
    "EYE": CUBES - {"Eyeless"},
    "MONITOR": CUBES - {"Dark"},
    "RENDER": CUBES - {"Unrendered"},
}


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


def plan(objects: Iterable[bpy.types.Object], icon: str = "EYE") -> hiding.Plan:
    """Count what would become of objects if an icon hid them."""
    return hiding.plan(bpy.context, objects, icon)


def hide(objects: Mapping[str, bpy.types.Object], icon: str) -> int:
    """Hide all that may be."""
    return hiding.hide(bpy.context, plan(objects.values(), icon))


def hidden_by(icon: str) -> set[str]:
    """Name the objects that an icon hides, read in the plainest way."""
    read = {
        "EYE": lambda item: item.hide_get(),
        "MONITOR": lambda item: item.hide_viewport,
        "RENDER": lambda item: item.hide_render,
    }
    return {item.name for item in bpy.context.view_layer.objects if read[icon](item)}


def shown() -> set[str]:
    """Name the objects that viewports show, by the dependency graph."""
    return {each.object.original.name for each in depsgraph().object_instances}


def keep_answer(unseen: Iterable[bpy.types.Object], seen: Iterable[bpy.types.Object] = ()) -> None:
    """Have the scene's cameras, as it were, seen some objects and not others, in one frame."""
    unseen, seen = list(unseen), list(seen)
    subjects = {item.session_uid: item.name for item in [*unseen, *seen]}
    flags = np.array([False] * len(unseen) + [True] * len(seen)).reshape(-1, 1, 1)
    shot.keep(bpy.context.scene, seen_answer(subjects, ("Camera",), (1,), flags))
