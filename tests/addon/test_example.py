"""The example town: one collection, two collisions, something out of view, the same each time."""

import bpy
import numpy as np
from costs import lines_run
from paper import drawn

from octree_ext.octree_addon import cameras, questions


def add():
    assert bpy.ops.octree.add_example() == {"FINISHED"}
    return bpy.context.scene.collection.children["Example Town"]


def test_town_is_in_one_collection(empty_scene):
    before = set(empty_scene.objects)
    town = add()
    assert set(empty_scene.objects) - before == set(town.objects)
    assert 55 <= len(town.objects) <= 75
    assert sum(len(item.data.polygons) for item in town.objects if item.type == "MESH") < 5000
    assert empty_scene.camera.name in town.objects
    assert not bpy.context.selected_objects


def test_town_is_the_same_each_time(empty_scene):
    places = []
    for _ in range(2):
        bpy.ops.wm.read_homefile(use_empty=True)
        places.append([np.array(item.matrix_world) for item in add().objects])
    np.testing.assert_array_equal(*places)


def test_two_pairs_collide(empty_scene):
    add()
    bpy.ops.octree.select_collisions()
    count, *pairs = questions.get(empty_scene).notes
    assert count == "2 pairs collide"
    assert "Car" in pairs[0] and "Church" in pairs[1]
    assert len(bpy.context.selected_objects) == 4


def test_tower_is_never_in_view_and_most_of_the_rest_is(empty_scene):
    empty_scene.frame_end = 30
    town = add()
    bpy.ops.octree.find_seen(span="SCENE")
    seen = cameras.get(empty_scene)
    names = {item.name for item in seen.subjects(seen=False).among(town.objects)}
    assert "Water Tower" in names
    assert 1 < len(names) < seen.seen_count


def test_camera_moves(empty_scene):
    empty_scene.frame_end = 30
    add()
    places = []
    for frame in (1, 30):
        empty_scene.frame_set(frame)
        places.append(empty_scene.camera.matrix_world.translation.copy())
    assert (places[1] - places[0]).length > 5


def test_default_cube_stands_free(empty_scene):
    bpy.ops.mesh.primitive_cube_add()
    town = add()
    assert min(item.matrix_world.translation.x for item in town.objects) > 12
    bpy.ops.octree.select_collisions()
    assert questions.get(empty_scene).notes[0] == "2 pairs collide"


def test_town_is_quick():
    assert 0 < lines_run(add).total() < 200 * len(bpy.data.objects)


def test_town_is_offered_where_there_is_next_to_nothing(empty_scene):
    panel = bpy.types.OCTREE_PT_results
    assert "octree.add_example" in drawn(panel)
    add()
    assert "octree.add_example" not in drawn(panel)
    assert not bpy.ops.octree.add_example.poll()
