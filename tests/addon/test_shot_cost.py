"""A shot of 1,600 objects and 48 frames, against a loop over the corners of every box."""

import time

import bpy
import numpy as np
import pytest
from blender_scenes import camera, link
from bpy_extras.object_utils import world_to_camera_view
from mathutils import Vector

from octree_ext.octree_addon import shot
from octree_ext.octree_addon.ui import run

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


def timed(work):
    started = time.perf_counter()
    return work(), time.perf_counter() - started


@pytest.mark.parametrize("exact", [True, False])
def test_costs_a_fraction_of_a_loop_over_corners_of_boxes(town, exact):
    question = shot.Shot(frames=FRAMES, exact=exact)
    runs = [timed(lambda: run(shot.shot_steps(bpy.context, question))) for _ in range(3)]
    seen, ours = min(runs, key=lambda result: result[1])
    by_corners, theirs = timed(lambda: corners_in_view(FRAMES[::4]))
    print(f"{ours:.2f} s against {4 * theirs:.2f} s")
    # A seventh on a machine of its own. Where test suites share it, much is added to both.
    assert ours <= 4 * theirs / 3
    rows = {subject.name: row for row, subject in enumerate(seen.objects)}
    if not exact:
        assert all(seen.flags[rows[name], 0, frame - 1] for name, frame in by_corners)
    assert 0.05 < seen.flags.mean() < 0.5
