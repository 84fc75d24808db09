"""Offscreen graphics context in background mode; a child process runs this file by itself."""

import os

import bpy
import gpu

# What the child process says at its end; the extension reads no more of it.
SURVIVED = "the context is there"


def make_context() -> None:
    """Make a context; without an EGL library this ends the process.

    Notes
    -----
    Until Blender 5.2 a render is what makes it: of a scene of its own, which is gone afterwards.
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
    os._exit(0)  # at exit, some wheels crash for other reasons
