"""Levels of detail: neighbors fit at any levels, errors are measured, changes alone written."""

import json
import random

import bpy
import numpy as np
import pytest
from blender_scenes import collection_instance, cube, mesh_object
from chunk_folders import files_in
from chunk_scenes import areas
from gltf_files import accessor, gltf_triangles, open_length, read_gltf
from mathutils.bvhtree import BVHTree
from tile_rules import check_tileset

from octree_ext.core import (
    Boxes,
    SceneOctree,
    Triangles,
    ZBuffer,
    item_buffers,
    views_inside,
)
from octree_ext.octree_addon import command_line
from octree_ext.octree_addon.reader import mesh_layers
from octree_ext.octree_addon.shipping import reduction
from octree_ext.octree_addon.shipping.reduction import ReductionWish, reduced_meshes
from octree_ext.octree_addon.shipping.welding import open_vertices, welded_mesh

CHUNKS = ("--triangles", "250", "--least-triangles", "0", "--least-size", "0.125")
MADE = ("objects", "meshes", "scenes", "collections", "materials")


def ball(name="Ball", **values):
    """Add a closed, bumpy ball, turned and scaled, of two materials and a UV map of its places."""
    bpy.ops.mesh.primitive_ico_sphere_add(subdivisions=4)
    item = bpy.context.object
    item.name, mesh = name, item.data
    points = np.array([vertex.co for vertex in mesh.vertices])
    points *= 1 + 0.1 * np.sin(5 * points[:, [0]]) * np.cos(4 * points[:, [1]])
    mesh.vertices.foreach_set("co", points.astype(np.float32).ravel())
    for number in range(2):
        mesh.materials.append(bpy.data.materials.new(f"{name} {number}"))
    sides = np.array([each.center.z > 0.3 for each in mesh.polygons], np.int32)
    mesh.polygons.foreach_set("material_index", sides)
    layer = mesh.uv_layers[0] if mesh.uv_layers else mesh.uv_layers.new(name="UVMap")
    corners = np.zeros(len(mesh.loops), np.int32)
    mesh.loops.foreach_get("vertex_index", corners)
    layer.data.foreach_set("uv", points[corners][:, :2].astype(np.float32).ravel())
    mesh.shade_smooth()
    item.rotation_euler, item.scale = (0.3, 0.4, 0.5), (1.5, 1.2, 1.3)
    for key, value in values.items():
        setattr(item, key, value)
    bpy.context.view_layer.update()
    return item


def shipped(folder, form="tiles", *words, levels=3):
    path, out = folder / "scene.blend", folder / form
    bpy.ops.wm.save_as_mainfile(filepath=str(path))
    said = ["chunks", path, *CHUNKS, "--levels", levels, f"--{form}", out, *words]
    assert command_line.main([str(word) for word in said]) == 0
    return out, manifest_in(out)


def manifest_in(folder):
    return json.loads((folder / "manifest.json").read_text())


def some_levels(chunks, seed):
    """Return ids of chunks that fill the scene once, each at one of its levels."""
    chosen = random.Random(seed)
    by_name = {each["id"]: each for each in chunks}
    below = {child for each in chunks for child in each.get("children", ())}
    waiting, found = [name for name in by_name if name not in below], []
    while waiting:
        name = waiting.pop()
        children = by_name[name].get("children", ())
        top = by_name[name]["height"] == max(each["height"] for each in chunks)
        if children and (top or chosen.random() < 0.5):
            waiting += children
        else:
            found.append(name)
    return found


def labels(cells, views, size=(120, 120)):
    """Return which cell each pixel of each view shows, -1 for none."""
    scene = SceneOctree()
    for corners in cells:
        faces = np.arange(3 * len(corners)).reshape(-1, 3)
        scene.place([scene.add_mesh(Triangles(corners.reshape(-1, 3), faces))], [np.eye(4)])
    return item_buffers(ZBuffer(scene), views, size=size).placements


