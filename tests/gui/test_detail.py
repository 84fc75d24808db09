"""What is seen of cells and answers by default; near and far; what the pointer is over."""

import numpy as np
import pytest
from gui.harness import wait_for

pytestmark = pytest.mark.window

ROOM = (slice(130, 760), slice(70, 1000))


def add_monkey():
    """Put a monkey in the place of the cube, and let it fill the view."""
    import bpy

    bpy.data.objects.remove(bpy.data.objects["Cube"])
    bpy.ops.mesh.primitive_monkey_add()
    bpy.context.view_layer.update()
    bpy.ops.view3d.view_selected()
    bpy.ops.ed.undo_push(message="Monkey")


def build():
    import bpy

    bpy.ops.octree.build("EXEC_DEFAULT", True, scope="VISIBLE")


def ask_sphere(radius):
    import bpy

    bpy.context.scene.cursor.location = (0.5, -0.5, 0.5)
    bpy.ops.octree.select_in_sphere("INVOKE_DEFAULT", True, radius=radius)


def add_terrain(side):
    """Add hills of two triangles a square: a million of them at a side of 708."""
    import bpy
    import numpy as np

    bpy.data.objects.remove(bpy.data.objects["Cube"])
    x, y = np.meshgrid(np.linspace(-5, 5, side), np.linspace(-5, 5, side))
    z = 0.4 * np.sin(2 * x) * np.cos(3 * y) + 0.1 * np.sin(9 * x + 5 * y)
    number = np.arange(side * side).reshape(side, side)
    corners = number[:-1, :-1], number[:-1, 1:], number[1:, 1:], number[1:, :-1]
    faces = np.stack([each.ravel() for each in corners], axis=1)
    mesh = bpy.data.meshes.new("Terrain")
    mesh.vertices.add(side * side)
    mesh.vertices.foreach_set("co", np.stack((x, y, z), axis=-1).astype(np.float32).ravel())
    mesh.loops.add(faces.size)
    mesh.loops.foreach_set("vertex_index", faces.ravel().astype(np.int32))
    mesh.polygons.add(len(faces))
    mesh.polygons.foreach_set("loop_start", np.arange(0, faces.size, 4, dtype=np.int32))
    mesh.update(calc_edges=True)
    item = bpy.data.objects.new("Terrain", mesh)
    bpy.context.collection.objects.link(item)
    bpy.context.view_layer.objects.active = item
    item.select_set(True)
    bpy.context.view_layer.update()
    bpy.ops.view3d.view_selected()


def look(distance):
    import bpy

    bpy.context.space_data.region_3d.view_distance = distance


def use_light_theme():
    """Take the theme that Blender brings, as its preset menu does."""
    import os

    import bpy

    folder = bpy.utils.preset_paths("interface_theme")[0]
    name = next(each for each in os.listdir(folder) if "light" in each.lower())
    bpy.ops.script.execute_preset(
        filepath=os.path.join(folder, name), menu_idname="USERPREF_MT_interface_theme_presets"
    )


def change_display(settings):
    import bpy

    for name, value in settings.items():
        setattr(bpy.context.scene.octree.display, name, value)


def fade_nothing():
    import bpy

    bpy.context.scene.octree.answer.fade = False


def state():
    """Return what is known of the answer and of the pointer."""
    import importlib

    import bpy

    addon = "bl_ext.user_default.octree.octree_addon"
    questions, hover = (
        importlib.import_module(f"{addon}.{name}") for name in ("questions", "display.hover")
    )
    return {
        "is_current": questions.is_current(bpy.context.scene),
        "lines": [line for each in hover._hovered for line in each.lines],
        "cell": [each.cell for each in hover._hovered],
        "handles": len(hover._handles),
        "running": [each.bl_idname for each in bpy.context.window.modal_operators],
    }


