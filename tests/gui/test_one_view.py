"""The most usual small screen, Blender's layout as it comes: all that a press needs is in view."""

import pytest
from gui.conftest import reason_to_skip
from gui.harness import Screen, Window, wait_for
from gui.test_results import hue_pixels, press
from gui.test_sidebar import open_sidebar
from gui.test_tab import meshes, sidebar_area

pytestmark = pytest.mark.window

ASKED = (
    "select_in_frustum", "find_seen", "find_never_seen", "select_in_sphere", "measure_distances",
    "density", "select_collisions", "audit", "drop", "preview_chunks",
)  # fmt: skip
# Where buttons stand that do not reach the middle of the tab, from its left; those at the right
# of a row come after that at its left.
ACROSS = {
    "select_in_sphere": 170, "measure_distances": 50, "density": 170, "select_collisions": 50,
    "audit": 40, "drop": 40, "preview_chunks": 170,
}  # fmt: skip
SECOND = {"density"}
ROW, ROWS = 20, 6
FOUND = (0.34, 0.71, 0.91)


@pytest.fixture
def small(user_folder, tmp_path):
    reason = reason_to_skip()
    if reason:
        pytest.skip(reason)
    screen = Screen(1366, 768)
    window = Window(screen, user_folder, tmp_path)
    yield window
    window.close()
    screen.close()


def opened_tab():
    """Open the sidebar, and return which tab it shows and in what order they stand."""
    import bpy

    bpy.context.space_data.show_region_ui = True
    sidebar = next(region for region in bpy.context.area.regions if region.type == "UI")
    bpy.ops.wm.redraw_timer(type="DRAW_WIN_SWAP", iterations=2)
    return sidebar.active_panel_category


def asked():
    """Return the question of the result that the list shows."""
    import bpy

    results = bpy.context.scene.octree.results
    return results.kept[results.active].question if results.kept else ""


def shorten():
    import bpy

    scene = bpy.context.scene
    scene.frame_end = 3
    scene.octree.never_seen.directions, scene.octree.never_seen.resolution = 4, 32
    scene.octree.sphere.radius = 9
    for item in scene.objects:
        item.select_set(item.name == "Car")
    bpy.context.view_layer.objects.active = scene.objects["Car"]


def test_button_answer_and_six_rows_are_in_view(small):
    assert small.call(opened_tab) == "Item"
    small.call(open_sidebar)
    left, _, _, bottom = small.call(sidebar_area)
    small.press_button("octree.add_example", x=left + 120, top=300)
    wait_for(lambda: small.call(meshes) > 50)
    small.call(shorten)
    places, top = {}, 100
    for name in ASKED:
        x = left + ACROSS.get(name, 100)
        y = small.find_button(f"octree.{name}", x=x, top=top - ROW * (name in SECOND))[1]
        places[name], top = (x, y), y + 4
    for name, (x, y) in places.items():
        small.click(x, y)
        wait_for(lambda name=name: small.call(asked) == name)
        small.picture(f"one_view_{name}")
        header = small.find_button("octree.sort_rows", x=left + 60, top=top + 60)[1]
        assert header + (ROWS + 1) * ROW < bottom
        assert small.find_button(f"octree.{name}", x=x, top=y - 14)[1] == pytest.approx(y, abs=8)
    assert "Traceback" not in small.read_log()


def test_the_picture_answers_first_and_what_is_cleared_is_gone(window):
    window.call(press, "add_example")
    plain = hue_pixels(window.picture("one_view_plain"), FOUND)
    window.call(press, "find_seen")
    wait_for(lambda: hue_pixels(window.picture("one_view_seen"), FOUND) > plain + 20_000)
    window.call(press, "clear_results")
    assert hue_pixels(window.picture("one_view_cleared"), FOUND) < plain + 2_000
    window.call(press, "select_in_frustum")
    assert hue_pixels(window.picture("one_view_asked"), FOUND) > plain + 20_000


def add_busy_work():
    """Let cameras look through many frames of a scene that moves."""
    import bpy

    scene = bpy.context.scene
    scene.frame_end = 4000
    scene.octree.shot.span = "SCENE"


def has_begun():
    import bpy

    window = bpy.context.window_manager.windows[0]
    return any("find_seen" in operator.bl_idname.lower() for operator in window.modal_operators)


def test_progress_stands_where_the_button_was_with_cancel(window):
    window.call(press, "add_example")
    window.call(open_sidebar)
    window.call(add_busy_work)
    x, y = window.find_button("octree.find_seen", x=960)
    window.click(x, y)
    wait_for(lambda: window.call(has_begun))
    window.picture("one_view_progress", redraw=False)
    window.click(*window.find_button("octree.cancel_work", x=1060))
    wait_for(lambda: not window.call(has_begun))
    assert window.find_button("octree.find_seen", x=960, top=y - 14)[1] == pytest.approx(y, abs=8)
    assert window.call(asked) == ""
    assert "Traceback" not in window.read_log()
