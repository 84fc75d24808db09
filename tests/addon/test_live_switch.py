"""What comes when Live is switched on, and that it is gone when it is off."""

from types import SimpleNamespace

import bpy
import pytest
from blender_scenes import depsgraph
from live_scenes import assert_followed, grid, switch_on

from octree_ext.octree_addon import handlers, live, scene_index, trees
from octree_ext.octree_addon.reader import SceneChanges
from octree_ext.octree_addon.scene_index import boxes
from octree_ext.octree_addon.ui import settings_of

pytestmark = pytest.mark.usefixtures("visible_scope")


def ours():
    """List what of ours is registered because of Live."""
    following = ["following"] * (live.get(bpy.context.scene) is not None)
    return following + ["timer"] * bpy.app.timers.is_registered(handlers.merge_later)


def test_following_comes_and_goes_with_the_switch():
    grid(3)
    bpy.ops.octree.build(source="OBJECTS")
    assert ours() == []
    bpy.ops.octree.live()
    assert ours() == ["following"]
    bpy.ops.octree.live()
    assert ours() == []
    assert live.get(bpy.context.scene) is None


def test_following_goes_with_the_tree():
    grid(3)
    switch_on()
    bpy.ops.octree.clear()
    assert ours() == []
    switch_on()
    bpy.ops.octree.build(source="TRIANGLES")
    assert ours() == []


def test_built_again_it_stays_live():
    items = grid(3)
    first = switch_on()
    bpy.ops.octree.build(capacity=5)
    second = trees.get(bpy.context.scene)
    assert second is not first
    items[0].location.x += 1
    assert_followed(second)


def test_following_goes_with_the_file():
    grid(3)
    switch_on(merge="DEFERRED")
    bpy.ops.wm.read_homefile(use_empty=True)
    assert ours() == []


def test_a_tree_that_followed_does_so_again_after_an_undo():
    items = grid(3)
    first = switch_on()
    bpy.ops.ed.undo_push(message="Live")
    bpy.ops.octree.build("EXEC_DEFAULT", True, capacity=5)
    items[0].location.x += 1
    bpy.context.view_layer.update()
    bpy.ops.ed.undo_push(message="Move")
    bpy.ops.ed.undo()
    bpy.ops.ed.undo()
    assert trees.get(bpy.context.scene) is first
    bpy.data.objects["Cube 0"].location.y += 1
    assert_followed(first)


def test_a_cleared_tree_comes_back_without_following():
    grid(3)
    built = switch_on()
    bpy.ops.ed.undo_push(message="Live")
    bpy.ops.octree.clear("EXEC_DEFAULT", True)
    bpy.data.objects["Cube 0"].location.x += 1
    bpy.context.view_layer.update()
    bpy.ops.ed.undo_push(message="Move")
    bpy.ops.ed.undo()
    bpy.ops.ed.undo()
    assert trees.get(bpy.context.scene) is built
    assert not built.is_live
    assert not built.stale
    bpy.ops.octree.live()
    bpy.data.objects["Cube 0"].location.x += 1
    assert_followed(built)


def test_switched_off_every_tree_of_the_scene_stops():
    items = grid(3)
    first = switch_on()
    bpy.ops.ed.undo_push(message="Live")
    bpy.ops.octree.build("EXEC_DEFAULT", True, capacity=5)
    bpy.ops.octree.live()
    bpy.ops.ed.undo()
    assert trees.get(bpy.context.scene) is first
    assert ours() == []
    assert not first.is_live
    bpy.data.objects["Cube 0"].location.y += 1
    bpy.context.view_layer.update()
    assert first.stale
    assert items


def test_what_moved_while_it_followed_is_no_change_afterwards():
    items = grid(3)
    built = switch_on()
    items[0].location.x += 1
    bpy.context.view_layer.update()
    bpy.ops.octree.live()
    assert not built.stale
    items[0].location.x -= 1
    bpy.context.view_layer.update()
    assert built.stale
    items[0].location.x += 1
    bpy.context.view_layer.update()
    assert not built.stale


