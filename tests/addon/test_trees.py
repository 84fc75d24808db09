"""The memory of the session: one tree a scene, good for one number."""

import bpy
import numpy as np
import pytest

from octree_ext.octree_addon import scene_index, trees
from octree_ext.octree_addon.ui import forget_session, keep_scenes, listen_to_stores, settings_of


@pytest.fixture
def built(ball, build):
    return build([ball])


def test_tree_belongs_to_its_scene(empty_scene, ball, built):
    trees.store(empty_scene, built, [ball])
    assert trees.get(empty_scene) is built
    assert trees.get(bpy.data.scenes.new("Other")) is None
    assert trees.source_objects(empty_scene) == [ball]


def test_clear_forgets_tree_and_objects(empty_scene, ball, built):
    trees.store(empty_scene, built, [ball])
    trees.clear(empty_scene)
    assert trees.is_empty()
    assert trees.get(empty_scene) is None
    assert trees.source_objects(empty_scene) == []
    assert not trees.is_missing(empty_scene)


def test_every_build_has_its_number(empty_scene, ball, build):
    numbers = set()
    for _ in range(3):
        trees.store(empty_scene, build([ball]), [ball])
        numbers.add(settings_of(empty_scene).tree_number)
    assert len(numbers) == 3


def test_undone_number_is_no_tree_until_it_is_redone(empty_scene, ball, built):
    trees.store(empty_scene, built, [ball])
    settings = settings_of(empty_scene)
    number, settings.tree_number = settings.tree_number, 0
    assert trees.get(empty_scene) is None
    assert not trees.is_missing(empty_scene)
    settings.tree_number = number - 1
    assert trees.is_missing(empty_scene)
    settings.tree_number = number
    assert trees.get(empty_scene) is built


def test_restored_tree_leaves_the_file_as_it_is(empty_scene, ball, built, build):
    trees.store(empty_scene, built, [ball])
    number = settings_of(empty_scene).tree_number
    forget_session()
    assert trees.is_missing(empty_scene)
    again = build([ball])
    trees.restore(empty_scene, again)
    assert trees.get(empty_scene) is again
    assert settings_of(empty_scene).tree_number == number


def test_refusal_holds_for_one_number(empty_scene, ball, built):
    trees.store(empty_scene, built, [ball])
    forget_session()
    trees.set_rebuild_error(empty_scene, "Too many")
    assert trees.rebuild_error(empty_scene) == "Too many"
    assert not trees.is_missing(empty_scene)
    settings_of(empty_scene).tree_number += 1
    assert trees.rebuild_error(empty_scene) == ""
    assert trees.is_missing(empty_scene)


def test_objects_are_remembered_by_pointer(empty_scene, ball, built):
    trees.store(empty_scene, built, [ball])
    ball.name = "Renamed"
    bpy.data.objects.new("Ball", None)
    assert trees.source_objects(empty_scene) == [ball]
    empty_scene.collection.objects.unlink(ball)
    assert trees.source_objects(empty_scene) == []


def test_tree_of_a_deleted_scene_is_dropped(ball, built):
    other = bpy.data.scenes.new("Other")
    trees.store(other, built, [])
    bpy.data.scenes.remove(other)
    keep_scenes(bpy.data.scenes)
    assert trees.is_empty()


def test_listeners_hear_each_change_once(empty_scene, ball, built):
    heard = []
    listen_to_stores(listener := lambda: heard.append(trees.is_empty()), True)
    try:
        trees.store(empty_scene, built, [ball])
        ball.location.x = 1
        bpy.context.view_layer.update()
        assert scene_index.catch_up(1)
        assert scene_index.catch_up(1)
        trees.clear(empty_scene)
    finally:
        listen_to_stores(listener, False)
    assert heard == [False, False, True]


def test_statistics_are_counted_once(built):
    assert built.statistics is built.statistics
    assert built.statistics.items == len(built.octree) == built.source.item_count
    assert np.isfinite(built.statistics.references_per_item)
