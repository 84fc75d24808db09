"""The last question as a user sees it: outline, two colors, cells; pictures in tests/out."""

import numpy as np
import pytest
from gui.harness import wait_for

pytestmark = pytest.mark.window

PURPLE, VERMILION, BLUE = (0.80, 0.47, 0.65), (0.84, 0.37, 0.0), (0.34, 0.71, 0.91)


def build_field():
    """Lay a field of balls before a camera, with a tree of them, seen from above."""
    import bpy
    from mathutils import Euler

    bpy.data.objects.remove(bpy.data.objects["Cube"])
    bpy.ops.mesh.primitive_ico_sphere_add(subdivisions=4, radius=0.8)
    ball = bpy.context.object
    for x in range(-8, 9, 2):
        for y in range(-8, 9, 2):
            item = ball.copy()
            item.location = x, y, 0
            bpy.context.collection.objects.link(item)
    bpy.data.objects.remove(ball)
    bpy.ops.object.select_by_type(type="MESH")
    camera = bpy.context.scene.camera
    camera.location, camera.rotation_euler = (-7, -7, 1.5), (1.4, 0, -0.8)
    camera.data.clip_end = 14
    bpy.context.view_layer.update()
    bpy.ops.octree.build("EXEC_DEFAULT", True, capacity=64)
    bpy.ops.object.select_all(action="DESELECT")
    view = bpy.context.space_data.region_3d
    view.view_rotation = Euler((0.7, 0, -0.3)).to_quaternion()
    view.view_distance = 26
    bpy.context.scene.octree.display.show = False


def show(settings):
    """Change settings of the scene's octree, each by its path."""
    import bpy

    for path, value in settings.items():
        group, name = path.split(".")
        setattr(getattr(bpy.context.scene.octree, group), name, value)


def ask_camera():
    import bpy

    return list(bpy.ops.octree.select_in_frustum("EXEC_DEFAULT", True))


def hue_pixels(picture, color):
    """Count the pixels of the 3D view whose tint is that of a color, mixed with gray or not."""
    pixels = picture[130:760, 70:1000].reshape(-1, 3) / 255
    tint = pixels - pixels.mean(axis=1, keepdims=True)
    wanted = np.array(color) - np.mean(color)
    along = tint @ wanted / np.linalg.norm(wanted)
    return int(((along > 0.08) & (along > 0.9 * np.linalg.norm(tint, axis=1))).sum())


@pytest.fixture
def field(window):
    """Show the field alone."""
    window.call(build_field)
    return window


def test_answer_is_seen_in_two_colors_on_the_surfaces(field):
    plain = field.picture("field")
    field.call(ask_camera)
    field.call(show, {"answer.missed": True, "answer.outline": False})
    colored = field.picture("answer_in_two_colors")
    field.call(show, {"display.in_front": True})
    in_front = field.picture("answer_in_front")
    for color in (PURPLE, BLUE):
        seen = hue_pixels(colored, color)
        assert seen > 20_000 + hue_pixels(plain, color)
        assert seen > 0.9 * hue_pixels(in_front, color)  # no surface shows through


def test_cells_tell_what_the_question_did(field):
    field.call(ask_camera)
    field.call(show, {"display.show": True, "display.cells": "QUESTION", "display.opacity": 1.0})
    seen = field.picture("last_question_cells")
    for color in (PURPLE, VERMILION, BLUE):
        assert hue_pixels(seen, color) > 1000


def test_frustum_follows_the_camera_without_a_tree(field):
    field.call(clear)
    plain = field.picture("without_frustum")
    field.call(show, {"frustum.show": True})
    field.picture("frustum_awaited")  # the header has been drawn then, and set a timer
    first = field.picture("frustum")
    field.call(turn_camera)
    second = field.picture("frustum_turned")
    for one, other in ((plain, first), (first, second)):
        assert (np.abs(one.astype(int) - other).max(axis=-1) > 60).sum() > 1000


def clear():
    import bpy

    bpy.ops.octree.clear("EXEC_DEFAULT", True)


def turn_camera():
    import bpy

    bpy.context.scene.camera.rotation_euler.z += 1.0


def test_a_turned_box_finds_what_is_in_it_and_is_outlined(field):
    field.call(show, {"answer.missed": True})
    field.call(add_turned_box)
    field.call(open_sidebar)
    plain = field.picture("box_awaited")
    found = field.call(ask_box)
    assert 4 < len(found) < 40
    assert "Box" not in found
    seen = field.picture("box")
    for color in (PURPLE, BLUE):
        assert hue_pixels(seen, color) > 3_000 + hue_pixels(plain, color)


def add_turned_box():
    """Add a turned box, drawn as wires, and make it active; it is not in the tree."""
    import bpy

    bpy.ops.mesh.primitive_cube_add(location=(1, -1, 0), rotation=(0, 0, 0.5), scale=(5, 2, 1))
    bpy.context.object.name, bpy.context.object.display_type = "Box", "WIRE"
    bpy.context.view_layer.update()


def open_sidebar():
    """Show our tab."""
    import bpy

    bpy.context.space_data.show_region_ui = True
    sidebar = next(region for region in bpy.context.area.regions if region.type == "UI")
    bpy.ops.wm.redraw_timer(type="DRAW_WIN_SWAP", iterations=2)  # the tabs are known then
    sidebar.active_panel_category = "Octree"


def ask_box():
    """Ask, and return the names of what is selected."""
    import bpy

    bpy.ops.octree.select_in_box("EXEC_DEFAULT", True)
    return [item.name for item in bpy.context.selected_objects]


# Rows of the window that show the status bar.
STATUS = np.s_[874:]


def shift(x):
    import bpy

    bpy.context.scene.objects[3].location.x += x


def write_status(text):
    import bpy

    bpy.context.workspace.status_text_set(text)


def test_the_status_bar_forgets_an_old_answer_and_leaves_the_texts_of_others(field):
    def differs(other):
        return (field.picture("status_bar", redraw=False)[STATUS] != other).any()

    field.call(ask_camera)
    told = field.picture("status_bar_told")[STATUS]
    field.call(shift, 0.5)
    wait_for(lambda: differs(told))
    field.call(shift, -0.5)
    wait_for(lambda: not differs(told))
    field.call(write_status, "Somebody else is at work")
    wait_for(lambda: differs(told))
    others = field.picture("status_bar_others")[STATUS]
    field.call(shift, 0.5)
    wait_for(lambda: differs(others))  # our words at the right go, the text at the left stays
    left = field.picture("status_bar_theirs")[STATUS][:, :500]
    assert (left == others[:, :500]).all()
