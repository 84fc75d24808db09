"""Never seen: what is kept around it, selected, marked, and masked."""

import bpy
import numpy as np
import pytest
from blender_scenes import cube, link, select_only, selected
from never_seen_scenes import (
    ask,
    box_of_parts,
    kept,
    overhead,
    samples,
    slab,
    views,
)
from snapshots import whole_file

from core import Triangles, pairs_within
from octree_ext.octree_addon import hiding
from octree_ext.octree_addon.cameras import never_seen
from octree_ext.octree_addon.cameras.never_seen import masks
from octree_ext.octree_addon.cameras.never_seen.safety import grown
from octree_ext.octree_addon.scene_index import scene_index
from octree_ext.octree_addon.ui import settings_of

pytestmark = pytest.mark.usefixtures("in_numpy")


def corners_of(mesh):
    return [list(face.vertices) for face in mesh.polygons]


def slow_rings(faces, flags, rings):
    seen = {number for number, flag in enumerate(flags) if flag}
    for _ in range(rings):
        vertices = {vertex for number in seen for vertex in faces[number]}
        seen = {number for number, face in enumerate(faces) if vertices & set(face)}
    return [number in seen for number in range(len(faces))]


@pytest.mark.parametrize("rings", [0, 1, 2, 9])
def test_rings_are_those_of_brute_force(rings):
    rng = np.random.default_rng(rings)
    for _ in range(20):
        faces = [rng.choice(40, rng.integers(3, 7), replace=False).tolist() for _ in range(15)]
        flags = rng.random(15) < 0.15
        sizes = np.array([len(face) for face in faces])
        found = grown(flags, np.concatenate(faces).astype(int), sizes, rings)
        assert found.tolist() == slow_rings(faces, flags, rings)
    none = np.empty(0, int)
    assert grown(none.astype(bool), none, none, rings).tolist() == []


def one_quad_of(cells=6):
    """Return a slab of which a camera sees one quad, in a corner."""
    item = slab(cells)
    overhead(size=0.8, location=(0.5, 0.5, 5), rotation_euler=(0, 0, 0))
    return item


@pytest.mark.parametrize(("rings", "faces"), [(0, 1), (1, 4), (2, 9), (5, 36)])
def test_rings_are_kept_around_what_was_seen(rings, faces):
    item = one_quad_of()
    found = kept(samples(views("SHOT")), rings=rings)
    assert found.meshes[item.data.session_uid].sum() == faces
    assert found.face_count == 36 - faces


@pytest.mark.parametrize("least", [1, 5, 40])
def test_faces_of_few_samples_are_not_kept(least):
    rng = np.random.default_rng(4)
    for number in range(8):
        cube(f"Cube {number}", location=rng.uniform(-2, 2, 3))
    bpy.context.view_layer.update()
    counted = samples(views(resolution=24))
    found = kept(counted, least=least, rings=0)
    for uid, counts in counted.meshes.items():
        assert found.meshes[uid].tolist() == (counts >= least).tolist()
    assert found.never == {
        uid for uid, counts in counted.own.items() if not (counts >= least).any()
    }


@pytest.mark.parametrize("distance", [0.3, 1.0, 2.5])
def test_distances_are_those_of_brute_force(distance):
    rng = np.random.default_rng(6)
    names = []
    for number in range(12):
        item = cube(f"Cube {number}", size=rng.uniform(0.2, 1.5))
        item.location, item.rotation_euler = rng.uniform(-3, 3, 3), rng.uniform(-3, 3, 3)
        names.append(item.name)
    overhead(size=1.5, location=(0, 0, 9), rotation_euler=(0, 0, 0))
    bpy.context.view_layer.update()
    counted = samples(views("SHOT"))
    found = kept(counted, distance=distance, rings=0)
    index = scene_index()
    triangles = index.octree.triangles_of(index.octree.ids)
    core_triangles = Triangles(triangles.vertices, triangles.faces)
    owners = np.repeat(index.placements.owners, 12)
    polygons = np.concatenate([mesh.polygons for mesh in index.placements.meshes])
    seen = np.array([counted.own[o][p] > 0 for o, p in zip(owners, polygons, strict=True)])
    ones, others = np.meshgrid(np.arange(len(owners)), np.flatnonzero(seen), indexing="ij")
    near = pairs_within(
        core_triangles, ones.ravel(), core_triangles, others.ravel(), margin=distance
    ).reshape(ones.shape)
    for name in names:
        item = bpy.data.objects[name]
        mine = owners == item.session_uid
        wanted = np.zeros(6, bool)
        np.logical_or.at(wanted, polygons[mine], near[mine].any(axis=1))
        assert found.own[item.session_uid].tolist() == wanted.tolist()
        assert found.meshes[item.data.session_uid].tolist() == wanted.tolist()
        assert found.objects[item.session_uid] == wanted.any()
    assert 0 < near.any(axis=1).sum() < len(near)


