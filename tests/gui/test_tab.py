"""The tab at its default width: how high it is, with what is open; pictures in tests/out."""

import numpy as np
import pytest
from gui.conftest import reason_to_skip
from gui.harness import Screen, Window, wait_for
from gui.test_sidebar import open_sidebar

pytestmark = pytest.mark.window

# So high that the whole tab is to be seen.
WIDTH, HEIGHT = 1400, 1300
COLLAPSED, OPEN = 600, 1000


@pytest.fixture(scope="module")
def high_screen():
    reason = reason_to_skip()
    if reason:
        pytest.skip(reason)
    screen = Screen(WIDTH, HEIGHT)
    yield screen
    screen.close()


@pytest.fixture(scope="module")
def tall(high_screen, user_folder, tmp_path_factory):
    """Start one Blender for the whole module, with the example town and some answers."""
    window = Window(high_screen, user_folder, tmp_path_factory.mktemp("tab"))
    window.call(show_tab, [])
    yield window
    window.close()


def show_tab(opened):
    """Show our tab at its default width, with these panels open, and those around them."""
    import importlib

    import bpy

    addon = importlib.import_module("bl_ext.user_default.octree.octree_addon")
    panels = [each for each in addon.CLASSES if hasattr(each, "bl_category")]
    for panel in reversed(panels):
        bpy.utils.unregister_class(panel)
    # Blender remembers by its name whether a panel is open: give it another.
    suffix = "_open_" + "_".join(opened)
    for panel in panels:
        options = set(getattr(panel, "bl_options", ())) - {"DEFAULT_CLOSED"}
        is_open = panel.__name__.removeprefix("OCTREE_PT_") in opened
        panel.bl_options = options if is_open else options | {"DEFAULT_CLOSED"}
        panel.bl_idname = panel.__name__ + suffix
        if hasattr(panel, "bl_parent_id"):
            panel.bl_parent_id = panel.bl_parent_id.partition("_open_")[0] + suffix
        bpy.utils.register_class(panel)
    bpy.context.preferences.system.use_region_overlap = False  # nothing shines through
    bpy.context.space_data.show_region_ui = True
    sidebar = next(region for region in bpy.context.area.regions if region.type == "UI")
    bpy.ops.wm.redraw_timer(type="DRAW_WIN_SWAP", iterations=2)  # the tabs are known then
    sidebar.active_panel_category = "Octree"
    bpy.ops.wm.redraw_timer(type="DRAW_WIN_SWAP", iterations=2)


def sidebar_area():
    """Return left, right, top and bottom of the sidebar, in pixels from the upper left."""
    import bpy

    sidebar = next(region for region in bpy.context.area.regions if region.type == "UI")
    height = bpy.context.window.height
    top = height - sidebar.y - sidebar.height
    return [sidebar.x, sidebar.x + sidebar.width, top, top + sidebar.height]


def photograph(window, name):
    """Take a picture of the sidebar."""
    left, right, top, bottom = window.call(sidebar_area)
    return window.picture(f"tab_{name}")[top:bottom, left:right]


def height_of(sidebar):
    """Measure how far down the panels reach: below them all rows are the same."""
    rows = sidebar[:-8, 10:-40]
    changes = np.flatnonzero((rows[1:] != rows[:-1]).any(axis=(1, 2)))
    return int(changes.max(initial=0)) + 1


def press(name, options):
    import bpy

    return list(getattr(bpy.ops.octree, name)("EXEC_DEFAULT", True, **options))


def change(path, value):
    import bpy

    group, name = path.split(".")
    setattr(getattr(bpy.context.scene.octree, group), name, value)


def test_collapsed(tall):
    assert height_of(photograph(tall, "collapsed")) < COLLAPSED


def test_town(tall):
    tall.call(press, "add_example", {})
    assert height_of(photograph(tall, "town")) < COLLAPSED


@pytest.mark.parametrize("near", ["sphere", "box", "nearest", "ray"])
def test_near(tall, near):
    tall.call(change, "tab.near", near)
    options = (
        {"radius": 9.0} if near == "sphere" else {"around": "CURSOR"} if near == "box" else {}
    )
    question = {"sphere": "in_sphere", "box": "in_box", "nearest": "nearest", "ray": "on_ray"}
    tall.call(press, f"select_{question[near]}", options)
    tall.call(show_tab, ["results"])
    assert height_of(photograph(tall, near)) < OPEN


def test_collisions(tall):
    tall.call(press, "select_collisions", {})
    tall.call(show_tab, ["results"])
    assert height_of(photograph(tall, "collisions")) < OPEN


def test_cameras(tall):
    tall.call(press, "select_in_frustum", {})
    tall.call(press, "find_seen", {"span": "CUSTOM", "first": 1, "last": 20, "step": 4})
    tall.call(press, "hide_unseen", {})
    tall.call(show_tab, ["results"])
    assert height_of(photograph(tall, "cameras")) < OPEN


@pytest.mark.parametrize("source", ["TRIANGLES", "OBJECTS"])
def test_octree(tall, source):
    tall.call(change, "source.source", source)
    tall.call(change, "source.scope", "VISIBLE")
    tall.call(press, "build", {})
    if source == "OBJECTS":
        tall.call(press, "live", {})
    for name in ("advanced", "display", "statistics", "live"):
        tall.call(show_tab, ["tree", name])
        assert height_of(photograph(tall, f"octree_{source.lower()}_{name}")) < OPEN


