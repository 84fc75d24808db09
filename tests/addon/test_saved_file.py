"""A file saved with version 0.1.0 opens, shows what it held, and restores exactly.

`scene_0_1_0.blend` was saved by Blender 4.2: six cubes, "Hidden before" disabled by hand, all
settings different from their defaults, a tree built, three cubes that the camera missed hidden by
each icon. `scene_0_1_0.json` is what `scene.octree` said of it then, property by property.
"""

import json
from pathlib import Path

import bpy
import pytest
from older_files import values

SAVED = Path(__file__).parents[1] / "fixtures" / "scene_0_1_0.blend"
HIDDEN = {"Above", "Far, left", "Ganz außen"}


@pytest.fixture
def saved():
    """Open the file, and return what was written down when it was saved."""
    bpy.ops.wm.open_mainfile(filepath=str(SAVED))
    return json.loads(SAVED.with_suffix(".json").read_text(encoding="utf-8"))


def flags():
    layer = bpy.context.scene.view_layers[0]
    return {
        item.name: [item.hide_get(view_layer=layer), item.hide_viewport, item.hide_render]
        for item in bpy.context.scene.objects
    }


def test_every_setting_keeps_its_path_and_its_value(saved):
    now = dict(values(bpy.context.scene.octree))
    assert {path: now.get(path) for path in saved["scene"]} == saved["scene"]
    layers = bpy.context.scene.view_layers
    assert {layer.name: dict(values(layer.octree)) for layer in layers} == saved["layers"]
    assert flags() == saved["flags"]


def test_what_was_built_is_built_again(saved):
    assert bpy.ops.octree.rebuild() == {"FINISHED"}
    built = bpy.context.scene.octree
    options = {name: saved["scene"][f"build.{name}"] for name in ("capacity", "max_depth")}
    assert {name: getattr(built.build, name) for name in options} == options
    assert bpy.ops.octree.select_in_sphere(center=(0, 0, 0), radius=3) == {"FINISHED"}
    assert [item.name for item in bpy.context.selected_objects] == saved["selected"]


def test_restoring_shows_what_was_hidden_and_nothing_else(saved):
    assert {name for name, icons in saved["flags"].items() if all(icons)} == HIDDEN
    assert bpy.ops.octree.restore_hidden() == {"FINISHED"}
    shown = {**saved["flags"], **{name: [False] * 3 for name in HIDDEN}}
    assert flags() == shown
    assert shown["Hidden before"][1]