def test_the_faces_of_a_material_are_kept():
    cube("Shell", size=4)
    inner, other = cube("Inner"), cube("Other", location=(1, 1, 1))
    for name in ("Plain", "Precious"):
        inner.data.materials.append(bpy.data.materials.new(name))
    inner.data.polygons[2].material_index = 1
    counted = samples()
    found = kept(counted, material="Precious", rings=0)
    assert np.flatnonzero(found.meshes[inner.data.session_uid]).tolist() == [2]
    assert found.never == {other.session_uid}
    with pytest.raises(ValueError, match="no material named Gold"):
        kept(counted, material="Gold")


def test_meshes_that_have_changed_since_are_left_alone():
    shell, inner = cube("Shell", size=4), cube("Inner")
    counted = samples()
    inner.data.clear_geometry()
    bpy.data.meshes.new("Empty")
    assert kept(counted).meshes.keys() == {shell.data.session_uid}


@pytest.mark.parametrize("name", ["select", "collect", "hide", "mark", "mask", "copy"])
def test_without_samples_there_is_a_reason(name):
    cube("Cube")
    with pytest.raises(RuntimeError, match="Find what is never seen first"):
        getattr(bpy.ops.octree, f"{name}_never_seen")()


def test_objects_and_faces_are_selected():
    item = one_quad_of(3)
    cube("Aside", location=(40, 0, 0))
    ask(views="SHOT")
    bpy.ops.octree.select_never_seen(kind="OBJECTS")
    assert selected() == {"Aside"}
    bpy.ops.octree.select_never_seen(kind="FACES", rings=0)
    assert [face.index for face in item.data.polygons if face.select] == [*range(1, 9)]
    select_only(item)
    bpy.ops.object.mode_set(mode="EDIT")
    bpy.ops.octree.select_never_seen(rings=1)
    bpy.ops.object.mode_set(mode="OBJECT")
    assert [face.index for face in item.data.polygons if face.select] == [2, 5, 6, 7, 8]
    assert settings_of(bpy.context.scene).never_seen.rings == 1


def test_objects_are_collected_and_hidden():
    box_of_parts(5)
    ask()
    bpy.ops.octree.collect_never_seen()
    assert {item.name for item in bpy.data.collections["Never Seen"].objects} == {
        f"Part {number}" for number in range(5)
    }
    bpy.ops.octree.hide_never_seen()
    assert [item.name for item in bpy.context.view_layer.objects if item.visible_get()] == ["Box"]
    bpy.ops.octree.restore_hidden()
    assert len([i for i in bpy.context.view_layer.objects if i.visible_get()]) == 6


def test_the_settings_are_those_of_the_panel():
    """What an operator does not show it leaves alone."""
    one_quad_of(3)
    ask(views="SHOT")
    settings = settings_of(bpy.context.scene).never_seen
    settings.rings, settings.least, settings.material = 4, 3, bpy.data.materials.new("Kept")
    for name in ("mark", "select", "mask"):
        getattr(bpy.ops.octree, f"{name}_never_seen")()
        assert (settings.rings, settings.least, settings.material.name) == (4, 3, "Kept")