def cells_and_draws():
    """Return how many cells the picture has, and what one redraw of it costs.

    Lines of Python, calls of the graphics card, and how many instances each was about.
    """
    import importlib
    import sys

    import bpy

    addon = "bl_ext.user_default.octree.octree_addon"
    batches, boxes = (
        importlib.import_module(f"{addon}.display.{name}") for name in ("batches", "boxes")
    )
    picture = batches.shown_picture(bpy.context.scene)
    draw, upload, drawn, lines = boxes.draw_boxes, boxes.upload, [], 0
    uploads = []

    def counted(*given, **options):
        drawn.append(options["ranges"])
        draw(*given, **options)

    def count(frame, event, argument):
        nonlocal lines
        lines += event == "line"
        return count

    batches.draw_boxes, batches.upload = (
        counted,
        lambda *given: uploads.append(1) or upload(*given),
    )
    drawing = importlib.import_module(f"{addon}.display.drawing")
    original = drawing.draw_scene

    def traced(scene):
        sys.settrace(count)
        try:
            original(scene)
        finally:
            sys.settrace(None)

    drawing.draw_scene = traced
    bpy.ops.wm.redraw_timer(type="DRAW_WIN", iterations=1)
    drawing.draw_scene, batches.draw_boxes, batches.upload = original, draw, upload
    return {
        "wanted": picture.wanted,
        "family": len(picture.family),
        "drawn": drawn,
        "lines": lines,
        "uploads": len(uploads),
    }


def tint(picture, color):
    """Count the pixels of the 3D view whose tint is that of a color, mixed with gray or not."""
    pixels = picture[ROOM].reshape(-1, 3) / 255
    tints = pixels - pixels.mean(axis=1, keepdims=True)
    wanted = np.array(color) - np.mean(color)
    along = tints @ wanted / np.linalg.norm(wanted)
    return int(((along > 0.08) & (along > 0.9 * np.linalg.norm(tints, axis=1))).sum())


def differing(one, other):
    return int((np.abs(one[ROOM].astype(int) - other[ROOM]).max(axis=-1) > 8).sum())


BLUE, MAGENTA = (0.34, 0.71, 0.91), (1.0, 0.2, 0.75)


def test_the_answer_is_what_one_sees_until_something_moves(window):
    window.call(add_monkey)
    window.call(build)
    cells = window.picture("monkey_built")
    window.call(ask_sphere, 0.6)
    answer = window.picture("monkey_sphere")
    assert tint(answer, BLUE) > 20_000 + tint(cells, BLUE)
    bar = answer[870:, 1000:].astype(int) - cells[870:, 1000:]
    assert (np.abs(bar).max(axis=-1) > 60).sum() > 200  # the words at the bottom
    window.move(560, 420)
    window.keys("a", "g", "x", "2")
    assert tint(window.picture("monkey_dragged"), BLUE) < 5000
    window.keys("Escape")
    wait_for(lambda: window.call(state)["is_current"])
    assert tint(window.picture("monkey_back"), BLUE) > 20_000
    window.keys("g", "x", "2", "Return")
    wait_for(lambda: not window.call(state)["is_current"])
    moved = window.picture("monkey_moved")
    assert tint(moved, BLUE) < 5000
    bar = moved[870:, 1000:].astype(int) - answer[870:, 1000:]
    assert (np.abs(bar).max(axis=-1) > 60).sum() > 200
    assert "Traceback" not in window.read_log()


def test_cells_are_dimmed_by_an_answer_until_they_are_built_again(window):
    window.call(add_monkey)
    window.call(fade_nothing)
    window.call(change_display, {"show": False})
    window.call(build)
    plain = window.picture("monkey_plain")
    window.call(change_display, {"show": True})
    bright = differing(window.picture("monkey_bright"), plain)
    window.call(ask_sphere, 0.0)
    assert differing(window.picture("monkey_dimmed"), plain) < 0.7 * bright
    window.call(build)
    assert differing(window.picture("monkey_built_again"), plain) > 0.9 * bright


@pytest.mark.parametrize("theme", ["dark", "light"])
def test_lines_behind_surfaces_are_fainter(window, theme):
    window.call(add_monkey)
    if theme == "light":
        window.call(use_light_theme)
    window.call(build)
    window.call(change_display, {"show": False})
    plain = window.picture(f"{theme}_plain").astype(int)
    changes = {}
    for name, settings in {
        "hidden": {"show": True, "behind": False},
        "faint": {"behind": True},
        "in_front": {"in_front": True},
    }.items():
        window.call(change_display, settings)
        seen = window.picture(f"{theme}_{name}")
        changes[name] = np.abs(seen - plain)[ROOM].max(axis=-1)
    behind = (changes["hidden"] < 4) & (changes["in_front"] > 20)
    assert behind.sum() > 3000
    faint = np.median(changes["faint"][behind])
    assert 3 < faint < 0.6 * np.median(changes["in_front"][behind])


