"""What a shot of many objects and frames costs, against a loop over the corners of every box."""

import bpy
import numpy as np
import pytest
from blender_scenes import camera, link
from bpy_extras.object_utils import world_to_camera_view
from costs import lines_run
from mathutils import Vector

from octree_ext.core import run
from octree_ext.octree_addon import cameras

FRAMES = tuple(range(1, 49))


@pytest.fixture
def town():
    """1,600 objects of 40 meshes, every twentieth of them animated, and a camera that turns."""
    random = np.random.default_rng(0)
    meshes = []
    for number in range(40):
        bpy.ops.mesh.primitive_ico_sphere_add(subdivisions=2 + number % 2)
        meshes.append(bpy.context.object.data)
        bpy.data.objects.remove(bpy.context.object)
    for number in range(1600):
        item = link(bpy.data.objects.new(f"House {number}", meshes[number % 40]))
        item.location = random.uniform(-40, 40, 3)
        if number % 20 == 0:
            item.keyframe_insert("location", frame=1)
            item.location.x += 5
            item.keyframe_insert("location", frame=48)
    view = camera(location=(0, -60, 0))
    for frame, turn in ((1, -0.5), (48, 0.5)):
        view.rotation_euler = (1.57, 0, turn)
        view.keyframe_insert("rotation_euler", frame=frame)
    bpy.context.scene.frame_set(1)


def corners_in_view(frames):
    """Ask as scripts do: an object counts when a corner of its box is in view."""
    scene, seen = bpy.context.scene, set()
    for frame in frames:
        scene.frame_set(frame)
        for item in scene.objects:
            if item.type == "MESH" and any(
                is_in_view(item.matrix_world @ Vector(corner)) for corner in item.bound_box
            ):
                seen.add((item.name, frame))
    return seen


def is_in_view(point):
    x, y, depth = world_to_camera_view(bpy.context.scene, bpy.context.scene.camera, point)
    return 0 <= x <= 1 and 0 <= y <= 1 and depth > 0


@pytest.mark.parametrize("exact", [True, False])
def test_runs_a_fraction_of_the_lines_of_a_loop_over_corners_of_boxes(town, exact):
    question = cameras.Shot(frames=FRAMES, exact=exact)
    ours = lines_run(lambda: run(cameras.shot_steps(bpy.context, question))).total()
    theirs = 8 * lines_run(lambda: corners_in_view(FRAMES[::8])).total()
    # Each object's place is looked up in each frame; all else is done for all at once.
    assert ours <= min(11 * 1600 * len(FRAMES), theirs / 2)


@pytest.mark.parametrize("exact", [True, False])
def test_each_frame_is_evaluated_once(town, exact):
    frames = []
    bpy.app.handlers.frame_change_post.append(lambda scene, _: frames.append(scene.frame_current))
    seen = run(cameras.shot_steps(bpy.context, cameras.Shot(frames=FRAMES, exact=exact)))
    assert frames == [*FRAMES, 1]
    assert 0.05 < seen.in_frames.mean() < 0.5
    if not exact:
        rows = {subject.name: row for row, subject in enumerate(seen.objects)}
        by_corners = corners_in_view(FRAMES[::4])
        assert all(seen.in_frames[rows[name], frame - 1] for name, frame in by_corners)
