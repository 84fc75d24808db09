"""What is done with what is really seen: list, frames, selection, hiding, files, undo, Esc."""

import csv
import json
import random
from types import SimpleNamespace

import bpy
import numpy as np
import pytest
from behind_scenes import ball, card, count, eye, known_shapes, rows_of
from blender_scenes import cube, selected
from seen_tables import decoded_mask
from tuned import tuned

from octree_ext import octree_addon
from octree_ext.core import ZBuffer
from octree_ext.octree_addon import cameras, result_list, scene_index
from octree_ext.octree_addon.cameras import label_store, shown_scene
from octree_ext.octree_addon.cameras.table import csv_text, merged, read_json
from octree_ext.octree_addon.cameras.use_seen import ExportSeenOptions
from octree_ext.octree_addon.ui import forget_session, settings_of

SEEN = {"Half Out", "Behind", "Tiny", "Card", "Large Card"}


@pytest.fixture(autouse=True)
def numpy(monkeypatch):
    """Draw in NumPy: elsewhere it is tested that the card draws the same."""
    monkeypatch.setattr(shown_scene, "renderer_of", ZBuffer)


@pytest.fixture
def stage():
    """Add known shapes; the camera turns to what is hidden in the second of three frames."""
    item = eye()
    known_shapes()
    for frame, x in ((1, 0.0), (2, 1.0), (3, 0.0)):
        item.location.x = x
        item.location.y = 3.0 if frame == 2 else 0.0
        item.keyframe_insert("location", frame=frame)
    bpy.context.scene.frame_set(1)
    bpy.ops.ed.undo_push(message="Start")
    return item


def find(**options):
    options = {"behind": "UNSEEN", "resolution": 100} | options
    return bpy.ops.octree.find_seen("EXEC_DEFAULT", True, **options)


def listed(name):
    """Return object -> its numbers by column, and the row of each, of a result."""
    scene = bpy.context.scene
    kept = settings_of(scene).results.kept
    settings_of(scene).results.active = [each.name for each in kept].index(name)
    rows = result_list.view_of(scene, result_list.active_result(scene)).rows
    names = [
        result_list.view_of(scene, result_list.active_result(scene)).label(row, 0)
        for row in range(len(rows))
    ]
    values = zip(*(column.values.tolist() for column in rows.columns), strict=True)
    headers = [column.name for column in rows.columns]
    return {
        name: dict(zip(headers, line, strict=True))
        for name, line in zip(names, values, strict=True)
    }, rows


def test_the_list_tells_how_much_was_seen(stage, capfd):
    assert find() == {"FINISHED"}
    assert "5 of 7 objects seen in 1 frame by 1 camera; behind others at 640 x 480" in (
        capfd.readouterr().out
    )
    found, rows = listed("Seen by Cameras")
    assert found.keys() == SEEN
    assert abs(found["Behind"]["Seen"] - 40) < 2
    assert abs(found["Card"]["Nearest"] - 2) < 1e-3
    assert [*found][-1] == "Behind"  # most first
    assert rows.largest.tolist() == [1] * 5
    found, rows = listed("Not Seen by Cameras")
    assert found == {
        "Hidden": {"Hidden": 1, "Out": 0, "Small": 0},
        "Beside": {"Hidden": 0, "Out": 1, "Small": 0},
    }
    assert rows.largest is None


def test_what_is_too_small_is_told(stage):
    find(least=10)
    found, _ = listed("Not Seen by Cameras")
    assert found["Tiny"] == {"Hidden": 0, "Out": 0, "Small": 1}


def test_the_frame_that_shows_most_is_gone_to(stage):
    find(span="CUSTOM", first=1, last=3)
    _, rows = listed("Seen by Cameras")
    names = [*listed("Seen by Cameras")[0]]
    with pytest.raises(RuntimeError, match="Click a row first"):
        bpy.ops.octree.go_to_largest()
    for name, frame in (("Hidden", 2), ("Card", 1)):
        settings_of(bpy.context.scene).results.row = names.index(name)
        assert rows.largest[names.index(name)] == frame
        bpy.ops.octree.go_to_largest("EXEC_DEFAULT", True)
        assert bpy.context.scene.frame_current == frame
    settings_of(bpy.context.scene).results.row = names.index("Hidden")
    bpy.ops.octree.mark_row_frames()
    assert [each.frame for each in bpy.context.scene.timeline_markers] == [2]
    listed("Not Seen by Cameras")
    with pytest.raises(RuntimeError, match="with Behind Others"):
        bpy.ops.octree.go_to_largest()


