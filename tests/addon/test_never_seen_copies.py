"""Never seen: what is deleted in a copy, and that no tested view changes by it."""

import bpy
import numpy as np
import pytest
from blender_scenes import collection_instance, cube, link, mesh_object
from item_buffer_oracle import differing
from never_seen_scenes import (
    PARTS,
    PixelRays,
    ZBuffer,
    ask,
    box_of_parts,
    overhead,
    slab,
    views,
)
from snapshots import whole_file

from octree_ext.core import item_buffers
from octree_ext.octree_addon.cameras.never_seen import copies, counting
from octree_ext.octree_addon.cameras.never_seen.stage import stage_of
from octree_ext.octree_addon.cameras.never_seen.views import view_set
from octree_ext.octree_addon.cameras.shown_scene import ShownScene
from octree_ext.octree_addon.scene_index import scene_index

DRAWERS = (ZBuffer, PixelRays)


pytestmark = pytest.mark.usefixtures("in_numpy")


def pictures(asked):
    """Draw all tested views as they are now, in NumPy and by rays; return the matrices, too."""
    index = scene_index()
    stage = stage_of(bpy.context, index, asked, ShownScene(made_by=ZBuffer))
    looks = view_set(asked, bpy.context, stage.scene, stage.solid)
    matrices, size = looks.matrices, looks.size
    return [item_buffers(made(stage.scene), matrices, size=size) for made in DRAWERS], matrices


def cluttered():
    """Add a box of parts, some of which stick out of it, and a mesh with a hole."""
    box, parts = box_of_parts(12)
    for part in parts[:5]:
        part.location *= 1.35
    mesh_object("Roof", [(-6, -6, 7), (6, -6, 7), (6, 6, 7), (-6, 6, 7)], [(0, 1, 2, 3)])
    overhead(size=14, location=(3, 2, 20), rotation_euler=(0.2, 0.1, 0))
    bpy.context.view_layer.update()
    return box, parts


@pytest.mark.parametrize("kind", ["OUTSIDE", "SHOT"])
@pytest.mark.parametrize("renderer", DRAWERS)
def test_no_pixel_of_a_tested_view_changes(kind, renderer, monkeypatch):
    """But where NumPy and rays show different things already, whichever has looked."""
    monkeypatch.setattr(counting.samples_steps, "__kwdefaults__", {"renderer": renderer})
    box, _ = cluttered()
    looked = views(kind, count=6, resolution=64)
    before, matrices = pictures(looked)
    ask(views=kind, directions=6, resolution=64)
    bpy.ops.octree.copy_never_seen(rings=0)
    bpy.context.view_layer.update()
    assert not box.visible_get()
    copied = bpy.data.collections["Seen"].objects
    assert sum(len(item.data.polygons) for item in copied) < 6 * len(copied)
    unsure = np.zeros(before[0].placements.shape, bool)
    unsure[tuple(differing(*before).T)] = True
    assert unsure.mean() <= 1e-3
    for made, known in zip(DRAWERS, before, strict=True):
        found = item_buffers(made(scene_index().octree), matrices, size=(64, 64))
        same = np.isclose(known.depths, found.depths, rtol=0, atol=1e-4)
        assert (same | (unsure & (made is not renderer))).all()


def rich():
    """Return a slab with all that a mesh can have."""
    item = slab(4, location=(0, 0, 0))
    mesh = item.data
    for name in ("One", "Two"):
        mesh.materials.append(bpy.data.materials.new(name))
    for face in mesh.polygons:
        face.material_index, face.use_smooth = face.index % 2, True
    uv = mesh.uv_layers.new(name="Map")
    uv.data.foreach_set("uv", np.arange(2 * len(mesh.loops), dtype=np.float32))
    colors = mesh.color_attributes.new("Tint", "FLOAT_COLOR", "POINT")
    colors.data.foreach_set("color", np.arange(4 * len(mesh.vertices), dtype=np.float32))
    marks = mesh.attributes.new("Number", "INT", "FACE")
    marks.data.foreach_set("value", np.arange(len(mesh.polygons), dtype=np.int32))
    group = item.vertex_groups.new(name="Weights")
    for number in range(len(mesh.vertices)):
        group.add([number], number / 100, "REPLACE")
    item.shape_key_add(name="Basis")
    raised = item.shape_key_add(name="Raised")
    for number, point in enumerate(raised.data):
        point.co.z = number
    rng = np.random.default_rng(0)
    normals = np.array([0, 0, 1]) + rng.uniform(-0.3, 0.3, (len(mesh.loops), 3))
    normals /= np.linalg.norm(normals, axis=1, keepdims=True)
    mesh.normals_split_custom_set(normals.tolist())
    return item


def contents(item):
    """Return what hangs on each face of a slab, by its number, corner after corner."""
    mesh = item.data
    numbers = [each.value for each in mesh.attributes["Number"].data]
    uv, keys = mesh.uv_layers["Map"].data, mesh.shape_keys.key_blocks["Raised"].data
    colors = mesh.color_attributes["Tint"].data
    return {
        numbers[face.index]: [
            face.material_index,
            face.use_smooth,
            *[
                (
                    tuple(mesh.vertices[mesh.loops[loop].vertex_index].co),
                    tuple(uv[loop].uv),
                    tuple(np.round(mesh.corner_normals[loop].vector, 3)),
                    keys[mesh.loops[loop].vertex_index].co.z,
                    tuple(colors[mesh.loops[loop].vertex_index].color),
                    round(mesh.vertices[mesh.loops[loop].vertex_index].groups[0].weight, 5),
                )
                for loop in face.loop_indices
            ],
        ]
        for face in mesh.polygons
    }


