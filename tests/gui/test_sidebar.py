"""The Octree tab of the sidebar, used with the pointer; the pictures are kept in tests/out."""

import pytest
from gui.harness import wait_for

pytestmark = pytest.mark.window

CENTER = (430, 420)
# The header of the panel Octree, beside its button Build.
OCTREE, BUILD = 920, 1015


def add_ball(subdivisions):
    import bpy

    bpy.data.objects.remove(bpy.data.objects["Cube"])
    bpy.ops.mesh.primitive_ico_sphere_add(subdivisions=subdivisions, radius=2)
    bpy.ops.ed.undo_push(message="Ball")


def open_sidebar():
    """Show our tab."""
    import bpy

    bpy.context.space_data.show_region_ui = True
    sidebar = next(region for region in bpy.context.area.regions if region.type == "UI")
    bpy.ops.wm.redraw_timer(type="DRAW_WIN_SWAP", iterations=2)  # the tabs are known then
    sidebar.active_panel_category = "Octree"


def open_octree(window):
    """Show our tab, with the panel Octree open, by a click on its header."""
    window.call(open_sidebar)
    window.picture("panels")
    window.click(OCTREE, window.find_button("octree.build", x=BUILD)[1])


def press(window, name):
    """Press a button of the panel Octree."""
    window.press_button(f"octree.{name}", x=BUILD if name == "build" else 1000)


def tree():
    """Describe the scene's tree: nothing, or its triangles, its capacity and if it is stale."""
    import importlib

    import bpy

    trees = importlib.import_module("bl_ext.user_default.octree.octree_addon.trees")
    built = trees.get(bpy.context.scene)
    return built and [built.statistics.items, built.octree.capacity, built.stale]


def test_build_move_rebuild_and_clear_by_the_buttons(window):
    window.call(add_ball, 5)
    open_octree(window)
    window.picture("panel_without_a_tree")
    press(window, "build")
    wait_for(lambda: window.call(tree) == [20 * 4**4, 32, False])
    window.picture("panel")
    window.move(*CENTER)
    window.keys("g", "x", "1", "Return")
    wait_for(lambda: window.call(tree) == [20 * 4**4, 32, True])
    window.picture("panel_out_of_date")
    press(window, "rebuild")
    wait_for(lambda: window.call(tree) == [20 * 4**4, 32, False])
    press(window, "clear")
    wait_for(lambda: window.call(tree) is None)
    window.picture("panel_cleared")


def said():
    """Return what the panel says of the tree, without a look at the scene."""
    import importlib

    import bpy

    panel = importlib.import_module("bl_ext.user_default.octree.octree_addon.cells.panel")
    return panel.state_of(bpy.context.scene)


def is_settled():
    import importlib

    trees = importlib.import_module("bl_ext.user_default.octree.octree_addon.trees")
    return trees.is_settled()


def test_out_of_date_comes_and_goes_by_itself(window):
    window.call(add_ball, 4)
    open_octree(window)
    window.picture("panel_before_out_of_date")
    press(window, "build")
    wait_for(lambda: window.call(tree))
    window.move(*CENTER)
    for keys in (("Tab",), ("Tab",), ("g", "Escape"), ("alt+a",), ("a",), ("alt+a", "ctrl+z")):
        window.keys(*keys)
        wait_for(lambda: window.call(is_settled))
        assert window.call(said) == ""
    window.keys("g", "x", "1")
    window.keys("Return")
    wait_for(lambda: window.call(said).startswith("Out of date"))
    window.picture("panel_out_of_date_by_itself")
    window.keys("ctrl+z")
    wait_for(lambda: window.call(said) == "")
    window.keys("ctrl+shift+z")
    wait_for(lambda: window.call(said).startswith("Out of date"))
    press(window, "rebuild")
    wait_for(lambda: window.call(said) == "")
    window.move(*CENTER)
    window.keys("ctrl+z")
    wait_for(lambda: window.call(said).startswith("Out of date"))
    window.keys("ctrl+z")
    wait_for(lambda: window.call(said) == "")
    window.keys("ctrl+shift+z", "ctrl+shift+z")
    wait_for(lambda: window.call(said) == "")
    assert "Traceback" not in window.read_log()


def test_escape_stops_a_long_build_and_leaves_the_tree(window):
    window.call(add_ball, 3)
    open_octree(window)
    window.picture("panel_before_a_long_build")
    press(window, "build")
    wait_for(lambda: window.call(tree) == [20 * 4**2, 32, False])
    window.call(add_plain)
    with window.held_work():
        press(window, "build")
        wait_for(lambda: window.call(is_building))
        window.picture("progress", redraw=False)
        window.keys("Escape")
        wait_for(lambda: not window.call(is_building))
    window.picture("cancelled")
    assert window.call(tree) == [20 * 4**2, 32, False]


def add_plain():
    """Add more triangles than are built at once, drawn as a box: without a card all else waits."""
    import bpy

    bpy.ops.mesh.primitive_grid_add(x_subdivisions=300, y_subdivisions=300, size=20)
    bpy.context.object.display_type = "BOUNDS"


def is_building():
    import bpy

    window = bpy.context.window_manager.windows[0]
    return any("octree" in operator.bl_idname.lower() for operator in window.modal_operators)
