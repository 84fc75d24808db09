"""Faces selected by the octree, in Object Mode and in Edit Mode."""

import bmesh
import bpy
import numpy as np
import pytest
from blender_scenes import camera, cube, link, mesh_object, select_only, selected


def strip(count=6):
    """One mesh of quads along x, each a unit square about a whole number."""
    vertices = [
        (x + dx - 0.5, dy, 0)
        for x in range(count)
        for dx, dy in ((0, -1), (1, -1), (1, 1), (0, 1))
    ]
    return mesh_object("Strip", vertices, np.arange(4 * count).reshape(-1, 4).tolist())


def stored_faces(item):
    return [face.index for face in item.data.polygons if face.select]


def edited_faces(item):
    edit = bmesh.from_edit_mesh(item.data)
    return [number for number, face in enumerate(edit.faces) if face.select]


def test_faces_in_object_mode():
    item = strip()
    bpy.ops.octree.select_in_sphere(center=(2, 0, 0), radius=0.7, kind="FACES")
    assert stored_faces(item) == [1, 2, 3]
    assert [v.index for v in item.data.vertices if v.select] == list(range(4, 16))
    assert sum(edge.select for edge in item.data.edges) == 12


@pytest.mark.parametrize("mode", ["VERT", "EDGE", "FACE"])
def test_faces_in_edit_mode(mode):
    item = strip()
    cube(location=(2, 0, 0))
    select_only(item)
    bpy.ops.object.mode_set(mode="EDIT")
    bpy.ops.mesh.select_mode(type=mode)
    bpy.ops.octree.select_in_sphere(center=(2, 0, 0), radius=0.7)
    assert edited_faces(item) == [1, 2, 3]
    assert selected() == {"Strip"}
    bpy.ops.octree.select_in_sphere(center=(5, 0, 0), radius=0.2, action="EXTEND")
    assert edited_faces(item) == [1, 2, 3, 5]
    bpy.ops.octree.select_in_sphere(center=(2, 0, 0), radius=0.2, action="SUBTRACT")
    assert edited_faces(item) == [1, 3, 5]
    bpy.ops.object.mode_set(mode="OBJECT")
    assert stored_faces(item) == [1, 3, 5]


def test_a_face_is_inside_with_all_of_its_triangles():
    item = strip()
    view = camera("ORTHO", location=(2, 0, 10))
    view.data.ortho_scale = 4
    scene = bpy.context.scene
    scene.render.resolution_x = scene.render.resolution_y = 100
    bpy.ops.octree.select_in_frustum(kind="FACES")
    assert stored_faces(item) == [0, 1, 2, 3, 4]
    bpy.ops.octree.select_in_frustum(kind="FACES", relation="INSIDE")
    assert stored_faces(item) == [1, 2, 3]
    bpy.ops.octree.select_in_frustum(kind="FACES", relation="TOUCHING", invert=True)
    assert stored_faces(item) == [5]


def test_hidden_faces_are_left_alone():
    item = strip()
    item.data.polygons[2].hide = True
    bpy.ops.octree.select_in_sphere(center=(2, 0, 0), radius=0.7, kind="FACES")
    assert stored_faces(item) == [1, 3]


def test_several_meshes_in_edit_mode():
    first, second, third = strip(), strip(), cube("Far", location=(40, 0, 0))
    select_only(first, second, third)
    bpy.ops.object.mode_set(mode="EDIT")
    bpy.ops.mesh.select_all(action="SELECT")
    bpy.ops.octree.select_in_sphere(center=(0, 0, 0), radius=0.2)
    assert (edited_faces(first), edited_faces(second), edited_faces(third)) == ([0], [0], [])
    bpy.ops.object.mode_set(mode="OBJECT")


def test_linked_duplicates_share_their_faces():
    first = strip()
    link(bpy.data.objects.new("Second", first.data), location=(-5, 0, 0))
    bpy.ops.octree.select_in_sphere(center=(0, 0, 0), radius=0.2, kind="FACES")
    assert stored_faces(first) == [0, 5]


def test_a_mesh_that_has_changed_since_keeps_its_selection(capfd):
    item = strip()
    bpy.ops.octree.select_in_sphere(center=(2, 0, 0), radius=0.2, kind="FACES")
    select_only(item)
    bpy.ops.object.mode_set(mode="EDIT")
    bpy.ops.mesh.select_all(action="SELECT")
    bpy.ops.mesh.subdivide()
    bpy.ops.mesh.select_all(action="DESELECT")
    bpy.ops.octree.select_in_sphere(center=(2, 0, 0), radius=0.2)
    found = edited_faces(item)
    assert len(found) == 4
    assert "4 faces selected" in capfd.readouterr().out
    bpy.ops.object.mode_set(mode="OBJECT")
