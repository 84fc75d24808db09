"""What cameras see over a shot, asked with the button: progress, Esc, and another file."""

import pytest
from gui.harness import wait_for

pytestmark = pytest.mark.window


def add_sea():
    """Add a plain in waves that every frame has to be read and divided anew, before the camera."""
    import bpy

    bpy.ops.mesh.primitive_grid_add(x_subdivisions=300, y_subdivisions=300, size=20)
    bpy.context.object.modifiers.new("Wave", "WAVE").height = 0.5
    bpy.context.object.display_type = "BOUNDS"  # what is drawn does not matter here
    cube = bpy.data.objects["Cube"]
    for frame, x in ((1, 0.0), (50, 400.0)):
        cube.location.x = x
        cube.keyframe_insert("location", index=0, frame=frame)
    bpy.context.scene.frame_set(7, subframe=0.5)
    cube.location.x = -1.25  # without a key
    bpy.ops.ed.undo_push(message="Sea")


def find(last):
    import bpy

    options = {"span": "CUSTOM", "first": 1, "last": last}
    return list(bpy.ops.octree.find_seen("INVOKE_DEFAULT", True, **options))


def state():
    import bpy

    scene = bpy.context.scene
    return [scene.frame_current, scene.frame_subframe, bpy.data.objects["Cube"].location.x]


def modal_operators():
    import bpy

    return len(bpy.context.window_manager.windows[0].modal_operators)


def handlers():
    import bpy

    return len(bpy.app.handlers.frame_change_post)


def answer():
    """Describe the answer about the scene's cameras: nothing, or frames seen by object."""
    import importlib

    import bpy

    shot = importlib.import_module("bl_ext.user_default.octree.octree_addon.cameras")
    seen = shot.get(bpy.context.scene)
    if seen is None:
        return None
    counts = seen.frame_counts.tolist()
    return {item.name: count for item, count in zip(seen.objects, counts, strict=True)}


def open_sidebar():
    """Show our tab with the panel about cameras in sight."""
    import bpy

    bpy.context.space_data.show_region_ui = True
    sidebar = next(region for region in bpy.context.area.regions if region.type == "UI")
    bpy.ops.wm.redraw_timer(type="DRAW_WIN_SWAP", iterations=2)
    sidebar.active_panel_category = "Octree"


def test_escape_leaves_frame_and_values_as_they_were(window):
    window.call(open_sidebar)
    window.call(add_sea)
    before = window.call(state)
    window.move(430, 420)
    assert window.call(find, 2000) == ["RUNNING_MODAL"]
    wait_for(lambda: window.call(state)[0] >= 3)
    window.picture("shot_progress", redraw=False)
    window.keys("Escape")
    wait_for(lambda: window.call(modal_operators) == 0)
    assert window.call(state) == before == [7, 0.5, -1.25]
    assert window.call(answer) is None
    assert window.call(handlers) == 1  # that of the index, which stays
    # And a short one comes to its end by itself.
    assert window.call(find, 10) in (["RUNNING_MODAL"], ["FINISHED"])
    wait_for(lambda: window.call(answer) is not None)
    found = window.call(answer)
    assert found["Grid"] == 10
    assert 0 < found["Cube"] < 10
    assert window.call(state) == before
    assert window.call(modal_operators) == 0


def test_another_file_ends_the_walk(window):
    window.call(add_sea)
    assert window.call(find, 2000) == ["RUNNING_MODAL"]
    window.call(open_empty)
    assert window.call(modal_operators) == 0
    assert window.call(answer) is None
    assert window.call(handlers) == 0
    assert "Traceback" not in window.read_log()


def open_empty():
    import bpy

    bpy.ops.wm.read_homefile(use_empty=True)
