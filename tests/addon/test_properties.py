"""What a scene remembers: where it stands, what it says to the user, what the core gets of it."""

import inspect

import bpy
import pytest
from registered import SHOWN

from octree_ext.core import DynamicOctree, build_octree
from octree_ext.octree_addon.cells.steps import (
    build_options,
    build_settings,
    chosen_bounds,
    object_options,
)
from octree_ext.octree_addon.questions import frustum
from octree_ext.octree_addon.ui import settings_of


def own_properties(group):
    return [
        item for item in group.bl_rna.properties if item.identifier not in ("name", "rna_type")
    ]


@pytest.mark.parametrize("group", SHOWN, ids=lambda group: group.__name__)
def test_every_setting_has_a_name_and_a_tooltip(group):
    for item in own_properties(group):
        assert item.name == item.name.strip() != ""
        assert item.name[0].isupper()
        assert item.description[0].isupper()
        assert not item.description.endswith(".")


@pytest.mark.parametrize(
    ("operator", "group"),
    [
        ("build", "source"),
        ("build", "build"),
        ("build", "objects"),
        ("rebuild", "build"),
        ("rebuild", "objects"),
        ("find_seen", "shot"),
        ("hide_unseen", "hiding"),
        ("select_in_frustum", "frustum"),
        ("select_in_sphere", "sphere"),
        ("select_in_box", "box"),
        ("select_nearest", "nearest"),
        ("select_on_ray", "ray"),
        ("select_collisions", "collisions"),
    ],
)
def test_operator_has_every_option_that_the_scene_remembers(empty_scene, operator, group):
    known = getattr(bpy.ops.octree, operator).get_rna_type().properties.keys()
    wanted = {item.identifier for item in own_properties(getattr(empty_scene.octree, group))}
    assert wanted - {"show", "protect"} <= set(known)


@pytest.mark.parametrize(
    ("source", "asked", "built", "apart"),
    [
        ("TRIANGLES", build_options, build_octree, {"items", "bounds", "progress"}),
        ("OBJECTS", object_options, DynamicOctree, {"bounds"}),
    ],
)
def test_options_are_those_of_the_core(empty_scene, source, asked, built, apart):
    accepted = inspect.signature(built).parameters
    given = asked(build_settings(empty_scene, source))
    assert given.keys() == accepted.keys() - apart
    assert all(accepted[name].default == value for name, value in given.items())


def test_loose_factor_counts_for_keep_alone(empty_scene):
    build = settings_of(empty_scene).build
    build.loose_factor = 2.0
    assert build_options(build)["loose_factor"] == 1.0
    build.straddlers = "KEEP"
    assert build_options(build)["loose_factor"] == 2.0


def test_limits_cannot_be_passed(empty_scene):
    build = settings_of(empty_scene).build
    build.capacity, build.max_depth, build.min_size, build.loose_factor = 0, 99, -1.0, 0.5
    assert (build.capacity, build.max_depth) == (1, 20)
    assert (build.min_size, build.loose_factor) == (0.0, 1.0)


def test_bounds_object_counts_when_it_is_asked_for(empty_scene):
    build = settings_of(empty_scene).build
    build.bounds_object = box = bpy.data.objects.new("Box", None)
    assert chosen_bounds(build) is None
    build.bounds = "OBJECT"
    assert chosen_bounds(build) == box


def test_only_cameras_can_be_the_camera():
    camera = bpy.data.objects.new("Camera", bpy.data.cameras.new("Camera"))
    assert frustum.is_camera(None, camera)
    assert not frustum.is_camera(None, bpy.data.objects.new("Empty", None))
