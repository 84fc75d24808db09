"""The probe, used with pointer and keys on the example town; the pictures are in tests/out."""

import pytest
from gui.harness import wait_for

pytestmark = pytest.mark.window


def build_town():
    """Add the example town, and look at it from above."""
    import bpy
    from mathutils import Euler

    bpy.data.objects.remove(bpy.data.objects["Cube"])
    bpy.ops.octree.add_example()
    bpy.ops.object.select_all(action="DESELECT")
    view = bpy.context.space_data.region_3d
    view.view_rotation = Euler((0.9, 0, -0.5)).to_quaternion()
    view.view_distance, view.view_location = 40, (0, 0, 0)
    bpy.ops.ed.undo_push(message="Town")


def start(mode):
    import bpy

    bpy.context.scene.octree.tab.near = mode
    bpy.ops.octree.probe()
    tool = bpy.context.workspace.tools.from_space_view3d_mode("OBJECT")
    return tool.idname


def live():
    """Return what is shown under the pointer: words, triangles, hint; none if nothing is asked."""
    import importlib

    session = importlib.import_module("bl_ext.user_default.octree.octree_addon.probe.session")
    now = session.current()
    if now is None:
        return None
    picture = now.answered.picture if now.answered else None
    return [picture.words, len(picture.faces) // 3, ""] if picture else ["", 0, now.hint]


def test_first_look(window):
    window.call(build_town)
    assert window.call(start, "sphere") == "octree.probe"
    window.move(430, 420)
    window.move(440, 430)
    wait_for(lambda: (window.call(live) or [""])[0])
    print(window.call(live))
    window.picture("probe_sphere")
    for mode in ("box", "nearest", "ray"):
        window.call(start, mode)
        window.move(430, 420)
        window.move(440, 430)
        print(mode, window.call(live))
        window.picture(f"probe_{mode}")
    print(window.read_log())
