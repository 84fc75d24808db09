"""Chunks exported by the command line, and what is in their folders."""

import json

import bpy
from blender_scenes import cube
from chunk_scenes import bumpy, textured

from octree_ext.octree_addon import command_line

CHUNKS = ("--triangles", "60", "--least-triangles", "0", "--least-size", "0.125")
MANIFEST = "manifest.json"


def octree(*words):
    """Call a command; return its exit code."""
    return command_line.main([str(word) for word in words])


def saved_boxes(path):
    """Save a sheet, and boxes with pictures: two the same, one of the same name, another."""
    bumpy("Sheet")
    for number, values in enumerate(((0.1, 0.2, 0.3, 1), (0.1, 0.2, 0.3, 1), (0.9, 0, 0, 1))):
        box = cube(f"Box {number}", 0.5, location=(8.3 + 3 * number, 0.2, 0.1))
        box.data.uv_layers.new(name="UVMap")
        box.data.materials.append(textured(f"Wood {number}", values))
    bpy.ops.wm.save_as_mainfile(filepath=str(path))
    return path


def shipped(blend, folder, form="gltf", *words):
    """Export a file; return the manifest."""
    assert octree("chunks", blend, *CHUNKS, f"--{form}", folder, *words) == 0
    return json.loads((folder / MANIFEST).read_text())


def files_in(folder):
    """Return the bytes of all files, by path."""
    return {
        path.relative_to(folder).as_posix(): path.read_bytes()
        for path in folder.rglob("*")
        if path.is_file()
    }