def test_a_copy_keeps_all_that_hangs_on_what_remains():
    item = rich()
    overhead(size=0.8, location=(0.5, 0.5, 50), rotation_euler=(0, 0, 0))
    before = contents(item)
    ask(views="SHOT")
    bpy.ops.octree.copy_never_seen(rings=2, originals="KEEP")
    (copy,) = bpy.data.collections["Seen"].objects
    assert copy.data != item.data
    after = contents(copy)
    assert sorted(after) == [0, 1, 2, 4, 5, 6, 8, 9, 10]
    inner = {number: after[number] for number in (0, 1, 4, 5)}  # those that keep all neighbors
    assert inner == {number: before[number] for number in inner}
    assert [each.name for each in copy.data.materials] == ["One", "Two"]
    assert [each.name for each in copy.vertex_groups] == ["Weights"]
    assert contents(item) == before


def test_a_shared_mesh_is_copied_once_and_children_follow():
    box, parts = box_of_parts(4)
    for part in parts[2:]:
        part.location *= 3
    parts[3].parent = parts[2]
    parts[1].parent = box
    bpy.context.view_layer.update()
    ask(resolution=128)
    before = {item.name: len(item.data.polygons) for item in (box, *parts)}
    bpy.ops.octree.copy_never_seen(whole="COPY", originals="KEEP")
    copied = {item.name.rpartition(".")[0]: item for item in bpy.data.collections["Seen"].objects}
    assert copied.keys() == before.keys()
    assert copied["Part 0"].data == copied["Part 2"].data
    assert copied["Part 3"].parent == copied["Part 2"]
    assert copied["Part 1"].parent == copied["Box"]
    bpy.context.view_layer.update()
    for name, copy in copied.items():
        assert np.allclose(copy.matrix_world, bpy.data.objects[name].matrix_world)
    assert before == {item.name: len(item.data.polygons) for item in (box, *parts)}
    assert box.visible_get()


@pytest.mark.parametrize(("modifiers", "faces"), [("OWN", 6), ("APPLY", 0)])
def test_modifiers_are_kept_or_applied_in_the_copy(modifiers, faces):
    shell, inner = cube("Shell", size=4), cube("Inner", size=1)
    inner.modifiers.new("Subdivision", "SUBSURF").levels = 1
    mirrored = cube("Mirrored", size=2, location=(6, 0, 0))
    mirrored.modifiers.new("Mirror", "MIRROR")
    bpy.context.view_layer.update()
    ask()
    bpy.ops.octree.copy_never_seen(modifiers=modifiers, whole="COPY", rings=0)
    copied = {item.name: item for item in bpy.data.collections["Seen"].objects}
    copy = copied["Inner.001"]
    assert len(copy.data.polygons) == faces
    assert len(copy.modifiers) == (modifiers == "OWN")
    assert copied["Mirrored.001"].data != mirrored.data
    assert len(copied["Mirrored.001"].modifiers) == (modifiers == "OWN")
    assert len(inner.modifiers) == len(mirrored.modifiers) == 1
    assert len(copied["Shell.001"].data.polygons) == len(shell.data.polygons) == 6


def test_originals_are_hidden_and_restored():
    box, parts = box_of_parts(3)
    ask()
    bpy.ops.octree.copy_never_seen()
    assert [item.name for item in bpy.data.collections["Seen"].objects] == ["Box.001"]
    assert not any(item.visible_get() for item in (box, *parts))
    assert all(item.hide_render for item in (box, *parts))
    assert not bpy.data.objects["Box.001"].hide_render
    bpy.ops.octree.restore_hidden()
    assert all(item.visible_get() and not item.hide_render for item in (box, *parts))


def test_what_instances_show_stays_in_renders():
    shown = cube("Shown")
    collection_instance([shown], "Instancer").location = (4, 0, 0)
    if shown.name not in bpy.context.scene.collection.objects:
        link(shown)
    bpy.context.view_layer.update()
    ask()
    bpy.ops.octree.copy_never_seen()
    assert (shown.hide_get(), shown.hide_render) == (True, False)


def test_an_error_leaves_nothing_half_done(monkeypatch):
    box_of_parts(6)
    ask(resolution=128)
    before = whole_file()

    def fail(*_):
        raise ValueError("No more")

    monkeypatch.setattr(copies, "_copy_parents", fail)
    with pytest.raises(RuntimeError, match="No more"):
        bpy.ops.octree.copy_never_seen(whole="COPY", rings=0)
    assert whole_file() == before


def test_nothing_seen_is_nothing_to_copy():
    cube("Cube", location=(90, 0, 0))
    overhead()
    bpy.context.view_layer.update()
    ask(views="SHOT")
    before = whole_file()
    with pytest.raises(RuntimeError, match="no object was seen"):
        bpy.ops.octree.copy_never_seen()
    assert whole_file() == before


def test_all_parts_of_the_box_are_left_out():
    box_of_parts()
    assert len(ask()) == PARTS
    bpy.ops.octree.copy_never_seen(originals="KEEP")
    assert len(bpy.data.collections["Seen"].objects) == 1
