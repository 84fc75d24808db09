"""The probe, used with pointer and keys in the example town; the pictures are in tests/out."""

import time

import pytest
from gui.harness import wait_for
from gui.test_sidebar import open_sidebar

pytestmark = pytest.mark.window

PLACE = (455, 370)


def build_town():
    """Add the example town, and look at it from above."""
    import bpy
    from mathutils import Euler

    for item in list(bpy.data.objects):  # the town stands beside what is there
        bpy.data.objects.remove(item)
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


def tool():
    import bpy

    return bpy.context.workspace.tools.from_space_view3d_mode(bpy.context.mode).idname


def live():
    """Return what is shown under the pointer: words, triangles, hint; None if nothing is asked."""
    import importlib

    session = importlib.import_module("bl_ext.user_default.octree.octree_addon.probe.session")
    now = session.current()
    if now is None:
        return None
    picture = now.answered.picture if now.answered else None
    return [picture.words, len(picture.faces) // 3, ""] if picture else ["", 0, now.hint]


def traces():
    """Return what the probe leaves with Blender: timers, listeners, a session."""
    import importlib

    import bpy

    package = "bl_ext.user_default.octree.octree_addon.probe"
    session = importlib.import_module(f"{package}.session")
    timers = [bpy.app.timers.is_registered(each) for each in (session.go_on, session.watch)]
    return [*timers, session.current() is not None]


def state():
    """Return the selection, the title and rows of the active result, and the sizes asked."""
    import bpy

    octree = bpy.context.scene.octree
    kept = octree.results.kept
    result = kept[octree.results.active] if kept else None
    return {
        "selected": sorted(item.name for item in bpy.context.selected_objects),
        "result": [result.title, result.count] if result else [],
        "results": len(kept),
        "row": octree.results.row,
        "radius": octree.sphere.radius,
        "size": list(octree.box.size),
        "distance": bpy.context.space_data.region_3d.view_distance,
    }


def handle(side, beyond=0.0):
    """Return where on the screen an arrow of the last question is, or a place beyond it."""
    import importlib

    import bpy
    from bpy_extras.view3d_utils import location_3d_to_region_2d
    from mathutils import Vector

    package = "bl_ext.user_default.octree.octree_addon"
    shapes = importlib.import_module(f"{package}.probe.shapes")
    questions = importlib.import_module(f"{package}.questions")
    shape = shapes.shape_of(questions.get(bpy.context.scene))
    place = Vector(shape.handle(side)) + beyond * Vector(shapes.normal_of(side))
    region = bpy.context.region
    x, y = location_3d_to_region_2d(region, bpy.context.space_data.region_3d, place)
    return [round(region.x + x), round(bpy.context.window.height - region.y - y)]


def words(window):
    return (window.call(live) or [""])[0]


def hover(window, x, y):
    """Move the pointer to a place, and wait for the answer there."""
    window.move(x - 3, y)
    window.move(x, y)
    wait_for(lambda: words(window))
    return words(window)


def drag(window, *path, button="1"):
    """Press, move through some places, and release."""
    window.move(*path[0])
    window._xdotool("mousedown", button)
    for place in path[1:]:
        window._xdotool("mousemove", *map(str, place))
    window._xdotool("mouseup", button)


@pytest.fixture
def town(window):
    window.call(build_town)
    return window


def test_hover_click_add_and_undo(town):
    town.call(start, "sphere")
    said = hover(town, *PLACE)
    assert "triangle" in said
    town.picture("probe_sphere")
    town.click(*PLACE)
    wait_for(lambda: town.call(state)["result"])
    found = town.call(state)
    assert found["selected"] and found["result"][0] == "Select in Sphere"
    assert found["result"][1] == len(found["selected"])
    town.picture("probe_kept")
    town._xdotool("keydown", "shift")
    town.click(800, 470)
    town._xdotool("keyup", "shift")
    wait_for(lambda: len(town.call(state)["selected"]) > len(found["selected"]))
    assert set(found["selected"]) < set(town.call(state)["selected"])
    town.picture("probe_added")
    town.keys("ctrl+z")
    wait_for(lambda: town.call(state)["selected"] == found["selected"])
    town.keys("ctrl+z")
    wait_for(lambda: town.call(state)["selected"] == [])
    assert town.call(state)["results"] == 0
    assert hover(town, *PLACE) == said
    assert "Traceback" not in town.read_log()


def test_wheel_and_drag_change_the_radius_and_rows_are_stepped_through(town):
    town.call(start, "sphere")
    hover(town, *PLACE)
    before = town.call(state)
    town._xdotool("click", "4")
    wait_for(lambda: town.call(state)["radius"] > before["radius"])
    assert town.call(state)["distance"] == before["distance"]
    town._xdotool("keydown", "ctrl", "click", "4", "keyup", "ctrl")
    wait_for(lambda: town.call(state)["distance"] < before["distance"])
    town._xdotool("mousemove", "470", "385", "mousedown", "1")
    for x in range(475, 560, 8):
        town._xdotool("mousemove", str(x), "385")
    town.picture("probe_sphere_drag")
    assert not town.call(state)["results"]
    town._xdotool("mouseup", "1")
    wait_for(lambda: town.call(state)["result"])
    found = town.call(state)
    assert found["radius"] > 2 and found["result"][1] > 2
    town.keys("Next")
    wait_for(lambda: town.call(state)["row"] == 0)
    assert len(town.call(state)["selected"]) == 1
    town.keys("Next", "Next", "Prior")
    wait_for(lambda: town.call(state)["row"] == 1)
    town.keys("Escape")
    wait_for(lambda: town.call(tool) == "builtin.select_box")
    assert town.call(traces) == [False, False, False]
    town.picture("probe_ended")
    assert "Traceback" not in town.read_log()


def test_box_is_dragged_and_its_faces_too(town):
    town.call(start, "box")
    assert "2 x 2 x 2 m" in hover(town, *PLACE)
    drag(town, (340, 470), (400, 450), (450, 440), (520, 420))
    wait_for(lambda: town.call(state)["result"])
    found = town.call(state)
    town.move(700, 600)
    town.picture("probe_box")
    assert max(found["size"][:2]) > 3 and found["size"][2] == pytest.approx(2, rel=1e-4)
    (x, y), (far_x, far_y) = town.call(handle, 3), town.call(handle, 3, 2.0)
    town.move(x, y)
    town._xdotool("mousedown", "1")
    for step in range(1, 6):
        town._xdotool(
            "mousemove", str(x + (far_x - x) * step // 5), str(y + (far_y - y) * step // 5)
        )
    town.picture("probe_box_face")
    assert town.call(state)["size"] == found["size"]
    town._xdotool("mouseup", "1")
    wait_for(lambda: town.call(state)["size"][0] > found["size"][0] + 1.5)
    after = town.call(state)
    assert after["size"][1:] == pytest.approx(found["size"][1:], rel=1e-4)
    town.keys("ctrl+z")
    wait_for(lambda: town.call(state)["size"] == found["size"])
    assert town.call(state)["selected"] == found["selected"]
    assert "Traceback" not in town.read_log()


@pytest.mark.parametrize("mode", ["nearest", "ray"])
def test_nearest_and_ray_measure(town, mode):
    town.call(start, mode)
    assert hover(town, *PLACE).endswith("m away")
    town.picture(f"probe_{mode}")
    town.click(*PLACE)
    wait_for(lambda: town.call(state)["result"])
    assert len(town.call(state)["selected"]) == 1
    assert "Traceback" not in town.read_log()


def test_a_gizmo_drags_the_radius_without_the_tool(town):
    """The button of the panel is as good: the arrows are those of the last question."""
    town.call(ask_sphere)
    town.move(700, 600)
    town.picture("probe_gizmo_before")
    before = town.call(state)
    (x, y), far = town.call(handle, 3), town.call(handle, 3, 2.5)
    drag(town, (x, y), ((x + far[0]) // 2, (y + far[1]) // 2), far)
    wait_for(lambda: town.call(state)["radius"] > before["radius"] + 2)
    town.move(700, 600)
    town.picture("probe_gizmo_after")
    after = town.call(state)
    assert set(before["selected"]) < set(after["selected"])
    assert after["results"] == 1
    wait_for(lambda: town.call(traces) == [False, False, False])
    (x, y), far = town.call(handle, 0), town.call(handle, 0, 2.5)
    town.move(x, y)
    town._xdotool("mousedown", "1")
    town.move(*far)
    town.keys("Escape")
    town._xdotool("mouseup", "1")
    wait_for(lambda: town.call(traces) == [False, False, False])
    assert town.call(state) == after
    town.keys("ctrl+z")
    wait_for(lambda: town.call(state)["radius"] == before["radius"])
    assert town.call(state)["radius"] == before["radius"]
    assert "Traceback" not in town.read_log()


def ask_sphere():
    import bpy

    bpy.context.scene.cursor.location = bpy.data.objects["Church"].location
    bpy.ops.octree.select_in_sphere("EXEC_DEFAULT", True, radius=1.5)


def set_mode(name, mode):
    import bpy

    bpy.context.view_layer.objects.active = bpy.data.objects[name]
    bpy.ops.object.mode_set(mode=mode)


def set_tool(name):
    import bpy

    bpy.ops.wm.tool_set_by_id(name=name)


def show_text_instead():
    """Let the 3D view be a text editor, and the timeline a 3D view, which calls need."""
    import bpy

    areas = {area.type: area for area in bpy.context.screen.areas}
    areas["DOPESHEET_EDITOR"].type = "VIEW_3D"
    areas["VIEW_3D"].type = "TEXT_EDITOR"


def test_it_ends_with_the_tool_the_mode_the_area_and_the_file(town):
    nothing = [False, False, False]
    town.call(start, "sphere")
    hover(town, *PLACE)
    assert town.call(traces)[-1]
    town.call(set_tool, "builtin.move")
    wait_for(lambda: town.call(traces) == nothing)
    town.call(start, "sphere")
    hover(town, *PLACE)
    town.call(set_mode, "Church", "EDIT")
    wait_for(lambda: town.call(traces) == nothing)
    town.call(start, "sphere")
    assert town.call(tool) == "octree.probe"
    assert "triangle" in hover(town, *PLACE)
    town.picture("probe_edit_mode")
    town.click(*PLACE)
    wait_for(lambda: town.call(selected_faces) > 0)
    town.call(set_mode, "Church", "SCULPT")
    wait_for(lambda: town.call(traces) == nothing)
    town.call(set_mode, "Church", "OBJECT")
    assert town.call(tool) == "octree.probe"
    hover(town, *PLACE)
    town.call(move, "Church", 20.0)
    wait_for(lambda: "Church" not in words(town) and words(town))
    town.keys("ctrl+z")
    town.call(save_and_load)  # with the tool on: the next movement asks again
    hover(town, *PLACE)
    assert town.call(traces)[-1]
    town.call(show_text_instead)
    wait_for(lambda: town.call(traces) == nothing)
    assert "Traceback" not in town.read_log()


def selected_faces():
    import bmesh
    import bpy

    mesh = bmesh.from_edit_mesh(bpy.context.edit_object.data)
    return sum(face.select for face in mesh.faces)


def move(name, x):
    import bpy

    bpy.data.objects[name].location.x += x


def save_and_load():
    import os
    import tempfile

    import bpy

    path = os.path.join(tempfile.mkdtemp(), "town.blend")
    bpy.ops.wm.save_as_mainfile(filepath=path)
    bpy.ops.wm.open_mainfile(filepath=path)


def new_window():
    import bpy

    bpy.ops.wm.window_new_main()
    return len(bpy.context.window_manager.windows)


def disable():
    import addon_utils

    addon_utils.disable("bl_ext.user_default.octree", default_set=True)


def remains():
    """Return what is left of us: classes, handlers, tools, and entries of keymaps."""
    import bpy
    from bl_ui.space_toolsystem_toolbar import VIEW3D_PT_tools_active

    def flat(tools):
        for each in tools:
            if isinstance(each, tuple | list) and not hasattr(each, "idname"):
                yield from flat(each)
            elif hasattr(each, "idname"):
                yield each.idname

    lists = [getattr(bpy.app.handlers, name) for name in dir(bpy.app.handlers)]
    handlers = [each for found in lists if isinstance(found, list) for each in found]
    keymaps = bpy.context.window_manager.keyconfigs.addon.keymaps
    left = [
        *dir(bpy.types),
        *(getattr(each, "__module__", "") for each in handlers),
        *(name for tools in VIEW3D_PT_tools_active._tools.values() for name in flat(tools or ())),
        *(item.idname for keymap in keymaps for item in keymap.keymap_items),
        *(keymap.name for keymap in keymaps),
    ]
    return [name for name in left if "octree" in name.lower()]


def test_two_windows_and_no_trace_of_a_disabled_extension(town):
    town.call(start, "sphere")
    hover(town, *PLACE)
    assert town.call(new_window) == 2
    time.sleep(1)
    town.move(500, 380)
    town.move(510, 380)
    town.picture("probe_two_windows")
    wait_for(lambda: words(town))
    assert len(town.call(remains)) > 50
    town.call(disable)
    assert town.call(tool) == "builtin.select_box"
    assert town.call(remains) == []
    town.picture("probe_disabled")
    assert "Traceback" not in town.read_log()


def test_from_the_tab_one_press_leads_to_a_live_answer(town):
    town.call(open_sidebar)
    town.picture("probe_tab")
    town.press_button("octree.probe", x=1099)
    assert "1 m around" in hover(town, *PLACE)
    town.picture("probe_after_one_press")


def test_distances_along_axes_are_drawn(town):
    town.call(start, "axes")
    assert hover(town, *PLACE).endswith("m")
    town.picture("probe_axes")
    assert "Traceback" not in town.read_log()
