"""Marks in 3D views: all rows that are objects are colored; what a view hides has no mark."""

from contextlib import nullcontext
from types import SimpleNamespace

import answering
import bpy
import numpy as np
import pytest
from blender_scenes import collection_instance, cube, lamp, mesh_object, select_only

from octree_ext.core import run
from octree_ext.octree_addon import live, result_list, trees
from octree_ext.octree_addon.display import (
    active_row,
    batches,
    colored_cells,
    contact,
    dimensions,
    drawing,
    live_marks,
    painted_objects,
)
from octree_ext.octree_addon.display.layers import Redraw, drop_uploads
from octree_ext.octree_addon.scene_index import version_of
from octree_ext.octree_addon.ui import settings_of

# Answers whose rows are not one object each: drawn as two objects, or as boxes in space.
PAIRS = {"collisions", "audit", "contacts", "distances"}
CELLS = {"density", "chunks preview"}


@pytest.fixture
def marked(monkeypatch):
    """Stand in for the graphics card; return the session ids of the objects that are marked."""
    seen = set()

    def paint_items(target, numbers, *_):
        return set(target.owners[target.placements_of(numbers)].tolist())

    def read_contact(scene, found, sides):
        return SimpleNamespace(key=found.key, version=version_of(scene), sides=sides)

    monkeypatch.setattr(batches, "paint_items", paint_items)
    monkeypatch.setattr(batches, "draw_painted", lambda owners, _: seen.update(owners))
    monkeypatch.setattr(batches, "blended", nullcontext)
    monkeypatch.setattr(batches, "nearer", nullcontext)
    monkeypatch.setattr(active_row, "fade", lambda *_: None)
    monkeypatch.setattr(active_row, "draw_side", lambda side, *_: seen.add(uid_of(side.object)))
    monkeypatch.setattr(contact, "read_contact", read_contact)
    monkeypatch.setattr(
        contact, "draw_contact", lambda each: seen.update(uid_of(s.object) for s in each.sides)
    )
    monkeypatch.setattr(drawing, "draw_outline", lambda _: None)
    monkeypatch.setattr(colored_cells, "upload", lambda *_: None)
    monkeypatch.setattr(painted_objects, "bpy", SimpleNamespace(
        app=SimpleNamespace(background=False), context=bpy.context, data=bpy.data, types=bpy.types,
    ))  # fmt: skip
    yield seen
    drop_uploads()


def uid_of(item):
    return item.session_uid


@pytest.fixture
def scene(empty_scene):
    """Place pairs of cubes that overlap above a floor, an instance, a camera, sparse triangles."""
    cube("Floor", 30, location=(0, 0, -16))
    cube("Buried", 10, location=(0, 0, -16))
    cubes = [cube(f"Cube {x}", 0.9, location=(2 * x - 1.2 * (x % 2), 0, 0.5)) for x in range(6)]
    collection_instance([cube("Inner", 0.3)], location=(2.2, 0, 2))
    bpy.ops.object.camera_add(location=(3, -12, 1), rotation=(1.57, 0, 0))
    empty_scene.camera = bpy.context.object
    lamp(location=(0, 0, 5))
    far = np.array([(x, y, z) for x in (-9, 9) for y in (20, 38) for z in (5, 23)])
    bits = (far[:, None] + 0.1 * np.eye(3)).reshape(-1, 3)
    mesh_object("Nearly Empty", bits.tolist(), np.arange(24).reshape(8, 3).tolist())
    empty_scene.cursor.location = (0, 0, 0.5)
    select_only(*cubes[:2])
    bpy.context.view_layer.objects.active = cubes[1]
    return empty_scene


def ask(presses):
    answering.press_all(presses)
    bpy.context.view_layer.update()


def drawn(scene, marked):
    """Draw twice in the 3D view, once all is read that waits for a rest; return what is marked."""
    with in_view():
        drawing.draw_scene(scene)
        while (steps := painted_objects.unread_objects()) is not None:
            run(steps)
        marked.clear()
        drawing.draw_scene(scene)
    return set(marked)


def in_view():
    area = next(each for each in bpy.context.screen.areas if each.type == "VIEW_3D")
    region = next(each for each in area.regions if each.type == "WINDOW")
    return bpy.context.temp_override(area=area, region=region)


