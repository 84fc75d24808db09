"""The first minute of the README by pointer and keys, each sentence; presses and notches counted.

In a default file, on a usual and on a small screen. And before it, from the front page of the site
to a first answer.
"""

import pytest
from gui.conftest import reason_to_skip
from gui.harness import Screen, Window, wait_for
from gui.redraw_scenes import redraw
from gui.test_one_view import asked
from gui.test_tab import hidden, sidebar_area

pytestmark = pytest.mark.window

MOST_PRESSES = 12
# With the click on the front page of the site that docs/website/check.py holds: six.
FIRST_ANSWER = 5
SIZES = [(1920, 1080), (1366, 768)]


@pytest.fixture(params=SIZES, ids=["usual", "small"])
def fresh(request, user_folder, tmp_path):
    reason = reason_to_skip()
    if reason:
        pytest.skip(reason)
    screen = Screen(*request.param)
    window = Window(screen, user_folder, tmp_path)
    yield window
    window.close()
    screen.close()


class Hand:
    """Somebody's hand on mouse and keyboard: counts what it presses; a wheel it has not."""

    def __init__(self, window):
        self.window, self.presses, self.left = window, 0, 0

    def key(self, name):
        self.window.move(420, 400)
        self.window.keys(name)
        self.presses += 1

    def click(self, x, y):
        # A hand rests before it presses; a busy Blender would take the header for the button.
        self.window.move(x, y)
        self.window.call(redraw, 2)
        self.window.click(x, y)
        self.presses += 1

    def press(self, name, x, top=90):
        """Press a button, which has to be in view."""
        place = self.window.find_button(f"octree.{name}", x=self.left + x, top=top)
        self.click(*place)
        return place


def tabs():
    """Return where the sidebar is, and what its tab is called."""
    import bpy

    sidebar = next(region for region in bpy.context.area.regions if region.type == "UI")
    bpy.ops.wm.redraw_timer(type="DRAW_WIN_SWAP", iterations=2)
    return [sidebar.width, sidebar.active_panel_category]


def seen_of_town():
    """Return what stands in the scene: if the cube is as it was, and where cursor and view are."""
    import bpy

    scene, view = bpy.context.scene, bpy.context.space_data.region_3d
    town = scene.collection.children["Example Town"]
    cube = bpy.data.objects.get("Cube")
    boxes = [item.matrix_world.translation for item in town.objects]
    middle = sum(box.x for box in boxes) / len(boxes)
    return {
        "cube": cube is not None and list(cube.location),
        "away": min(abs(box.x) for box in boxes),
        "view": abs(view.view_location.x - middle),
        "cursor": min((scene.cursor.location - box).length for box in boxes),
        "objects": sorted(item.name for item in scene.objects if item.name not in town.objects),
    }


def answer():
    """Return rows of the shown result, the names of the selected, and the active row."""
    import bpy

    results = bpy.context.scene.octree.results
    result = results.kept[results.active]
    names = sorted(item.name for item in bpy.context.selected_objects)
    return [result.question, result.count, names, results.row]


def dropped(path):
    """Do what Blender does when a file is dropped on its window."""
    import bpy

    bpy.ops.extensions.package_install_files("INVOKE_DEFAULT", url=path)


def is_enabled():
    import bpy

    return "bl_ext.user_default.octree" in bpy.context.preferences.addons


def view_distance():
    import bpy

    return bpy.context.space_data.region_3d.view_distance


def scope():
    import bpy

    return bpy.context.scene.octree.source.scope


def built():
    import importlib

    import bpy

    trees = importlib.import_module("bl_ext.user_default.octree.octree_addon.trees")
    tree = trees.get(bpy.context.scene)
    return tree and tree.statistics.items


