"""What a scene remembers: where it stands, what it says to the user, what the core gets of it."""

import inspect

import bpy
import pytest

from octree_ext.core import build_octree
from octree_ext.octree_addon import options, properties
from octree_ext.octree_addon.properties import build_options, questions, settings_of

MEMORY = {"OctreeObject", "OctreeSceneMemory", "OctreeLayerMemory", "OctreeSettings"}
SHOWN = [group for group in properties.CLASSES if group.__name__ not in MEMORY]


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
    ("mixin", "group"),
    [
        (options.BuildOptions, properties.OctreeBuildSettings),
        (options.FrustumOptions, properties.OctreeFrustumSettings),
        (options.SphereOptions, properties.OctreeSphereSettings),
        (options.HidingOptions, properties.OctreeHidingSettings),
    ],
)
def test_scene_remembers_every_option_of_its_operator(mixin, group):
    assert mixin.__annotations__.keys() <= set(group.bl_rna.properties.keys())


def test_build_options_are_those_of_the_core(empty_scene):
    accepted = inspect.signature(build_octree).parameters
    asked = build_options(settings_of(empty_scene).build)
    assert asked.keys() <= accepted.keys()
    assert all(accepted[name].default == value for name, value in asked.items())


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
    assert properties.bounds_object(build) is None
    build.bounds = "OBJECT"
    assert properties.bounds_object(build) == box


def test_only_cameras_can_be_the_camera():
    camera = bpy.data.objects.new("Camera", bpy.data.cameras.new("Camera"))
    assert questions.is_camera(None, camera)
    assert not questions.is_camera(None, bpy.data.objects.new("Empty", None))
