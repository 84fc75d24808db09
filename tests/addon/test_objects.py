"""Objects and instances as boxes, against what Blender says of each by itself; and their tree."""

from time import thread_time

import bpy
import numpy as np
import pytest
from blender_scenes import (
    camera,
    collection_instance,
    cube,
    depsgraph,
    link,
    mesh_object,
    scatter,
    select_only,
    selected,
    text,
    tube,
    world_triangles,
)

from octree_ext.core import DynamicOctree
from octree_ext.octree_addon import trees
from octree_ext.octree_addon.building import object_tree_steps, run
from octree_ext.octree_addon.reader import read_objects


def read(*items, **options):
    found = read_objects(depsgraph(), items, **options)
    assert len(found.source.keys) == found.source.item_count == found.boxes.shape[1]
    return found


def box_of(found, name):
    """Return the box around all items of one object."""
    names = [each.name for each in found.source.objects]
    mine = found.boxes[:, found.source.object_of_item == names.index(name)]
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
    assert np.allclose(found.boxes[:, 0], (0.5, 1, 2.75, 1.5, 3, 3.25))


def test_whole_numbers_stay_whole():
    item = cube(size=2.0, location=(5, -7, 11))
    assert np.array_equal(read(item).boxes[:, 0], (4, -8, 10, 6, -6, 12))


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
    assert found.boxes[5, 0] > 5
    assert_encloses(found, "Cube")


def test_texts_and_curves_are_one_item_each():
    found = read(text(location=(0, 4, 0)), tube())
    assert found.source.item_count == 2
    assert_encloses(found, *(each.name for each in found.source.objects))


def test_instances_are_items_of_who_brings_them():
    empty = collection_instance([cube("A", location=(1, 0, 0)), cube("B")], location=(9, 0, 0))
    found = read(empty)
    assert [(each.name, each.instances) for each in found.source.objects] == [("Instance", 2)]
    assert found.source.is_instance.tolist() == [True, True]
    assert_encloses(found, "Instance")


def test_instances_of_geometry_nodes_and_what_stands_between_them():
    points = mesh_object("Points", [(0, 0, 0), (5, 0, 0), (0, 5, 0)], [(0, 1, 2)])
    scatter(cube(), points)
    found = read(points)
    assert found.source.item_count == 4
    assert_encloses(found, "Points")


def test_object_of_nothing_but_instances_is_not_one_itself():
    points = mesh_object("Points", [(0, 0, 0), (5, 0, 0)], [])
    scatter(cube(), points)
    tree = points.modifiers[0].node_group
    join = next(node for node in tree.nodes if node.type == "JOIN_GEOMETRY")
    own = next(one for one in join.inputs[0].links if one.from_node.type == "GROUP_INPUT")
    tree.links.remove(own)
    found = read(points)
    assert found.source.is_instance.tolist() == [True, True]
    assert np.isnan(found.own[:, found.ids == points.session_uid]).all()


def lamp(**values):
    return link(bpy.data.objects.new("Lamp", bpy.data.lights.new("Lamp", "POINT")), **values)


def test_what_has_no_shape_comes_by_choice():
    empty = link(bpy.data.objects.new("Empty", None), empty_display_size=2, location=(1, 1, 1))
    items = lamp(location=(4, 5, 6)), camera(location=(7, 8, 9)), empty
    assert read(*items).source.skipped == {"of another type": 3}
    assert read(*items, kinds=["LIGHT"]).boxes.T.tolist() == [[4, 5, 6, 4, 5, 6]]
    found = read(*items, kinds=["LIGHT", "CAMERA", "EMPTY"])
    assert found.source.item_count == 3
    assert box_of(found, "Camera").tolist() == [7, 8, 9, 7, 8, 9]
    assert box_of(found, "Empty").tolist() == [-1, -1, -1, 3, 3, 3]


def test_what_is_left_out_is_counted():
    hidden, endless = cube("Hidden"), cube("Endless", location=(np.nan, 0, 0))
    hidden.hide_set(True)
    found = read(hidden, endless, mesh_object("Empty", [], []), cube("Seen"))
    assert [each.name for each in found.source.objects] == ["Seen"]
    assert found.source.skipped == {"hidden": 1, "without a shape": 2}


