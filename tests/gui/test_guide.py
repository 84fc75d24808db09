"""The user guide, task by task, in one Blender; `make pictures` keeps the pictures for it."""

import os
import time
from pathlib import Path

import numpy as np
import pytest
from gui import guide_scenes as scenes
from gui.harness import PICTURES, wait_for, write_png
from gui.redraw_scenes import redraw
from gui.test_audit import build_plant
from gui.test_chunks import build_scene as build_hill
from gui.test_never_seen import add_engine

pytestmark = pytest.mark.window
GUIDE = Path(__file__).resolve().parents[2] / "docs" / "user_guide.md"

# Rows and columns of the window: the 3D view with its sidebar, the middle of it, the status bar.
VIEW, SWARM, STATUS = np.s_[56:808, :1156], np.s_[180:660, 180:800], np.s_[874:, :400]
ENGINE = np.s_[250:650, 430:830]
POPOVER = np.s_[150:760, 140:940]


@pytest.fixture(scope="module")
def town(blender):
    """Show a town, for the part of the guide that the tests with this fixture tell in a row."""
    blender.renew()
    blender.call(scenes.build_town)
    return blender


def keep(window, name, part=VIEW, **options):
    """Take a picture of a part of the window for the guide."""
    save(name, photograph(window, name, **options)[part])


def photograph(window, name, **options):
    """Take a picture of the window, as smooth as Blender shows it by default."""
    window.call(scenes.smooth, "8")
    if options.get("redraw", True):
        window.call(redraw, 8, timeout=200)
    picture = window.picture(f"guide_{name}", **options)
    window.call(scenes.smooth, "OFF")
    return picture


def save(name, pixels):
    """Write a picture, (h, w, 3) uint8, where `make pictures` wants it, else to tests/out."""
    folder = Path(os.environ.get("OCTREE_PICTURES", PICTURES))
    write_png(folder / f"{name}.png", pixels, level=9)
    assert f"(guide/{name}.png)" in GUIDE.read_text(encoding="utf-8")


def press(window, name, **options):
    """Press a button and wait until the work is done."""
    assert window.call(scenes.press, name, options) in (["FINISHED"], ["RUNNING_MODAL"])
    wait_for(lambda: not window.call(scenes.is_busy))


def show(window, *panels, **settings):
    window.call(scenes.change, {name.replace("__", "."): each for name, each in settings.items()})
    window.call(scenes.show_panels, ["main", *panels])


def test_build(town):
    press(town, "build")
    show(town, "tree", "statistics")
    town.call(scenes.select_nothing)
    keep(town, "build")


def test_cells_of_the_last_question(town):
    press(town, "select_in_frustum")
    show(town, "tree", "display", display__show=True, answer__found=False)
    town.call(scenes.change, {"display.cells": "QUESTION", "display.opacity": 1.0})
    town.call(scenes.select_nothing)
    keep(town, "cells")


def test_probe(town):
    town.call(scenes.select_nothing)
    town.call(scenes.change, {"display.show": False})
    show(town, "results", tab__near="sphere", answer__found=False, answer__outline=False)
    town.call(scenes.start_probe)
    town.move(497, 390)
    town.move(500, 390)
    wait_for(lambda: town.call(scenes.probe_shows))
    keep(town, "probe")
    town.call(scenes.end_probe)
    town.call(scenes.change, {"answer.outline": True})


def test_box(town):
    press(town, "select_in_box", around="CURSOR", center=(-1.0, -1.0, 1.0), size=(9.0, 6.0, 2.0))
    show(town, "results", tab__near="box", display__show=False, answer__found=True)
    keep(town, "box")


def test_collisions(town):
    town.call(scenes.change, {"display.cells": "OCCUPIED_LEAVES", "display.show": False})
    press(town, "select_collisions")
    show(town, "results", answer__found=True)
    keep(town, "collisions")


def test_shot_and_what_it_hides(town):
    press(town, "find_seen", span="SCENE")
    press(town, "select_seen")
    show(town, "results", answer__found=False, frustum__show=True)
    keep(town, "shot")
    assert town.call(scenes.call, "hide_unseen", {"icon": "EYE"}) == ["FINISHED"]
    assert town.call(scenes.hidden_objects) > 100
    assert town.call(scenes.call, "restore_hidden", {}) == ["FINISHED"]
    assert town.call(scenes.hidden_objects) == 0


def test_what_is_behind_others(town):
    town.call(scenes.change, {"results.follow": False})
    press(town, "find_seen", span="SCENE", step=3, behind="UNSEEN")
    town.call(scenes.paint_unseen)
    show(town, "results", frustum__show=True)
    town.call(scenes.change, {"results.sort": "Frames", "results.reverse": True, "results.row": 5})
    press(town, "go_to_largest")
    keep(town, "behind")
    town.call(scenes.change, {"results.sort": "", "results.reverse": False, "results.row": -1})
    town.call(scenes.go_to, 1)