def seam_turns(files):
    """Return the angles between normals that different files have at the same place, degrees."""
    known = {}
    for path in files:
        model, data = read_gltf(path)
        own = {}
        for mesh in model["meshes"]:
            for part in mesh["primitives"]:
                points, normals = (
                    accessor(model, data, part["attributes"][name])
                    for name in ("POSITION", "NORMAL")
                )
                own |= {p.tobytes(): n for p, n in zip(points, normals, strict=True)}
        for key, normal in own.items():
            known.setdefault(key, []).append(normal)
    cosines = [each[0] @ other for each in known.values() for other in each[1:]]
    return np.degrees(np.arccos(np.clip(cosines, -1, 1)))


@pytest.mark.parametrize("words", [(), ("--quadtree",), ("--assign", "--triangles", "150")])
def test_neighbors_fit_at_any_levels(empty_scene, tmp_path, words):
    ball(location=(0.3, 0.2, 0.1))
    out, manifest = shipped(tmp_path, "tiles", *words)
    tileset = json.loads((out / "tileset.json").read_text())
    assert tileset["root"]["refine"] == "REPLACE"
    contents = check_tileset(tileset, out)
    assert set(contents) == {f"{each['id']}.glb" for each in manifest["chunks"]}
    by_height = [[], [], []]
    for each in manifest["chunks"]:
        by_height[each["height"]].append(each)
    assert all(len(each) > least for each, least in zip(by_height, (6, 1, 0), strict=True))
    triangles = {
        each["id"]: gltf_triangles(out / f"{each['id']}.glb") for each in manifest["chunks"]
    }
    names = {each["id"]: each for each in manifest["chunks"]}
    for each in by_height[1] + by_height[2]:
        below = [names[child] for child in each["children"]]
        assert all(child["parent"] == each["code"] for child in below)
        assert all(child["height"] < each["height"] for child in below)
        assert each["triangles"] == len(triangles[each["id"]])
        assert each["triangles"] < sum(child["triangles"] for child in below)
        assert each["geometricError"] >= max(each["toSource"], each["fromSource"]) > 0
        assert each["geometricError"] > max(child.get("geometricError", 0) for child in below)
    # Nothing is open, by bits; and no pixel of a closed ball, seen from inside, is background.
    inside = views_inside(Boxes([[0.0, 0, -0.1]], [[0.6, 0.4, 0.3]]), places=4)
    assert len(inside) == 24
    for seed in range(3):
        chosen = some_levels(manifest["chunks"], seed)
        assert len({names[name]["height"] for name in chosen}) > 1
        cells = [triangles[name] for name in chosen]
        assert open_length(np.concatenate(cells)) == 0
    turns = seam_turns([out / f"{name}.glb" for name in chosen])
    assert len(turns) > 50 and turns.max() < 2
    shown = labels(cells, inside)
    assert (shown < 0).sum() == 0
    assert len(np.unique(shown)) == len(cells)
    # The pictures can fail: without one cell there is background.
    assert (labels(cells[1:], inside) < 0).sum() > 0


