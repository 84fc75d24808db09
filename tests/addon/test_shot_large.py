"""Meshes in a shot: indexed once, and always exact."""

import bpy
import numpy as np
import pytest
from blender_scenes import camera, cube, link, mesh_object, select_only, world_triangles
from camera_oracle import clip_planes, in_view
from shot_stage import key, look

from octree_ext.core import run
from octree_ext.core.scene import pool
from octree_ext.octree_addon import cameras
from octree_ext.octree_addon.ui import forget_session

AROUND = [(-9, -9, -9), (9, -9, -9), (9, 9, -9), (-9, 9, -9)]


@pytest.fixture
def eye():
    """Add a camera at the origin that looks along y."""
    return camera(rotation_euler=(np.pi / 2, 0, 0))


@pytest.fixture
def indexed(monkeypatch):
    """Return a list that gets the size of each mesh that is indexed."""
    sizes, index = [], pool._indexed

    def counted(some):
        sizes.extend(len(mesh.valid) for mesh in some)
        return index(some)

    monkeypatch.setattr(pool, "_indexed", counted)
    return sizes


def seen_by_name(seen):
    return dict(zip((each.name for each in seen.objects), seen.in_frames.tolist(), strict=True))


def cut(frames=(1,)):
    """Ask by cutting every triangle with every plane."""
    present, found = bpy.context.scene.frame_current, {}
    for number, frame in enumerate(frames):
        bpy.context.scene.frame_set(frame)
        planes = clip_planes(bpy.context.scene.camera)
        for name, triangles in world_triangles().items():
            flags = found.setdefault(name, [False] * len(frames))
            flags[number] = bool(in_view(planes, triangles).any())
    bpy.context.scene.frame_set(present)
    return found


def grid(name="Grid", size=1.0, location=(0, 5, 0), side=9):
    """Add a mesh of quads across the view."""
    line = np.linspace(-size, size, side)
    vertices = [(x, 0.1 * x * z, z) for x in line for z in line]
    corner = [side * row + column for row in range(side - 1) for column in range(side - 1)]
    faces = [(at, at + 1, at + side + 1, at + side) for at in corner]
    return mesh_object(name, vertices, faces, location=location)


def test_what_is_in_view_beside_it_and_behind(eye):
    grid()
    grid("Aside", location=(50, 5, 0))
    grid("Behind", size=40.0, location=(0, -300, 0)).rotation_euler.z = 0.7
    assert seen_by_name(look(frames=(1,))) == {"Grid": [True], "Aside": [False], "Behind": [False]}


def test_faces_of_what_is_wholly_in_view_or_wholly_out(eye):
    whole, _ = grid(size=0.5), grid("Aside", location=(50, 5, 0))
    seen = look(frames=(1,), faces=True)
    assert seen_by_name(seen) == {"Grid": [True], "Aside": [False]}
    assert seen.faces[whole.data.session_uid].tolist() == [1] * 64


def test_loose_vertices_are_not_seen(eye):
    loose = [(0, 4, 0), (0.1, 5, 0.1), (0, 6, 0)]
    mesh_object("Loose", [*loose, *AROUND], [(3, 4, 5, 6)])
    wired = mesh_object("Wired", AROUND, [(0, 1, 2, 3)])
    wired.data.vertices.add(2)
    wired.data.vertices[4].co = wired.data.vertices[5].co = (0, 5, 0)
    wired.data.edges.add(1)
    wired.data.edges[0].vertices = (4, 5)
    some = mesh_object("Both", [*loose, *AROUND], [(3, 4, 5, 6), (0, 1, 2)])
    assert (
        seen_by_name(look(frames=(1,)))
        == cut()
        == {
            "Loose": [False],
            "Wired": [False],
            "Both": [True],
        }
    )
    seen = look(frames=(1,), faces=True)
    assert seen.faces[some.data.session_uid].tolist() == [0, 1]


def test_faces_without_a_vertex_in_view_are_seen(eye):
    mesh_object("Wall", [(-90, 9, -1), (90, 9, -1), (90, 9, 1), (-90, 9, 1)], [(0, 1, 2, 3)])
    mesh_object("Sheet", [(-90, 9, -90), (90, 9, -90), (90, 9, 90), (-90, 9, 90)], [(0, 1, 2, 3)])
    mesh_object("Hook", [(-90, 9, -90), (-90, 9, 90), (90, 9, 90), (-89, 9, 90)], [(0, 1, 3)])
    cube("Room", size=30.0)
    cube("Sky", size=9000.0)
    expected = {"Wall": [True], "Sheet": [True], "Hook": [False], "Room": [True], "Sky": [False]}
    assert seen_by_name(look(frames=(1,))) == cut() == expected