def test_progress(town):
    town.call(scenes.select_nothing)
    town.move(430, 420)
    plain = town.picture("guide_plain")[STATUS]
    options = {"span": "CUSTOM", "first": 1, "last": 4000}
    assert town.call(scenes.press, "find_seen", options) == ["RUNNING_MODAL"]

    def is_told():
        return (town.picture("guide_status", redraw=False)[STATUS] != plain).any()

    wait_for(is_told)
    time.sleep(1)  # so that there is some progress
    assert town.call(scenes.is_busy)
    keep(town, "progress", STATUS, redraw=False)
    town.keys("Escape")
    wait_for(lambda: not town.call(scenes.is_busy))


def test_example_town(window):
    """What the README shows first: answers, and no cells."""
    window.call(scenes.add_example)
    window.call(scenes.look_at_example)
    press(window, "select_in_frustum")
    window.call(scenes.select_nothing)
    show(window, "results", answer__missed=True)
    keep(window, "camera")
    press(window, "select_collisions")
    show(window, "results", results__row=1, answer__found=False, answer__missed=False)
    keep(window, "results")
    window.call(scenes.change, {"results.row": -1})
    window.call(scenes.look_at_example)
    press(window, "find_seen", span="SCENE", step=5)
    assert window.call(scenes.call, "hide_unseen", {"icon": "EYE"}) == ["FINISHED"]
    window.call(scenes.select_nothing)
    show(window, "results", frustum__show=True, answer__outline=False)
    keep(window, "hidden")


def test_faces_that_are_never_seen(window):
    """The backs of houses in a street, and all that is behind them."""
    window.call(scenes.build_town)
    window.call(scenes.make_single)
    press(window, "find_never_seen", views="SHOT", span="SCENE", resolution=960)
    press(window, "mark_never_seen")
    assert window.call(scenes.paint_faces) > 500
    show(window, "results", frustum__show=True, answer__found=False)
    window.call(scenes.look_at_street)
    keep(window, "never_seen")


def test_what_is_deleted_because_it_is_never_seen(window):
    """A machine from outside, before and after, by X-ray."""
    window.call(add_engine)
    press(window, "find_never_seen", views="OUTSIDE", directions=60, resolution=512)
    assert window.call(scenes.paint_never_seen) > 40
    before = photograph(window, "never_before")[ENGINE]
    press(window, "copy_never_seen")
    window.call(scenes.select_nothing)
    after = photograph(window, "never_after")[ENGINE]
    save("never_deleted", np.concatenate((before, after), axis=1))


def test_audit(window):
    window.call(build_plant)
    press(window, "audit")
    show(window, "results", results__row=1)
    keep(window, "audit")


def test_chunks(window):
    """A hill with heads on it: the cells beforehand, and the chunks, each in a color."""
    window.call(build_hill)
    press(window, "preview_chunks")
    window.call(scenes.select_nothing)
    window.call(scenes.look_at_hill, 29)
    show(window, "results", results__follow=False)
    keep(window, "chunks")
    press(window, "cut_chunks")
    assert window.call(scenes.paint_chunks) > 20
    window.call(scenes.select_nothing)
    window.call(scenes.look_at_hill)
    keep(window, "chunks_cut")


def test_export_chunks(window):
    """The options of chunks, where they are exported."""
    window.call(build_hill)
    press(window, "preview_chunks")
    window.call(scenes.select_nothing)
    window.call(scenes.look_at_hill)
    window.call(
        scenes.change, {"shipment.form": "TILES", "shipment.georeference": "8.54, 47.38, 408"}
    )
    window.move(300, 300)
    window.call(scenes.open_popover, "OCTREE_PT_chunks")
    keep(window, "chunks_export", POPOVER)


def test_density(window):
    window.call(build_hill)
    press(window, "density", what="CELLS", by="VOLUME", budget=3000)
    window.call(scenes.select_nothing)
    window.call(scenes.look_at_hill)
    show(window, "results", results__follow=False)
    keep(window, "density")


def test_swarm(window):
    window.call(scenes.build_swarm)
    window.call(scenes.change, {"source.source": "OBJECTS"})
    press(window, "build")
    press(window, "live")
    show(window, "tree", "live", display__cells="OCCUPIED_LEAVES", display__opacity=0.6)
    window.call(scenes.select_nothing)
    drawn, strip = [], []
    for frame in (1, 12, 24):
        window.call(scenes.go_to, frame)
        strip.append(photograph(window, f"swarm_{frame}")[SWARM])
        drawn.append(window.call(scenes.cells_drawn))
        if frame == 12:
            keep(window, "objects")
    save("swarm", np.concatenate(strip, axis=1))
    assert len(set(drawn)) == 3
