"""Hide and restore by the buttons, and the warning at a render; pictures are kept in tests/out."""

import numpy as np
import pytest
from gui.harness import wait_for

pytestmark = pytest.mark.window

CENTER, RESTORE = (430, 420), (1060, 129)


def field():
    """Lay nine cubes; the cameras have seen, as it were, three of them."""
    import importlib

    import bpy
    import numpy as np

    shot = importlib.import_module("bl_ext.user_default.octree.octree_addon.cameras")
    data = importlib.import_module("bl_ext.user_default.octree.octree_addon.cameras.table")
    mesh = bpy.data.objects["Cube"].data
    bpy.data.objects.remove(bpy.data.objects["Cube"])
    for number in range(9):
        item = bpy.data.objects.new(f"Cube {number}", mesh)
        item.location = (number % 3 - 1) * 3, (number // 3 - 1) * 3, 0
        bpy.context.collection.objects.link(item)
    cubes = [item for item in bpy.context.scene.objects if item.type == "MESH"]
    table = data.SeenTable(
        data.Items(tuple(item.name for item in cubes), ((),) * 9, ("",) * 9),
        data.Views(np.array([1]), np.array([0]), ("Camera",), (1, 1)),
        np.zeros(3, np.intp),
        np.arange(3),
        np.full(3, data.IN_VIEW, np.uint8),
    )
    owners = tuple(item.session_uid for item in cubes)
    seen = shot.VisibilityResult(table=table, owners=owners, faces={})
    shot.keep(bpy.context.scene, seen)
    bpy.ops.object.select_all(action="DESELECT")
    bpy.context.scene.octree.display.show = False
    bpy.ops.ed.undo_push(message="Field")


def open_sidebar():
    import bpy

    bpy.context.space_data.show_region_ui = True
    sidebar = next(region for region in bpy.context.area.regions if region.type == "UI")
    bpy.ops.wm.redraw_timer(type="DRAW_WIN_SWAP", iterations=2)
    sidebar.active_panel_category = "Octree"


def invoke(name, options):
    import bpy

    return list(getattr(bpy.ops.octree, name)("INVOKE_DEFAULT", True, **options))


def visible():
    import bpy

    return sum(item.visible_get() for item in bpy.context.scene.objects if item.type == "MESH")


def test_counted_hidden_shown_in_the_banner_and_restored(window, tmp_path):
    window.call(field)
    window.call(open_sidebar)
    window.move(*CENTER)
    window.call(invoke, "hide_unseen", {"icon": "EYE"})
    wait_for(lambda: window.call(visible) == 3)
    window.picture("restore_banner")
    window.call(redo_with_icon, "MONITOR")
    assert window.call(hidden_by_icon) == {"eye": 0, "monitor": 6}
    window.call(save_and_open, str(tmp_path / "hidden.blend"))
    assert window.call(visible) == 3
    window.picture("restore_banner_after_opening")
    wait_for(lambda: window.call(listens))
    window.click(*RESTORE)
    wait_for(lambda: window.call(visible) == 9)
    window.picture("restored")
    assert not window.call(listens)


def redo_with_icon(icon):
    """Change the icon in the redo panel."""
    import bpy

    bpy.context.window_manager.operators[-1].properties.icon = icon
    bpy.ops.ed.undo_redo()


def hidden_by_icon():
    import bpy

    objects = bpy.context.scene.objects
    return {
        "eye": sum(item.hide_get() for item in objects),
        "monitor": sum(item.hide_viewport for item in objects),
    }


def save_and_open(path):
    import bpy

    bpy.ops.wm.save_as_mainfile(filepath=path)
    bpy.ops.wm.open_mainfile(filepath=path)


def listens():
    """Tell whether anything of ours waits for a render."""
    import bpy

    modules = [each.__module__ for each in bpy.app.handlers.render_init]
    return any("octree" in name for name in modules)


def test_a_render_is_warned_of(window):
    window.call(field)
    window.move(*CENTER)
    window.call(hide_from_render)
    before = window.picture("before_rendering")
    window.call(render)
    wait_for(lambda: not window.call(is_rendering))
    after = window.picture("render_warning")
    popup = slice(360, 440), slice(200, 480)
    assert np.abs(after[popup].astype(int) - before[popup]).mean() > 20
    assert "Traceback" not in window.read_log()


def is_rendering():
    import bpy

    return bpy.app.is_job_running("RENDER")


def hide_from_render():
    import bpy

    bpy.ops.octree.hide_unseen(icon="RENDER")


def render():
    import bpy

    scene = bpy.context.scene
    scene.render.engine = "BLENDER_WORKBENCH"
    scene.render.resolution_x = scene.render.resolution_y = 64
    bpy.context.preferences.view.render_display_type = "NONE"
    bpy.ops.render.render("INVOKE_DEFAULT")


def scene_that_has_changed():
    """Ask a camera that sees the cubes on one side, then move one of the others into view."""
    import bpy

    for item in [item for item in bpy.data.objects if item.type == "MESH"]:
        bpy.data.objects.remove(item)
    for number in range(6):
        bpy.ops.mesh.primitive_cube_add(size=1, location=(40 * (number % 2), 2 * number, 0))
    camera = bpy.context.scene.camera
    camera.location, camera.rotation_euler = (0, 5, 30), (0, 0, 0)
    bpy.context.view_layer.update()
    bpy.ops.octree.find_seen("EXEC_DEFAULT", True, scope="VISIBLE", behind="IGNORE")
    bpy.data.objects["Cube.001"].location.x = 0
    bpy.context.view_layer.update()


def test_an_old_answer_is_asked_again_before_anything_is_hidden(window):
    window.call(scene_that_has_changed)
    window.call(open_sidebar)
    window.move(*CENTER)
    window.call(invoke, "hide_unseen", {"icon": "EYE"})
    wait_for(lambda: window.call(visible) == 4)
