"""The tree of objects: built by the operator, asked, and built again."""

import bpy
import pytest
from blender_scenes import cube, depsgraph, lamp, link, select_only
from costs import lines_run

from octree_ext.core import DynamicOctree, run
from octree_ext.octree_addon import trees
from octree_ext.octree_addon.cells.steps import object_tree_steps


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
    with pytest.raises(RuntimeError, match=r"no objects to build an octree of \(1 light"):
        build()


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


def test_many_objects_are_read_in_some_lines_each():
    mesh = cube().data
    for number in range(2000):
        link(bpy.data.objects.new("Many", mesh), location=(number, 0, 0))
    items, graph = list(bpy.context.scene.objects), depsgraph()
    lines = lines_run(lambda: run(object_tree_steps(graph, items, {})))
    assert lines.total() <= 45 * len(items)
