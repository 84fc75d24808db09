"""Hints with answers, pressed: what was taken as one, left out or too large."""

import pytest
from gui import guide_scenes
from gui.harness import wait_for
from gui.test_detail import MAGENTA, tint
from gui.test_one_view import asked
from gui.test_operators import add_plain, lower_the_limit, tree
from gui.test_results import ask, build_town, is_local, press, show_results_alone
from gui.test_sidebar import open_sidebar

pytestmark = pytest.mark.window

# Where the left one of two buttons is hit in the tab, and one of the whole width.
LEFT, MIDDLE = 930, 1000


def build_row():
    """Let an empty show a collection of balls in a row, before the camera; two of them overlap."""
    import bpy

    bpy.data.objects.remove(bpy.data.objects["Cube"])
    balls = bpy.data.collections.new("Balls")
    for x in (-2, 0, 1, 3):
        bpy.ops.mesh.primitive_ico_sphere_add(subdivisions=3, radius=0.8, location=(x, 0, 0))
        ball = bpy.context.object
        bpy.context.collection.objects.unlink(ball)
        balls.objects.link(ball)
    empty = bpy.data.objects.new("Row", None)
    empty.instance_type, empty.instance_collection = "COLLECTION", balls
    bpy.context.collection.objects.link(empty)
    bpy.context.view_layer.update()
    bpy.ops.ed.undo_push(message="Row")


def answer():
    """Return the question of the shown result and how many rows it has."""
    import bpy

    results = bpy.context.scene.octree.results
    result = results.kept[results.active]
    return [result.question, result.count]


def test_instances_that_were_taken_as_one_are_asked_for_by_the_button_below(window):
    window.call(build_row)
    window.call(open_sidebar)
    window.picture("hints_row")
    for name, left, again, found in (
        ("select_collisions", LEFT, "select_collisions", 1),
        ("find_seen", MIDDLE, "select_in_frustum", 4),
    ):
        x, y = window.find_button(f"octree.{name}", x=left)
        window.click(x, y)
        wait_for(lambda name=name: window.call(asked) == name)
        window.picture(f"hints_{name}")
        # The button of the tab has the same name; that of the hint stands in Results.
        below = window.find_button("octree.sort_rows", x=LEFT, top=y)[1] - 150
        window.press_button(f"octree.{again}", x=MIDDLE, top=max(below, y + 200))
        wait_for(lambda again=again, found=found: window.call(answer) == [again, found])
        window.picture(f"hints_{name}_each")
    assert "Traceback" not in window.read_log()


def add_panorama():
    """Add a panoramic camera to that of the scene, and ask all of them."""
    import bpy

    lens = bpy.data.cameras.new("CamPano")
    lens.type = "PANO"
    item = bpy.data.objects.new("CamPano", lens)
    item.location = 0, 0, 3
    bpy.context.collection.objects.link(item)
    octree = bpy.context.scene.octree
    octree.shot.cameras = octree.never_seen.cameras = "ALL"
    octree.never_seen.views, octree.never_seen.resolution = "SHOT", 64


def selected():
    import bpy

    return [item.name for item in bpy.context.selected_objects]


def select_nothing():
    import bpy

    bpy.ops.object.select_all(action="DESELECT")


@pytest.mark.parametrize("name", ["find_seen", "find_never_seen"])
def test_a_panoramic_camera_among_others_is_left_out_named_and_selected(window, name):
    window.call(add_panorama)
    window.call(open_sidebar)
    window.picture("hints_cameras")
    window.press_button(f"octree.{name}", x=MIDDLE)
    wait_for(lambda: window.call(asked) == name)
    window.call(select_nothing)
    window.picture(f"hints_panorama_{name}")
    window.press_button("object.select_pattern", x=MIDDLE, top=300)
    wait_for(lambda: window.call(selected) == ["CamPano"])
    assert "Traceback" not in window.read_log()


def follow_a_lawn():
    """Let eight posts stand in a lawn, two of them in each other; follow all."""
    import bpy

    bpy.data.objects.remove(bpy.data.objects["Cube"])
    bpy.ops.mesh.primitive_cube_add(size=1, location=(0, 0, -0.1), scale=(12, 6, 0.2))
    bpy.context.object.name = "Lawn"
    for number, x in enumerate((-5, -4, -3, -2, -1, 0, 3, 3.3)):
        bpy.ops.mesh.primitive_cube_add(size=0.6, location=(x, 0, 0.2))
        bpy.context.object.name = f"Post {number}"
    bpy.ops.object.select_all(action="DESELECT")
    bpy.context.view_layer.objects.active = bpy.data.objects["Post 0"]
    octree = bpy.context.scene.octree
    octree.source.source, octree.source.scope, octree.display.show = "OBJECTS", "VISIBLE", False
    bpy.ops.octree.build("EXEC_DEFAULT", True)
    bpy.ops.octree.live("EXEC_DEFAULT")


def ground():
    import bpy

    found = bpy.context.scene.octree.live.ground
    return found and found.name


def test_live_leaves_out_a_ground_and_looks_at_one_object(window):
    window.call(follow_a_lawn)
    window.call(guide_scenes.show_panels, ["tree", "live"])
    all_pairs = tint(window.picture("hints_lawn"), MAGENTA)
    window.press_button("wm.context_set_id", x=MIDDLE)
    wait_for(lambda: window.call(ground) == "Lawn")
    one_pair = tint(window.picture("hints_lawn_left_out"), MAGENTA)
    assert 50 < one_pair < 0.5 * all_pairs
    window.call(guide_scenes.change, {"live.active_only": True})
    assert tint(window.picture("hints_lawn_active"), MAGENTA) < 0.2 * one_pair
    assert "Traceback" not in window.read_log()


def test_a_build_that_is_too_large_offers_whole_objects(window):
    window.call(add_plain, 20)
    window.call(lower_the_limit, 100)
    window.call(guide_scenes.show_panels, ["tree"])
    window.press_button("octree.build", x=1015)
    window.picture("hints_too_large")
    assert window.call(tree) is None
    window.keys("w")  # as the letter under Whole Objects
    wait_for(lambda: window.call(tree) is not None)
    assert window.call(tree)[0] == 2
    assert "Traceback" not in window.read_log()


def shown():
    """Return the names of the meshes that the 3D view shows."""
    import bpy

    view = bpy.context.space_data
    items = [item for item in bpy.context.scene.objects if item.type == "MESH"]
    return sorted(item.name for item in items if item.visible_get(viewport=view))


def test_the_isolation_follows_the_row(window):
    window.call(build_town)
    window.call(ask)
    window.call(show_results_alone)
    window.call(press, "next_row")
    window.call(press, "isolate_row")
    wait_for(lambda: window.call(is_local))
    pairs = [window.call(shown)]
    window.call(press, "next_row")
    wait_for(lambda: window.call(shown) != pairs[0])
    pairs.append(window.call(shown))
    window.picture("hints_isolated")
    assert [len(each) for each in pairs] == [2, 2]
    assert window.call(is_local)
    window.call(press, "isolate_row")
    wait_for(lambda: not window.call(is_local))
    assert len(window.call(shown)) > 30