def test_the_list_stays_in_the_file(stage, tmp_path):
    find()
    before = listed("Seen by Cameras")
    path = str(tmp_path / "seen.blend")
    bpy.ops.wm.save_as_mainfile(filepath=path)
    bpy.ops.wm.open_mainfile(filepath=path)
    after = listed("Seen by Cameras")
    assert after[0] == before[0]
    assert np.array_equal(after[1].largest, before[1].largest)


def test_what_is_unseen_is_selected_collected_hidden_and_comes_back(stage):
    find()
    bpy.ops.octree.select_seen(part="UNSEEN")
    assert selected() == {"Hidden", "Beside"}
    bpy.ops.octree.collect_seen(part="UNSEEN")
    assert {each.name for each in bpy.data.collections["Unseen"].objects} == {"Hidden", "Beside"}
    assert bpy.ops.octree.hide_unseen() == {"FINISHED"}
    assert {each.name for each in bpy.context.view_layer.objects if each.hide_get()} == {
        "Hidden",
        "Beside",
    }
    # What is gone hides nothing, and what was seen is seen as before.
    assert find() == {"FINISHED"}
    assert listed("Seen by Cameras")[0].keys() == SEEN
    bpy.ops.octree.restore_hidden()
    assert not any(each.hide_get() for each in bpy.context.view_layer.objects)


def test_a_press_is_one_undo_step(stage):
    find()
    assert settings_of(bpy.context.scene).shot.behind == "UNSEEN"
    bpy.ops.ed.undo()
    assert settings_of(bpy.context.scene).shot.behind == "IGNORE"
    assert not settings_of(bpy.context.scene).results.kept
    bpy.ops.ed.redo()
    assert [each.name for each in settings_of(bpy.context.scene).results.kept] == [
        "Not Seen by Cameras",
        "Seen by Cameras",
    ]
    assert find() == {"FINISHED"}


def test_the_result_is_refreshed_with_the_same_options(stage):
    find(resolution=20, least=3)
    before = listed("Seen by Cameras")[0]
    bpy.data.objects["Large Card"].location.x = 50
    listed("Seen by Cameras")
    assert bpy.ops.octree.refresh_result() == {"FINISHED"}
    after = listed("Seen by Cameras")[0]
    assert after.keys() == before.keys() - {"Large Card"} | {"Hidden"}
    assert cameras.get(bpy.context.scene).table.which.size == (128, 96)


def test_dropped_in_the_middle_nothing_has_changed(stage):
    scene = bpy.context.scene
    scene.frame_set(7, subframe=0.25)
    bpy.data.objects["Card"].location.z = 0.125  # without a key
    steps = cameras.pixel_steps(
        bpy.context, cameras.Shot(frames=(1, 2, 3)), cameras.PixelOptions(share=0.2)
    )
    frames = set()
    for fraction in steps:
        frames.add(scene.frame_current)
        if fraction > 0.5:
            break
    assert len(frames) > 1
    steps.close()
    assert (scene.frame_current, scene.frame_subframe) == (7, 0.25)
    assert bpy.data.objects["Card"].location.z == 0.125
    assert cameras.get(scene) is None


def test_a_change_in_between_ends_the_steps(stage):
    steps = cameras.pixel_steps(
        bpy.context, cameras.Shot(frames=(1,)), cameras.PixelOptions(share=0.2)
    )
    for fraction in steps:
        if fraction > 0.2:
            break
    bpy.data.objects["Card"].location.z = 3
    bpy.context.view_layer.update()
    scene_index.scene_index()
    with pytest.raises(ValueError, match="changed meanwhile"):
        list(steps)


def test_progress_ascends_to_its_end(stage):
    steps = cameras.pixel_steps(
        bpy.context, cameras.Shot(frames=(1, 2)), cameras.PixelOptions(share=0.2)
    )
    fractions = list(steps)
    assert fractions == sorted(fractions)
    assert 0 <= fractions[0] <= fractions[-1] <= 1


def export(path, **options):
    return bpy.ops.octree.export_seen(filepath=str(path), **options)


def test_files_hold_the_pixels(stage, tmp_path):
    find(span="CUSTOM", first=1, last=2, resolution=25)
    table = merged([cameras.get(bpy.context.scene).table])
    export(tmp_path / "a.csv")
    assert (tmp_path / "a.csv").read_text() == csv_text(table)
    assert "visible_fraction" in next(csv.reader((tmp_path / "a.csv").open()))
    export(tmp_path / "a.json")
    answer = read_json((tmp_path / "a.json").read_text())
    assert np.array_equal(answer.table.pixels.visible, table.pixels.visible)
    export(tmp_path / "b.json", format="BOP")
    assert json.loads((tmp_path / "b.json").read_text()).keys() == {"1", "2"}
    export(tmp_path / "c.json", format="COCO", labels=True)
    data = json.loads((tmp_path / "c.json").read_text())
    assert len(data["images"]) == len(list((tmp_path / "c").iterdir())) == 2
    for each in data["annotations"]:
        mask = decoded_mask(each["segmentation"]["counts"], 160, 120)
        assert mask.sum() == each["area"]
        assert np.array_equal(
            mask, table.label_picture(each["image_id"] - 1) == each["object_id"] - 1
        )
    assert sorted(each.name for each in tmp_path.iterdir()) == [
        "a.csv", "a.json", "b.json", "c", "c.json"
    ]  # fmt: skip


