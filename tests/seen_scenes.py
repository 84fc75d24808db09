"""A row of cubes that a camera passes over, and what it is said to have seen."""

import bpy
from blender_scenes import camera, cube, link

from octree_ext.octree_addon import cameras as shot

FRAMES = (1, 2, 3, 4, 5)


def add_row() -> list[bpy.types.Object]:
    """Add five cubes in a row; a camera above passes over them, one in each frame."""
    items = [cube(f"Cube {x}", size=0.5, location=(2 * x, 0, 0)) for x in range(5)]
    cube("Aside", size=0.5, location=(0, 9, 0))
    link(bpy.data.objects.new("Lamp", bpy.data.lights.new("Lamp", "POINT")))
    view = camera("ORTHO", location=(0, 0, 10))
    view.data.ortho_scale = 1.0
    scene = bpy.context.scene
    scene.render.resolution_x = scene.render.resolution_y = 100
    for frame in FRAMES:
        view.location.x = 2 * (frame - 1)
        view.keyframe_insert("location", frame=frame)
    scene.frame_start, scene.frame_end = 1, 5
    scene.frame_set(2)
    return items


def cubes(*numbers: int) -> set[str]:
    """Return the names of cubes of the row."""
    return {f"Cube {number}" for number in numbers}


def answer() -> shot.VisibilityResult | None:
    """Return what the scene's cameras saw when they were last asked."""
    return shot.get(bpy.context.scene)