def test_a_million_triangles_far_and_near(window):
    window.call(add_terrain, 708, timeout=200)
    window.call(build, timeout=200)
    found = {}
    for name, distance in (("far", None), ("near", 1.5), ("very_far", 200)):
        if distance:
            window.call(look, distance)
        window.picture(f"million_{name}")
        window.call(change_display, {"cells": "ALL"})
        window.picture(f"million_{name}_all")
        found[name] = window.call(cells_and_draws)
        window.call(change_display, {"cells": "OCCUPIED_LEAVES"})
    assert found["near"]["wanted"] > 150_000  # all of them, no limit
    for each in found.values():
        assert each["uploads"] == 0
        assert len(each["drawn"]) == 2  # before and behind surfaces
        assert max(map(len, each["drawn"])) <= 65
        assert each["lines"] < 1000
    cells = {name: sum(count for _, count in each["drawn"][0]) for name, each in found.items()}
    assert cells["very_far"] < 0.001 * cells["near"]
    assert cells["near"] < 0.6 * found["near"]["family"]  # the rest is out of view, or small


def test_the_cell_under_the_pointer_tells_its_numbers(window):
    window.call(add_monkey)
    window.call(build)
    plain = window.picture("monkey_built")
    window.call(inspect)
    window.move(555, 300)
    window.move(560, 300)
    wait_for(lambda: window.call(state)["lines"])
    told = window.call(state)
    assert told["lines"][0].startswith("Depth ")
    assert told["lines"][1].endswith("triangles") or told["lines"][1].endswith("triangle")
    assert differing(window.picture("cell_under_the_pointer"), plain) > 500
    window.move(300, 600)
    wait_for(lambda: window.call(state)["cell"] != told["cell"])
    window.keys("Escape")
    wait_for(lambda: not window.call(state)["running"])
    ended = window.call(state)
    assert (ended["lines"], ended["handles"]) == ([], 0)
    window.call(inspect)
    window.move(560, 300)
    window.call(open_new_file)
    assert window.call(state)["handles"] == 0
    wait_for(lambda: not window.call(state)["running"])
    assert "Traceback" not in window.read_log()


def inspect():
    import bpy

    bpy.ops.octree.inspect_cells("INVOKE_DEFAULT")


def open_new_file():
    import bpy

    bpy.ops.wm.read_homefile(use_empty=False)


def follow_two_cubes():
    """Follow two cubes that overlap and one that does not; our tab is open at Live."""
    import bpy

    bpy.data.objects.remove(bpy.data.objects["Cube"])
    for name, x in (("Left", -1.2), ("Right", 0.2), ("Far", 4)):
        bpy.ops.mesh.primitive_cube_add(size=2, location=(x, 0, 0))
        bpy.context.object.name = name
    bpy.context.view_layer.objects.active = bpy.data.objects["Left"]
    scene = bpy.context.scene
    scene.octree.source.source, scene.octree.source.scope = "OBJECTS", "VISIBLE"
    scene.octree.display.show = False
    bpy.ops.octree.build("EXEC_DEFAULT", True)
    bpy.ops.octree.live("EXEC_DEFAULT")
    bpy.context.space_data.show_region_ui = True
    sidebar = next(region for region in bpy.context.area.regions if region.type == "UI")
    bpy.ops.wm.redraw_timer(type="DRAW_WIN_SWAP", iterations=2)
    sidebar.active_panel_category = "Octree"


def move_away():
    import bpy

    bpy.data.objects["Right"].location.y = 5
    bpy.context.view_layer.update()


def test_what_overlaps_is_marked_while_it_does(window):
    window.call(follow_two_cubes)
    marked = window.picture("live_overlapping")
    window.call(move_away)
    assert tint(marked, MAGENTA) > 500 + tint(window.picture("live_apart"), MAGENTA)