def test_files_that_need_pixels_say_so(stage, tmp_path):
    find(behind="IGNORE")
    with pytest.raises(RuntimeError, match="There are no pixels: ask with Behind Others"):
        export(tmp_path / "a.json", format="COCO")
    find()
    with pytest.raises(RuntimeError, match=r"must end in \.json"):
        export(tmp_path / "a.csv", format="COCO")
    assert not list(tmp_path.iterdir())


@pytest.mark.parametrize(
    ("form", "name", "fits"), [("COCO", "a.csv", "a.json"), ("TABLE", "a.csv", "a.csv")]
)
def test_the_file_browser_offers_a_fitting_name(form, name, fits):
    put = {"filepath": name}
    browser = SimpleNamespace(taken=ExportSeenOptions(filepath=name, format=form), put=put.update)
    changed = bpy.types.OCTREE_OT_export_seen.check(browser, bpy.context)
    assert (put["filepath"], changed) == (fits, name != fits)


@tuned(octree_addon, label_bytes=100)
def test_label_pictures_that_grow_too_large_are_dropped():
    store = label_store.LabelStore((20, 10))
    store.add(np.zeros((10, 20), np.int32))
    assert (store(0) == 0).all()
    store.add(np.random.default_rng(0).integers(99, size=(10, 20)).astype(np.int32))
    with pytest.raises(ValueError, match="ask for fewer frames"):
        store(0)


class Hand:
    """Somebody who changes the scene at random."""

    def __init__(self, seed):
        self.random = random.Random(seed)

    def object(self):
        return self.random.choice([each for each in bpy.data.objects if each.type == "MESH"])

    def move(self):
        self.object().location = [self.random.uniform(-2, 2), self.random.uniform(2, 8), 0]

    def add(self):
        cube(location=(self.random.uniform(-1, 1), self.random.uniform(3, 6), 0))

    def delete(self):
        if len(bpy.data.objects) > 5:
            bpy.data.objects.remove(self.object())

    def hide(self):
        item = self.object()
        name = self.random.choice(["hide_render", "hide_viewport", "visible_camera", "is_holdout"])
        setattr(item, name, not getattr(item, name))

    def reshape(self):
        self.object().data.vertices[0].co.x += 0.3
        self.object().data.update()

    def frame(self):
        bpy.context.scene.frame_set(self.random.randint(1, 3))

    def undo(self):
        if bpy.ops.ed.undo.poll():
            bpy.ops.ed.undo()


@pytest.mark.parametrize("seed", range(3))
def test_a_random_session_is_answered_as_a_fresh_one(stage, seed):
    hand, asked = Hand(seed), 0
    for _ in range(25):
        act = hand.random.choice(
            [hand.move, hand.add, hand.delete, hand.hide, hand.reshape, hand.frame, hand.undo]
        )
        act()
        bpy.context.view_layer.update()
        if act not in (hand.undo, hand.frame):
            bpy.ops.ed.undo_push(message=act.__name__)
        if hand.random.random() < 0.4 and bpy.context.scene.camera:
            before = bpy.context.scene.frame_current
            assert find(span="CUSTOM", first=1, last=2, resolution=10) == {"FINISHED"}
            assert bpy.context.scene.frame_current == before
            found = rows_of(cameras.get(bpy.context.scene))
            forget_session()
            fresh = rows_of(count((1, 2), share=0.1))
            assert found.keys() == fresh.keys()
            for key, row in found.items():
                assert all(
                    np.array_equal(value, fresh[key][name], equal_nan=True)
                    for name, value in row.items()
                )
            asked += 1
    assert asked > 3


def test_the_report_names_what_was_taken_for_what(stage, capfd):
    item = ball("Unrendered", (0, 1, 0))
    item.hide_render = True
    glass = bpy.data.materials.new("Glass")
    if bpy.app.version < (5, 0):
        glass.use_nodes = True
    glass.node_tree.nodes["Principled BSDF"].inputs["Transmission Weight"].default_value = 1.0
    card("Pane", -0.1, 0.1, 1).data.materials.append(glass)
    find()
    assert "; see-through, solid: Glass; not rendered: 1" in capfd.readouterr().out
    find(clear="OPEN")
    assert "see-through, left out: Glass" in capfd.readouterr().out