def test_samples_are_marked():
    item = one_quad_of(3)
    ask(views="SHOT")
    bpy.ops.octree.mark_never_seen()
    values = [each.value for each in item.data.attributes["samples_seen"].data]
    assert values == [256 * 256, *[0] * 8]
    bpy.ops.octree.mark_never_seen(mark="OBJECTS", attribute="pixels")
    assert item["pixels"] == 256 * 256


def evaluated_faces(item):
    return len(item.evaluated_get(bpy.context.evaluated_depsgraph_get()).data.polygons)


def test_masks_hide_faces_and_are_removed(capfd):
    item = one_quad_of(4)
    other = link(bpy.data.objects.new("Other", item.data), location=(0, 0, -3))
    bpy.context.view_layer.update()
    ask(views="SHOT")
    for _ in range(2):  # the second time changes nothing
        bpy.ops.octree.mask_never_seen(rings=1)
        assert [each.type for each in item.modifiers] == ["MASK"]
        assert [each.name for each in item.vertex_groups] == ["Never Seen"]
        assert evaluated_faces(item) == evaluated_faces(other) == 4
    assert "12 faces of 2 objects masked" in capfd.readouterr().out
    bpy.ops.octree.mask_never_seen(rings=0)
    assert evaluated_faces(item) == 1
    bpy.ops.octree.mask_never_seen(rings=9)
    assert not item.modifiers
    bpy.ops.octree.mask_never_seen(rings=2)
    ask(views="SHOT")  # what is masked is left alone
    bpy.ops.octree.mask_never_seen(rings=2)
    assert evaluated_faces(item) == 9
    bpy.ops.octree.unmask_never_seen()
    assert not item.modifiers
    assert not item.vertex_groups
    assert evaluated_faces(item) == 16
    with pytest.raises(RuntimeError, match="Nothing is masked"):
        bpy.ops.octree.unmask_never_seen()


def test_a_mask_keeps_faces_between_kept_vertices(capfd):
    """A quad whose corners are all corners of seen faces cannot be masked."""
    item = slab(3)
    ring = [number for number in range(9) if number != 4]
    found = masks.mask([item], {item.data.session_uid: np.isin(np.arange(9), ring)})
    assert (found["faces"], found["staying"]) == (0, 1)


def test_linked_meshes_are_refused_by_name(tmp_path, capfd):
    shell, inner = cube("Shell", size=4), cube("Inner")
    path = str(tmp_path / "library.blend")
    bpy.data.libraries.write(path, {inner})
    bpy.data.objects.remove(inner)
    with bpy.data.libraries.load(path, link=True) as (_, target):
        target.objects = ["Inner"]
    linked = link(target.objects[0])
    bpy.context.view_layer.update()
    assert ask() == {"Inner"}
    bpy.ops.octree.mark_never_seen()
    bpy.ops.octree.mask_never_seen()
    text = capfd.readouterr().out
    assert text.count("linked from another file: ") == 2
    assert not linked.modifiers
    assert "samples_seen" not in linked.data.attributes
    bpy.ops.octree.copy_never_seen(whole="COPY", rings=0)
    (copy,) = [item for item in bpy.data.collections["Seen"].objects if "Inner" in item.name]
    assert copy.library is None
    assert len(copy.data.polygons) == 0
    assert len(linked.data.polygons) == 6
    assert shell.hide_get()


def test_each_action_is_one_undo_step():
    box_of_parts(4)
    ask()
    bpy.ops.ed.undo_push(message="before")
    before = whole_file()
    for name in ("copy", "mask", "mark", "collect", "hide"):
        assert getattr(bpy.ops.octree, f"{name}_never_seen")("EXEC_DEFAULT", True) == {"FINISHED"}
        assert whole_file() != before, name
        bpy.ops.ed.undo()
        assert whole_file() == before, name
    assert hiding.hidden_counts(bpy.context.scene) == {}


