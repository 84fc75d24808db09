"""A look over a shot leaves the scene as it was, even when it ends half way or in an error."""

import bpy
import pytest
from shot_stage import FRAMES, add_stage, key, look

from octree_ext.octree_addon import cameras, scene_index


@pytest.fixture
def stage():
    add_stage()
    scene_index.scene_index()  # which listens as long as it is there


def state():
    scene = bpy.context.scene
    return (
        scene.frame_current,
        scene.frame_subframe,
        scene.camera,
        [tuple(item.location) for item in bpy.data.objects],
        [tuple(item.matrix_world.translation) for item in bpy.data.objects],
        bpy.data.cameras[0].lens,
        tuple(bpy.data.objects["Armature"].pose.bones[0].location),
        [list(getattr(bpy.app.handlers, name)) for name in ("frame_change_post",)],
    )


def disturb():
    """Change animated values without a key, as one does before pressing I."""
    bpy.data.objects["Visitor"].location = (1, 2, 3)
    bpy.data.objects["Armature"].pose.bones[0].location.y = 7.0
    bpy.data.cameras[0].lens = 33.0
    bpy.context.scene.frame_set(5, subframe=0.25)
    bpy.data.objects["Visitor"].location.x = 4.5
    bpy.data.objects["Armature"].pose.bones[0].location.y = 9.0
    bpy.data.cameras[0].lens = 44.0
    bpy.context.view_layer.update()


def test_scene_is_left_as_it_was_with_values_that_have_no_key(stage):
    disturb()
    before = state()
    look()
    bpy.context.view_layer.update()
    assert state() == before


def test_steps_closed_half_way_leave_the_scene_as_it_was(stage):
    disturb()
    before = state()
    steps = cameras.shot_steps(bpy.context, cameras.Shot(frames=FRAMES))
    fractions = [next(steps) for _ in range(9)]
    assert bpy.context.scene.frame_current != before[0]
    steps.close()
    bpy.context.view_layer.update()
    assert state() == before
    assert fractions == sorted(fractions) and 0 <= fractions[0] and fractions[-1] <= 1


def test_camera_that_fails_half_way_leaves_the_scene_as_it_was(stage):
    key(bpy.data.cameras[0], "clip_end", {1: 30.0, 9: 30.0, 10: 0.05})
    disturb()
    before = state()
    with pytest.raises(ValueError, match="clipping ends where it starts"):
        look()
    bpy.context.view_layer.update()
    assert state() == before


def test_the_present_frame_alone_sets_no_frame(stage):
    frames = []
    bpy.app.handlers.frame_change_pre.append(lambda scene, _: frames.append(scene.frame_current))
    look(frames=(3,))
    bpy.app.handlers.frame_change_pre.clear()
    assert frames == []
