"""Chunks as files: glTF, blend files, a manifest, and of what has changed nothing else."""

import json

import bpy
import numpy as np
import pytest
from blender_scenes import collection_instance, cube, link, select_only
from chunk_folders import CHUNKS, MANIFEST, files_in, octree, saved_boxes, shipped
from chunk_scenes import areas, bumpy, world
from gltf_files import all_triangles, farthest_corner, gltf_triangles, open_length, read_gltf
from snapshots import whole_file

from octree_ext.octree_addon.shipping.folder import content_hash
from octree_ext.octree_addon.shipping.manifest import read_manifest

OPTIONS = {"triangles": 60, "least_triangles": 0, "least_size": 0.125}
FORMS = {"gltf": ".gltf", "glb": ".glb"}


@pytest.fixture
def blend(empty_scene, tmp_path):
    """Save a sheet, and boxes with pictures: two the same, one of the same name, another."""
    return saved_boxes(tmp_path / "scene.blend")


def times_in(folder):
    return {path: path.stat().st_mtime_ns for path in folder.rglob("*") if path.is_file()}


@pytest.mark.parametrize("form", FORMS)
def test_gltf_holds_the_chunks_of_the_manifest(blend, tmp_path, form):
    area = sum(areas(world(item)).sum() for item in bpy.context.scene.objects)
    folder = tmp_path / "out" / "chunks"
    manifest = shipped(blend, folder, form)
    assert (manifest["format"], manifest["version"]) == ("octree chunks", 2)
    assert manifest["made"]["form"] == form
    assert "unfinished" not in manifest
    total, known = 0.0, {each["id"]: each for each in manifest["chunks"]}
    assert len(known) > 5
    for name, each in known.items():
        corners = gltf_triangles(folder / f"{name}{FORMS[form]}")
        assert len(corners) == each["triangles"]
        assert (corners >= np.array(each["lower"]) - 1e-5).all()
        assert (corners <= np.array(each["upper"]) + 1e-5).all()
        total += areas(corners).sum()
        model = read_gltf(folder / f"{name}{FORMS[form]}")[0]
        assert {node["name"] for node in model["nodes"]} == set(each["objects"])
        for side, others in each["neighbors"].items():
            back = side.translate(str.maketrans("+-", "-+"))
            assert all(name in known[other]["neighbors"][back] for other in others)
    assert total == pytest.approx(area, rel=1e-6)
    files = files_in(folder)
    listed = {name: sums for each in known.values() for name, sums in each["files"].items()}
    assert files.keys() == {MANIFEST, *listed}
    assert {name: content_hash(files[name]) for name in listed} == listed


def test_seams_are_closed_to_the_bit(empty_scene, tmp_path):
    item = bumpy("Sheet")
    item.location, item.rotation_euler, item.scale = (0.3, 1e4, -7.1), (0.4, 0.2, 1.3), (1, 1.7, 1)
    bpy.context.view_layer.update()
    before = open_length(world(item))
    bpy.ops.wm.save_as_mainfile(filepath=str(tmp_path / "a.blend"))
    shipped(tmp_path / "a.blend", tmp_path / "out", "glb")
    corners = all_triangles(tmp_path / "out", ".glb")
    assert open_length(corners) == pytest.approx(before, rel=1e-3)


@pytest.mark.parametrize("scale", [1.0, 0.01])
def test_places_are_in_meters_whatever_they_are_made_of(empty_scene, tmp_path, scale):
    """Mirrored, sheared, with parents and modifiers, and an instance twice."""
    empty_scene.unit_settings.scale_length = scale
    parent = link(
        bpy.data.objects.new("Parent", None), rotation_euler=(0, 0, 0.7), scale=(1, 3, 1)
    )
    child = cube("Child", 0.4, location=(4, 0, 0), rotation_euler=(0.3, 0.4, 0.5))
    child.parent = parent
    cube("Mirrored", 0.4, location=(0, 5, 0)).scale = (-1, 1.5, 1)
    bent = cube("Bent", 0.4, location=(0, -5, 0))
    bent.modifiers.new("Array", "ARRAY").count = 3
    bpy.context.view_layer.update()
    graph = bpy.context.evaluated_depsgraph_get()
    wanted = []
    for item in (child, bpy.data.objects["Mirrored"], bent):
        shown = item.evaluated_get(graph)
        mesh = shown.to_mesh()
        mesh.calc_loop_triangles()
        points = np.array([vertex.co for vertex in mesh.vertices], np.float64)
        faces = np.array([each.vertices for each in mesh.loop_triangles])
        matrix = np.array(item.matrix_world, np.float64)
        corners = (points @ matrix[:3, :3].T + matrix[:3, 3])[faces] * scale
        wanted.append(corners[:, ::-1] if np.linalg.det(matrix[:3, :3]) < 0 else corners)
        shown.to_mesh_clear()
    bpy.ops.wm.save_as_mainfile(filepath=str(tmp_path / "a.blend"))
    words = ("--triangles", "1000", "--least-size", "100", "--cell", "100")
    assert octree("chunks", tmp_path / "a.blend", *words, "--gltf", tmp_path / "out") == 0
    manifest = json.loads((tmp_path / "out" / MANIFEST).read_text())
    assert manifest["meters_per_unit"] == pytest.approx(scale)
    found = all_triangles(tmp_path / "out", ".gltf")
    assert farthest_corner(found / scale, np.concatenate(wanted) / scale) < 1e-5