def test_what_is_in_edit_mode_without_being_active_is_left_alone():
    """Then Blender calls it Object Mode."""
    box, parts = box_of_parts(2)
    ask()
    select_only(box)
    bpy.ops.object.mode_set(mode="EDIT")
    bpy.context.view_layer.objects.active = parts[0]
    assert bpy.context.mode == "OBJECT"
    for name in ("mark", "mask", "copy"):
        assert getattr(bpy.ops.octree, f"{name}_never_seen")() == {"FINISHED"}
    assert not box.modifiers
    assert len(bpy.data.collections["Seen"].objects["Box.001"].data.polygons) == 6
    bpy.context.view_layer.objects.active = box
    bpy.ops.object.mode_set(mode="OBJECT")
    assert "samples_seen" not in box.data.attributes
    assert "samples_seen" in parts[0].data.attributes


def test_dropped_in_the_middle_of_a_shot_nothing_has_changed():
    box, parts = box_of_parts(3)
    view = overhead(location=(0, 0, 20))
    for frame in (1, 9):
        view.location.x = frame
        view.keyframe_insert("location", frame=frame)
    select_only(parts[0])
    bpy.context.scene.frame_set(4)
    box.location.x = 0.25  # not keyed
    bpy.context.view_layer.update()
    before = whole_file(), bpy.context.scene.frame_current, selected()
    steps = never_seen.samples_steps(bpy.context, views("SHOT", frames=(1, 3, 5, 7)))
    while next(steps) < 0.6:
        pass
    assert bpy.context.scene.frame_current > 4
    steps.close()
    assert (whole_file(), bpy.context.scene.frame_current, selected()) == before
    assert never_seen.get(bpy.context.scene) is None


# What each button does by itself, and what shows whether it took the screw.
BUTTONS = {
    "select": ({"kind": "OBJECTS"}, lambda screw: screw.select_get()),
    "collect": ({}, lambda screw: any("Never" in each.name for each in screw.users_collection)),
    "hide": ({"everything": True}, lambda screw: screw.hide_get()),
    "mask": ({}, lambda screw: len(screw.modifiers) > 0),
    "copy": ({}, lambda screw: "Screw.001" not in bpy.data.objects),
}


@pytest.mark.parametrize("button", BUTTONS)
def test_what_is_too_small_to_tell_is_kept_unless_that_is_not_wanted(empty_scene, button):
    cube("Case", size=10)
    cube("Part", location=(1, 1, 1))
    screw = cube("Screw", size=1e-3, location=(5.3, 2.3, 6.7))
    bpy.context.view_layer.update()
    assert ask() == {"Part"}
    options, is_taken = BUTTONS[button]
    press = getattr(bpy.ops.octree, f"{button}_never_seen")
    assert press("EXEC_DEFAULT", True, **options) == {"FINISHED"}
    assert not is_taken(screw)
    bpy.ops.octree.restore_hidden.poll() and bpy.ops.octree.restore_hidden()
    for copy in [item for item in bpy.data.objects if item.name.endswith(".001")]:
        bpy.data.objects.remove(copy)
    assert press("EXEC_DEFAULT", True, small=False, **options) == {"FINISHED"}
    assert is_taken(screw)
    assert not empty_scene.octree.never_seen.small


def test_faces_too_small_to_tell_are_kept_by_their_size():
    part = cube("Part", location=(1, 1, 1))
    _, screw = cube("Case", size=10), cube("Screw", size=1e-3, location=(5.3, 2.3, 6.7))
    bpy.context.view_layer.update()
    found = samples(views(resolution=100))
    mine = screw.data.session_uid
    assert kept(found).meshes[mine].all()
    assert kept(found).saved["size"] == 6
    assert not kept(found, small=False).meshes[mine].any()
    assert kept(found).never == {part.session_uid}
    assert kept(found, small=False).never == {part.session_uid, screw.session_uid}
    bpy.ops.octree.find_never_seen(views="OUTSIDE", directions=12, resolution=100)
    bpy.ops.octree.mark_never_seen()
    values = [each.value for each in screw.data.attributes["samples_seen"].data]
    assert values == [never_seen.TOO_SMALL] * 6
    bpy.ops.octree.mark_never_seen(mark="OBJECTS")
    assert screw["samples_seen"] == never_seen.TOO_SMALL
