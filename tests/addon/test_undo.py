"""One undo step takes back what an operator did."""

import bpy
import pytest
from blender_scenes import cube, mesh_object, select_only, selected

from octree_ext.octree_addon import handlers, trees
from octree_ext.octree_addon.ui import is_listening, settings_of


@pytest.fixture
def three():
    """Three cubes along x, the last one selected, and an undo step to come back to."""
    select_only(*(cube(f"Cube {x}", size=0.5, location=(x, 0, 0)) for x in range(3)))
    bpy.ops.octree.build()
    select_only(bpy.data.objects["Cube 2"])
    bpy.ops.ed.undo_push(message="Start")


def call(operator, **options):
    """Call an operator as a user does, with an undo step of its own."""
    assert operator("EXEC_DEFAULT", True, **options) == {"FINISHED"}


def test_a_selection_is_taken_back(three):
    call(bpy.ops.octree.select_in_sphere, center=(0, 0, 0), radius=1)
    assert selected() == {"Cube 0", "Cube 1"}
    bpy.ops.ed.undo()
    assert selected() == {"Cube 2"}
    bpy.ops.ed.redo()
    assert selected() == {"Cube 0", "Cube 1"}


def test_the_settings_of_a_question_are_taken_back(three):
    call(bpy.ops.octree.select_in_sphere, center=(0, 0, 0), radius=0.125)
    assert settings_of(bpy.context.scene).sphere.radius == 0.125
    bpy.ops.ed.undo()
    assert settings_of(bpy.context.scene).sphere.radius == 1.0


def test_the_settings_of_a_build_are_taken_back(three):
    before = trees.get(bpy.context.scene)
    call(bpy.ops.octree.build, capacity=5)
    assert settings_of(bpy.context.scene).build.capacity == 5
    assert trees.get(bpy.context.scene) is not before
    bpy.ops.ed.undo()
    assert settings_of(bpy.context.scene).build.capacity == 32
    assert trees.get(bpy.context.scene) is before
    assert not before.stale


def test_the_tree_before_a_rebuild_comes_back(three):
    first = trees.get(bpy.context.scene)
    bpy.data.objects["Cube 1"].location.y = 3
    bpy.context.view_layer.update()
    bpy.ops.ed.undo_push(message="Move")
    call(bpy.ops.octree.rebuild)
    second = trees.get(bpy.context.scene)
    assert not second.stale
    bpy.ops.ed.undo()
    assert trees.get(bpy.context.scene) is first
    assert first.stale
    bpy.ops.ed.undo()
    assert trees.get(bpy.context.scene) is first
    assert not first.stale
    bpy.ops.ed.redo()
    assert first.stale
    bpy.ops.ed.redo()
    assert trees.get(bpy.context.scene) is second
    assert not second.stale


def test_a_cleared_tree_comes_back_and_is_noted_again(three):
    first = trees.get(bpy.context.scene)
    call(bpy.ops.octree.clear)
    assert trees.is_empty()
    assert not is_listening(handlers.LISTENERS)
    bpy.ops.ed.undo()
    assert trees.get(bpy.context.scene) is first
    assert not first.stale
    handlers.watch_header(None, bpy.context)
    bpy.app.timers.unregister(handlers.after_tree_change)
    handlers.after_tree_change()
    bpy.data.objects["Cube 1"].location.y = 3
    bpy.context.view_layer.update()
    assert first.stale


def test_clearing_is_taken_back_as_far_as_the_file_remembers(three):
    call(bpy.ops.octree.clear)
    bpy.ops.ed.undo()
    scene = bpy.context.scene
    assert [item.name for item in trees.source_objects(scene)] == ["Cube 0", "Cube 1", "Cube 2"]
    assert bpy.ops.octree.rebuild() == {"FINISHED"}


def test_faces_in_object_mode_are_taken_back():
    item = mesh_object("Pair", [(x, y, 0) for x in range(3) for y in (0, 1)], [])
    item.data.clear_geometry()
    item.data.from_pydata(
        [(x, y, 0) for x in range(3) for y in (0, 1)], [], [(0, 2, 3, 1), (2, 4, 5, 3)]
    )
    item.data.polygons.foreach_set("select", [False, True])
    bpy.ops.ed.undo_push(message="Start")
    call(bpy.ops.octree.select_in_sphere, center=(0, 0, 0), radius=0.5, kind="FACES")
    assert [face.select for face in item.data.polygons] == [True, False]
    bpy.ops.ed.undo()
    item = bpy.data.objects["Pair"]
    assert [face.select for face in item.data.polygons] == [False, True]


def test_a_refused_call_leaves_no_step(three):
    with pytest.raises(RuntimeError):
        bpy.ops.octree.select_in_frustum("EXEC_DEFAULT", True)
    call(bpy.ops.octree.select_in_sphere, center=(0, 0, 0), radius=1)
    bpy.ops.ed.undo()
    assert selected() == {"Cube 2"}
