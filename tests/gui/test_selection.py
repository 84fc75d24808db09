"""What a camera sees, selected from the menu search; the picture is kept in tests/out."""

import pytest
from gui.harness import wait_for

pytestmark = pytest.mark.window

BACKGROUND = (200, 700)


def scatter():
    """Lay a field of cubes around the camera, with a tree of them; select nothing."""
    import bpy

    bpy.data.objects.remove(bpy.data.objects["Cube"])
    mesh = bpy.data.meshes.new("Cube")
    corners = [(x, y, z) for x in (-0.4, 0.4) for y in (-0.4, 0.4) for z in (-0.4, 0.4)]
    faces = [(0, 1, 3, 2), (4, 6, 7, 5), (0, 4, 5, 1), (2, 3, 7, 6), (0, 2, 6, 4), (1, 5, 7, 3)]
    mesh.from_pydata(corners, [], faces)
    for x in range(-12, 13, 2):
        for y in range(-12, 13, 2):
            item = bpy.data.objects.new("Cube", mesh)
            item.location = x, y, 0
            bpy.context.collection.objects.link(item)
            item.select_set(True)
    camera = bpy.context.scene.camera
    camera.location, camera.rotation_euler = (-11, -11, 2), (1.45, 0, -0.8)
    camera.data.clip_end = camera.data.display_size = 18
    bpy.context.view_layer.update()
    bpy.ops.octree.build("EXEC_DEFAULT", True, capacity=64)
    bpy.ops.object.select_all(action="DESELECT")
    bpy.ops.view3d.view_all()
    bpy.ops.view3d.zoom(delta=-1)
    bpy.context.scene.octree.display.opacity = 0.15
    bpy.ops.ed.undo_push(message="Field")


def selected():
    import bpy

    return len(bpy.context.selected_objects)


def open_search():
    """Open what F3 opens: Blender 5.2 does not get that key from xdotool."""
    import bpy

    bpy.ops.wm.search_menu("INVOKE_DEFAULT")


def test_search_finds_the_frustum_and_undo_takes_it_back(window):
    window.call(scatter)
    window.picture("before_frustum")
    window.click(*BACKGROUND)
    window.call(open_search)
    window.keys(*"octree", "space", *"select", "space", *"camera")
    window.picture("search", redraw=False)
    window.keys("Return")
    wait_for(lambda: 20 < window.call(selected) < 80)
    window.picture("frustum_selection")
    window.keys("ctrl+z")
    wait_for(lambda: window.call(selected) == 0)
