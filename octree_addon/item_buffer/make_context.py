"""Offscreen graphics context in background mode; a child process runs this file by itself."""

import os

import bpy
import gpu

# The output of the child process after success, which the extension looks for.
SURVIVED = "the context is there"


def make_context() -> None:
    """Create a graphics context; without an EGL library this ends the process.

    Notes
    -----
    Before Blender 5.2, a context is created by a render of a temporary scene.
    """
    if hasattr(gpu, "init"):
        gpu.init()
        return
    images = set(bpy.data.images)
    scene, lens = bpy.data.scenes.new("Octree"), bpy.data.cameras.new("Octree")
    camera = bpy.data.objects.new("Octree", lens)
    try:
        scene.collection.objects.link(camera)
        scene.camera = camera
        scene.render.engine = "BLENDER_WORKBENCH"  # type: ignore[assignment]
        scene.render.resolution_x = scene.render.resolution_y = 4
        bpy.ops.render.render(scene=scene.name)
    finally:
        bpy.data.objects.remove(camera)
        bpy.data.cameras.remove(lens)
        bpy.data.scenes.remove(scene)
        for image in set(bpy.data.images) - images:
            bpy.data.images.remove(image)


if __name__ == "__main__":
    make_context()
    print(SURVIVED, flush=True)
    os._exit(0)  # skip the normal exit, at which some `bpy` wheels crash
