"""Enabled and not in use, the extension costs nothing: evaluation takes as long as without it."""

from time import thread_time

import bpy
import numpy as np
from blender_scenes import cube, link

import octree_ext

COUNT = 10_000
ROUNDS = 20


def update_seconds():
    """Have the whole scene evaluated again after a tenth of it has moved."""
    places = np.empty(3 * COUNT, np.float32)
    bpy.data.objects.foreach_get("location", places)
    places[: 3 * COUNT // 10] += 0.5
    bpy.data.objects.foreach_set("location", places)
    for item in bpy.data.objects[: COUNT // 10]:
        item.update_tag(refresh={"OBJECT"})
    start = thread_time()
    bpy.context.view_layer.update()
    return thread_time() - start


def test_enabled_as_fast_as_disabled():
    mesh = cube("Seed").data
    for number in range(COUNT - 1):
        link(bpy.data.objects.new(f"Cube {number}", mesh))
    bpy.context.view_layer.update()
    enabled, disabled = [], []
    for number in range(2 * ROUNDS):  # by turns, and each as often first of the two
        if number % 4 in {1, 2}:
            octree_ext.unregister()
            disabled.append(update_seconds())
            octree_ext.register()
        else:
            enabled.append(update_seconds())
    ratio = float(np.median(np.divide(enabled, disabled)))  # pair by pair
    print(f"update of {COUNT:,} objects, enabled against disabled: {ratio:.3f}")
    assert ratio <= 1.05
