"""A scene of all that is hard to see right, and the look that a camera takes at it."""

from collections.abc import Mapping
from typing import Any

import bpy
import numpy as np
from blender_scenes import camera, collection_instance, cube, mesh_object, scatter, text

from octree_ext.core import run
from octree_ext.octree_addon import cameras as shot

FRAMES = tuple(range(1, 25))


def key(item: Any, path: str, values: Mapping[int, Any]) -> None:
    """Animate a property: frame -> value."""
    for frame, value in values.items():
        setattr(item, path, value)
        item.keyframe_insert(path, frame=frame)


def armature_mesh() -> None:
    """Add a box whose bone carries it far from where it rests."""
    bpy.ops.object.armature_add(location=(0, -40, 0))
    rig = bpy.context.object
    item = cube("Skinned", location=(0, -40, 0))
    item.vertex_groups.new(name="Bone").add(range(8), 1.0, "REPLACE")
    item.modifiers.new("Armature", "ARMATURE").object = rig
    for frame, place in ((1, (0, 0, -40)), (12, (0, 0, 0)), (24, (3, 2, -43))):
        rig.pose.bones[0].location = place
        rig.pose.bones[0].keyframe_insert("location", frame=frame)


def add_stage() -> None:
    """Add everything that is hard to see right, about a camera that turns, walks and zooms."""
    eye = camera()
    eye.data.clip_start, eye.data.clip_end = 0.1, 30.0
    key(eye, "rotation_euler", {1: (1.57, 0, 0), 24: (1.5, 0.1, 0.6)})
    key(eye, "location", {1: (0, 0, 0), 24: (1, 2, 0.5)})
    key(eye.data, "lens", {1: 50.0, 12: 20.0, 24: 85.0})
    # A wall across the frame, no corner of it in view; and a hook about the frame.
    wall = [(-40, 9, -0.5), (40, 9, -0.5), (40, 9, 0.5), (-40, 9, 0.5)]
    mesh_object("Wall", wall, [(0, 1, 2, 3)])
    hook = [(-30, 5, -30), (-30, 5, 30), (-29, 5, 30), (30, 5, -30), (30, 5, -29)]
    mesh_object("Hook", hook, [(0, 1, 2), (0, 3, 4)])
    # A plane that cuts off the upper right corner of the frame, with no corner of its own in view.
    mesh_object("Corner", [(1.2, 5, 1.5), (2.4, 5, 0.3), (3, 5, 3)], [(0, 1, 2)])
    bpy.ops.mesh.primitive_ico_sphere_add(subdivisions=3, radius=20)
    bpy.context.object.name = "Dome"
    bpy.ops.mesh.primitive_ico_sphere_add(subdivisions=2, radius=90)  # beyond the clipping
    bpy.context.object.name = "Sky"
    for number, x in enumerate(np.linspace(-12, 12, 40)):
        key(cube(f"Cube {number}", size=0.8), "location", {1: (x, 8, 1), 24: (x + 3, 12 - x, 2)})
    inner = [cube("In", location=(0, 1, 0)), text("Text", location=(2, 0, 0))]
    key(collection_instance(inner), "location", {1: (-9, 6, 0), 24: (4, 9, 1)})
    scatter(cube("Pebble", 0.2, location=(0, -90, 0)), cube("Points", 3.0, location=(5, 12, -4)))
    armature_mesh()
    waves = cube("Waves", 2.0, location=(-6, 14, 4))
    waves.modifiers.new("Wave", "WAVE").height = 3.0
    key(cube("Visitor"), "location", {1: (0, 8, 0), 7: (0, -8, 0), 14: (0, -8, 0), 20: (1, 9, 0)})
    cube("Mirrored", location=(2, 9, -1), scale=(-1, 2, 0.5))
    cube("Flat", location=(-1, 7, 1), scale=(1, 0, 1))
    blinking = cube("Blinking", location=(0, 10, 0))
    key(blinking, "hide_viewport", {1: True, 5: False, 15: True})
    bpy.context.scene.frame_set(3)


def look(**options: Any) -> shot.VisibilityResult:
    """Ask what cameras see, in every frame unless told otherwise."""
    options.setdefault("frames", FRAMES)
    return run(shot.shot_steps(bpy.context, shot.Shot(**options)))