def test_every_sentence_shows_what_it_says_in_twelve_presses_and_no_notch(fresh):
    hand = Hand(fresh)
    # 1. N, the tab, Add Example Town.
    hand.key("n")
    _, tab = fresh.call(tabs)
    assert tab == "Item"
    hand.left, right, top, _ = fresh.call(sidebar_area)
    hand.click(right - 10, top + 240)
    wait_for(lambda: fresh.call(tabs)[1] == "Octree")
    fresh.picture("first_minute_tab")
    hand.press("add_example", 120)
    town = fresh.call(seen_of_town)
    assert town["cube"] == [0, 0, 0]
    assert town["objects"] == ["Camera", "Cube", "Light"]
    assert town["away"] > 10
    assert town["view"] < 3
    assert town["cursor"] < 0.1
    # 2. Find What Cameras See, Hide Unseen, Restore Hidden.
    hand.press("find_seen", 100)
    wait_for(lambda: fresh.call(asked) == "find_seen")
    fresh.picture("first_minute_seen")
    hand.press("hide_unseen", 60)
    wait_for(lambda: fresh.call(hidden) > 5)
    hand.press("restore_hidden", 190)
    wait_for(lambda: fresh.call(hidden) == 0)
    # 3. Select Collisions, a row, Audit.
    _, y = hand.press("select_collisions", 100)
    wait_for(lambda: fresh.call(answer)[:2] == ["select_collisions", 2])
    x, y = fresh.find_button("octree.sort_rows", x=hand.left + 60, top=y)
    far = fresh.call(view_distance)
    hand.click(x, y + 28)
    wait_for(lambda: fresh.call(answer)[3] == 0)
    assert fresh.call(answer)[2] == ["Car", "House"] or "Car" in fresh.call(answer)[2]
    wait_for(lambda: fresh.call(view_distance) < far / 2)
    fresh.picture("first_minute_row")
    hand.press("audit", 50)
    wait_for(lambda: fresh.call(answer)[0] == "audit")
    fresh.picture("first_minute_audit")
    # 4. Select in Sphere, from the 3D cursor.
    hand.press("select_in_sphere", 170)
    wait_for(lambda: fresh.call(answer)[0] == "select_in_sphere")
    assert "Car" in fresh.call(answer)[2]
    assert "Cube" not in fresh.call(answer)[2]
    # 5. Build From: Visible, the second icon of the header, and Build beside it.
    _, y = fresh.find_button("octree.build", x=hand.left + 160)
    hand.click(hand.left + 113, y)
    wait_for(lambda: fresh.call(scope) == "VISIBLE", 10)
    hand.press("build", 160, top=y - 16)
    wait_for(lambda: fresh.call(built))
    assert fresh.call(built) > 5000
    fresh.picture("first_minute_cells")
    print("presses:", hand.presses)
    assert hand.presses <= MOST_PRESSES
    assert "Traceback" not in fresh.read_log()


def test_from_the_front_page_to_a_first_answer_in_six_clicks_and_presses(user_folder, tmp_path):
    """The first is the click on *Download*; nothing is installed before."""
    screen = Screen(*SIZES[0])
    window = Window(screen, tmp_path / "user", tmp_path, module="")
    hand = Hand(window)
    try:
        assert not window.call(is_enabled)
        window.move(700, 500)
        window.call(dropped, str(user_folder / "octree.zip"))
        hand.presses += 1
        window.picture("first_answer_dialog")
        window.keys("Return")  # OK
        hand.presses += 1
        wait_for(lambda: window.call(is_enabled))
        hand.key("n")
        hand.left, right, top, _ = window.call(sidebar_area)
        hand.click(right - 10, top + 240)
        wait_for(lambda: window.call(tabs)[1] == "Octree")
        hand.press("find_seen", 100)
        wait_for(lambda: window.call(asked) == "find_seen")
        assert window.call(answer)[:2] == ["find_seen", 1]  # the cube
        window.picture("first_answer")
        assert hand.presses == FIRST_ANSWER
        assert "Traceback" not in window.read_log()
    finally:
        window.close()
        screen.close()
