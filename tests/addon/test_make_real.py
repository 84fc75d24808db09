"""The shown cells become a mesh object, in one step that undo takes back."""

import bpy
import numpy as np
import pytest
from blender_scenes import collection_instance, cube, select_only, selected
from tree_age import is_stale

from octree_ext.core import run
from octree_ext.octree_addon import questions, reader, scene_index, trees
from octree_ext.octree_addon.display import cells
from octree_ext.octree_addon.preferences import Colors
from octree_ext.octree_addon.ui import settings_of


@pytest.fixture
def display(empty_scene, ball):
    """Build a tree of a ball, with an undo step to come back to."""
    select_only(ball)
    bpy.ops.octree.build()
    bpy.ops.ed.undo_push(message="Start")
    return settings_of(empty_scene).display


def make_real():
    assert bpy.ops.octree.make_real("EXEC_DEFAULT", True) == {"FINISHED"}
    return bpy.context.object


@pytest.mark.parametrize("boxes", ["TIGHT", "LOOSE"])
@pytest.mark.parametrize("choice", ["LEAVES", "DEPTH"])
def test_mesh_holds_the_shown_cells(display, choice, boxes):
    display.cells, display.depth, display.boxes = choice, 2, boxes
    octree = trees.get(bpy.context.scene).octree
    shown = cells.shown_cells(octree, display)
    mesh = make_real().data
    corners = np.empty(3 * len(mesh.vertices), np.float32)
    mesh.vertices.foreach_get("co", corners)
    expected = cells.cell_corners(octree, shown, boxes)
    np.testing.assert_array_equal(corners.reshape(-1, 8, 3), expected)
    assert len(mesh.edges) == 12 * len(shown)


def test_cells_of_the_last_question_have_its_colors(display):
    bpy.ops.octree.select_in_sphere(center=(1, 0, 0), radius=0.5)
    display.cells = "QUESTION"
    states = questions.get(bpy.context.scene).states_in(trees.get(bpy.context.scene).octree)
    mesh = make_real().data
    found = np.empty(4 * len(mesh.vertices), np.float32)
    mesh.color_attributes["Color"].data.foreach_get("color_srgb", found)
    colors = cells.verdicts(Colors())[states[states > 0]]
    np.testing.assert_allclose(found.reshape(-1, 8, 4)[:, 0, :3], colors, atol=1e-4)


def test_new_object_alone_is_selected_and_undo_takes_it_back(display):
    item = make_real()
    assert selected() == {item.name} == {"Octree Cells"}
    assert trees.get(bpy.context.scene).stale is False
    bpy.ops.ed.undo()
    assert "Octree Cells" not in bpy.data.objects
    assert selected() == {"Icosphere"}


def test_no_cells_are_no_object(display):
    display.cells = "QUESTION"
    with pytest.raises(RuntimeError, match="No cells are shown"):
        bpy.ops.octree.make_real()
    assert "Octree Cells" not in bpy.data.meshes
    bpy.ops.octree.clear()
    with pytest.raises(RuntimeError, match="Build an octree first"):
        bpy.ops.octree.make_real()


def edit(item):
    """Make one triangle of the cells."""
    item.data.clear_geometry()
    item.data.from_pydata([(0, 0, 9), (1, 0, 9), (0, 1, 9)], [], [(0, 1, 2)])
    bpy.context.view_layer.update()


def count_of(scope="VISIBLE", **options):
    """Return how many items a tree of what is visible has."""
    bpy.ops.octree.build(scope=scope, **options)
    return trees.get(bpy.context.scene).statistics.items


def read(source, objects=None):
    """Return the keys of what is read of objects, or of all."""
    depsgraph = bpy.context.evaluated_depsgraph_get()
    items = list(bpy.context.scene.objects) if objects is None else objects
    if source == "OBJECTS":
        return scene_index.box_source(depsgraph, items)
    return run(scene_index.triangle_source_steps(depsgraph, items))[0]


@pytest.mark.parametrize("source", ["TRIANGLES", "OBJECTS"])
def test_cells_never_count_as_scene(display, source, tmp_path):
    count = count_of(source=source)
    item = make_real()
    assert not reader.counts_as_scene(item)
    assert count_of(source=source) == count
    assert not is_stale(bpy.context.scene)
    copy = item.copy()  # and linked into the scene once more, and edited
    bpy.context.scene.collection.objects.link(copy)
    edit(item)
    item.modifiers.new("Array", "ARRAY")
    assert count_of(source=source) == count
    found = read(source)
    assert found.skipped == {"made of cells": 2}
    assert [each.name for each in found.objects] == ["Icosphere"]
    bpy.ops.wm.save_as_mainfile(filepath=str(tmp_path / "cells.blend"))
    bpy.ops.wm.open_mainfile(filepath=str(tmp_path / "cells.blend"))
    assert read(source).skipped == {"made of cells": 2}


@pytest.mark.parametrize("source", ["TRIANGLES", "OBJECTS"])
def test_cells_do_not_count_where_they_are_instanced(display, source):
    item = make_real()
    edit(item)
    group = collection_instance([item, cube("Inner")], location=(9, 0, 0))
    found = read(source, [group])
    assert found.placements.is_instance.tolist() == [True]
    assert found.item_count == (1 if source == "OBJECTS" else 12)


def test_cells_count_once_their_mark_is_deleted(display):
    item = make_real()
    del item["octree_cells"]
    edit(item)
    assert count_of() == 1281


def test_cells_are_not_followed(display):
    bpy.ops.octree.build(source="OBJECTS", scope="VISIBLE")
    bpy.ops.octree.live()
    make_real().location.x = 1
    bpy.context.view_layer.update()
    assert [each.name for each in trees.get(bpy.context.scene).source.objects] == ["Icosphere"]


def test_the_tooltip_says_that_cells_do_not_count():
    assert "octree_cells" in bpy.ops.octree.make_real.get_rna_type().description
    assert reader.NOT_SCENE == "octree_cells"
