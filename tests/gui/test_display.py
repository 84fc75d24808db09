"""The cells in the 3D view, as a user sees them; the pictures are kept in tests/out."""

import numpy as np
import pytest
from gui.harness import wait_for

pytestmark = pytest.mark.window

CENTER = (560, 420)
SMOOTHING = 2000  # pixels by which two pictures of the same may differ


def build_balls():
    """Three spheres, a tree of them, and a view that shows them all."""
    import bpy

    bpy.data.objects.remove(bpy.data.objects["Cube"])
    for x in (-2.5, 0, 2.5):
        bpy.ops.mesh.primitive_ico_sphere_add(subdivisions=5, location=(x, 0, 0))
    for item in bpy.context.scene.objects:
        item.select_set(item.type == "MESH")
    bpy.ops.ed.undo_push(message="Balls")
    bpy.ops.octree.build("EXEC_DEFAULT", True)
    bpy.ops.view3d.view_selected()


def change_display(settings):
    import bpy

    for name, value in settings.items():
        setattr(bpy.context.scene.octree.display, name, value)


def show_overlays(show):
    import bpy

    bpy.context.space_data.overlay.show_overlays = show


def trees_in_memory():
    import importlib

    import bpy

    trees = importlib.import_module("bl_ext.user_default.octree.octree_addon.trees")
    handlers = bpy.app.handlers
    listeners = [*handlers.depsgraph_update_post, *handlers.load_pre]
    return {
        "trees": len(trees._kept),
        "shown": trees.get(bpy.context.scene) is not None,
        "listeners": sum("octree" in listener.__module__ for listener in listeners),
    }


def save_file(path):
    import bpy

    bpy.ops.wm.save_as_mainfile(filepath=path)


def open_file(path):
    import bpy

    if path:
        bpy.ops.wm.open_mainfile(filepath=path)
    else:
        bpy.ops.wm.read_homefile(use_empty=False)


def differing(one, other):
    """Count the pixels that visibly differ between two pictures."""
    return int((np.abs(one.astype(int) - other).max(axis=-1) > 8).sum())


def cells_seen(window, name, *, redraw=False):
    """Count the pixels of the 3D view that differ from the same view without cells."""
    picture, plain = window.picture(name, redraw=redraw), window.plain
    return differing(picture[130:760, 70:1000], plain[130:760, 70:1000])


@pytest.fixture
def balls(window):
    """Show the tree of three spheres, with a picture of them without cells."""
    window.call(build_balls)
    window.call(change_display, {"show": False})
    window.plain = window.picture("without_cells")
    window.call(change_display, {"show": True})
    return window


def test_cells_follow_their_switch_and_the_overlays(balls):
    assert cells_seen(balls, "cells_by_depth", redraw=True) > 20_000
    balls.call(change_display, {"show": False})
    wait_for(lambda: cells_seen(balls, "cells_off") < SMOOTHING)
    balls.call(change_display, {"show": True})
    wait_for(lambda: cells_seen(balls, "cells_on") > 20_000)
    balls.call(show_overlays, False)
    balls.plain = balls.picture("overlays_off")
    balls.call(change_display, {"show": False})
    assert cells_seen(balls, "overlays_and_cells_off", redraw=True) < SMOOTHING


@pytest.mark.parametrize("cells", ["ALL", "OCCUPIED_AND_INTERNAL", "LEAVES", "DEPTH"])
def test_choice_of_cells_is_seen(balls, cells):
    balls.call(change_display, {"cells": cells, "depth": 3})
    assert cells_seen(balls, f"cells_{cells.lower()}", redraw=True) > 5000


def test_cells_in_front_wide_and_by_fill(balls):
    balls.call(change_display, {"behind": False})
    hidden = cells_seen(balls, "cells_hidden_by_the_scene", redraw=True)
    balls.call(change_display, {"in_front": True})
    assert cells_seen(balls, "cells_in_front", redraw=True) > 1.2 * hidden
    balls.call(change_display, {"in_front": False, "line_width": 3.0})
    assert cells_seen(balls, "cells_wide", redraw=True) > 1.2 * hidden
    balls.call(change_display, {"line_width": 1.0})
    by_depth = balls.picture("cells_by_depth")
    balls.call(change_display, {"color_by": "FILL"})
    assert differing(by_depth, balls.picture("cells_by_fill")) > 5000


def test_undo_and_redo_take_the_cells_along(balls):
    balls.move(*CENTER)
    balls.keys("ctrl+z")
    wait_for(lambda: cells_seen(balls, "undone") < SMOOTHING)
    balls.keys("ctrl+shift+z")
    wait_for(lambda: cells_seen(balls, "redone") > 20_000)


def test_another_file_has_no_ghosts_and_the_first_gets_its_cells_back(balls, tmp_path):
    path = str(tmp_path / "balls.blend")
    balls.call(save_file, path)
    balls.call(open_file, "")
    assert balls.call(trees_in_memory) == {"trees": 0, "shown": False, "listeners": 0}
    balls.picture("other_file")
    balls.call(open_file, path)
    wait_for(lambda: balls.call(trees_in_memory)["shown"])
    wait_for(lambda: cells_seen(balls, "reopened") > 20_000)


def quit_blender():
    import bpy

    bpy.app.timers.register(bpy.ops.wm.quit_blender, first_interval=0.1)


def test_nothing_is_left_in_memory_at_the_end(unused, balls):
    balls.picture("before_the_end")
    balls.call(quit_blender)
    assert balls.blender.wait(20) == 0
    assert "Not freed" not in balls.read_log()


def break_drawing():
    import importlib

    module = "bl_ext.user_default.octree.octree_addon.display.batches"

    def fail(*_, **__):
        raise RuntimeError("no such shader")

    importlib.import_module(module).draw_picture = fail


def is_shown():
    import bpy

    return bpy.context.scene.octree.display.show


def test_failing_display_is_switched_off_and_says_so_once(balls):
    balls.call(break_drawing)
    balls.call(change_display, {"opacity": 0.9})
    wait_for(lambda: not balls.call(is_shown))
    balls.picture("display_failed")
    balls.call(change_display, {"opacity": 1.0})
    balls.picture("display_failed_before")
    assert balls.read_log().count("RuntimeError: no such shader") == 1