def test_errors_are_those_of_other_measures(empty_scene, tmp_path):
    """In meters, whatever the unit of the scene."""
    empty_scene.unit_settings.scale_length = 0.5
    ball()
    out, manifest = shipped(tmp_path)
    names = {each["id"]: each for each in manifest["chunks"]}

    def finest(name):
        children = names[name].get("children", ())
        if not children:
            return gltf_triangles(out / f"{name}.glb")
        return np.concatenate([finest(child) for child in children])

    def farthest(corners, points):
        places = corners.reshape(-1, 3).tolist()
        tree = BVHTree.FromPolygons(places, np.arange(len(places)).reshape(-1, 3).tolist())
        return max(tree.find_nearest(point)[3] for point in points.tolist())

    parents = [each for each in manifest["chunks"] if each["height"]]
    for each in parents[:: max(len(parents) // 4, 1)]:
        source, reduced = finest(each["id"]), gltf_triangles(out / f"{each['id']}.glb")
        samples = np.concatenate((reduced.reshape(-1, 3), reduced.mean(axis=1)))
        near = {"rel": 1e-3, "abs": 1e-5}
        assert each["toSource"] == pytest.approx(farthest(source, samples), **near)
        found = farthest(reduced, source.reshape(-1, 3))
        assert each["fromSource"] == pytest.approx(found, **near)


def test_only_what_has_changed_is_written_with_what_is_above_it(empty_scene, tmp_path):
    ball()
    cube("Box", 0.1, location=(0.8, 0.7, 1.1))
    out, manifest = shipped(tmp_path)
    before = files_in(out)
    assert shipped(tmp_path)[1] == manifest
    times = {path: path.stat().st_mtime_ns for path in out.iterdir()}
    shipped(tmp_path)
    assert {path: path.stat().st_mtime_ns for path in out.iterdir()} == times
    bpy.data.objects["Box"].location.z += 0.03125
    _, moved = shipped(tmp_path)
    after = files_in(out)
    changed = {name for name in after if after[name] != before.get(name)}
    boxed = {f"{each['id']}.glb" for each in moved["chunks"] if "Box" in each["objects"]}
    assert changed - {"tileset.json"} == boxed | {"manifest.json"}
    assert len(boxed) < len(after) / 3
    assert {each["height"] for each in moved["chunks"] if "Box" in each["objects"]} >= {0, 2}
    shipped(tmp_path, "tiles", levels=2)
    assert len(files_in(out)) < len(after)
    shipped(tmp_path, "tiles", levels=3)
    assert files_in(out) == after


def test_materials_and_uv_maps_stay_and_instances_share_meshes(empty_scene, tmp_path):
    item = ball(rotation_euler=(0, 0, 0), scale=(1, 1, 1))
    for number in range(3):
        collection_instance(
            [item] if not number else [], "Set", location=(4.3 + 3 * number, 0.4, 0.2)
        )
    others = [each for each in bpy.context.scene.objects if each.type == "EMPTY"]
    for each in others:
        each.instance_collection = others[0].instance_collection
    out, manifest = shipped(tmp_path, "glb", "--triangles", "2000", levels=3)
    parent = max(manifest["chunks"], key=lambda each: (each["height"], len(each["objects"])))
    model, _ = read_gltf(out / f"{parent['id']}.glb")
    assert parent["height"] == 2
    assert len(model["nodes"]) == len(parent["objects"]) > 1
    assert len(model["meshes"]) == 1
    parts = model["meshes"][0]["primitives"]
    assert {model["materials"][part["material"]]["name"] for part in parts} == {"Ball 0", "Ball 1"}
    assert all("TEXCOORD_0" in part["attributes"] for part in parts)


def test_a_reduced_mesh_keeps_what_is_fixed_and_its_layers(empty_scene):
    item = ball()
    mesh, scene = item.data, bpy.data.scenes.new("Unseen")
    layers = mesh_layers(mesh)
    fixed = layers.positions[:, 0] > 0.2
    (found,) = reduced_meshes(scene, [ReductionWish(mesh, fixed)], 0.25)
    reduced = mesh_layers(found)
    count = len(layers.positions) - 0.75 * (~fixed).sum()
    assert len(reduced.positions) == pytest.approx(count, abs=3)
    places = {each.tobytes() for each in reduced.positions}
    assert all(each.tobytes() in places for each in layers.positions[fixed])
    assert [each.name for each in found.materials] == ["Ball 0", "Ball 1"]
    columns = {each.name: each.values for each in reduced.columns}
    assert not [name for name in columns if name.startswith("octree")]
    uvs, points = columns[found.uv_layers[0].name], reduced.positions[reduced.corner_vertices]
    assert np.abs(uvs - points[:, :2]).max() < 0.05
    way = points / np.linalg.norm(points, axis=1, keepdims=True)
    assert ((reduced.normals * way).sum(axis=1) > 0.8).all()
    everything = np.ones(len(fixed), bool)
    (same,) = reduced_meshes(scene, [ReductionWish(mesh, everything)], 0.25)
    assert np.array_equal(mesh_layers(same).positions, layers.positions)
    assert len(same.polygons) == len(mesh.polygons)


@pytest.mark.parametrize("does", ["DISPLACE", "MASK"])
def test_what_is_moved_is_put_right_and_what_loses_a_vertex_stays(empty_scene, monkeypatch, does):
    """Modifiers behind the decimator stand for one that keeps no promise."""
    mesh, scene = ball().data, bpy.data.scenes.new("Unseen")
    layers = mesh_layers(mesh)
    fixed = layers.positions[:, 0] > 0.2
    show = reduction._shown

    def shown(*given):
        item = show(*given)
        modifier = item.modifiers.new("broken", does)
        if does == "MASK":
            modifier.vertex_group, modifier.invert_vertex_group = item.vertex_groups[0].name, True
        return item

    monkeypatch.setattr(reduction, "_shown", shown)
    (found,) = reduced_meshes(scene, [ReductionWish(mesh, fixed)], 0.25)
    places = {each.tobytes() for each in mesh_layers(found).positions}
    assert all(each.tobytes() in places for each in layers.positions[fixed])
    assert (len(found.vertices) == len(mesh.vertices)) == (does == "MASK")
    if does == "DISPLACE":
        assert not any(each.tobytes() in places for each in layers.positions[~fixed])


def test_seams_are_welded_unless_they_are_open(empty_scene):
    """Two squares side by side, and two that lie on each other, of which a third is beside."""
    one = mesh_object("One", [(0, 0, 0), (1, 0, 0), (1, 1, 0), (0, 1, 0)], [(0, 1, 2, 3)])
    two = mesh_object("Two", [(1, 0, 0), (2, 0, 0), (2, 1, 0), (1, 1, 0)], [(0, 1, 2, 3)])
    for number, item in enumerate((one, two)):
        item.data.materials.append(bpy.data.materials.new(f"Material {number}"))
    found = mesh_layers(welded_mesh("Both", [one.data, two.data]))
    assert len(found.positions) == 6
    assert open_vertices(found).all()
    assert len(found.edges) == 7
    twice = mesh_object(
        "Twice", [(x, y, 0) for _ in range(2) for x, y in ((0, 0), (1, 0), (1, 1), (0, 1))],
        [(0, 1, 2, 3), (7, 6, 5, 4)],
    )  # fmt: skip
    mesh = welded_mesh("All", [twice.data, two.data])
    assert len(mesh.vertices) == 12
    assert len(mesh.polygons) == 3
    assert [each.material_index for each in mesh.polygons] == [0, 0, 0]
    both = welded_mesh("Both", [one.data, two.data])
    assert [both.materials[each.material_index].name for each in both.polygons] == [
        "Material 0",
        "Material 1",
    ]


@pytest.mark.parametrize("form", ["blend", "arrays"])
def test_other_formats_have_the_same_levels(empty_scene, tmp_path, form):
    ball()
    word = "out" if form == "arrays" else form
    out, manifest = shipped(tmp_path, word, levels=2)
    assert any(each["height"] for each in manifest["chunks"])
    for each in manifest["chunks"]:
        if form == "arrays":
            with np.load(out / f"{each['id']}.npz", allow_pickle=False) as arrays:
                corners = arrays["vertices"][arrays["faces"]]
                assert len(corners) == len(arrays["objects"]) == each["triangles"]
                assert arrays["materials"].max() < len(arrays["material_names"])
                assert set(arrays["material_names"].tolist()) <= {"Ball 0", "Ball 1"}
                assert areas(corners).sum() > 0
        elif each["height"]:
            path = str(out / f"{each['id']}.blend")
            with bpy.data.libraries.load(path, link=True) as (there, wanted):
                wanted.collections = there.collections
            (collection,) = wanted.collections
            (item,) = collection.all_objects
            assert (collection["octree_chunk"], item["octree_source"]) == (each["id"], "Ball")
            item.data.calc_loop_triangles()
            assert len(item.data.loop_triangles) == each["triangles"]


def test_the_button_writes_the_same_levels_and_leaves_nothing(empty_scene, tmp_path):
    ball()
    out, _ = shipped(tmp_path)
    before = {name: len(getattr(bpy.data, name)) for name in MADE}
    options = {"triangles": 250, "least_triangles": 0, "least_size": 0.125}
    folder = str(tmp_path / "button")
    bpy.ops.octree.export_chunks(folder=folder, form="TILES", levels=3, **options)
    assert {name: len(getattr(bpy.data, name)) for name in MADE} == before
    assert bpy.context.scene.octree.shipment.levels == 3
    assert files_in(tmp_path / "button") == files_in(out)
