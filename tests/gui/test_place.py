"""Objects placed by pointer and keys on a shelf; the pictures are in tests/out."""

import pytest
from gui.harness import wait_for
from gui.test_sidebar import is_building, open_sidebar

pytestmark = pytest.mark.window


def build_shelf():
    """Add three boards, and five boxes above the uppermost; look at them from the front."""
    import bpy
    from mathutils import Euler

    bpy.data.objects.remove(bpy.data.objects["Cube"])
    for number in range(3):
        bpy.ops.mesh.primitive_cube_add(size=1, location=(0, 0, 2.0 * number))
        board = bpy.context.object
        board.name, board.scale = f"Board {number}", (6, 2, 0.1)
    for number in range(5):
        bpy.ops.mesh.primitive_cube_add(
            size=0.6, location=(number - 2.0, 0.1 * number, 5.5 + 0.3 * number)
        )
        item = bpy.context.object
        item.name, item.rotation_euler = f"Box {number}", (0.3 * number, 0.2, 0.5 * number)
    for item in bpy.context.scene.objects:
        item.select_set(item.name.startswith("Box"))
    view = bpy.context.space_data.region_3d
    view.view_rotation = Euler((1.3, 0, 0.2)).to_quaternion()
    view.view_distance, view.view_location = 14, (0, 0, 2.5)
    bpy.ops.ed.undo_push(message="Shelf")


def heights():
    """Return the lowest point of each box in the world."""
    import bpy

    bpy.context.view_layer.update()
    return {
        item.name: min((item.matrix_world @ vertex.co).z for vertex in item.data.vertices)
        for item in bpy.context.scene.objects
        if item.name.startswith("Box")
    }


def findings():
    """Return how many findings an audit of the scene has, beside contacts."""
    import bpy

    if bpy.context.scene.octree.results.kept:  # else what is resolved is listed, too
        bpy.ops.octree.clear_results("EXEC_DEFAULT", False)
    bpy.ops.octree.audit("EXEC_DEFAULT", False, band=0.0)
    kept = bpy.context.scene.octree.results.kept
    return kept[bpy.context.scene.octree.results.active].count


def report():
    """Return the names of results, and how many rows each has."""
    import bpy

    return [[each.name, each.count] for each in bpy.context.scene.octree.results.kept]


def select(*names):
    import bpy

    for item in bpy.context.scene.objects:
        item.select_set(item.name in names)
    bpy.context.view_layer.objects.active = bpy.context.scene.objects[names[0]]
    bpy.ops.ed.undo_push(message="Select")


def push_in():
    """Move one box into another."""
    import bpy

    objects = bpy.context.scene.objects
    objects["Box 1"].location = objects["Box 0"].location
    objects["Box 1"].location.x += 0.3
    bpy.ops.ed.undo_push(message="Into")


def held():
    """Return the words and the hue of what is held, or None."""
    import importlib

    session = importlib.import_module("bl_ext.user_default.octree.octree_addon.probe.session")
    now = session.current()
    if now is None or now.answered is None:
        return None
    return [now.answered.picture.words, list(now.answered.picture.hue or ())]


def pixel_of(x, y, z):
    """Return where the window shows a point, counted from its upper left."""
    import bpy
    from bpy_extras.view3d_utils import location_3d_to_region_2d

    region, window = bpy.context.region, bpy.context.window
    place = location_3d_to_region_2d(region, bpy.context.region_data, (x, y, z))
    return [int(region.x + place[0]), int(window.height - region.y - place[1])]


def count():
    import bpy

    return len(bpy.context.scene.objects)


@pytest.fixture
def shelf(window):
    window.call(build_shelf)
    window.call(open_sidebar)
    window.picture("place_before")
    return window


def test_drop_by_its_button_and_undo(shelf):
    before = shelf.call(heights)
    shelf.press_button("octree.drop", x=910)
    wait_for(lambda: shelf.call(report) == [["Drop", 5]])
    dropped = shelf.call(heights)
    assert all(low < before[name] for name, low in dropped.items())
    assert min(dropped.values()) >= 4.05 - 1e-6  # the top of the uppermost board
    shelf.picture("place_dropped")
    assert shelf.call(findings) == 0
    shelf.move(430, 420)
    shelf.keys("ctrl+z")
    wait_for(lambda: shelf.call(heights) == pytest.approx(before))


