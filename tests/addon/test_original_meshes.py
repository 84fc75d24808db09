"""Questions about original meshes: without modifiers, in the words of the same brute force."""

import bpy
import numpy as np
import pytest
from blender_scenes import cube, scatter, select_only, selected
from brute_force import triangles_of
from probing import answered

from octree_ext.octree_addon import questions
from octree_ext.octree_addon.probe import session
from octree_ext.octree_addon.result_list import active_result
from octree_ext.octree_addon.ui import settings_of


@pytest.fixture
def rows(empty_scene):
    """Add a cube with an array to x = 8, its linked double at y = 10, and a plain cube beyond."""
    one = cube("Array")
    modifier = one.modifiers.new("Array", "ARRAY")
    modifier.count, modifier.relative_offset_displace = 5, (2, 0, 0)
    double = bpy.data.objects.new("Double", one.data)
    double.location = 0, 10, 0
    empty_scene.collection.objects.link(double)
    cube("Plain", location=(8, 20, 0))
    bpy.context.view_layer.update()
    yield empty_scene
    session.end()


def ask(center, meshes="ORIGINAL", **options):
    bpy.ops.octree.select_in_sphere(
        center=center, radius=1.0, meshes=meshes, action="REPLACE", **options
    )
    return questions.get(bpy.context.scene)


def test_what_modifiers_add_is_not_there(rows):
    assert len(ask((8, 0, 0)).items) == 0 and selected() == set()
    assert len(ask((0, 0, 0)).items) == 12 and selected() == {"Array"}
    assert len(ask((8, 0, 0), "EVALUATED").items) == 12 and selected() == {"Array"}
    asked = ask((0, 10, 0))
    assert selected() == {"Double"}
    triangles = triangles_of(asked.target)
    shapes = triangles.vertices[triangles.faces]
    assert len(shapes) == 3 * 12 and asked.found_text == "12 of 36 triangles"
    expected = np.array([item.location for item in bpy.data.objects], np.float64)
    middles = shapes.reshape(3, -1, 3).mean(axis=1)
    np.testing.assert_allclose(np.sort(middles, axis=0), np.sort(expected, axis=0), atol=1e-6)


def test_faces_of_the_original_are_selected(rows):
    select_only(bpy.data.objects["Array"])
    ask((-0.5, 0, 0), kind="FACES")
    faces = bpy.data.objects["Array"].data.polygons
    evaluated = bpy.data.objects["Array"].evaluated_get(bpy.context.evaluated_depsgraph_get())
    assert len(evaluated.data.polygons) == 5 * len(faces)
    answer = questions.get(bpy.context.scene)
    uid = bpy.data.objects["Array"].session_uid
    (found,) = answer.target.faces(answer.items, frozenset([uid]))
    assert set(found.polygons.tolist()) == set(range(len(faces)))


def test_instances_are_those_of_objects_and_not_of_modifiers(rows):
    scatter(cube("Pebble", size=0.1, location=(0, 40, 0)), cube("Ground", location=(0, 60, 0)))
    group = bpy.data.collections.new("Group")
    group.objects.link(bpy.data.objects["Array"])
    holder = bpy.data.objects.new("Holder", None)
    holder.instance_type, holder.instance_collection = "COLLECTION", group
    holder.location = 0, 80, 0
    rows.collection.objects.link(holder)
    bpy.context.view_layer.update()
    assert ask((0, 80, 0)).found_text.startswith("12 of ")
    assert selected() == {"Holder"}
    assert len(ask((8, 80, 0)).items) == 0
    target = ask((0, 0, 0)).target
    assert target.is_instance.sum() == 1
    assert ask((0, 0, 0), "EVALUATED").target.is_instance.sum() == 1 + 8


def test_a_change_of_the_mesh_is_seen_and_one_of_a_modifier_costs_no_answer(rows):
    assert len(ask((0, 0, 0)).items) == 12
    bpy.data.objects["Array"].modifiers[0].count = 2
    bpy.context.view_layer.update()
    assert len(ask((0, 0, 0)).items) == 12
    for vertex in bpy.data.objects["Array"].data.vertices:
        vertex.co.z += 50
    bpy.data.objects["Array"].data.update()
    bpy.context.view_layer.update()
    assert len(ask((0, 0, 0)).items) == 0
    assert len(ask((0, 0, 50)).items) == 12


def test_the_result_remembers_which_and_is_refreshed_so(rows):
    ask((8, 0, 0))
    assert active_result(bpy.context.scene).count == 0
    settings_of(rows).tab.meshes = "EVALUATED"
    assert bpy.ops.octree.refresh_result() == {"FINISHED"}
    assert active_result(bpy.context.scene).count == 0
    ask((8, 0, 0), "EVALUATED")
    assert bpy.ops.octree.refresh_result() == {"FINISHED"}
    assert active_result(bpy.context.scene).count == 1
    ask((0, 0, 0))
    assert bpy.ops.octree.resize_answer(side=0, amount=8.0) == {"FINISHED"}
    assert questions.get(bpy.context.scene).found_text == "12 of 36 triangles"


def test_the_probe_asks_the_meshes_of_the_tab(rows):
    tab = settings_of(rows).tab
    tab.near, settings_of(rows).sphere.radius = "sphere", 1.0
    assert "Array" in answered((8, 0, 0)).picture.words
    tab.meshes = "ORIGINAL"
    assert not session.shows_truth(session.current())
    assert answered((8, 0, 0)).picture.words.endswith("nothing")
    assert bpy.ops.octree.probe_keep(point=(8, 0, 0)) == {"FINISHED"}
    assert selected() == set()


def test_edit_mode_is_the_cage_or_says_why_not(rows):
    select_only(bpy.data.objects["Plain"])
    bpy.ops.object.mode_set(mode="EDIT")
    assert len(ask((8, 20, 0), kind="OBJECTS").items) == 12
    bpy.ops.object.mode_set(mode="OBJECT")
    select_only(bpy.data.objects["Array"])
    bpy.ops.object.mode_set(mode="EDIT")
    with pytest.raises(RuntimeError, match="Leave Edit Mode first: Array"):
        ask((0, 0, 0))
    bpy.ops.object.mode_set(mode="OBJECT")
    assert len(ask((0, 0, 0)).items) == 12


def test_an_octree_that_was_built_is_not_of_original_meshes(rows):
    with pytest.raises(RuntimeError, match="set Ask Meshes to As Shown"):
        ask((0, 0, 0), relation="CANDIDATES")
