"""Large meshes in a shot: what is read of them, what is built, what is kept; and always exact."""

import bpy
import numpy as np
import pytest
from blender_scenes import camera, cube, link, mesh_object, select_only, world_triangles
from camera_oracle import clip_planes, in_view
from shot_stage import key, look

from octree_ext.core import Frusta, Triangles, build_octree, query, query_any, run
from octree_ext.octree_addon import shot
from octree_ext.octree_addon.reader import ReadMesh
from octree_ext.octree_addon.shot.local_mesh import LocalMesh, MeshFaces

AROUND = [(-9, -9, -9), (9, -9, -9), (9, 9, -9), (-9, 9, -9)]


@pytest.fixture(autouse=True)
def every_mesh_is_large(monkeypatch):
    monkeypatch.setattr(shot.scene_reader, "_MANY_TRIANGLES", 0)
    monkeypatch.setattr(shot.local_mesh, "_FEW_TRIANGLES", 0)
    shot.forget()
    yield
    shot.forget()


@pytest.fixture
def eye():
    """Add a camera at the origin that looks along y."""
    return camera(rotation_euler=(np.pi / 2, 0, 0))


@pytest.fixture
def calls(monkeypatch):
    """Count the meshes whose triangles are read, and the octrees that are built of all."""
    counts = {"read": 0, "built": 0}

    def counted(name, function):
        def call(*given):
            counts[name] += 1
            return function(*given)

        return call

    for name, module, function in (
        ("read", shot.scene_reader, "mesh_arrays"),
        ("read", shot.scene_reader, "mesh_triangles"),
        ("built", shot.local_mesh, "build_steps"),
    ):
        monkeypatch.setattr(module, function, counted(name, getattr(module, function)))
    return counts


def seen_by_name(seen):
    return dict(zip((each.name for each in seen.objects), seen.flags[:, 0].tolist(), strict=True))


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


def test_what_vertices_decide_needs_no_triangles(eye, calls):
    grid()
    grid("Aside", location=(50, 5, 0))
    grid("Behind", size=40.0, location=(0, -300, 0)).rotation_euler.z = 0.7
    assert seen_by_name(look(frames=(1,))) == {"Grid": [True], "Aside": [False], "Behind": [False]}
    assert calls == {"read": 0, "built": 0}


def test_faces_of_what_is_wholly_in_view_or_wholly_out_need_no_triangles(eye, calls):
    whole, _ = grid(size=0.5), grid("Aside", location=(50, 5, 0))
    seen = look(frames=(1,), faces=True)
    assert seen_by_name(seen) == {"Grid": [True], "Aside": [False]}
    assert seen.faces[whole.data.session_uid].tolist() == [1] * 64
    assert calls == {"read": 0, "built": 0}


def test_loose_vertices_are_not_seen(eye, calls):
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
    assert calls == {"read": 2, "built": 0}
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


def test_deforming_mesh_is_read_only_where_its_vertices_cannot_tell(eye, calls):
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
    assert calls["built"] == 0
    assert 1 <= calls["read"] <= 6


def turn(eye, frames):
    for frame, angle in ((frames[0], -2.5), (frames[-1], 2.5)):
        key(eye, "rotation_euler", {frame: (np.pi / 2, 0, angle)})


def test_octree_of_many_frames_is_kept_for_the_next_question(eye, calls, monkeypatch):
    monkeypatch.setattr(shot.local_mesh, "_MOST_WORK", 3)
    frames = tuple(range(1, 31))
    turn(eye, frames)
    item = cube("Room", size=30.0)
    expected = cut(frames)
    assert seen_by_name(look(frames=frames)) == expected
    assert calls["built"] == 1
    assert seen_by_name(look(frames=frames)) == expected
    assert calls["built"] == 1
    item.data.vertices[3].co.z += 1.0
    item.data.update()
    assert seen_by_name(look(frames=frames)) == cut(frames)
    assert calls["built"] == 2
    shot.forget()
    look(frames=frames)
    assert calls["built"] == 3


def test_frames_and_placements_of_one_mesh_share_its_octree(eye, calls, monkeypatch):
    monkeypatch.setattr(shot.local_mesh, "_MOST_WORK", 0)
    frames = tuple(range(1, 6))
    turn(eye, frames)
    room = cube("Room", size=30.0)
    for number in range(3):
        link(bpy.data.objects.new(f"Twin {number}", room.data), location=(number, 1, 2))
    assert seen_by_name(look(frames=frames)) == cut(frames)
    assert calls == {"read": 1, "built": 1}


def test_no_step_looks_at_many_vertices(eye, monkeypatch):
    """Blocks between one yield and the next are counted, each of one row of a grid."""
    for name, value in (("_ROWS", 1), ("_WIDTH", 41), ("_PATIENCE", 4)):
        monkeypatch.setattr(shot.vertices, name, value)
    counts, part = [0], shot.vertices.VertexBlocks.part

    def counted(blocks, block):
        counts[-1] += 1
        return part(blocks, block)

    monkeypatch.setattr(shot.vertices.VertexBlocks, "part", counted)
    grid(size=40.0, location=(0, 0, 0.5), side=41)  # all around, and nothing in view
    for faces in (False, True):
        for _ in shot.shot_steps(bpy.context, shot.Shot(frames=(1,), faces=faces)):
            counts.append(0)
    assert sum(counts) > 60
    assert max(counts) <= 12  # the ends of comparing, and of outcodes, and the next beginning


