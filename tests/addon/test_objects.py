"""Objects and instances as boxes, against what Blender says of each by itself."""

import bpy
import numpy as np
from blender_scenes import (
    camera,
    collection_instance,
    cube,
    depsgraph,
    lamp,
    link,
    mesh_object,
    scatter,
    text,
    tube,
    world_triangles,
)

from octree_ext.octree_addon.scene_index import box_source


def read(*items, **options):
    found = box_source(depsgraph(), items, **options)
    assert found.holds_objects
    assert len(found.placements) == found.item_count == found.boxes.boxes.shape[1]
    return found


def box_of(found, name):
    """Return the box around all items of one object."""
    names = [each.name for each in found.objects]
    mine = found.boxes.boxes[:, found.object_of_item == names.index(name)]
    return np.concatenate((mine[:3].min(axis=1), mine[3:].max(axis=1)))


def assert_encloses(found, *names):
    """Compare with the triangles that Blender shows: the box holds them, and is no larger."""
    triangles = world_triangles()
    for name in names:
        corners = triangles[name].reshape(-1, 3)
        expected = np.concatenate((corners.min(axis=0), corners.max(axis=0)))
        assert np.allclose(box_of(found, name), expected, atol=1e-5)


def test_box_of_a_mesh_stands_where_it_does():
    item = cube(location=(1, 2, 3), scale=(1, -2, 0.5))
    found = read(item)
    assert np.allclose(found.boxes.boxes[:, 0], (0.5, 1, 2.75, 1.5, 3, 3.25))


def test_whole_numbers_stay_whole():
    item = cube(size=2.0, location=(5, -7, 11))
    assert np.array_equal(read(item).boxes.boxes[:, 0], (4, -8, 10, 6, -6, 12))


def test_box_follows_modifiers_and_parents():
    parent = cube("Parent", location=(3, 0, 0), rotation_euler=(0, 0, 0.5 * np.pi))
    child = cube("Child", location=(2, 0, 0), parent=parent)
    child.modifiers.new("Array", "ARRAY").count = 4
    assert_encloses(read(parent, child), "Parent", "Child")


def armature_scene():
    """Have a bone carry a cube far from its rest position."""
    bpy.ops.object.armature_add()
    bones = bpy.context.object
    item = cube()
    item.vertex_groups.new(name="Bone").add(range(8), 1.0, "REPLACE")
    item.modifiers.new("Armature", "ARMATURE").object = bones
    bones.pose.bones[0].location = (0, 7, 0)
    return item


def test_box_follows_an_armature():
    item = armature_scene()
    found = read(item)
    assert found.boxes.boxes[5, 0] > 5
    assert_encloses(found, "Cube")


def test_texts_and_curves_are_one_item_each():
    found = read(text(location=(0, 4, 0)), tube())
    assert found.item_count == 2
    assert_encloses(found, *(each.name for each in found.objects))


def test_instances_are_items_of_who_brings_them():
    empty = collection_instance([cube("A", location=(1, 0, 0)), cube("B")], location=(9, 0, 0))
    found = read(empty)
    assert [(each.name, each.instances) for each in found.objects] == [("Instance", 2)]
    assert found.placements.is_instance.tolist() == [True, True]
    assert_encloses(found, "Instance")


def test_instances_of_geometry_nodes_and_what_stands_between_them():
    points = mesh_object("Points", [(0, 0, 0), (5, 0, 0), (0, 5, 0)], [(0, 1, 2)])
    scatter(cube(), points)
    found = read(points)
    assert found.item_count == 4
    assert_encloses(found, "Points")


def test_object_of_nothing_but_instances_is_not_one_itself():
    points = mesh_object("Points", [(0, 0, 0), (5, 0, 0)], [])
    scatter(cube(), points)
    tree = points.modifiers[0].node_group
    join = next(node for node in tree.nodes if node.type == "JOIN_GEOMETRY")
    own = next(one for one in join.inputs[0].links if one.from_node.type == "GROUP_INPUT")
    tree.links.remove(own)
    found = read(points)
    assert found.placements.is_instance.tolist() == [True, True]


def test_what_has_no_shape_comes_by_choice():
    empty = link(bpy.data.objects.new("Empty", None), empty_display_size=2, location=(1, 1, 1))
    items = lamp(location=(4, 5, 6)), camera(location=(7, 8, 9)), empty
    assert read(*items).skipped == {"LIGHT": 1, "CAMERA": 1, "EMPTY": 1}
    assert read(*items, kinds=["LIGHT"]).boxes.boxes.T.tolist() == [[4, 5, 6, 4, 5, 6]]
    found = read(*items, kinds=["LIGHT", "CAMERA", "EMPTY"])
    assert found.item_count == 3
    assert box_of(found, "Camera").tolist() == [7, 8, 9, 7, 8, 9]
    assert box_of(found, "Empty").tolist() == [-1, -1, -1, 3, 3, 3]


def test_what_is_left_out_is_counted():
    hidden, endless = cube("Hidden"), cube("Endless", location=(np.nan, 0, 0))
    hidden.hide_set(True)
    found = read(hidden, endless, mesh_object("Empty", [], []), cube("Seen"))
    assert [each.name for each in found.objects] == ["Seen"]
    assert found.skipped == {"hidden": 1, "without geometry": 2}


def test_nothing_gives_nothing():
    found = read()
    assert found.boxes.boxes.shape == (6, 0)
    assert found.objects == ()
