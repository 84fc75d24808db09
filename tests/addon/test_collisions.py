"""What touches another object: against a comparison of all pairs of triangles."""

import bpy
import numpy as np
import pair_oracle
import pytest
from blender_scenes import collection_instance, cube, mesh_object, scatter, select_only, selected
from brute_force import check_last_answer, triangles_of

from core import Triangles
from octree_ext.core import run
from octree_ext.octree_addon import preferences, questions, scope
from octree_ext.octree_addon.questions.collisions import collision_steps
from octree_ext.octree_addon.snapshots import scene_steps


@pytest.fixture
def heap(empty_scene):
    """Add twelve heaps of triangles, in whole numbers, that overlap a little."""
    random = np.random.default_rng(5)
    items = []
    for number in range(12):
        corners = random.integers(-4, 5, (24, 3)) + random.integers(-8, 9, 3)
        faces = np.arange(24).reshape(8, 3).tolist()
        items.append(mesh_object(f"Heap {number}", corners.tolist(), faces))
    select_only(*items)
    return run(scene_steps(bpy.context, None))


def strange_pairs(target, margin):
    """Compare all triangles of different objects."""
    found = triangles_of(target)
    triangles = Triangles(found.vertices, found.faces)
    owners = target.placement_of_item
    near = pair_oracle.near(triangles, triangles, margin)
    return np.argwhere(np.triu(near & (owners[:, None] != owners), 1)).T


@pytest.mark.parametrize("margin", [0, 1, 3])
def test_pairs_are_those_of_brute_force(heap, margin):
    owners = heap.placement_of_item
    found = run(collision_steps(heap, np.arange(12), margin))
    expected = strange_pairs(heap, margin)
    np.testing.assert_array_equal(found.pairs, expected)
    between = np.sort(owners[expected], axis=0).T.tolist()
    assert found.owners.T.tolist() == sorted(map(list, set(map(tuple, between))))
    assert found.counts.tolist() == [between.count(pair) for pair in found.owners.T.tolist()]
    assert 0 < found.pairs.shape[1] < len(owners) ** 2 / 8


def test_all_at_once_and_step_by_step_is_the_same(heap):
    fractions = list(collision_steps(heap, np.arange(12), 0.5))
    assert fractions
    assert fractions == sorted(fractions)
    assert 0 < fractions[-1] <= 1


def collide(**options):
    assert bpy.ops.octree.select_collisions("EXEC_DEFAULT", True, **options) == {"FINISHED"}
    return questions.get(bpy.context.scene)


@pytest.fixture
def row(empty_scene):
    """Build a tree of cubes: two that touch, one half a unit beside them, one far away."""
    items = [cube(f"Cube {x}", location=(x, 0, 0)) for x in (0, 1, 2.5, 9)]
    select_only(*items)
    bpy.ops.octree.build()
    select_only(items[3])
    bpy.ops.ed.undo_push(message="Start")


def test_touching_is_colliding(row):
    asked = collide()
    assert selected() == {"Cube 0", "Cube 1"}
    assert asked.notes[0] == "1 pair collides"
    assert asked.notes[1].startswith("Cube 0, Cube 1: ")
    bpy.ops.ed.undo()
    assert selected() == {"Cube 9"}


def test_a_margin_reaches_farther(row):
    assert collide(margin=0.4375).notes[0] == "1 pair collides"
    assert collide(margin=0.5).notes[0] == "2 pairs collide"
    assert selected() == {"Cube 0", "Cube 1", "Cube 2.5"}
    assert collide(margin=100).notes[0] == "6 pairs collide"


def test_what_collides_can_be_added_and_taken_away(row):
    collide(action="EXTEND")
    assert selected() == {"Cube 0", "Cube 1", "Cube 9"}
    collide(action="SUBTRACT")
    assert selected() == {"Cube 9"}


def test_faces_that_collide(row):
    collide(kind="FACES")
    for name in ("Cube 0", "Cube 1"):
        faces = bpy.data.objects[name].data.polygons
        assert [face.select for face in faces].count(True) == 5
    assert not any(face.select for face in bpy.data.objects["Cube 9"].data.polygons)


def test_one_inside_another_does_not_touch_it(empty_scene):
    select_only(cube("Inner", size=0.5), cube("Outer"))
    bpy.ops.octree.build()
    assert collide().notes == ("0 pairs collide",)


def test_instances_collide_with_each_other_if_asked(empty_scene):
    points = mesh_object("Points", [(0, 0, 0), (1, 0, 0), (5, 0, 0)], [])
    scatter(cube("Brick", location=(0, 0, 50)), points)
    wall = collection_instance(
        [cube("Left"), cube("Right", location=(1, 0, 0))], location=(0, 9, 0)
    )
    select_only(points, wall)
    bpy.ops.octree.build()
    assert collide().notes == ("0 pairs collide",)
    assert collide(instances=True).notes[0] == "2 pairs collide"
    assert selected() == {"Points", "Instance"}


def test_without_a_tree_what_is_visible_is_asked(empty_scene):
    cube("One")
    cube("Two", location=(0.5, 0.5, 0.5))
    bpy.context.view_layer.update()
    assert collide().notes[0] == "1 pair collides"


@pytest.mark.parametrize("margin", [0.0, 1.0, 3.0])
def test_collisions_agree_with_brute_force(heap, margin):
    bpy.ops.octree.build()
    asked = collide(margin=margin)
    assert 0 < len(asked.items) <= len(asked.target)
    check_last_answer()


def test_of_many_triangles_one_touch_of_two_objects_is_enough(heap, monkeypatch):
    exact = collide(margin=1.0)
    names = selected()
    monkeypatch.setattr(scope, "limits", lambda: preferences.Limits(triangles=10))
    few = collide(margin=1.0)
    assert few.objects_only
    assert selected() == names
    assert few.notes[0] == exact.notes[0]
    check_last_answer()
