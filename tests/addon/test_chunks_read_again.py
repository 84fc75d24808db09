"""Exported chunks as other programs read them: the same triangles, and seams that are closed."""

import importlib.util

import bpy
import numpy as np
import pytest
from blender_scenes import collection_instance
from chunk_scenes import bumpy, world
from gltf_files import all_triangles, farthest_corner, open_length

from octree_ext.octree_addon import command_line

CHUNKS = ("--triangles", "150", "--least-triangles", "0", "--least-size", "0.125")


def by_blender(paths):
    """Return the corners of all triangles as Blender's importer has them, in the world."""
    bpy.ops.wm.read_homefile(use_empty=True)
    for path in paths:
        bpy.ops.import_scene.gltf(filepath=str(path))
    bpy.context.view_layer.update()
    items = [each for each in bpy.context.scene.objects if each.type == "MESH"]
    turns = [-1 if each.matrix_world.is_negative else 1 for each in items]
    found = [world(each)[:, ::turn] for each, turn in zip(items, turns, strict=True)]
    return np.concatenate(found)


def by_trimesh(paths):
    """Return what trimesh has, Z up."""
    import trimesh

    found = [np.array(trimesh.load_scene(path).to_mesh().triangles) for path in paths]
    return np.concatenate(found)[..., [0, 2, 1]] * (1, -1, 1)


READERS = {
    "Blender": by_blender,
    "trimesh": pytest.param(
        by_trimesh,
        marks=pytest.mark.skipif(
            importlib.util.find_spec("trimesh") is None, reason="no trimesh: make test-tiles"
        ),
    ),
}


@pytest.mark.parametrize("read", READERS.values(), ids=READERS)
@pytest.mark.parametrize("form", ["gltf", "glb"])
def test_the_same_triangles_are_read_again_and_seams_are_closed(tmp_path, empty_scene, form, read):
    item = bumpy("Sheet")
    item.location, item.rotation_euler, item.scale = (3.3, 40.1, -7.1), (0.4, 0.2, 1.3), (1, 2, 1)
    mirrored, part = bumpy("Mirrored", size=4), bumpy("Part", size=3)
    mirrored.location, mirrored.scale = (8.3, 0.2, 0.1), (1, -1, 1)
    bpy.context.view_layer.update()
    length = sum(open_length(world(each)) for each in (item, mirrored, part))
    collection_instance([part], location=(0, 7, 0))
    bpy.context.view_layer.update()
    bpy.ops.wm.save_as_mainfile(filepath=str(tmp_path / "a.blend"))
    words = ["chunks", tmp_path / "a.blend", *CHUNKS, f"--{form}", tmp_path / "out"]
    assert command_line.main([str(word) for word in words]) == 0
    paths = sorted((tmp_path / "out").glob(f"*.{form}"))
    wanted, found = all_triangles(tmp_path / "out", f".{form}"), read(paths)
    assert len(paths) > 5
    assert farthest_corner(found, wanted) < 1e-5
    assert open_length(found) == pytest.approx(length, rel=1e-3)
