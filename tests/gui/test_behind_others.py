"""What is behind others, asked with the button in a town: answer, list, frames, and Esc."""

import pytest
from gui import guide_scenes as scenes
from gui.harness import wait_for
from gui.test_tab import show_tab

pytestmark = pytest.mark.window

ASKED = {"span": "SCENE", "step": 6, "behind": "UNSEEN"}


def state():
    """Return the frame, the selected objects, the results, and how many handlers there are."""
    import bpy

    scene = bpy.context.scene
    results = [each.name for each in scene.octree.results.kept]
    selected = sorted(item.name for item in bpy.context.selected_objects)
    return [scene.frame_current, selected, results]


def choose_row(row):
    import bpy

    bpy.context.scene.octree.results.row = row


def kind_of_renderer():
    import importlib

    package = "bl_ext.user_default.octree"
    drawing = importlib.import_module(f"{package}.octree_addon.item_buffer")
    core = importlib.import_module(f"{package}.core")
    return type(drawing.renderer_of(core.SceneOctree())).__name__


def shown_columns():
    import importlib

    import bpy

    results = importlib.import_module("bl_ext.user_default.octree.octree_addon.result_list")
    rows = results.view_of(bpy.context.scene, results.active_result(bpy.context.scene)).rows
    return {each.name: each.values.tolist() for each in rows.columns}, rows.largest.tolist()


def ask(window):
    assert window.call(scenes.press, "find_seen", ASKED) in (["FINISHED"], ["RUNNING_MODAL"])
    wait_for(lambda: not window.call(scenes.is_busy), 120)


def test_a_town_with_unseen_houses(window):
    window.call(scenes.build_town)
    window.call(show_tab, ["main", "camera", "shot"])
    assert window.call(kind_of_renderer) == "GpuBuffer"
    before = window.call(state)
    ask(window)
    after = window.call(state)
    assert after == [*before[:2], ["Not Seen by Cameras", "Seen by Cameras"]]
    assert window.call(scenes.paint_unseen) > 100
    window.picture("behind_town")
    columns, largest = window.call(shown_columns)
    parts = [round(each) for each in columns["Seen"]]
    assert parts == sorted(parts, reverse=True)
    window.call(show_tab, ["results"])
    window.call(choose_row, 3)
    window.picture("behind_list")
    window.call(scenes.press, "go_to_largest", {})
    assert window.call(state)[0] == largest[3]
    window.picture("behind_largest")
    window.keys("ctrl+z")
    wait_for(lambda: window.call(state)[0] == before[0])
    window.call(scenes.press, "show_result", {"step": 1})
    window.picture("behind_unseen")


def test_escape_changes_nothing(window):
    window.call(scenes.build_town)
    before = window.call(state)
    window.move(430, 420)
    asked = ASKED | {"span": "CUSTOM", "first": 1, "last": 2000, "step": 1}
    assert window.call(scenes.press, "find_seen", asked) == ["RUNNING_MODAL"]
    wait_for(lambda: window.call(state)[0] >= 3)
    window.picture("behind_progress", redraw=False)
    window.keys("Escape")
    wait_for(lambda: not window.call(scenes.is_busy))
    assert window.call(state) == before
    assert "Traceback" not in window.read_log()
