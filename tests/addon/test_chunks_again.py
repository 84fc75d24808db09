"""Chunks once made: cut again where something has changed, undone, restored; what is shown."""

import bpy
import numpy as np
import pytest
from blender_scenes import camera, cube, mesh_object, select_only
from chunk_scenes import FINE, bumpy, chunks, cut, world
from snapshots import whole_file

from octree_ext.core import ZBuffer, run
from octree_ext.octree_addon.answers.kept import active_result, numbered_answer
from octree_ext.octree_addon.chunks import cells_in, cutting
from octree_ext.octree_addon.chunks.made import made_collection, sources_in
from octree_ext.octree_addon.chunks.operators import CutFacts
from octree_ext.octree_addon.result_list import kind_of, view_of
from octree_ext.octree_addon.scene_index import State, index_steps
from octree_ext.octree_addon.ui import stepped


def kept_facts():
    scene = bpy.context.scene
    return numbered_answer(scene, active_result(scene).number, CutFacts).found


def has_changed():
    return kept_facts().version.state(bpy.context.scene) is State.CHANGED


def spread():
    """Add two sheets far from each other, with small things beside them."""
    one, other = bumpy("One"), bumpy("Other", seed=5)
    other.location.x = 16
    cube("Small", 0.25, location=(8.4, 0.4, 0.4))
    bpy.context.view_layer.update()
    return one, other


def test_only_what_has_changed_is_cut_again():
    one, other = spread()
    before = {(item["octree_source"], item["octree_chunk"]): item for item in cut(triangles=60)}
    meshes = {key: item.data.session_uid for key, item in before.items()}
    assert not has_changed()
    other.location.z = 0.125
    bpy.context.view_layer.update()
    assert has_changed()
    after = {(item["octree_source"], item["octree_chunk"]): item for item in cut(triangles=60)}
    same = [key for key in after if key in meshes and after[key].data.session_uid == meshes[key]]
    assert {name for name, _ in same} == {"One", "Small"}
    assert {key for key in after if key[0] != "Other"} == set(same)
    assert not has_changed()
    assert not one.visible_get()
    assert one.hide_render and not any(item.hide_render for item in after.values())
    assert len(bpy.data.meshes) == len({item.data for item in (*after.values(), one, other)})


def test_what_nothing_has_changed_is_kept_whole():
    spread()
    before = {item.session_uid for item in cut(triangles=60)}
    assert {item.session_uid for item in cut(triangles=60)} == before


def looked_at(monkeypatch):
    """Return two lists: numbers of meshes read, and of meshes taken apart, a cut each."""
    read, parted = [], []
    reader, assembly = cutting.layer_steps, cutting.chunk_arrays

    def layer_steps(depsgraph_of, wanted):
        read.append(len(wanted))
        parted.append(0)
        return reader(depsgraph_of, wanted)

    def chunk_arrays(*rows):
        parted[-1] += 1
        return assembly(*rows)

    monkeypatch.setattr(cutting, "layer_steps", layer_steps)
    monkeypatch.setattr(cutting, "chunk_arrays", chunk_arrays)
    return read, parted


def test_only_what_has_changed_is_read_and_taken_apart_again(monkeypatch):
    read, parted = looked_at(monkeypatch)
    sheets = [bumpy(f"Sheet {number}", seed=number) for number in range(6)]
    for number, sheet in enumerate(sheets):
        sheet.location.x = 8 * number
    bpy.context.view_layer.update()
    cut(triangles=60)
    cut(triangles=60)
    sheets[2].location.z = 0.125
    bpy.context.view_layer.update()
    moved = {item.session_uid: item["octree_signature"] for item in cut(triangles=60)}
    sheets[4].data.attributes["FLOAT_POINT"].data[0].value = 77
    sheets[4].data.update()
    cut(triangles=60)
    cut(triangles=30)
    assert read == parted == [6, 0, 1, 1, 6]
    # As if cut for the first time.
    cut(triangles=60)
    again = sorted(item["octree_signature"] for item in chunks())
    bpy.ops.octree.remove_chunks()
    assert sorted(item["octree_signature"] for item in cut(triangles=60)) == again
    assert len(set(again) & set(moved.values())) == len(again) - sum(
        item["octree_source"] == "Sheet 4" for item in chunks()
    )


