"""The user guide, task by task, in one Blender; `make pictures` keeps the pictures for it."""

import os
import struct
import time
import zlib
from pathlib import Path

import pytest
from gui import guide_scenes as scenes
from gui.harness import CHECKOUT, PICTURES, Window

pytestmark = pytest.mark.window

# Left, top, right and bottom: the 3D view with the sidebar, the sidebar alone, the status bar.
VIEW, STATUS = (0, 56, 1156, 808), (0, 874, 700, 900)


@pytest.fixture(scope="module")
def town(screen, user_folder, tmp_path_factory):
    """Start one Blender with a town for the whole guide."""
    window = Window(screen, user_folder, tmp_path_factory.mktemp("guide"))
    window.call(scenes.build_town)
    yield window
    window.close()


def keep(window, name, box=VIEW, **options):
    """Take a picture for the guide and return its part in the box."""
    left, top, right, bottom = box
    part = window.picture(f"guide_{name}", **options)[top:bottom, left:right]
    folder = os.environ.get("OCTREE_PICTURES")
    if folder:
        write_png(Path(CHECKOUT, folder, f"{name}.png"), part)
    else:
        write_png(PICTURES / f"guide_{name}.png", part)
    return part


def write_png(path, pixels):
    """Write (h, w, 3) uint8 pixels: three chunks, see the PNG specification of the W3C, 2003."""
    height, width, _ = pixels.shape
    rows = b"".join(b"\0" + row.tobytes() for row in pixels)
    header = struct.pack(">IIBBBBB", width, height, 8, 2, 0, 0, 0)
    chunks = ((b"IHDR", header), (b"IDAT", zlib.compress(rows, 9)), (b"IEND", b""))
    path.parent.mkdir(parents=True, exist_ok=True)
    path.write_bytes(b"\x89PNG\r\n\x1a\n" + b"".join(chunk(*each) for each in chunks))


def chunk(kind, body):
    checked = kind + body
    return struct.pack(">I", len(body)) + checked + struct.pack(">I", zlib.crc32(checked))


def wait_for(condition, seconds=30):
    end = time.monotonic() + seconds
    while not condition() and time.monotonic() < end:
        time.sleep(0.1)
    assert condition()


def press(window, name, **options):
    """Press a button and wait until the work is done."""
    assert window.call(scenes.press, name, options) in (["FINISHED"], ["RUNNING_MODAL"])
    wait_for(lambda: not window.call(scenes.is_busy))


def show(window, *panels, **settings):
    window.call(scenes.change, {name.replace("__", "."): each for name, each in settings.items()})
    window.call(scenes.show_panels, ["main", *panels])


def test_build(town):
    press(town, "build")
    show(town, "statistics")
    keep(town, "build")


def test_camera(town):
    press(town, "select_in_frustum")
    show(town, "camera", "answer", display__show=False, answer__found=True)
    keep(town, "camera")


def test_cells_of_the_last_question(town):
    show(town, "display", "answer", display__show=True, answer__found=False)
    town.call(scenes.change, {"display.cells": "QUESTION", "display.opacity": 1.0})
    town.call(scenes.select_nothing)
    keep(town, "cells")


def test_collisions(town):
    town.call(scenes.change, {"display.cells": "OCCUPIED_LEAVES", "display.show": False})
    press(town, "select_collisions")
    show(town, "collisions", "answer", answer__found=True)
    keep(town, "collisions")


def test_shot_and_what_it_hides(town):
    press(town, "find_seen", span="SCENE")
    town.call(scenes.select_nothing)
    show(town, "shot", answer__found=False, frustum__show=True)
    keep(town, "shot")
    assert town.call(scenes.call, "hide_unseen", {"icon": "EYE"}) == ["FINISHED"]
    assert town.call(scenes.hidden_objects) > 100
    show(town, "hiding")
    keep(town, "hidden")
    assert town.call(scenes.call, "restore_hidden", {}) == ["FINISHED"]
    assert town.call(scenes.hidden_objects) == 0


def test_progress(town):
    town.move(430, 420)
    options = {"span": "CUSTOM", "first": 1, "last": 2000}
    assert town.call(scenes.press, "find_seen", options) == ["RUNNING_MODAL"]
    time.sleep(3)
    keep(town, "progress", STATUS, redraw=False)
    town.keys("Escape")
    wait_for(lambda: not town.call(scenes.is_busy))
