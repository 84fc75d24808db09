"""The list of results as Blender's own lists: arrows, Shift, Ctrl, two clicks, folds, groups.

Pictures are kept in tests/out.
"""

import pytest
from gui.harness import _redraw, wait_for
from gui.test_results import build_town, show_results_alone

pytestmark = pytest.mark.window

ROW = 21
# Where the dialog of Group has the field of the name, from the pointer.
NAME = (-60, 7)


def build_scatter():
    """Let an instancer put trees into a floor, and two boxes into each other."""
    import bpy

    for item in list(bpy.context.scene.objects):
        bpy.data.objects.remove(item)
    bpy.ops.mesh.primitive_cube_add(size=1, location=(0, 0, -0.1), scale=(24, 14, 0.2))
    bpy.context.object.name = "Floor"
    trees = bpy.data.collections.new("Trees")
    for number in range(70):
        bpy.ops.mesh.primitive_cone_add(
            radius1=0.4, depth=1, location=(1.5 * (number % 14) - 10, 2 * (number // 14) - 4, 0.3)
        )
        tree = bpy.context.object
        bpy.context.collection.objects.unlink(tree)
        trees.objects.link(tree)
    scatter = bpy.data.objects.new("Scatter", None)
    scatter.instance_type, scatter.instance_collection = "COLLECTION", trees
    bpy.context.collection.objects.link(scatter)
    for number in range(4):
        bpy.ops.mesh.primitive_cube_add(size=1, location=(0.8 * number, 0, 4))
        bpy.context.object.name = f"Crate {number}"
    bpy.ops.object.select_all(action="DESELECT")
    bpy.context.view_layer.update()
    bpy.ops.octree.audit("EXEC_DEFAULT", True)
    bpy.ops.ed.undo_push(message="Audit")


def state():
    """Return the active row, what is selected, picked and grouped, and how far the view is."""
    import importlib

    import bpy

    addon = "bl_ext.user_default.octree.octree_addon"
    choosing = importlib.import_module(f"{addon}.result_list.choosing")
    kept = importlib.import_module(f"{addon}.answers.kept")
    scene = bpy.context.scene
    result = kept.active_result(scene)
    return {
        "row": scene.octree.results.row,
        "line": scene.octree.results.line,
        "lines": kept.shown_of(scene, result).lines.tolist(),
        "picked": choosing.picked_rows(scene, result).tolist(),
        "selected": sorted(item.name for item in bpy.context.selected_objects),
        "distance": bpy.context.space_data.region_3d.view_distance,
        "groups": kept.view_of(scene, result).groups,
        "count": result.count,
    }


def follow(on):
    import bpy

    bpy.context.scene.octree.results.follow = on


def ask():
    import bpy

    bpy.ops.octree.select_collisions("EXEC_DEFAULT", True)
    bpy.ops.object.select_all(action="DESELECT")
    bpy.ops.ed.undo_push(message="Deselect")


def hover(window, x, y):
    """Put the pointer on a button: the first move leaves another one, the second enters this."""
    for side in (-3, 0):
        window.move(x + side, y)
        window.call(_redraw)


def click(window, x, y, key="", times=1):
    """Click on a line of the list while a key is held down."""
    hover(window, x, y)
    if key:
        window._xdotool("keydown", key)
        window.call(_redraw)
    window._xdotool("click", "--repeat", str(times), "--delay", "60", "1")
    window.call(_redraw)
    if key:
        window._xdotool("keyup", key)


def slow_clock():
    """Let the time between two clicks be short, however long the redraw in between takes."""
    import importlib
    import time
    from types import SimpleNamespace

    name = "bl_ext.user_default.octree.octree_addon.result_list.picking"
    slow = SimpleNamespace(monotonic_ns=lambda: time.monotonic_ns() // 50)
    importlib.import_module(name).time = slow


def test_arrows_shift_ctrl_and_two_clicks(window):
    window.call(build_town)
    window.call(ask)
    window.call(show_results_alone)
    window.call(follow, False)
    window.picture("lists_town")
    x, y = window.find_button("octree.click_row", x=900)
    click(window, x, y)
    wait_for(lambda: window.call(state)["line"] == 0)
    far = window.call(state)["distance"]
    window.keys("Down")
    wait_for(lambda: window.call(state)["line"] == 1)
    window.keys("Down", "Up", "Up")
    wait_for(lambda: window.call(state)["line"] == 0)
    click(window, x, y + 2 * ROW, "shift")
    wait_for(lambda: len(window.call(state)["picked"]) == 3)
    window.picture("lists_picked")
    click(window, x, y + ROW, "ctrl")
    wait_for(lambda: len(window.call(state)["picked"]) == 2)
    shown = window.call(state)
    assert shown["picked"] == [shown["lines"][0], shown["lines"][2]]
    assert len(shown["selected"]) == 4
    window.picture("lists_toggled")
    window.keys("Down")
    wait_for(lambda: not window.call(state)["picked"])
    assert window.call(state)["distance"] == pytest.approx(far)
    window.call(slow_clock)
    click(window, x, y, times=2)
    wait_for(lambda: window.call(state)["distance"] < far / 2)
    window.picture("lists_double")
    assert "Traceback" not in window.read_log()


def test_what_one_instancer_does_is_a_line_that_opens(window):
    window.call(build_scatter)
    window.call(show_results_alone)
    window.picture("lists_folded")
    shown = window.call(state)
    assert len(shown["lines"]) < 10 < shown["count"]
    header = shown["lines"][0]
    assert header >= shown["count"]
    x, y = window.find_button("octree.fold_row", x=892)
    click(window, x, y)
    wait_for(lambda: len(window.call(state)["lines"]) > 70)
    window.picture("lists_open")
    click(window, x + 60, y)
    wait_for(lambda: window.call(state)["row"] == header)
    assert window.call(state)["selected"] == ["Floor", "Scatter"]
    window.keys("Down")
    wait_for(lambda: 0 <= window.call(state)["row"] < shown["count"])
    window.picture("lists_open_row")
    assert "Traceback" not in window.read_log()


def delete_crate():
    import bpy

    bpy.data.objects.remove(bpy.data.objects["Crate 0"])
    bpy.ops.ed.undo_push(message="Delete")


def speak(language):
    import bpy

    bpy.context.preferences.view.language = language


def narrow():
    """Return how wide the sidebar is, which starts as wide as Blender has it."""
    import bpy

    return next(region.width for region in bpy.context.area.regions if region.type == "UI")


def test_a_group_is_named_folded_undone_and_saved(window, tmp_path):
    window.call(build_scatter)
    window.call(show_results_alone)
    window.picture("lists_before_group")
    x, y = window.find_button("octree.click_row", x=930)
    click(window, x, y + ROW)
    wait_for(lambda: window.call(state)["line"] == 1)
    click(window, x, y + 3 * ROW, "shift")
    wait_for(lambda: len(window.call(state)["picked"]) == 3)
    left, top = window.find_button("octree.group_rows", x=900, top=y + 7 * ROW)
    click(window, left, top)
    window.picture("lists_group_dialog")
    window.click(left + NAME[0], top + NAME[1])
    window.keys("ctrl+a")
    window._xdotool("type", "Crates")
    window.keys("Return", "Return")
    wait_for(lambda: list(window.call(state)["groups"]) == ["Crates"])
    assert len(window.call(state)["groups"]["Crates"]) == 3
    for language in ("en_US", "de_DE", "zh_HANS"):
        window.call(speak, language)
        window.picture(f"lists_group_{language}")
    window.call(speak, "en_US")
    window.call(delete_crate)
    window.move(500, 400)  # no tooltip stands in the picture
    window.picture("lists_deleted")
    window.keys("ctrl+z", "ctrl+z")
    wait_for(lambda: not window.call(state)["groups"])
    window.keys("ctrl+shift+z")
    wait_for(lambda: window.call(state)["groups"])
    window.call(save_and_open, str(tmp_path / "groups.blend"))
    assert len(window.call(state)["groups"]["Crates"]) == 3
    assert "Traceback" not in window.read_log()


def save_and_open(path):
    import bpy

    bpy.ops.wm.save_as_mainfile(filepath=path)
    bpy.ops.wm.open_mainfile(filepath=path)
