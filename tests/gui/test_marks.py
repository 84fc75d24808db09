"""Marks in local view, and those of instances, as a user sees them; pictures in tests/out."""

import pytest
from gui.harness import wait_for
from gui.test_answers import BLUE, hue_pixels

pytestmark = pytest.mark.window

YELLOW = (0.94, 0.89, 0.26)


def build():
    """Set up nine balls, and an empty that shows a row of others, before a camera."""
    import bpy

    bpy.data.objects.remove(bpy.data.objects["Cube"])
    bpy.ops.mesh.primitive_ico_sphere_add(subdivisions=4, radius=0.9)
    ball = bpy.context.object
    ball.name = "Ball"
    for number in range(1, 9):
        item = ball.copy()
        item.location = 2.2 * (number % 3 - 1), 2.2 * (number // 3), 0
        bpy.context.collection.objects.link(item)
    balls = bpy.data.collections.new("Balls")
    for x in (-4, -2, 0, 2, 4):
        item = ball.copy()
        item.name, item.location = "Inner", (x, -3, 0)
        balls.objects.link(item)
    empty = bpy.data.objects.new("Row of Balls", None)
    empty.instance_type, empty.instance_collection = "COLLECTION", balls
    bpy.context.collection.objects.link(empty)
    bpy.context.view_layer.update()
    camera = bpy.context.scene.camera
    camera.location, camera.rotation_euler = (0, 0, 40), (0, 0, 0)
    bpy.context.view_layer.update()
    view = bpy.context.space_data.region_3d
    view.view_distance = 22
    bpy.ops.object.select_all(action="DESELECT")


def ask():
    """Select all in a large sphere, and take the selection back, whose outline is colored too."""
    import bpy

    bpy.ops.octree.select_in_sphere("EXEC_DEFAULT", True, radius=50.0)
    bpy.context.scene.octree.results.follow = False
    bpy.ops.object.select_all(action="DESELECT")


def find_seen():
    """Ask about objects, so that the row is of what instances, not of one instance."""
    import bpy

    bpy.ops.octree.find_seen("EXEC_DEFAULT", True)
    bpy.context.scene.octree.results.follow = False
    bpy.context.scene.octree.answer.found = False


def choose(name):
    """Make a row the active one by the name of its object."""
    import importlib

    import bpy

    kept = importlib.import_module("bl_ext.user_default.octree.octree_addon.answers.kept")
    result = kept.active_result(bpy.context.scene)
    view = kept.view_of(bpy.context.scene, result)
    labels = [view.label(row, 0) for row in range(len(view.rows))]
    bpy.context.scene.octree.results.row = labels.index(name)
    bpy.ops.object.select_all(action="DESELECT")


def no_row():
    import bpy

    bpy.context.scene.octree.results.row = -1


def press(name):
    import bpy

    getattr(bpy.ops.octree, name)("INVOKE_DEFAULT", True)


def hide(name):
    import bpy

    bpy.data.objects[name].hide_set(True)


def uploads():
    """Return how many uploads there are now, and which draw handlers, by their addresses."""
    import importlib

    rooms = "bl_ext.user_default.octree.octree_addon.display."
    layers, drawing = (importlib.import_module(rooms + name) for name in ("layers", "drawing"))
    found = [each for key, each in layers._uploads.items() if key[0] == "found"]
    shown = [painted for paint in found for painted in paint._uploaded.values()]
    return sorted(map(id, shown)), list(map(id, drawing._handles))


def test_local_view_shows_no_color_of_what_it_hides(window):
    window.call(build)
    plain = hue_pixels(window.picture("marks_plain"), BLUE)
    window.call(ask)
    colored = hue_pixels(window.picture("marks_answer"), BLUE)
    assert colored > 20_000 + plain
    window.call(choose, "Ball")
    window.call(press, "isolate_row")
    window.call(no_row)
    window.picture("marks_awaited")
    alone = window.picture("marks_isolated")
    assert 500 < hue_pixels(alone, BLUE) - plain < 0.35 * colored
    window.call(choose, "Ball")
    window.call(press, "isolate_row")
    window.call(no_row)
    window.picture("marks_awaited")
    again = hue_pixels(window.picture("marks_of_all_again"), BLUE)
    assert abs(again - colored) < 0.1 * colored


def test_the_instances_of_a_row_are_painted(window):
    window.call(build)
    window.call(find_seen)
    window.call(choose, "Row of Balls")
    wait_for(lambda: hue_pixels(window.picture("marks_instances"), YELLOW) > 10_000)
    window.call(hide, "Row of Balls")
    wait_for(lambda: hue_pixels(window.picture("marks_no_instances"), YELLOW) < 1_000)


def test_an_answer_leaves_what_is_uploaded(window):
    """Counted, not timed: the same batches and handlers are there after other answers."""
    window.call(build)
    window.call(ask)
    window.picture("marks_uploaded")
    before = window.call(uploads)
    assert all(before)
    for name in ("find_seen", "select_floating", "audit"):
        window.call(press, name)
        window.picture("marks_still_uploaded")
        assert window.call(uploads) == before