def in_language(locale):
    """Switch the interface, and return what it makes of two labels."""
    import bpy

    view = bpy.context.preferences.view
    view.language = locale
    view.use_translate_interface = True
    translate = bpy.app.translations.pgettext_iface
    return [translate("What Cameras See"), translate("Hide Unseen", "Operator")]


def test_languages(tall):
    tall.call(show_tab, ["main", "results"])
    assert tall.call(in_language, "de_DE") == ["Was Kameras sehen", "Ungesehenes verbergen"]
    photograph(tall, "german")
    assert tall.call(in_language, "zh_HANS") == ["相机所见", "隐藏不可见物体"]
    photograph(tall, "chinese")
    tall.call(in_language, "en_US")


def widths():
    """Return how many pixels the sidebar has for a label, and how wide that of each setting is."""
    import importlib

    import blf
    import bpy

    addon = importlib.import_module("bl_ext.user_default.octree.octree_addon")
    style = bpy.context.preferences.ui_styles[0].widget
    blf.size(0, style.points * bpy.context.preferences.system.ui_scale)
    hidden = {"OctreeHiddenObject", "OctreeSceneMemory", "OctreeLayerMemory"}
    names = {
        item.name
        for group in addon.GROUPS
        if group.__name__ not in hidden
        for item in group.bl_rna.properties
        if item.identifier not in ("rna_type", "name") and item.type != "BOOLEAN"
    }
    sidebar = next(region for region in bpy.context.area.regions if region.type == "UI")
    # Two fifths of a panel are for labels; margins and tabs take about 58 of the sidebar.
    return 0.4 * (sidebar.width - 58), {name: blf.dimensions(0, name)[0] for name in names}


def test_labels_fit(tall):
    space, found = tall.call(widths)
    # These have a line of their own.
    long = {name for name, width in found.items() if width > space}
    assert long <= {"Overlapping Triangles", "Overlapping Objects", "Triangles per Pixel"}, (
        space,
        found,
    )


def open_search():
    """Open what F3 opens: Blender 5.2 does not get that key from xdotool."""
    import bpy

    bpy.ops.wm.search_menu("INVOKE_DEFAULT")


def test_search(tall):
    tall.move(300, 500)
    tall.call(open_search)
    tall.keys(*"octree")
    tall.picture("tab_search", redraw=False)
    tall.keys("Escape")


def open_preferences():
    import bpy

    bpy.ops.preferences.addon_show(module="bl_ext.user_default.octree")


def test_preferences(tall):
    tall.call(open_preferences)
    tall.picture("tab_preferences")


def hidden():
    import bpy

    return sum(item.hide_get() for item in bpy.context.view_layer.objects)


def meshes():
    import bpy

    return sum(item.type == "MESH" for item in bpy.context.scene.objects)


def test_from_the_tab_to_unseen_objects_hidden_in_three_presses(window):
    window.call(open_sidebar)
    window.picture("tab_fresh")
    window.press_button("octree.add_example")
    wait_for(lambda: window.call(meshes) > 50)
    window.picture("tab_with_town")
    window.press_button("octree.find_seen")
    wait_for(lambda: window.call(has_seen))
    window.picture("tab_found")
    window.press_button("octree.hide_unseen", x=950)
    wait_for(lambda: window.call(hidden) > 5)
    window.picture("tab_hidden")
    window.move(400, 500)
    window.keys("ctrl+z")
    wait_for(lambda: window.call(hidden) == 0)
    window.keys("ctrl+z", "ctrl+z")
    wait_for(lambda: window.call(meshes) == 1)


@pytest.fixture
def usual(user_folder, tmp_path):
    """Start a Blender on a screen of the most usual size."""
    reason = reason_to_skip()
    if reason:
        pytest.skip(reason)
    screen = Screen(1920, 1080)
    window = Window(screen, user_folder, tmp_path)
    yield window
    window.close()
    screen.close()


def test_from_the_tab_to_the_second_collision_framed_in_two_presses(usual):
    """Press the button, click the second row."""
    window = usual
    window.call(open_sidebar)
    left = window.call(sidebar_area)[0]
    window.press_button("octree.add_example", x=left + 130)
    wait_for(lambda: window.call(meshes) > 50)
    x, y = window.find_button("octree.select_collisions", x=left + 60)
    window.click(x, y)
    wait_for(lambda: window.call(row) == [-1, 2])
    window.picture("tab_collisions_asked")
    far = window.call(distance)
    x, y = window.find_button("octree.sort_rows", x=left + 60, top=y)
    window.click(x, y + 49)
    wait_for(lambda: window.call(row) == [1, 2])
    wait_for(lambda: window.call(distance) < far / 2)
    window.move(400, 600)
    window.picture("tab_second_collision")
    assert window.call(chosen) == ["Church", "Fir"]
    window.press_button("octree.previous_row", x=left + 22, top=y)
    wait_for(lambda: window.call(row) == [0, 2])
    assert "Car" in window.call(chosen)


def row():
    """Return the active row of the list, and how many there are."""
    import bpy

    results = bpy.context.scene.octree.results
    return [results.row, results.kept[results.active].count if results.kept else 0]


def distance():
    import bpy

    return bpy.context.space_data.region_3d.view_distance


def chosen():
    import bpy

    return sorted({item.name.partition(".")[0] for item in bpy.context.selected_objects})


def has_seen():
    import importlib

    import bpy

    shot = importlib.import_module("bl_ext.user_default.octree.octree_addon.cameras")
    return shot.get(bpy.context.scene) is not None


def test_results(tall):
    tall.call(show_tab, ["main", "results"])
    assert height_of(photograph(tall, "results")) < OPEN
