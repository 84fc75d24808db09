"""What every question has for nothing: a place in Results, words, a proof, an outline, a table."""

import bpy
import numpy as np
import pytest
from blender_scenes import cube, select_only, selected

from octree_ext.core import run
from octree_ext.octree_addon import questions, results
from octree_ext.octree_addon.questions.verify import prove_steps


@pytest.fixture
def row(empty_scene):
    """Place eight cubes along x, two pairs of which overlap, a camera, the cursor among them."""
    cubes = [cube(f"Cube {x}", size=0.5, location=(x, 0, 0)) for x in range(8)]
    cubes[1].location.x, cubes[6].location.x = 0.4, 5.4
    bpy.ops.object.camera_add(location=(2, -4, 0), rotation=(1.57, 0, 0))
    empty_scene.camera = bpy.context.object
    empty_scene.cursor.location = (2.9, 0, 0)
    select_only(cubes[5])
    bpy.context.view_layer.objects.active = cubes[5]
    return empty_scene


@pytest.mark.parametrize("question", questions.QUESTIONS, ids=lambda question: question.key)
def test_it_selects_lists_and_proves_what_it_finds(row, question, tmp_path):
    assert getattr(bpy.ops.octree, question.bl_idname.partition(".")[2])() == {"FINISHED"}
    asked = questions.get(row)
    assert asked.title == question.bl_label
    found = set(np.unique(asked.target.owners[asked.target.placements_of(asked.items)]).tolist())
    names = {item.name for item in row.objects if item.session_uid in found}
    assert names
    assert names == selected()
    assert results.active_result(row).title == question.bl_label
    proof = run(prove_steps(asked, count=0, seed=0))
    assert proof.holds
    assert (proof.missing, proof.surplus) == (0, 0)
    path = tmp_path / "found.csv"
    assert bpy.ops.octree.export_rows(filepath=str(path)) == {"FINISHED"}
    assert all(name in path.read_text() for name in names)


def test_a_capsule_goes_from_the_cursor_to_the_active_object(row):
    bpy.ops.octree.select_in_capsule(radius=0.1)
    assert selected() == {"Cube 3", "Cube 4"}  # not the active one itself
    outline = questions.get(row).outline
    assert outline.points[:, 0].min() == pytest.approx(2.8, abs=1e-3)
    assert outline.points[:, 0].max() == pytest.approx(5.1, abs=1e-3)
    bpy.ops.octree.select_in_capsule(origin=(0, 0, 0), object="Cube 2", radius=0)
    assert selected() == {"Cube 0", "Cube 1"}
    bpy.ops.octree.select_in_capsule(origin=(5, 0, 0.2), object="Cube 5", radius=0.6)
    assert "Cube 5" not in selected()


def test_a_capsule_without_an_end_is_refused(row):
    bpy.context.view_layer.objects.active = None
    with pytest.raises(RuntimeError, match="no active object"):
        bpy.ops.octree.select_in_capsule()
