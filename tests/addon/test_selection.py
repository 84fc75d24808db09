"""What counts as finding an object or a face: any or all of its triangles, or none."""

from collections import Counter

import bpy
import numpy as np
import pytest
from blender_scenes import cube, link, scatter, select_only, selected
from costs import lines_run

from octree_ext.core import run
from octree_ext.octree_addon.selection import FoundItems, select_faces, select_objects
from octree_ext.octree_addon.snapshots import SceneTarget, scene_steps


class PartOf(SceneTarget):
    """A target of which some triangles cannot be found."""

    def __init__(self, target, invalid):
        super().__init__(**vars(target))
        vars(self)["invalid"] = list(invalid)

    @property
    def possible(self):
        flags = super().possible
        flags[self.invalid] = False
        return flags

    @property
    def possibles(self):
        counts = np.bincount(self.placement_of_item[self.invalid], minlength=len(self.owners))
        return super().possibles - counts


def asked(triangles, objects, invalid=(), **options):
    """Return an answer about these objects that no question has found."""
    target = run(scene_steps(bpy.context, None))
    uids = [item.session_uid for item in objects]
    target = target.only(np.flatnonzero(np.isin(target.owners, uids)))
    return FoundItems(PartOf(target, invalid), np.array(triangles, np.intp), **options)


def chosen(answer, action="REPLACE"):
    counts = select_objects(bpy.context.view_layer, answer.subjects, action)
    assert counts["objects"] == len(selected()) or action == "SUBTRACT"
    return selected()


@pytest.fixture
def pair():
    """Two cubes: triangles 0 to 11, and 12 to 23."""
    return cube("First"), cube("Second")


@pytest.mark.parametrize(
    ("triangles", "touching", "within"),
    [
        ([], set(), set()),
        ([5], {"First"}, set()),
        (range(12), {"First"}, {"First"}),
        (range(13), {"First", "Second"}, {"First"}),
        (range(24), {"First", "Second"}, {"First", "Second"}),
    ],
)
def test_any_and_all_triangles_of_an_object(pair, triangles, touching, within):
    both = {"First", "Second"}
    assert chosen(asked(triangles, pair)) == touching
    assert chosen(asked(triangles, pair, invert=True)) == both - touching
    assert chosen(asked(triangles, pair, whole=True)) == within
    assert chosen(asked(triangles, pair, whole=True, invert=True)) == both - within


def test_triangles_that_are_not_in_the_tree_do_not_count(pair):
    assert chosen(asked(range(1, 12), pair, invalid=[0], whole=True)) == {"First"}
    assert chosen(asked([], pair, invalid=range(12), whole=True)) == set()
    assert chosen(asked([], pair, invalid=range(12), invert=True)) == {"Second"}


def test_an_instancer_is_one_object_of_many_placements():
    points = cube("Points")
    scatter(cube("Pebble"), points)
    placed = asked([], [points]).target
    of_instances = np.flatnonzero(np.repeat(placed.is_instance, np.diff(placed.starts)))
    layer = bpy.context.view_layer

    def counts(triangles, **options):
        return select_objects(layer, asked(triangles, [points], **options).subjects, "REPLACE")

    assert counts(of_instances[:13]) == Counter(refused=0, objects=1, instances=2)
    assert counts(of_instances[:13], whole=True) == Counter(refused=0)
    assert counts(range(9 * 12), whole=True) == Counter(refused=0, objects=1, instances=8)
    assert counts(of_instances[:13], invert=True) == Counter(refused=0)
    assert counts([], invert=True) == Counter(refused=0, objects=1, instances=8)


def test_subtracting_counts_what_was_selected(pair):
    select_only(pair[0])
    counts = select_objects(bpy.context.view_layer, asked(range(24), pair).subjects, "SUBTRACT")
    assert counts["objects"] == 1
    assert selected() == set()


def faces(item):
    return [face.index for face in item.data.polygons if face.select]


@pytest.mark.parametrize(
    ("options", "expected"),
    [
        ({}, [1, 2]),
        ({"whole": True}, [2]),
        ({"invert": True}, [0, 3, 4, 5]),
        ({"whole": True, "invert": True}, [0, 1, 3, 4, 5]),
    ],
)
def test_any_and_all_triangles_of_a_face(options, expected):
    item = cube()
    bpy.context.view_layer.update()
    counts = select_faces(bpy.context, asked([3, 4, 5], [item], **options).subjects, "REPLACE")
    assert counts == Counter(faces=len(expected))
    assert faces(item) == expected


def test_actions_on_faces():
    item = cube()
    bpy.context.view_layer.update()
    for triangles, action, expected, count in (
        ([0, 2], "REPLACE", [0, 1], 2),
        ([2, 4], "EXTEND", [0, 1, 2], 2),
        ([0, 11], "SUBTRACT", [1, 2], 1),
        ([11], "REPLACE", [5], 1),
    ):
        counts = select_faces(bpy.context, asked(triangles, [item]).subjects, action)
        assert (faces(item), counts["faces"]) == (expected, count)


def test_objects_of_another_view_layer_are_refused(pair):
    answer = asked(range(24), pair)
    other = bpy.context.scene.view_layers.new("Other")
    collection = bpy.data.collections.new("Aside")
    bpy.context.scene.collection.children.link(collection)
    bpy.context.scene.collection.objects.unlink(pair[1])
    collection.objects.link(pair[1])
    other.layer_collection.children["Aside"].exclude = True
    other.update()
    assert select_objects(other, answer.subjects, "REPLACE") == Counter(refused=1, objects=1)


def test_many_objects_cost_some_lines_each():
    mesh = cube().data
    items = [link(bpy.data.objects.new(f"Copy {number}", mesh)) for number in range(2000)]
    bpy.context.view_layer.update()
    answer = asked(range(24_000), items)
    lines = lines_run(lambda: select_objects(bpy.context.view_layer, answer.subjects, "REPLACE"))
    assert len(selected()) == 2000
    assert lines.total() <= 15 * len(items)


def test_meshes_in_edit_mode_without_a_way_back_are_counted(pair):
    pair[1].modifiers.new("Subdivision", "SUBSURF")
    answer = asked([5], pair)
    select_only(*pair)
    bpy.ops.object.mode_set(mode="EDIT")
    counts = select_faces(bpy.context, answer.subjects, "REPLACE")
    bpy.ops.object.mode_set(mode="OBJECT")
    assert (counts["faces"], counts["unknown"]) == (1, 1)
