"""The index of a scene against what Blender shows, after any change."""

import bpy
import numpy as np
import pytest
from blender_scenes import cube, link, monkey, text, tube

from octree_ext.octree_addon.reader import read_triangles
from octree_ext.octree_addon.scene_index import scene_index


def visible():
    layer = bpy.context.view_layer
    return [item for item in layer.objects if item.visible_get()]


def shown(index):
    """Return the placed triangles by object, sorted, as the index has them."""
    found = {}
    for placement in index.table():
        corners = index.octree.triangles_of([placement.id])
        found.setdefault(placement.session_uid, []).append(corners.vertices[corners.faces])
    return {uid: sorted_rows(np.concatenate(parts)) for uid, parts in found.items()}


def expected():
    """Return the same as a walk through the scene reads it."""
    source = read_triangles(bpy.context.evaluated_depsgraph_get(), visible())
    corners = source.vertices[source.faces]
    uids = np.array([each.session_uid for each in source.objects])[source.object_of_item]
    return {uid: sorted_rows(corners[uids == uid]) for uid in np.unique(uids).tolist()}


def sorted_rows(corners):
    rows = corners.reshape(len(corners), 9)
    return rows[np.lexsort(rows.T)]


def assert_fresh():
    index = scene_index()
    index.octree.check()
    there, wanted = shown(index), expected()
    assert there.keys() == wanted.keys()
    for uid, rows in wanted.items():
        assert np.allclose(there[uid], rows, rtol=0, atol=1e-5 * max(np.abs(rows).max(), 1))
    return index


@pytest.fixture
def zoo():
    """Add one of everything that has faces."""
    base = cube("Base", location=(1, 2, 3))
    for number in range(4):
        link(bpy.data.objects.new(f"Linked {number}", base.data), location=(number, 0, 0))
    monkey(location=(0, 5, 0), scale=(-1, 2, 0.5))
    text(location=(3, 3, 3))
    tube(location=(-3, 0, 0))
    inner = bpy.data.collections.new("Inner")
    inner.objects.link(cube("Inside"))
    for number in range(3):
        empty = link(bpy.data.objects.new("Group", None), location=(0, 0, 4 * number))
        empty.instance_type, empty.instance_collection = "COLLECTION", inner
    link(bpy.data.objects.new("Empty Mesh", bpy.data.meshes.new("Nothing")))
    return base


def test_it_holds_what_is_shown(zoo):
    assert_fresh()


def test_it_follows_each_change(zoo):
    index = assert_fresh()
    changes = [
        lambda: setattr(zoo, "location", (9, 9, 9)),
        lambda: setattr(bpy.data.objects["Linked 1"], "hide_viewport", True),
        lambda: bpy.data.objects["Linked 2"].hide_set(True),
        lambda: bpy.data.objects.remove(bpy.data.objects["Linked 3"]),
        lambda: setattr(bpy.data.objects["Linked 1"], "hide_viewport", False),
        lambda: cube("Another", location=(5, 5, 5)),
        lambda: zoo.data.vertices.foreach_set("co", np.arange(24, dtype=np.float32)),
        zoo.data.update,
        lambda: setattr(bpy.data.objects["Suzanne"].modifiers[0], "levels", 0),
        lambda: setattr(bpy.data.objects["Linked 0"], "data", bpy.data.objects["Inside"].data),
        lambda: setattr(bpy.data.objects["Group"], "instance_type", "NONE"),
        lambda: setattr(bpy.data.objects["Group.001"], "location", (7, 7, 7)),
        lambda: setattr(bpy.data.objects["Inside"], "scale", (2, 2, 2)),
        lambda: bpy.data.curves["Text"].__setattr__("body", "Other"),
        lambda: bpy.context.scene.frame_set(7),
    ]
    for change in changes:
        change()
        assert assert_fresh() is index


def test_edit_mode(zoo):
    assert_fresh()
    bpy.context.view_layer.objects.active = zoo
    bpy.ops.object.mode_set(mode="EDIT")
    assert_fresh()
    bpy.ops.mesh.select_all(action="SELECT")
    bpy.ops.transform.translate(value=(3, 0, 0))
    assert_fresh()
    bpy.ops.object.mode_set(mode="OBJECT")
    assert_fresh()
