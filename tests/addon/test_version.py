"""Versions: a table of events, and what each kind of holder is told at once and at rest."""

from dataclasses import replace

import bpy
import pytest
from answering import has_changed
from blender_scenes import camera, cube, select_only

from octree_ext.octree_addon import scene_index
from octree_ext.octree_addon.answers.kept import active_result
from octree_ext.octree_addon.scene_index import State, version_of, views_version_of
from octree_ext.octree_addon.ui import forget_session, settings_of

SIGNS = {State.SAME: "=", State.UNKNOWN: "?", State.CHANGED: "x"}
# What is drawn, rows, a shot, a contact of A and B, the shape of A, a dimension of A and B, and
# chunks of A.
HOLDERS = "picture rows shot contact fill dimension chunks".split()


@pytest.fixture
def scene(empty_scene):
    """Add four cubes, A and B crossing, and a camera; the scene is read and nothing is pending."""
    for name, x in (("A", 0), ("B", 0.8), ("C", 5), ("D", 8)):
        cube(name, location=(x, 0, 0))
    camera(location=(3, 0, 20))
    moving = bpy.data.objects["A"]
    moving.keyframe_insert("location", frame=1)
    moving.location.z = 4
    moving.keyframe_insert("location", frame=20)
    empty_scene.frame_set(1)
    select_only(bpy.data.objects["C"])
    bpy.ops.ed.undo_push(message="Start")
    assert bpy.ops.octree.select_collisions("EXEC_DEFAULT", True) == {"FINISHED"}
    at_rest()
    yield empty_scene
    forget_session()


def at_rest():
    bpy.context.view_layer.update()
    while not scene_index.catch_up(1):
        pass


def holders(scene):
    """Return a version of each kind of holder."""
    whole, one = version_of(scene), bpy.data.objects["A"].session_uid
    pair = frozenset([one, bpy.data.objects["B"].session_uid])
    found = (
        replace(whole, own=True),
        whole,
        views_version_of(scene, "any"),
        replace(whole, objects=pair),
        replace(whole, objects=frozenset([one]), may_move=True),
        replace(whole, objects=pair, may_move=True),
        replace(whole, reading=None, objects=frozenset([one])),
    )
    return dict(zip(HOLDERS, found, strict=True))


def states(versions):
    scene = bpy.context.scene
    return " ".join(SIGNS[versions[name].state(scene)] for name in HOLDERS)


def move(name, z=7.0):
    bpy.data.objects[name].location.z = z


def move_and_back():
    move("A")
    bpy.context.view_layer.update()
    move("A", 0.0)


def edit():
    bpy.data.objects["A"].data.vertices[0].co.z += 1
    bpy.data.objects["A"].data.update()


def select_others():
    for item in bpy.context.scene.objects:
        item.select_set(not item.select_get())


def exclude(name):
    collection = bpy.data.collections.new("Aside")
    bpy.context.scene.collection.children.link(collection)
    item = bpy.data.objects[name]
    collection.objects.link(item)
    bpy.context.scene.collection.objects.unlink(item)
    bpy.context.view_layer.update()
    at_rest()
    bpy.context.view_layer.layer_collection.children["Aside"].exclude = True


def hide_by_us(icon):
    settings_of(bpy.context.scene).results.active = 0
    bpy.ops.octree.hide_rows("EXEC_DEFAULT", True, icon=icon)


def undo_of(change):
    change()
    bpy.context.view_layer.update()
    bpy.ops.ed.undo_push(message="Change")
    bpy.ops.ed.undo()


def change_another_scene():
    other = bpy.data.scenes.new("Other")
    other.collection.objects.link(bpy.data.objects.new("Alone", bpy.data.meshes.new("Alone")))
    other.view_layers[0].update()


def delete(name):
    select_only(bpy.data.objects[name])
    bpy.ops.object.delete("EXEC_DEFAULT", True)


def add():
    cube("New", location=(20, 0, 0))


SAME = "= = = = = = ="
EVENTS = {
    "select": (select_others, SAME, SAME),
    "rename": (lambda: setattr(bpy.data.objects["A"], "name", "Wall"), SAME, SAME),
    "move the cursor": (lambda: setattr(bpy.context.scene.cursor.location, "x", 3), SAME, SAME),
    "our selection": (lambda: bpy.ops.octree.select_rows("EXEC_DEFAULT", True), SAME, SAME),
    "our marks": (lambda: bpy.ops.octree.mark_rows("EXEC_DEFAULT", True), SAME, SAME),
    "our walk": (lambda: bpy.ops.octree.find_seen("EXEC_DEFAULT", True, span="SCENE"), SAME, SAME),
    "another scene": (change_another_scene, SAME, SAME),
    "move A": (lambda: move("A"), "? ? ? ? = = x", "x x ? x = = x"),
    "move D": (lambda: move("D"), "? ? ? = = = =", "x x ? = = = ="),
    "moved and back": (move_and_back, "? ? ? ? = = x", "= = ? = = = x"),
    "edit A": (edit, "? ? ? ? ? ? x", "x x ? x x x x"),
    "frame": (lambda: bpy.context.scene.frame_set(12), "? ? = ? = = x", "x x = x = = x"),
    "our hiding": (lambda: hide_by_us("EYE"), "x = = = = = =", "x = = = = = ="),
    "our monitor": (lambda: hide_by_us("MONITOR"), "x = = = = = =", "x = = = = = ="),
    "hide D": (lambda: bpy.data.objects["D"].hide_set(True), "? ? = = = = =", "x x = = = = ="),
    "exclude D": (lambda: exclude("D"), "? ? ? = = = =", "x x ? = = = ="),
    "delete D": (lambda: delete("D"), "? ? ? = = = =", "x x ? = = = ="),
    "delete A": (lambda: delete("A"), "? ? ? ? ? ? x", "x x ? x x x x"),
    "add": (add, "? ? ? = = = =", "x x ? = = = ="),
    "undo of a selection": (lambda: undo_of(select_others), "? ? = ? ? ? ?", "= = = = = = ?"),
    "undo of moving A": (lambda: undo_of(lambda: move("A")), "? ? ? ? ? ? x", "= = ? = = = x"),
}


@pytest.mark.parametrize("event", EVENTS)
def test_each_holder_is_told_of_each_event(scene, event):
    change, at_once, later = EVENTS[event]
    versions = holders(scene)
    assert states(versions) == SAME
    change()
    bpy.context.view_layer.update()
    assert states(versions) == at_once
    at_rest()
    assert states(versions) == later


def test_an_answer_of_work_that_others_overtook_is_of_the_scene_before(scene):
    with scene_index.changed_back(scene.view_layers[0]):
        move("A")
        bpy.context.view_layer.update()
        move("A", 0.0)
    assert not has_changed(active_result(scene))


def test_two_view_layers_have_readings_of_their_own(scene):
    version, other = version_of(scene), scene.view_layers.new("Other")
    bpy.context.window.view_layer = other
    bpy.context.view_layer.update()
    bpy.data.objects["D"].hide_set(True, view_layer=other)
    at_rest()
    assert version.state(scene) is not State.SAME
    bpy.context.window.view_layer = scene.view_layers[0]
    at_rest()
    assert version.state(scene) is State.SAME