def test_textures_are_shared_by_their_content(blend, tmp_path):
    manifest = shipped(blend, tmp_path / "out")
    textures = {name for each in manifest["chunks"] for name in each["files"] if "/" in name}
    assert len(textures) == 2  # of three pictures
    assert textures == {name for name in files_in(tmp_path / "out") if "/" in name}
    inside = shipped(blend, tmp_path / "inside", "glb")
    assert not [name for each in inside["chunks"] for name in each["files"] if "/" in name]


def test_a_second_run_writes_what_has_changed_alone(blend, tmp_path):
    folder = tmp_path / "out"
    shipped(blend, folder)
    (folder / "mine.txt").write_text("mine")
    (folder / "textures" / "mine.png").write_bytes(b"mine")
    before, times = files_in(folder), times_in(folder)
    shipped(blend, folder)
    assert times_in(folder) == times
    bpy.ops.wm.open_mainfile(filepath=str(blend))
    bpy.data.objects["Box 2"].location.z += 0.125
    bpy.ops.wm.save_mainfile()
    manifest = shipped(blend, folder)
    after = files_in(folder)
    changed = {name for name in after if after[name] != before.get(name)}
    assert changed == {MANIFEST, *files_of("Box 2", manifest)}
    bpy.ops.wm.open_mainfile(filepath=str(blend))
    bpy.data.objects["Sheet"].hide_viewport = True
    bpy.ops.wm.save_mainfile()
    shipped(blend, folder)
    last = files_in(folder)
    assert set(files_of("Sheet", manifest)) - last.keys()
    assert (last.pop("mine.txt"), last.pop("textures/mine.png")) == (b"mine", b"mine")
    shipped(blend, tmp_path / "fresh")
    assert last == files_in(tmp_path / "fresh")


def files_of(name, manifest):
    """Return the names of the files of chunks that have an object, without textures."""
    chunks = [each for each in manifest["chunks"] if name in each["objects"]]
    return [path for each in chunks for path in each["files"] if "/" not in path]


@pytest.mark.parametrize("what", ["color", "picture", "UV map", "ramp"])
def test_materials_and_layers_count_as_changes(blend, tmp_path, what):
    folder = tmp_path / "out"
    shipped(blend, folder, "glb")
    before = files_in(folder)
    bpy.ops.wm.open_mainfile(filepath=str(blend))
    material = bpy.data.materials["Wood 0"]
    tree = material.node_tree
    if what == "color":
        shader = next(each for each in tree.nodes if each.type == "BSDF_PRINCIPLED")
        shader.inputs["Roughness"].default_value = 0.125
    elif what == "picture":
        picture = bpy.data.images["wood"]
        picture.pixels[:] = [0.75] * 64
        picture.pack()
    elif what == "ramp":
        node = tree.nodes.new("ShaderNodeValToRGB")
        bpy.ops.wm.save_mainfile()
        shipped(blend, folder, "glb")
        bpy.ops.wm.open_mainfile(filepath=str(blend))
        nodes = bpy.data.materials["Wood 0"].node_tree.nodes
        node = next(each for each in nodes if each.type == "VALTORGB")
        hashes = {each["id"]: each["hash"] for each in manifest_in(folder)["chunks"]}
        node.color_ramp.elements[0].color = (1, 0, 0, 1)
        bpy.ops.wm.save_mainfile()
        for each in shipped(blend, folder, "glb")["chunks"]:
            assert (each["hash"] != hashes[each["id"]]) == ("Box 0" in each["objects"])
        return
    else:
        layer = bpy.data.objects["Box 0"].data.uv_layers[0]
        layer.data[0].uv = (0.25, 0.5)
    bpy.ops.wm.save_mainfile()
    manifest = shipped(blend, folder, "glb")
    after = files_in(folder)
    changed = {name for name in after if after[name] != before[name]} - {MANIFEST}
    assert changed == set(files_of("Box 0", manifest))


def manifest_in(folder):
    return json.loads((folder / MANIFEST).read_text())


def test_a_manifest_of_another_version_is_refused(blend, tmp_path):
    folder = tmp_path / "out"
    shipped(blend, folder, "glb")
    manifest = manifest_in(folder)
    for version in (0, 1, 3, "2", None):
        (folder / MANIFEST).write_text(json.dumps({**manifest, "version": version}))
        with pytest.raises(ValueError, match="version"):
            read_manifest((folder / MANIFEST).read_bytes())


