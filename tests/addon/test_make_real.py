"""The shown cells become a mesh object, in one step that undo takes back."""

import bpy
import numpy as np
import pytest
from blender_scenes import select_only, selected

from octree_ext.octree_addon import questions, trees
from octree_ext.octree_addon.display import cells
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
    colors = cells.VERDICTS[states[states > 0]]
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