def test_deferred_merging_is_left_to_a_timer():
    items = grid(30)
    settings_of(bpy.context.scene).live.interval = 0.5
    built = switch_on(merge="DEFERRED")
    assert "timer" in ours()
    cells = len(built.octree.node_depth)
    for item in items[1:]:
        bpy.data.objects.remove(item)
    bpy.context.view_layer.update()
    assert built.tree.turnover.merges == 0
    assert handlers.merge_later() == 0.5
    assert len(built.octree.node_depth) == 1 < cells
    bpy.ops.octree.live()
    assert ours() == []
    assert handlers.merge_later() is None


def test_switched_off_it_goes_out_of_date():
    items = grid(3)
    built = switch_on()
    items[0].location.x += 1
    bpy.context.view_layer.update()
    assert not built.stale
    bpy.ops.octree.live()
    items[0].location.x += 1
    bpy.context.view_layer.update()
    assert built.stale
    bpy.ops.octree.live()
    assert_followed(built)


@pytest.mark.parametrize("before", ["nothing", "TRIANGLES"])
def test_switching_on_builds_what_is_missing(before):
    items = grid(3)
    items[2].hide_set(True)
    settings_of(bpy.context.scene).source.lights = True
    if before != "nothing":
        bpy.ops.octree.build(source=before)
    bpy.ops.ed.undo_push(message="Before")
    old = trees.get(bpy.context.scene)
    with pytest.raises(ValueError, match="Only an octree of objects"):
        live.start(bpy.context.scene, depsgraph())
    assert bpy.ops.octree.live() == {"FINISHED"}
    built = trees.get(bpy.context.scene)
    assert [each.name for each in built.source.objects] == ["Cube 0", "Cube 1"]
    items[0].location.x += 1
    assert_followed(built)
    built_of = settings_of(bpy.context.scene).built_of
    assert (built_of.source, built_of.scope, built_of.lights) == ("OBJECTS", "VISIBLE", True)
    bpy.ops.octree.live()
    assert not live.get(bpy.context.scene)
    bpy.ops.ed.undo()
    assert trees.get(bpy.context.scene) is old


def test_switching_on_without_anything_to_follow_is_refused():
    with pytest.raises(RuntimeError, match="no objects to build"):
        bpy.ops.octree.live()
    assert ours() == []


def test_other_view_layers_and_renders_are_nothing_to_it(monkeypatch):
    grid(2)
    scene = bpy.context.scene
    follows = switch_on() and live.get(scene)
    seen = []
    monkeypatch.setattr(follows, "update", lambda *given, **_: seen.append(given))
    layers = scene.view_layers[0], scene.view_layers.new("Other")
    for mode, layer in (("VIEWPORT", layers[1]), ("RENDER", layers[0]), ("VIEWPORT", layers[0])):
        graph = SimpleNamespace(mode=mode, view_layer=layer)
        live.follow(scene, graph, SceneChanges(frozenset(), frozenset(), reshown=False))
    assert [graph.view_layer for _, graph in seen] == [layers[0]]


def test_after_an_undo_nothing_is_taken_for_known(monkeypatch):
    items = grid(3)
    built = switch_on()
    readings, read_anew = [], boxes.read_boxes
    monkeypatch.setattr(boxes, "read_boxes", lambda *a: readings.append(1) or read_anew(*a))
    for handler in ("undo_post", "redo_post"):
        items[0].location.x += 1
        bpy.context.view_layer.update()
        assert not readings
        assert scene_index.doubt in getattr(bpy.app.handlers, handler)
        scene_index.doubt()
        items[0].location.x += 1
        bpy.context.view_layer.update()
        assert len(readings) == 1
        readings.clear()
    assert_followed(built)


def test_a_mistake_switches_it_off_instead_of_coming_up_at_every_frame(monkeypatch, capfd):
    items = grid(2)
    built = switch_on()

    def fail(*_, **__):
        raise TypeError("a mistake of ours")

    monkeypatch.setattr(live.Follower, "update", fail)
    items[0].location.x += 1
    bpy.context.view_layer.update()
    assert "a mistake of ours" in capfd.readouterr().err
    assert ours() == []
    assert built.stale
