"""Objects and the tree that follows them, as a user sees them; the pictures are in tests/out."""

import numpy as np
import pytest

pytestmark = pytest.mark.window

CENTER = (560, 420)
ROOM = (slice(130, 760), slice(70, 1000))


def make_swarm():
    """Three hundred flies on their ways through each other, and the sidebar open at our tab."""
    import math
    import random

    import bpy

    random.seed(3)
    seed = bpy.data.objects["Cube"]
    for number in range(300):
        fly = seed.copy()
        fly.name = f"Fly {number:03}"
        fly.scale = (0.12,) * 3
        bpy.context.collection.objects.link(fly)
        turn, height = random.uniform(0, 2 * math.pi), random.uniform(-1.5, 1.5)
        for frame, reach in ((1, 0.5), (20, 5.0), (40, 1.5)):
            fly.location = (
                reach * math.cos(turn + frame / 9) + random.gauss(0, 0.3),
                reach * math.sin(turn + frame / 9) + random.gauss(0, 0.3),
                height,
            )
            fly.keyframe_insert("location", frame=frame)
    bpy.data.objects.remove(seed)
    bpy.context.scene.frame_set(1)
    bpy.context.view_layer.objects.active = bpy.data.objects["Fly 000"]
    settings = bpy.context.scene.octree
    settings.source.source, settings.source.scope = "OBJECTS", "VISIBLE"
    settings.display.boxes = "LOOSE"
    bpy.ops.ed.undo_push(message="Swarm")


def open_sidebar():
    """Show our tab alone."""
    import bpy

    bpy.context.space_data.show_region_ui = True
    sidebar = next(region for region in bpy.context.area.regions if region.type == "UI")
    bpy.ops.wm.redraw_timer(type="DRAW_WIN_SWAP", iterations=2)  # the tabs are known then
    sidebar.active_panel_category = "Octree"


def build_and_follow():
    import bpy

    bpy.ops.octree.build("EXEC_DEFAULT", True)
    bpy.ops.octree.live("EXEC_DEFAULT")


def go_to(frame):
    import bpy

    bpy.context.scene.frame_set(frame)


def state():
    """Return what the tree holds against what it should, and what it has been through."""
    import importlib

    import bpy

    addon = "bl_ext.user_default.octree.octree_addon"
    live, reader, trees = (
        importlib.import_module(f"{addon}.{name}") for name in ("live", "reader", "trees")
    )
    scene = bpy.context.scene
    follower, built = live.get(scene), trees.get(scene)
    read = reader.read_boxes(bpy.context.evaluated_depsgraph_get())
    found = read.ordered(read.rows_of(set(read.owners.tolist()), reader.taken_types([])))
    owners = built.source.placements.owners.tolist()
    held = dict(zip(owners, built.octree.items.bounds().rows.T.tolist(), strict=True))
    wanted = dict(zip(found.owners.tolist(), found.boxes.T.tolist(), strict=True))
    began, lasted, ended = follower.last_update.pairs
    return {
        "agrees": held == wanted,
        "moved": follower.last_update.moved,
        "pairs": began.shape[1] + lasted.shape[1],
        "ended": ended.shape[1],
        "cells": len(built.octree.node_depth),
    }


def drawn_cells():
    """Return how many cells stand in the picture on the graphics card."""
    import importlib

    import bpy

    addon = "bl_ext.user_default.octree.octree_addon"
    display = importlib.import_module(f"{addon}.display")
    return display.batches.shown_picture(bpy.context.scene).wanted


def shown_cells():
    """Return how many cells of the tree, as it is now, hold something and were not split."""
    import importlib

    import bpy

    trees = importlib.import_module("bl_ext.user_default.octree.octree_addon.trees")
    octree = trees.get(bpy.context.scene).octree
    return int(((octree.item_counts > 0) & octree.is_leaf).sum())


def differing(one, other):
    return int((np.abs(one[ROOM].astype(int) - other[ROOM]).max(axis=-1) > 8).sum())


@pytest.fixture
def swarm(window):
    window.call(make_swarm)
    window.call(open_sidebar)
    window.picture("panel_of_objects")
    window.call(build_and_follow)
    return window


def test_swarm_is_followed_from_frame_to_frame(swarm):
    states, pictures = [], []
    for frame in (1, 20, 40):
        swarm.call(go_to, frame)
        pictures.append(swarm.picture(f"swarm_at_frame_{frame:02}"))
        states.append(swarm.call(state))
    assert all(each["agrees"] for each in states)
    assert all(each["moved"] == 300 for each in states[1:])
    assert states[0]["pairs"] > states[1]["pairs"]
    assert states[1]["ended"] > 0
    assert min(map(differing, pictures, pictures[1:])) > 10_000
    assert swarm.call(drawn_cells) == swarm.call(shown_cells)


def test_dragged_objects_are_followed_while_they_are_dragged(swarm):
    swarm.move(*CENTER)
    swarm.keys("a", "g", "x", "3")
    assert swarm.call(state)["agrees"]
    assert swarm.call(state)["moved"] == 300
    swarm.picture("swarm_dragged")
    swarm.keys("Escape")
    assert swarm.call(state)["agrees"]
    swarm.keys("g", "z", "1", "Return", "ctrl+z")
    assert swarm.call(state)["agrees"]
    assert "Traceback" not in swarm.read_log()
