"""What is animated stands, once it is restored, where it would have stood without us."""

import bpy
import pytest
from blender_scenes import collection_instance
from shot_scenes import street

from octree_ext.octree_addon import hiding

every_icon = pytest.mark.parametrize("icon", ["EYE", "MONITOR", "RENDER"])


@pytest.fixture
def objects():
    return street()


def hide(objects, icon):
    hiding.hide(bpy.context, hiding.plan(bpy.context, objects, icon))


@every_icon
def test_objects_stand_where_they_would_have_stood(objects, icon):
    scene, moving = bpy.context.scene, objects["Moving"]
    moving.shape_key_add(name="Basis")
    key = moving.shape_key_add(name="Wide")
    for frame in (1, 11):
        key.value = frame / 11
        key.keyframe_insert("value", frame=frame)
    scene.frame_set(7)
    expected = moving.location.z, key.value
    scene.frame_set(1)
    hide(objects.values(), icon)
    scene.frame_set(7)
    hiding.restore(bpy.context)
    assert (moving.location.z, key.value) == expected
    assert moving.matrix_world.translation.z == expected[0]


@every_icon
def test_instances_of_a_hidden_instancer_stand_where_they_would_have_stood(objects, icon):
    scene, moving = bpy.context.scene, objects["Moving"]
    instancer = collection_instance([moving])
    scene.frame_set(7)
    expected = moving.location.z
    scene.frame_set(1)
    hide([instancer], icon)
    scene.frame_set(7)
    hiding.restore(bpy.context)
    assert moving.location.z == expected


@every_icon
def test_values_without_a_key_stay_in_the_same_frame(objects, icon):
    bpy.context.scene.frame_set(1)
    objects["Moving"].location.z = 5
    hide(objects.values(), icon)
    hiding.restore(bpy.context)
    assert objects["Moving"].matrix_world.translation.z == 5
