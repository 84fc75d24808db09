"""The tree that follows is as if built anew after each change."""

import bpy
import numpy as np
import pytest
from blender_scenes import collection_instance, cube, mesh_object, scatter
from live_scenes import assert_followed, grid, step, switch_on
from tuned import tuned

from octree_ext import octree_addon

pytestmark = pytest.mark.usefixtures("visible_scope")


# Few updates are looked at one by one, many all at once: every change is tried both ways.
@pytest.fixture(params=[100, 0], ids=["few", "many"])
def way(request):
    with tuned(octree_addon, updates_looked_at=request.param):
        yield


def move(items):
    items[1].location.x += 0.5


def carry(items):
    items[2].parent = items[1]
    items[1].location.y = 9


def turn(items):
    items[3].rotation_euler = (0.3, 0.4, 0.5)
    items[3].scale = (1, -2, 3)


def edit(items):
    items[0].data.vertices[0].co.x -= 4
    items[0].data.update()


def modify(items):
    items[2].modifiers.new("Array", "ARRAY").count = 3


def animate(items):
    items[1].keyframe_insert("location", frame=1)
    items[1].location.z = 5
    items[1].keyframe_insert("location", frame=11)
    bpy.context.scene.frame_set(6)


def keep_still(items):
    items[0].select_set(True)


def add(items):
    cube("Another", location=(0, 5, 0))


def remove(items):
    bpy.data.objects.remove(items[2])


def hide(items):
    items[1].hide_set(True)


def disable(items):
    items[1].hide_viewport = True


def hide_while_all_move(items):
    for item in items:
        item.location.z += 1
    items[1].hide_set(True)


def empty_out(items):
    items[0].data.clear_geometry()
    items[0].data.update()


def lose_itself(items):
    items[0].location.x = np.nan


def rename(items):
    items[0].name = "Zebra"
    items[1].location.x += 1


def bring_instances(items):
    scatter(items[3], items[0])


CHANGES = [
    *(move, carry, turn, edit, modify, animate, keep_still, add, remove, hide, disable),
    *(hide_while_all_move, empty_out, lose_itself, rename, bring_instances),
]


@pytest.mark.parametrize("change", CHANGES)
def test_every_change_is_followed(change, way):
    items = grid(5)
    built = switch_on()
    change(items)
    assert_followed(built)


@pytest.mark.parametrize("change", [hide, disable, empty_out, lose_itself])
def test_what_went_comes_back(change, way):
    items = grid(4)
    vertices = [vertex.co[:] for vertex in items[0].data.vertices]
    built = switch_on()
    change(items)
    assert_followed(built)
    for item in items:
        item.hide_viewport = False
        item.hide_set(False)
    items[0].location.x = 1
    items[0].data.clear_geometry()
    items[0].data.from_pydata(vertices, [], [])
    assert_followed(built)
    assert len(built.tree) == 4


def test_instances_are_followed(way):
    inner = [cube("A", location=(1, 0, 0)), cube("B")]
    empty = collection_instance(inner, location=(9, 0, 0))
    points = mesh_object("Points", [(0, 0, 0), (5, 0, 0), (0, 5, 0)], [(0, 1, 2)])
    scatter(cube("C"), points)
    built = switch_on()
    for change in (
        lambda: setattr(empty, "location", (0, 20, 0)),
        lambda: setattr(inner[0], "location", (3, 3, 3)),
        lambda: setattr(points, "location", (0, 0, 7)),
        lambda: setattr(inner[1].data.vertices[0].co, "x", 3) or inner[1].data.update(),
        lambda: empty.instance_collection.objects.link(cube("D")),
        lambda: empty.instance_collection.objects.unlink(inner[1]),
        lambda: setattr(inner[0], "hide_viewport", True),
        lambda: setattr(inner[0], "hide_viewport", False),
        lambda: swap(empty),
        lambda: setattr(points.data.vertices[1].co, "x", 8) or points.data.update(),
        lambda: setattr(empty, "instance_collection", None),
        points.modifiers.clear,
    ):
        change()
        assert_followed(built)


def swap(empty):
    """Show another group of as many objects."""
    other = bpy.data.collections.new("Other")
    for number in range(len(empty.instance_collection.objects)):
        item = cube(f"Other {number}", size=3)
        bpy.context.scene.collection.objects.unlink(item)
        other.objects.link(item)
    empty.instance_collection = other


def test_bones_are_followed_over_frames():
    bpy.ops.object.armature_add()
    bones = bpy.context.object
    item = cube()
    item.vertex_groups.new(name="Bone").add(range(8), 1.0, "REPLACE")
    item.modifiers.new("Armature", "ARMATURE").object = bones
    bone = bones.pose.bones[0]
    bone.keyframe_insert("location", frame=1)
    bone.location = (0, 7, 0)
    bone.keyframe_insert("location", frame=11)
    built = switch_on()
    heights = []
    for frame in (1, 6, 11):
        bpy.context.scene.frame_set(frame)
        assert_followed(built)
        heights.append(built.octree.items.upper[0, 2])
    assert heights[0] < 1 < heights[1] < heights[2]


def test_only_what_moved_is_moved():
    items = grid(50)
    switch_on()
    items[7].location.x += 0.5
    items[8].select_set(True)
    bpy.context.view_layer.update()
    assert (step().moved, step().added, step().removed) == (1, 0, 0)


def test_a_scope_takes_in_what_comes_into_it():
    first, second, third = grid(3)
    collection = bpy.data.collections.new("Some")
    bpy.context.scene.collection.children.link(collection)
    collection.objects.link(first)
    built = switch_on(scope="COLLECTION", collection="Some")
    collection.objects.link(second)
    bpy.context.view_layer.update()
    assert [each.name for each in built.source.objects] == ["Cube 0", "Cube 1"]
    collection.objects.unlink(first)
    third.location.x += 1
    bpy.context.view_layer.update()
    assert [each.name for each in built.source.objects] == ["Cube 1"]


def test_the_selected_stay_the_same_few():
    first, second = grid(2)
    first.select_set(True)
    second.select_set(False)
    built = switch_on(scope="SELECTED")
    second.select_set(True)
    cube("Another")
    second.location.x += 1
    bpy.context.view_layer.update()
    assert [each.name for each in built.source.objects] == ["Cube 0"]


def test_another_order_of_the_same_objects_is_no_trap(way):
    items, scene = grid(4), bpy.context.scene
    built = switch_on()
    collection = bpy.data.collections.new("Some")
    scene.collection.children.link(collection)
    collection.objects.link(items[2])
    scene.collection.objects.unlink(items[2])
    bpy.context.view_layer.update()
    for number, item in enumerate(items):
        item.location.y = number
    assert_followed(built)


def test_a_swarm_is_followed_over_a_hundred_random_steps():
    rng = np.random.default_rng(5)
    items = grid(60)
    built = switch_on(capacity=4, merge_below=3)
    for number in range(100):
        for item in rng.choice(items, rng.integers(1, 60), replace=False):
            item.location += type(item.location)(rng.normal(0, 3, 3))
        if number % 9 == 0:
            items.append(cube(f"New {number}", location=rng.normal(0, 30, 3)))
            bpy.data.objects.remove(items.pop(int(rng.integers(len(items)))))
        if number % 10 == 0:
            assert_followed(built)
        bpy.context.view_layer.update()
    assert_followed(built)
