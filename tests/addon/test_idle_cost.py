"""Enabled and not in use, the extension costs nothing: Blender has nothing of it to call."""

from functools import partial

import bpy
import pytest
from blender_scenes import cube, link
from costs import lines_run

import octree_ext
from octree_ext.octree_addon import display


@pytest.fixture
def crowd():
    """Add hundreds of objects, and move half of them after they were evaluated."""
    mesh = cube("Seed").data
    items = [link(bpy.data.objects.new(f"Cube {number}", mesh)) for number in range(300)]
    bpy.context.view_layer.update()
    for item in items[::2]:
        item.location.x += 1


def called_back():
    """Return all that Blender calls by itself, by the name of the occasion."""
    occasions = {name: getattr(bpy.app.handlers, name) for name in dir(bpy.app.handlers)}
    return {name: list(them) for name, them in occasions.items() if isinstance(them, list)}


def test_evaluation_calls_nothing_of_ours(crowd):
    assert not lines_run(bpy.context.view_layer.update)
    assert not lines_run(partial(bpy.context.scene.frame_set, 2))
    assert not lines_run(partial(setattr, bpy.data.objects[0], "name", "Another"))


def test_nothing_waits_to_be_called(crowd):
    enabled = called_back()
    assert not display.is_installed()
    octree_ext.unregister()
    disabled = called_back()
    octree_ext.register()
    assert enabled == disabled