def owners_of(scene, rows=slice(None)):
    view = result_list.view_of(scene, result_list.active_result(scene))
    return {view.uids[number] for number in view.rows.objects[:, rows].ravel().tolist()}


def test_each_kind_is_one_of_these():
    """What is new in the list of answers is under the laws below."""
    assert {*PAIRS, *CELLS} < {*answering.EACH}


@pytest.mark.parametrize("kind", answering.EACH)
def test_rows_that_are_objects_are_colored(scene, marked, kind):
    ask(answering.EACH[kind])
    expected = owners_of(scene)
    assert expected
    if kind == "collisions":  # the triangles that touch
        assert drawn(scene, marked) == expected
    elif kind in PAIRS | CELLS:
        assert drawn(scene, marked) == set()
    else:
        assert drawn(scene, marked) == expected


@pytest.mark.parametrize("kind", answering.EACH)
def test_an_earlier_answer_is_colored_again(scene, marked, kind):
    """As in a file that was opened: of the question nothing is known but the rows."""
    ask(answering.EACH[kind])
    expected = owners_of(scene)
    settings_of(scene).question_number = 0
    is_colored = kind not in PAIRS | CELLS
    assert drawn(scene, marked) == (expected if is_colored else set())


@pytest.mark.parametrize("kind", answering.EACH)
def test_nothing_is_marked_that_the_view_does_not_show(scene, marked, kind):
    ask(answering.EACH[kind])
    settings_of(scene).results.row = 0
    before, alone = drawn(scene, marked), owners_of(scene, 0)
    assert before >= alone
    bpy.ops.octree.isolate_row("EXEC_DEFAULT", True)
    assert drawn(scene, marked) == alone
    bpy.ops.octree.isolate_row("EXEC_DEFAULT", True)
    assert drawn(scene, marked) == before
    for item in [each for each in scene.objects if uid_of(each) in alone]:
        item.hide_set(True)
    bpy.context.view_layer.update()
    assert drawn(scene, marked).isdisjoint(alone)
    bpy.ops.octree.clear_results()
    assert drawn(scene, marked) == set()


def test_no_dimension_ends_at_what_the_view_does_not_show(scene, marked):
    ask(answering.ASKED["distances"])
    names = owners_of(scene)
    with in_view():
        before = len(dimensions.shown_lines(scene)[1])
    assert before > 1
    settings_of(scene).results.row = 0
    bpy.ops.octree.isolate_row("EXEC_DEFAULT", True)
    alone = owners_of(scene, 0)
    assert alone < names
    with in_view():
        ends, texts = dimensions.shown_lines(scene)
    assert 0 < len(ends) == len(texts) < before
    bpy.ops.octree.isolate_row("EXEC_DEFAULT", True)
    with in_view():
        assert len(dimensions.shown_lines(scene)[1]) == before


def test_live_outlines_what_local_view_shows_alone(scene, marked, monkeypatch):
    outlined = []
    monkeypatch.setattr(live_marks, "upload", lambda rows, _: outlined.append(rows.shape[1]))
    bpy.ops.octree.live()
    built = trees.get(scene)
    pairs = live.shown_pairs(settings_of(scene).live, built, built.follower, None)
    select_only(bpy.data.objects["Cube 0"])
    for toggle in (None, bpy.ops.view3d.localview, bpy.ops.view3d.localview):
        with in_view():
            if toggle is not None:
                toggle()
        bpy.context.view_layer.update()
        with in_view():
            live_marks.draw_live_marks(Redraw(scene))
    count = len(np.unique(np.concatenate(pairs[:2], axis=1)))
    assert outlined == [count, 1, count]


def test_the_instances_of_a_row_are_painted(scene, marked):
    bpy.ops.octree.find_seen()
    view = result_list.view_of(scene, result_list.active_result(scene))
    labels = [view.label(row, 0) for row in range(len(view.rows))]
    for name, triangles in (("Instance", 12), ("Cube 0", 0)):
        settings_of(scene).results.row = labels.index(name)
        drawn(scene, marked)
        (request,) = active_row.instances_of_row(scene)
        assert len(painted_objects.paint_of(request).numbers) == triangles
