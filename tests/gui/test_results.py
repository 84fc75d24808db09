"""The list of results, used with the pointer; the pictures are kept in tests/out."""

import numpy as np
import pytest
from gui.harness import wait_for

pytestmark = pytest.mark.window

YELLOW, VERMILION = (0.94, 0.89, 0.26), (0.84, 0.37, 0.0)
CENTER = (430, 420)
FIRST_ROW, LIST_LEFT = 246, 900


def build_town():
    """Set up thirty houses in rows; one of them stands in its neighbor, another is linked."""
    import bpy

    bpy.data.objects.remove(bpy.data.objects["Cube"])
    for x in range(6):
        for y in range(5):
            bpy.ops.mesh.primitive_cube_add(size=1.4, location=(3 * x - 8, 3 * y - 6, 0.7))
            bpy.context.object.name = f"House {x}{y}"
    bpy.data.objects["House 22"].location.x += 1.7
    bpy.data.objects["House 40"].location.y += 1.8
    bpy.ops.mesh.primitive_ico_sphere_add(subdivisions=4, radius=1.2, location=(-8, 6, 1.2))
    bpy.context.object.name = "Tree"
    bpy.ops.object.select_all(action="DESELECT")
    bpy.ops.ed.undo_push(message="Town")


def show_results_alone():
    """Show our tab with the panel of results at its top, wherever it stands otherwise."""
    import bpy

    names = [name for name in dir(bpy.types) if name.startswith("OCTREE_PT_")]
    panels = [getattr(bpy.types, name) for name in names]
    for panel in sorted(panels, key=lambda each: not getattr(each, "bl_parent_id", "")):
        bpy.utils.unregister_class(panel)
    results = next(each for each in panels if each.__name__ == "OCTREE_PT_results")
    results.bl_parent_id = ""
    bpy.utils.register_class(results)
    bpy.context.space_data.show_region_ui = True
    sidebar = next(region for region in bpy.context.area.regions if region.type == "UI")
    bpy.ops.wm.redraw_timer(type="DRAW_WIN_SWAP", iterations=2)  # the tabs are known then
    sidebar.active_panel_category = "Octree"


def ask():
    import bpy

    bpy.ops.octree.select_collisions("EXEC_DEFAULT", True)
    bpy.ops.object.select_all(action="DESELECT")
    bpy.ops.ed.undo_push(message="Deselect")


def state():
    """Return the active row, the selection, and how far away the view is."""
    import bpy

    row = bpy.context.scene.octree.results.row
    chosen = sorted(item.name for item in bpy.context.selected_objects)
    return [row, chosen, bpy.context.space_data.region_3d.view_distance]


def is_local():
    import bpy

    return bpy.context.space_data.local_view is not None


def press(name):
    import bpy

    getattr(bpy.ops.octree, name)("INVOKE_DEFAULT", True)


def hue_pixels(picture, color):
    """Count the pixels of the 3D view whose tint is that of a color, mixed with gray or not."""
    pixels = picture[130:760, 70:840].reshape(-1, 3) / 255
    tint = pixels - pixels.mean(axis=1, keepdims=True)
    wanted = np.array(color) - np.mean(color)
    along = tint @ wanted / np.linalg.norm(wanted)
    return int(((along > 0.08) & (along > 0.9 * np.linalg.norm(tint, axis=1))).sum())


def leave_answer_plain():
    import bpy

    bpy.context.scene.octree.answer.found = False


def test_a_click_on_a_row_selects_frames_and_colors_a_pair(window):
    window.call(build_town)
    window.call(ask)
    window.call(show_results_alone)
    window.call(leave_answer_plain)
    plain = window.picture("results_list")
    row, chosen, far = window.call(state)
    assert (row, chosen) == (-1, [])
    window.click(LIST_LEFT, FIRST_ROW)
    wait_for(lambda: len(window.call(state)[1]) == 2)
    wait_for(lambda: window.call(state)[2] < far / 2)
    window.move(*CENTER)
    seen = window.picture("results_pair")
    for color in (YELLOW, VERMILION):
        assert hue_pixels(seen, color) > 5_000 + hue_pixels(plain, color)
    first = window.call(state)[:2]
    window.call(press, "next_row")
    wait_for(lambda: window.call(state)[0] not in (-1, first[0]))
    window.picture("results_next_pair")
    window.keys("ctrl+z")
    wait_for(lambda: window.call(state)[:2] == first)
    window.call(press, "isolate_row")
    wait_for(lambda: window.call(is_local))
    window.picture("results_isolated")
    window.call(press, "isolate_row")
    wait_for(lambda: not window.call(is_local))
    window.keys("ctrl+z", "ctrl+z", "ctrl+z")
    wait_for(lambda: window.call(state)[:2] == [-1, []])


def build_instances():
    """Add an empty that shows a collection of balls in a row; two of them overlap."""
    import bpy

    bpy.data.objects.remove(bpy.data.objects["Cube"])
    balls = bpy.data.collections.new("Balls")
    for x in (0, 4, 8, 9, 14):
        bpy.ops.mesh.primitive_ico_sphere_add(subdivisions=4, location=(x, 0, 1))
        ball = bpy.context.object
        bpy.context.collection.objects.unlink(ball)
        balls.objects.link(ball)
    empty = bpy.data.objects.new("Row of Balls", None)
    empty.instance_type, empty.instance_collection = "COLLECTION", balls
    bpy.context.collection.objects.link(empty)
    bpy.context.view_layer.update()
    bpy.ops.octree.select_collisions("EXEC_DEFAULT", True, instances=True)


def test_instances_are_framed_and_colored_one_by_one(window):
    window.call(build_instances)
    window.call(show_results_alone)
    plain = window.picture("results_instances")
    window.click(LIST_LEFT, FIRST_ROW)
    wait_for(lambda: window.call(state)[:2] == [0, ["Row of Balls"]])
    window.move(*CENTER)
    seen = window.picture("results_instance_pair")
    for color in (YELLOW, VERMILION):
        assert hue_pixels(seen, color) > 8_000 + hue_pixels(plain, color)


def test_a_change_is_told_after_a_rest_and_no_change_is_not(window):
    window.call(build_town)
    window.call(ask)
    window.call(show_results_alone)
    window.picture("results_before_a_move")
    wait_for(lambda: window.call(changed) is False)
    window.call(move, 0.5)
    wait_for(lambda: window.call(changed) is True)
    window.picture("results_changed")
    window.call(move, -0.5)
    wait_for(lambda: window.call(changed) is False)


def move(x):
    import bpy

    bpy.data.objects["House 00"].location.x += x


def changed():
    """Tell whether the scene is known to be another, as the panel does; None if not known."""
    import importlib

    import bpy

    addon = "bl_ext.user_default.octree.octree_addon"
    results = importlib.import_module(f"{addon}.result_list")
    version = results.version_of_result(
        bpy.context.scene, results.active_result(bpy.context.scene)
    )
    return {"SAME": False, "UNKNOWN": None, "CHANGED": True}[version.state(bpy.context.scene).name]


def hide(name, state):
    import bpy

    bpy.data.objects[name].hide_set(state)


def test_hiding_is_a_change_that_is_told_after_a_rest(window):
    window.call(build_town)
    window.call(ask)
    window.call(show_results_alone)
    wait_for(lambda: window.call(changed) is False)
    window.call(hide, "House 00", True)
    wait_for(lambda: window.call(changed) is True)
    window.picture("results_hidden")
    window.call(hide, "House 00", False)
    wait_for(lambda: window.call(changed) is False)
