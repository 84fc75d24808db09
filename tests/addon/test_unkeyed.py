"""A walk through frames and back: what was animated, but changed without a key, stays changed."""

import bpy
import pytest
from blender_scenes import cube

from octree_ext.octree_addon.cameras.frames import walk


def on_the_object(item):
    return item, "location", 0


def on_a_custom_property(item):
    item["speed"] = 0.0
    return item, '["speed"]', None


def on_a_bone(_):
    bpy.ops.object.armature_add()
    rig = bpy.context.object
    return rig, f'pose.bones["{rig.pose.bones[0].name}"].rotation_quaternion', 2


def on_a_shape_key(item):
    item.shape_key_add(name="Basis")
    item.shape_key_add(name="Smile")
    return item.data.shape_keys, 'key_blocks["Smile"].value', None


def on_a_node_of_a_material(item):
    material = bpy.data.materials.new("Paint")
    if not material.node_tree:
        material.use_nodes = True
    item.data.materials.append(material)
    node = material.node_tree.nodes.new("ShaderNodeValue")
    return material.node_tree, f'nodes["{node.name}"].outputs[0].default_value', None


def on_the_scene(_):
    return bpy.context.scene, "gravity", 2


def value_at(owner, path, element):
    value = owner.path_resolve(path)
    return value if element is None else value[element]


def set_value(owner, path, element, value):
    if element is not None:
        owner.path_resolve(path)[element] = value
    elif path.endswith('"]'):
        owner["speed"] = value
    else:
        holder, _, name = path.rpartition(".")
        setattr(owner.path_resolve(holder), name, value)


@pytest.mark.parametrize(
    "place",
    [
        on_the_object,
        on_a_custom_property,
        on_a_bone,
        on_a_shape_key,
        on_a_node_of_a_material,
        on_the_scene,
    ],
)
@pytest.mark.parametrize("in_a_strip", [False, True])
def test_value_without_a_key_survives(place, in_a_strip):
    owner, path, element = place(cube())
    for frame, value in ((1, 0.0), (11, 1.0)):
        set_value(owner, path, element, value)
        owner.keyframe_insert(path, index=-1 if element is None else element, frame=frame)
    if in_a_strip:
        move_to_a_strip(owner.animation_data)
    scene = bpy.context.scene
    scene.frame_set(6)
    assert value_at(owner, path, element) == pytest.approx(0.5)
    set_value(owner, path, element, 0.25)
    for frame in walk(scene, (1, 11)):
        assert value_at(owner, path, element) == pytest.approx(frame // 11)
    assert value_at(owner, path, element) == pytest.approx(0.25)
    assert scene.frame_current == 6


def move_to_a_strip(animation):
    action = animation.action
    strip = animation.nla_tracks.new().strips.new("Strip", 1, action)
    if hasattr(strip, "action_slot"):
        strip.action_slot = animation.action_slot
    animation.action = None