def test_a_chunk_that_was_deleted_or_lost_its_session_is_made_again(monkeypatch):
    read, _ = looked_at(monkeypatch)
    spread()
    made = cut(triangles=60)
    names = sorted(item.name for item in made)
    gone = next(item for item in made if item["octree_source"] == "Other")
    bpy.data.objects.remove(gone)
    assert sorted(item.name for item in cut(triangles=60)) == names
    bpy.context.scene.octree.results.kept.clear()
    cut(triangles=60)
    assert read[0] == read[2] == 3 > read[1] >= 1


def test_what_a_neighbor_brings_is_cut_again():
    """A sheet that shares an edge with another gets the vertices that walls make there."""
    mesh_object("One", [(0, 0, 0), (1, 0, 0), (1, 1, 0), (0, 1, 0)], [(0, 1, 2, 3)])
    cut(triangles=5)
    before = {item["octree_chunk"]: item["octree_signature"] for item in chunks()}
    small = bumpy("Many", 20)
    small.scale, small.location = (0.02,) * 3, (0.5, 0.5, 0)
    bpy.context.view_layer.update()
    after = [item for item in cut(triangles=50) if item["octree_source"] == "One"]
    assert {item["octree_signature"] for item in after}.isdisjoint(before.values())
    signatures = {item["octree_signature"] for item in after}
    bpy.ops.octree.remove_chunks()
    again = [item for item in cut(triangles=50) if item["octree_source"] == "One"]
    assert {item["octree_signature"] for item in again} == signatures


def test_another_material_is_a_change():
    one, _ = spread()
    cut(triangles=60)
    one.data.materials[0] = bpy.data.materials.new("Late")
    bpy.context.view_layer.update()
    names = {
        slot.name for item in cut(triangles=60) if item["octree_source"] == "One"
        for slot in item.material_slots
    }  # fmt: skip
    assert "Late" in names
    assert "Material 0" not in names


def test_an_edited_attribute_is_a_change():
    one, _ = spread()
    before = {item.session_uid for item in cut(triangles=60)}
    one.data.attributes["FLOAT_POINT"].data[0].value = 77
    one.data.update()
    after = [item for item in cut(triangles=60) if item.session_uid not in before]
    assert {item["octree_source"] for item in after} == {"One"}


def test_sources_are_restored_and_chunks_leave_nothing():
    spread()
    before = {name: len(getattr(bpy.data, name)) for name in ("objects", "meshes", "collections")}
    visible = [item.visible_get() for item in bpy.context.scene.objects]
    cut(triangles=60)
    assert len(sources_in(bpy.context.scene)) == 3
    assert not any(item.visible_get() for item in sources_in(bpy.context.scene))
    assert all(item.hide_render for item in sources_in(bpy.context.scene))
    assert bpy.ops.octree.remove_chunks() == {"FINISHED"}
    assert before == {name: len(getattr(bpy.data, name)) for name in before}
    assert visible == [item.visible_get() for item in bpy.context.scene.objects]
    assert not any(item.hide_render for item in bpy.context.scene.objects)
    with pytest.raises(RuntimeError, match="There are no chunks"):
        bpy.ops.octree.remove_chunks()


def test_hidden_by_others_is_neither_cut_nor_shown():
    _, other = spread()
    other.hide_set(True)
    made = cut(triangles=60)
    assert "Other" not in {item["octree_source"] for item in made}
    bpy.ops.octree.remove_chunks()
    assert other.hide_get()


def test_selected_objects_are_cut_and_again():
    one, _ = spread()
    select_only(one)
    made = cut(triangles=60, scope="SELECTED")
    assert {item["octree_source"] for item in made} == {"One"}
    select_only()
    again = cut(triangles=60, scope="SELECTED")
    assert {item.session_uid for item in again} == {item.session_uid for item in made}


