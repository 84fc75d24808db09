"""What is never seen, found and deleted in a copy with the buttons: nothing looks different."""

import numpy as np
import pytest
from gui.harness import wait_for

pytestmark = pytest.mark.window


def add_engine():
    """Add a machine: a closed case, a few parts that stick out, and many that are not seen."""
    import random

    import bpy

    bpy.data.objects.remove(bpy.data.objects["Cube"])
    bpy.ops.mesh.primitive_cube_add(size=6)
    bpy.context.object.name = "Case"
    values = random.Random(3)
    for number in range(60):
        kind = "uv_sphere" if number % 2 else "cone"
        add = getattr(bpy.ops.mesh, f"primitive_{kind}_add")
        place = [values.uniform(-2.4, 2.4) for _ in range(3)]
        if number < 8:
            place[number % 3] = 3.0
        add(location=place, rotation=[values.uniform(-2, 2) for _ in range(3)])
        bpy.context.object.scale = [0.35] * 3
    bpy.ops.object.select_all(action="DESELECT")
    space = bpy.context.space_data
    space.overlay.show_overlays, space.show_gizmo = False, False
    bpy.context.preferences.system.viewport_aa = "OFF"
    bpy.ops.view3d.view_all()
    bpy.ops.ed.undo_push(message="Engine")


def shade(kind):
    import bpy

    shading = bpy.context.space_data.shading
    shading.type, shading.show_object_outline, shading.show_xray_wireframe = kind, False, True
    shading.xray_alpha_wireframe = 0.0


def show_panel():
    """Show our tab."""
    import bpy

    bpy.context.space_data.show_region_ui = True
    sidebar = next(region for region in bpy.context.area.regions if region.type == "UI")
    bpy.ops.wm.redraw_timer(type="DRAW_WIN_SWAP", iterations=2)
    sidebar.active_panel_category = "Octree"


def call(name, options):
    import bpy

    return list(getattr(bpy.ops.octree, name)("INVOKE_DEFAULT", True, **options))


def facts():
    """Return objects never seen, faces never seen and how many views; None without an answer."""
    import importlib

    import bpy

    room = importlib.import_module("bl_ext.user_default.octree.octree_addon.cameras.never_seen")
    found = room.get(bpy.context.scene)
    return found and [len(found.never), found.never_faces, found.facts.views]


def shown():
    """Return how many objects and faces are visible."""
    import bpy

    items = [item for item in bpy.context.visible_objects if item.type == "MESH"]
    return [len(items), sum(len(item.data.polygons) for item in items)]


def modal_operators():
    import bpy

    return len(bpy.context.window_manager.windows[0].modal_operators)


def undo():
    import bpy

    bpy.ops.ed.undo()


def test_deleting_in_a_copy_changes_no_picture(window):
    window.call(add_engine)
    before = {}
    for kind in ("SOLID", "WIREFRAME"):
        window.call(shade, kind)
        before[kind] = window.picture(f"never_{kind.lower()}_before")
    objects, faces = window.call(shown)
    window.call(call, "find_never_seen", {"directions": 40, "resolution": 512})
    wait_for(lambda: window.call(facts) is not None)
    never, _, views = window.call(facts)
    assert 40 < never < 60
    assert views == 40
    window.call(call, "copy_never_seen", {})
    wait_for(lambda: window.call(shown) != [objects, faces])
    left_objects, left_faces = window.call(shown)
    assert left_objects == objects - never
    assert left_faces < faces - 40 * 30
    after = {}
    for kind in ("SOLID", "WIREFRAME"):
        window.call(shade, kind)
        after[kind] = window.picture(f"never_{kind.lower()}_after")
    part = np.s_[120:720, 300:820]  # of the viewport
    assert (before["SOLID"][part] != after["SOLID"][part]).mean() < 1e-3
    assert (before["WIREFRAME"][part] != after["WIREFRAME"][part]).mean() > 1e-2
    window.call(undo)
    assert window.call(shown) == [objects, faces]


def test_the_panel_fits_and_escape_leaves_nothing(window):
    window.call(add_engine)
    window.call(show_panel)
    window.picture("never_panel_first")
    with window.held_work():
        assert window.call(call, "find_never_seen", {"directions": 5000}) == ["RUNNING_MODAL"]
        window.keys("Escape")
        wait_for(lambda: window.call(modal_operators) == 0)
    assert window.call(facts) is None
    window.call(call, "find_never_seen", {"directions": 20, "resolution": 256})
    wait_for(lambda: window.call(facts) is not None)
    window.call(call, "mask_never_seen", {})
    window.picture("never_panel")
    assert "Traceback" not in window.read_log()