def test_nothing_gives_nothing():
    found = read()
    assert found.boxes.shape == (6, 0)
    assert found.source.objects == ()


def grid(count):
    items = [cube(f"Cube {x}", location=(2 * x, 0, 0)) for x in range(count)]
    select_only(*items)
    return items


def build(**options):
    assert bpy.ops.octree.build(source="OBJECTS", **options) == {"FINISHED"}
    return trees.get(bpy.context.scene)


def test_tree_of_objects_is_a_dynamic_one(capfd):
    grid(20)
    built = build(capacity=4)
    assert isinstance(built.tree, DynamicOctree)
    built.tree.check()
    assert len(built.octree) == 20
    assert built.octree.capacity == 4
    assert "Octree of 20 objects" in capfd.readouterr().out


def test_each_source_has_its_own_settings():
    grid(5)
    assert build().octree.capacity == 8
    bpy.ops.octree.build(source="TRIANGLES")
    assert trees.get(bpy.context.scene).octree.capacity == 32


def test_scope_says_which_objects():
    first, second, third = grid(3)
    third.hide_set(True)
    collection = bpy.data.collections.new("Some")
    bpy.context.scene.collection.children.link(collection)
    for item in (second, third):
        collection.objects.link(item)
    select_only(first)
    names = {
        scope: [each.name for each in build(scope=scope, collection="Some").source.objects]
        for scope in ("SELECTED", "VISIBLE", "COLLECTION")
    }
    assert names == {
        "SELECTED": ["Cube 0"],
        "VISIBLE": ["Cube 0", "Cube 1"],
        "COLLECTION": ["Cube 1"],
    }
    with pytest.raises(RuntimeError, match="Choose the collection"):
        build(collection="")


def test_what_only_triangles_can_is_refused_for_objects():
    grid(2)
    with pytest.raises(RuntimeError, match="straddlers must be one of"):
        build(straddlers="HYBRID")
    with pytest.raises(RuntimeError, match="merge_below must not exceed capacity"):
        build(capacity=2, merge_below=3)
    assert trees.get(bpy.context.scene) is None


def test_no_object_with_a_shape_is_an_error():
    select_only(lamp())
    with pytest.raises(RuntimeError, match=r"no objects to build an octree of \(1 of another"):
        build()


def test_questions_are_answered_by_bounds(capfd):
    grid(6)
    build()
    bpy.ops.octree.select_in_sphere(center=(4, 0.55, 0.55), radius=0.5)
    assert selected() == {"Cube 2"}
    assert "1 object selected, by their bounds" in capfd.readouterr().out
    with pytest.raises(RuntimeError, match="holds whole objects"):
        bpy.ops.octree.select_in_sphere(center=(0, 0, 0), radius=1, kind="FACES")


def test_answers_name_objects_after_others_have_gone():
    grid(6)
    built = build()
    built.tree.remove([0, 3])
    built.source = built.source.arranged(np.array([1, 2, 4, 5]))
    bpy.ops.octree.select_in_sphere(center=(8, 0, 0), radius=1)
    assert selected() == {"Cube 4"}


def test_rebuild_keeps_to_objects():
    first, _ = grid(2)
    build(capacity=5)
    first.location.x = 20
    bpy.context.view_layer.update()
    assert trees.get(bpy.context.scene).stale
    bpy.context.scene.octree.source.source = "TRIANGLES"
    bpy.ops.octree.rebuild()
    built = trees.get(bpy.context.scene)
    assert (built.octree.capacity, len(built.octree)) == (5, 2)
    assert built.octree.node_upper[0, 0] > 20


def test_many_objects_are_soon_read():
    mesh = cube().data
    for number in range(2000):
        link(bpy.data.objects.new("Many", mesh), location=(number, 0, 0))
    items, graph = list(bpy.context.scene.objects), depsgraph()
    seconds = []
    for _ in range(3):
        start = thread_time()
        run(object_tree_steps(graph, items, {}))
        seconds.append(thread_time() - start)
    assert min(seconds) < 0.1