def test_escape_stops_a_drop_and_leaves_all_in_place(shelf):
    before = shelf.call(heights)
    with shelf.held_work():
        shelf.press_button("octree.drop", x=910)
        wait_for(lambda: shelf.call(is_building))
        shelf.keys("Escape")
        wait_for(lambda: not shelf.call(is_building))
    assert shelf.call(heights) == before
    assert shelf.call(report) == []


def look_at_boxes_alone():
    """Enter the local view of two boxes, and select a third one, too."""
    import bpy

    for item in bpy.context.scene.objects:
        item.select_set(item.name in ("Board 0", "Box 0", "Box 1"))
    bpy.ops.view3d.localview(frame_selected=False)
    for item in bpy.context.scene.objects:
        item.select_set(item.name.startswith("Box"))
    bpy.ops.ed.undo_push(message="Alone")


def test_in_a_local_view_only_what_it_shows_falls_and_stops_a_fall(shelf):
    before = shelf.call(heights)
    shelf.call(look_at_boxes_alone)
    shelf.press_button("octree.drop", x=910)
    wait_for(lambda: shelf.call(report) == [["Drop", 5]])  # three of which stay, and are named
    after = shelf.call(heights)
    assert [after[f"Box {number}"] for number in (0, 1)] == pytest.approx([0.05] * 2, abs=1e-5)
    assert {name: low for name, low in after.items() if name > "Box 1"} == {
        name: low for name, low in before.items() if name > "Box 1"
    }


def test_push_apart_by_its_button(shelf):
    shelf.call(push_in)
    shelf.call(select, "Box 0", "Box 1")
    assert shelf.call(findings) == 1
    shelf.picture("place_overlapping")
    shelf.press_button("octree.push_apart", x=910)  # Fill stands beside it
    wait_for(lambda: ["Push Apart", 2] in shelf.call(report))
    shelf.picture("place_pushed_apart")
    assert shelf.call(findings) == 0


def test_fill_by_its_button(shelf):
    shelf.call(select, "Board 1", "Box 0")
    before = shelf.call(count)
    shelf.press_button("octree.fill", x=1030)
    wait_for(lambda: shelf.call(count) > before)
    shelf.picture("place_filled")
    assert shelf.call(findings) == 0


def start_to_hold():
    import bpy

    bpy.ops.octree.hold("INVOKE_DEFAULT")


def hover(window, x, y):
    """Move the pointer to a place, and return what is said of what is held there."""
    window.move(x - 3, y)
    window.move(x, y)
    wait_for(lambda: window.call(held))
    return window.call(held)


def test_hold_under_the_pointer(shelf):
    shelf.call(select, "Box 0")
    free = shelf.call(pixel_of, -1.0, -0.6, 2.05)
    shelf.call(start_to_hold)
    words, hue = hover(shelf, *free)
    assert words.startswith("On Board 1")
    assert hue[1] > hue[0]
    shelf.picture("place_held", redraw=False)
    shelf._xdotool("keydown", "alt")
    shelf._xdotool("click", "4")
    shelf._xdotool("keyup", "alt")
    before = shelf.call(count)
    shelf._xdotool("keydown", "shift")
    shelf.click(*free)
    shelf._xdotool("keyup", "shift")
    wait_for(lambda: shelf.call(count) == before + 1)
    elsewhere = shelf.call(pixel_of, 1.2, -0.5, 0.05)
    words, _ = hover(shelf, *elsewhere)
    assert words.startswith("On Board 0")
    shelf.click(*elsewhere)
    wait_for(lambda: shelf.call(held) is None)
    assert shelf.call(heights)["Box 0"] == pytest.approx(0.05, abs=1e-5)
    shelf.picture("place_put")
    assert shelf.call(findings) == 0


def test_esc_puts_nothing(shelf):
    shelf.call(select, "Box 0")
    before = shelf.call(heights)
    shelf.call(start_to_hold)
    hover(shelf, *shelf.call(pixel_of, -1.0, -0.6, 2.05))
    shelf.keys("Escape")
    wait_for(lambda: shelf.call(held) is None)
    assert shelf.call(heights) == before