def test_steps_closed_anywhere_leave_the_frame(eye):
    grid("Wall", size=40.0, location=(0, 30, 0), side=3)
    bpy.context.scene.frame_set(3)
    done = list(shot.shot_steps(bpy.context, shot.Shot(frames=(1, 2, 3))))
    for count in range(len(done)):
        steps = shot.shot_steps(bpy.context, shot.Shot(frames=(1, 2, 3)))
        assert [next(steps) for _ in range(count)] == done[:count]
        steps.close()
        assert bpy.context.scene.frame_current == 3


@pytest.mark.parametrize("faces", [False, True])
def test_a_scene_that_changes_meanwhile_is_an_error(eye, faces):
    item = cube("Room", size=30.0)
    steps = shot.shot_steps(bpy.context, shot.Shot(frames=(1,), faces=faces))
    next(steps)
    item.data.clear_geometry()
    item.data.update()
    with pytest.raises(ValueError, match="changed meanwhile"):
        run(steps)


def test_octrees_are_found_by_what_they_were_built_of(monkeypatch):
    random = np.random.default_rng(3)
    kept = shot.kept_octrees
    meshes = [(random.random((9, 3), np.float32), np.arange(9).reshape(3, 3)) for _ in range(3)]
    octrees = [build_octree(Triangles(*mesh)) for mesh in meshes]
    for octree in octrees:
        kept.keep(octree)
    assert [kept.find(*mesh) for mesh in meshes] == octrees
    for mesh in meshes:
        moved = mesh[0].copy()
        moved[8, 2] = np.nextafter(moved[8, 2], np.float32(2))
        turned = mesh[1][:, [0, 2, 1]]
        assert kept.find(moved, mesh[1]) is None
        assert kept.find(mesh[0], turned) is None
        assert kept.find(mesh[0], mesh[1][:2]) is None
    monkeypatch.setattr(kept, "_MOST_BYTES", 2 * kept._bytes_of(octrees[0]))
    kept.keep(octrees[0])  # used again: the second was not for longest
    assert [kept.find(*mesh) for mesh in meshes] == [octrees[0], None, octrees[2]]
    monkeypatch.setattr(kept, "_MOST_BYTES", 1)
    kept.keep(octrees[2])
    assert [kept.find(*mesh) for mesh in meshes] == [None] * 3


def soup(random):
    """Return a mesh of small and large triangles, with vertices that none of them uses."""
    count = random.integers(6, 60)
    positions = random.normal(size=(count, 3)) * 10.0 ** random.uniform(-1, 2, (count, 1))
    triangles = random.choice(count - 2, (random.integers(1, 40), 3)).astype(np.int32)
    return positions.astype(np.float32), triangles


def views(random, count):
    """Return perspective views of any direction and width."""
    near, far = random.uniform(0.1, 1, count), random.uniform(2, 60, count)
    lenses = np.zeros((count, 4, 4))
    lenses[:, [0, 1], [0, 1]] = random.uniform(0.5, 5, (count, 2))
    lenses[:, 2, 2], lenses[:, 2, 3] = (far + near) / (near - far), 2 * far * near / (near - far)
    lenses[:, 3, 2] = -1
    places = np.tile(np.eye(4), (count, 1, 1))
    places[:, :3, :3] = np.linalg.qr(random.normal(size=(count, 3, 3)))[0]
    places[:, :3, 3] = 5 * random.normal(size=(count, 3))
    return Frusta.from_matrices(lenses @ places)


@pytest.mark.parametrize("seed", range(40))
def test_every_way_to_ask_a_mesh_agrees_with_its_octree(seed, monkeypatch):
    random = np.random.default_rng(seed)
    rows, width, length = random.integers(1, 5, 3)
    monkeypatch.setattr(shot.vertices, "_ROWS", rows)
    monkeypatch.setattr(shot.vertices, "_WIDTH", width)
    monkeypatch.setattr(shot.local_mesh, "_BLOCK", length)
    positions, triangles = soup(random)
    frusta = views(random, 30)
    octree = build_octree(Triangles(positions, triangles))
    touched, pairs = query_any(octree, frusta), query(octree, frusta)
    faces = MeshFaces.of(ReadMesh(positions, triangles, np.arange(len(triangles), dtype=np.int32)))
    monkeypatch.setattr(shot.local_mesh, "_MOST_WORK", np.inf)
    holds, misses = run(LocalMesh(positions, faces).compare(frusta))
    assert not (holds & ~touched).any() and not (misses & touched).any()
    assert (holds | misses).any()
    for work in (0, np.inf):
        monkeypatch.setattr(shot.local_mesh, "_MOST_WORK", work)
        assert np.array_equal(run(LocalMesh(positions, faces).touched(frusta)), touched)
        found = np.array(run(LocalMesh(positions, faces).in_view(frusta)))
        assert np.array_equal(found[:, np.lexsort(found[::-1])], pairs)