def test_curves_instances_and_flat_objects_are_no_exceptions(eye):
    grid("Flat", location=(0, 5, 0)).scale = (1, 0, 1)
    grid("Mirrored", location=(1, 5, 0)).scale = (-2, 1, 0.5)
    grid("Pressed", size=40.0, location=(0, 9, 0)).scale = (1, 1, 0)
    bpy.ops.mesh.primitive_circle_add(fill_type="NOTHING", location=(0, 5, 0))
    bpy.context.object.name = "Faceless"
    bpy.ops.object.text_add(location=(-1, 5, 0), rotation=(1.5, 0, 0))
    bpy.ops.object.metaball_add(location=(0, 6, 0))
    found = seen_by_name(look(frames=(1,)))
    assert found == cut()
    assert found == {name: [True] for name in ("Flat", "Mirrored", "Pressed", "Text", "Mball")}


def test_coordinates_that_are_not_finite_are_no_reason_to_be_seen(eye):
    for name, bad in (("Nan", np.nan), ("Far", np.inf)):
        item = mesh_object(name, [(0, 5, 0), (0.1, 5, 0), (0, 5, 0.1), *AROUND], [(0, 1, 2)])
        values = np.array([(0, 5, 0), (0.1, 5, 0), (bad, 5, 0.1), *AROUND], np.float32)
        item.data.attributes["position"].data.foreach_set("vector", values.ravel())
    half = mesh_object(
        "Half", [(0, 5, 0), (0, 5, 1), (1, 5, 0), AROUND[0]], [(0, 1, 2), (0, 1, 3)]
    )
    half.data.vertices[3].co.x = np.nan
    assert seen_by_name(look(frames=(1,))) == {"Half": [True]}


def test_edit_mode_shows_its_cage(eye):
    import bmesh

    item = grid("Edited", location=(30, 5, 0))
    select_only(item)
    bpy.ops.object.mode_set(mode="EDIT")
    assert seen_by_name(look(frames=(1,))) == {"Edited": [False]}
    edit = bmesh.from_edit_mesh(item.data)
    bmesh.ops.translate(edit, verts=edit.verts[:], vec=(-30, 0, 0))
    bmesh.update_edit_mesh(item.data)
    assert seen_by_name(look(frames=(1,))) == {"Edited": [True]}
    bmesh.ops.delete(edit, geom=edit.verts[5:], context="VERTS")
    bmesh.update_edit_mesh(item.data)
    assert seen_by_name(look(frames=(1,))) == {}
    bpy.ops.object.mode_set(mode="OBJECT")


def test_a_deforming_mesh_is_seen_as_it_is_in_each_frame(eye):
    frames = tuple(range(1, 13))
    item = mesh_object(
        "Gate", [(-60, 9, -60), (60, 9, -60), (60, 9, 60), (-60, 9, 60)], [(0, 1, 2, 3)]
    )
    item.shape_key_add(name="Basis")
    shape = item.shape_key_add(name="Aside")
    for point in shape.data:
        point.co.x += 200.0
    key(shape, "value", {1: 0.0, 6: 0.0, 7: 1.0, 12: 1.0})
    seen = seen_by_name(look(frames=frames))
    assert seen == cut(frames) == {"Gate": [True] * 6 + [False] * 6}


def turn(eye, frames):
    for frame, angle in ((frames[0], -2.5), (frames[-1], 2.5)):
        key(eye, "rotation_euler", {frame: (np.pi / 2, 0, angle)})


def test_meshes_of_many_frames_are_indexed_once(eye, indexed):
    frames = tuple(range(1, 31))
    turn(eye, frames)
    item = cube("Room", size=30.0)
    expected = cut(frames)
    assert seen_by_name(look(frames=frames)) == expected
    assert indexed == [12]
    assert seen_by_name(look(frames=frames)) == expected
    assert indexed == [12]
    item.data.vertices[3].co.z += 1.0
    item.data.update()
    assert seen_by_name(look(frames=frames)) == cut(frames)
    assert indexed == [12, 12]


@pytest.mark.parametrize("faces", [False, True])
def test_frames_and_placements_of_one_mesh_share_its_nodes(eye, indexed, faces):
    frames = tuple(range(1, 6))
    turn(eye, frames)
    room = cube("Room", size=30.0)
    for number in range(3):
        link(bpy.data.objects.new(f"Twin {number}", room.data), location=(number, 1, 2))
    assert seen_by_name(look(frames=frames, faces=faces)) == cut(frames)
    assert indexed == [12]


def test_steps_closed_anywhere_leave_the_frame(eye):
    grid("Wall", size=40.0, location=(0, 30, 0), side=3)
    bpy.context.scene.frame_set(3)
    done = list(cameras.shot_steps(bpy.context, cameras.Shot(frames=(1, 2, 3))))
    for count in range(len(done)):
        forget_session()
        steps = cameras.shot_steps(bpy.context, cameras.Shot(frames=(1, 2, 3)))
        assert [next(steps) for _ in range(count)] == done[:count]
        steps.close()
        assert bpy.context.scene.frame_current == 3


@pytest.mark.parametrize("faces", [False, True])
def test_a_scene_that_changes_meanwhile_is_seen_as_it_is_then(eye, faces):
    item = cube("Room", size=30.0)
    steps = cameras.shot_steps(bpy.context, cameras.Shot(frames=(1,), faces=faces))
    next(steps)
    item.data.clear_geometry()
    item.data.update()
    assert seen_by_name(run(steps)) == {}