def test_what_was_damaged_is_written_again(blend, tmp_path):
    folder = tmp_path / "out"
    shipped(blend, folder)
    whole = files_in(folder)
    some = sorted(name for name in whole if name != MANIFEST)
    (folder / some[0]).write_bytes(b"damaged")
    (folder / some[1]).unlink()
    shipped(blend, folder)
    assert files_in(folder) == whole
    (folder / MANIFEST).write_bytes(b"{")
    shipped(blend, folder)
    assert files_in(folder) == whole


def test_a_folder_that_cannot_be_written_is_said_first(blend, tmp_path, capsys):
    (tmp_path / "file").write_text("")
    assert octree("chunks", blend, *CHUNKS, "--gltf", tmp_path / "file") == 2
    assert octree("chunks", blend, *CHUNKS) == 2
    same = ("--gltf", tmp_path / "a", "--glb", tmp_path / "b" / ".." / "a")
    assert octree("chunks", blend, *CHUNKS, *same) == 2
    assert not (tmp_path / "a").exists()
    assert "Traceback" not in capsys.readouterr().err


@pytest.mark.parametrize("form", ["GLTF", "GLB", "BLEND"])
def test_the_button_writes_as_the_command_and_leaves_the_scene(blend, tmp_path, form):
    bpy.ops.wm.open_mainfile(filepath=str(blend))
    if form == "GLB":  # chunks that are there already are used, and stay
        assert bpy.ops.octree.cut_chunks(**OPTIONS) == {"FINISHED"}
    before = whole_file()
    folder = str(tmp_path / "button")
    assert bpy.ops.octree.export_chunks(folder=folder, form=form, **OPTIONS) == {"FINISHED"}
    assert whole_file() == before
    settings = bpy.context.scene.octree
    assert (settings.shipment.form, settings.chunks.triangles) == (form, 60)
    shipped(blend, tmp_path / "command", form.lower())
    button, command = files_in(tmp_path / "button"), files_in(tmp_path / "command")
    assert button.keys() == command.keys()
    if form != "BLEND":
        assert button == command


def test_blend_files_can_be_linked(blend, tmp_path):
    manifest = shipped(blend, tmp_path / "out", "blend")
    bpy.ops.wm.read_homefile(use_empty=True)
    total = 0
    for each in manifest["chunks"]:
        (name,) = each["files"]
        path = str(tmp_path / "out" / name)
        with bpy.data.libraries.load(path, link=True) as (there, wanted):
            wanted.collections = there.collections
        (collection,) = wanted.collections
        assert collection["octree_chunk"] == each["id"]
        for item in collection.all_objects:
            item.data.calc_loop_triangles()
            total += len(item.data.loop_triangles)
    assert total == sum(each["triangles"] for each in manifest["chunks"])


def test_an_instance_of_what_is_edited_is_exported_as_it_is_shown(tmp_path, empty_scene):
    box = cube("Box", 0.5, location=(0.3, 0.2, 0.1))
    shown = collection_instance([box], "Set", location=(8, 0, 0))
    bpy.context.collection.objects.link(box)
    select_only(box)
    bpy.ops.object.mode_set(mode="EDIT")
    bpy.context.view_layer.objects.active = shown
    assert bpy.context.mode == "OBJECT"
    assert box.data.is_editmode
    found = bpy.ops.octree.export_chunks(folder=str(tmp_path), form="GLTF", **OPTIONS)
    bpy.context.view_layer.objects.active = box
    bpy.ops.object.mode_set(mode="OBJECT")
    assert found == {"FINISHED"}
    assert sum(len(gltf_triangles(path)) for path in tmp_path.glob("*.gltf")) == 24


@pytest.mark.parametrize("form", FORMS)
def test_copies_of_one_mesh_share_it_in_the_file_with_modifiers_too(empty_scene, tmp_path, form):
    wood, other = (bpy.data.materials.new(name) for name in ("Wood", "Other"))
    one = cube("Box", 0.2, location=(0.3, 0.3, 0.3))
    one.data.materials.append(wood)
    bent = cube("Bent", 0.2, location=(0.3, 4.3, 0.3))
    bent.data.materials.append(wood)
    bent.modifiers.new("Bevel", "BEVEL")
    for number in range(1, 6):
        for item in (one, bent):
            copy = link(item.copy(), location=(0.3 + number, item.location.y, 0.3))
            if number == 5:  # of which the modifier makes something else
                copy.material_slots[0].link, copy.material_slots[0].material = "OBJECT", other
    bpy.context.scene.objects["Bent.004"].modifiers[0].width = 0.01
    bpy.ops.wm.save_as_mainfile(filepath=str(tmp_path / "a.blend"))
    shipped(tmp_path / "a.blend", tmp_path / "out", form, "--triangles", "9999")
    (path,) = (tmp_path / "out").rglob(f"*{FORMS[form]}")
    model, _ = read_gltf(path)
    used = {node["name"]: node["mesh"] for node in model["nodes"]}
    assert len(used) == 12
    for name, alone in (("Box", ["Box.005"]), ("Bent", ["Bent.004", "Bent.005"])):
        some = {used[each] for each in used if each.startswith(name) and each not in alone}
        assert len(some) == 1 and not some & {used[each] for each in alone}