def test_preview_counts_what_a_cut_has_and_outlines_cells():
    spread()
    assert bpy.ops.octree.preview_chunks(**FINE, triangles=60) == {"FINISHED"}
    scene = bpy.context.scene
    result = active_result(scene)
    rows = view_of(scene, result).rows
    triangles, names = rows.column("Triangles").values, rows.column("Cell").words
    counts = dict(zip(names, triangles.tolist(), strict=True))
    cells = cells_in(result)
    assert (np.diff(triangles) <= 0).all()
    corners = kind_of(result).contact(scene, result, 0)
    assert corners.segments.shape == (12, 2, 3)
    assert np.ptp(corners.around, axis=0) == pytest.approx(cells.upper[0] - cells.lower[0])
    found: dict[str, int] = {}
    for item in cut(triangles=60):
        found[item["octree_chunk"]] = found.get(item["octree_chunk"], 0) + len(world(item))
    assert found == counts
    assert max(found.values()) <= 60


def test_over_budget_stands_first():
    """Where cells may not be divided any further."""
    spread()
    bpy.ops.octree.preview_chunks(triangles=20, least_triangles=0, least_size=1.0)
    result = active_result(bpy.context.scene)
    cells = cells_in(result)
    assert cells.over.any()
    assert not cells.over.all()
    assert (np.diff(cells.over.astype(int)) <= 0).all()


def picture(size=(1000, 1000)):
    """Return which source each pixel shows, as names."""
    index = run(index_steps(bpy.context))
    matrix = np.diag([0.1, 0.1, -0.05, 1.0])
    matrix[:3, 3] = -0.8, 0.0, 0.0
    renderer = ZBuffer(index.octree)
    image = renderer.image(matrix, size)
    owners = index.placements.owners
    of = {
        item.session_uid: item.get("octree_source", item.name)
        for item in bpy.context.scene.objects
    }
    names = np.array([of[uid] for uid in owners.tolist()] + [""])
    return names[image.rows]


@pytest.mark.parametrize("triangles", [60, 15])
def test_label_pictures_of_source_and_chunks_are_the_same(triangles):
    spread()
    before = picture()
    assert set(np.unique(before)) == {"", "One", "Other", "Small"}
    cut(triangles=triangles)
    bpy.context.view_layer.update()
    assert (picture() != before).sum() == 0


def test_one_undo_takes_all_back():
    spread()
    bpy.context.preferences.edit.use_global_undo = True
    bpy.ops.ed.undo_push(message="Before")
    names = {item.name for item in bpy.data.objects}
    cut(triangles=60)
    bpy.ops.ed.undo_push(message="Cut")
    bpy.ops.ed.undo()
    assert {item.name for item in bpy.data.objects} == names
    assert made_collection(bpy.context.scene) is None
    assert all(item.visible_get() for item in bpy.context.scene.objects)
    bpy.ops.ed.redo()
    assert chunks()


def test_chunks_are_no_sources():
    spread()
    camera()
    cut(triangles=60)
    first = len(chunks())
    cut(triangles=60)
    assert len(chunks()) == first


@pytest.mark.parametrize("at", [0, 1, 2, 4, 8, 16, 1000])
def test_dropped_at_any_step_a_second_cut_leaves_the_first(at, monkeypatch):
    """While it is read what chunks are of is shown: then it is hidden again."""
    _, other = spread()
    cut(triangles=60)
    other.location.z = 0.125
    bpy.context.view_layer.update()
    before = whole_file()

    def dropped(steps):
        for _ in range(at):
            next(steps, None)
        steps.close()
        raise ValueError("dropped")

    monkeypatch.setattr(stepped, "run", dropped)
    with pytest.raises(RuntimeError, match="dropped"):
        bpy.ops.octree.cut_chunks()
    bpy.context.view_layer.update()
    after = whole_file()
    assert {part for part in before if before[part] != after[part]} == set()
