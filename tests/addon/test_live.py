"""The tree that follows: as if built anew after each change, and no trace of it once it is off."""

from time import thread_time
from types import SimpleNamespace

import bpy
import numpy as np
import pytest
from blender_scenes import collection_instance, cube, depsgraph, link, mesh_object, scatter
from paper import drawn

from octree_ext.octree_addon import handlers, live, trees
from octree_ext.octree_addon.live import crowd, follower
from octree_ext.octree_addon.panels.live import OCTREE_PT_live
from octree_ext.octree_addon.properties import settings_of
from octree_ext.octree_addon.reader import read_objects


def grid(count, **values):
    return [cube(f"Cube {x}", location=(3 * x, 0, 0), **values) for x in range(count)]


def switch_on(**options):
    bpy.ops.octree.build(source="OBJECTS", **{"scope": "VISIBLE"} | options)
    bpy.ops.octree.live()
    return trees.get(bpy.context.scene)


@pytest.fixture
def scope(empty_scene):
    """Have poll look for no selection."""
    settings_of(empty_scene).source.scope = "VISIBLE"


pytestmark = pytest.mark.usefixtures("scope")


def boxes_by_key(source, boxes):
    return dict(zip(source.keys, boxes.T.tolist(), strict=True))


def assert_followed(built):
    """Compare with what is read anew, item by item, and look at the structure."""
    bpy.context.view_layer.update()
    found = read_objects(depsgraph(), list(bpy.context.view_layer.objects))
    held = built.octree.items.bounds().rows
    assert boxes_by_key(built.source, held) == boxes_by_key(found.source, found.boxes)
    assert sorted(built.octree.cells_of()[0]) == sorted(built.octree.ids)
    assert not built.stale
    built.tree.check()


def step():
    return live.get(bpy.context.scene).step


# A whole crowd is read at once, single objects one by one: every change is tried both ways.
@pytest.fixture(params=["few", "many"])
def way(request, monkeypatch):
    monkeypatch.setattr(crowd, "_FEW", 1e9 if request.param == "few" else 0.0)


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
        lambda: setattr(points.data.vertices[1].co, "x", 8) or points.data.update(),
        lambda: setattr(empty, "instance_collection", None),
        points.modifiers.clear,
    ):
        change()
        assert_followed(built)


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
    assert (step().moved, step().joined, step().left) == (1, 0, 0)


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


def test_pairs_begin_and_end():
    first, second, _ = grid(3)
    switch_on()
    assert [pairs.shape for pairs in step().pairs] == [(2, 0)] * 3
    second.location.x = 0.5
    bpy.context.view_layer.update()
    assert step().pairs[0].tolist() == [[0], [1]]
    lines = panel_lines()
    assert ("Cube 0 and Cube 1", "ADD") in lines.items()
    first.location.y = 0.25
    bpy.context.view_layer.update()
    assert step().pairs[1].tolist() == [[0], [1]]
    bpy.data.objects.remove(second)
    bpy.context.view_layer.update()
    assert step().pairs[2].tolist() == [[0], [1]]
    assert "Cube 0 and a removed object" in panel_lines()


def test_pairs_can_be_left_out():
    settings_of(bpy.context.scene).live.pairs = False
    _, second = grid(2)
    switch_on()
    second.location.x = 0.5
    bpy.context.view_layer.update()
    assert step().pairs[0].shape == (2, 0)
    assert "Overlapping Pairs" not in panel_lines()


def panel_lines():
    return drawn(OCTREE_PT_live)


def test_panel_shows_splits_merges_growths_and_shrinks():
    items = grid(20)
    built = switch_on()
    before = built.tree.turnover
    for item in items:
        item.location.x = 200 + item.location.x / 50
    bpy.context.view_layer.update()
    after = built.tree.turnover
    assert after.growths > before.growths
    assert after.shrinks > before.shrinks
    lines = panel_lines()
    assert {"Splits", "Merges", "Growths", "Shrinks"} <= lines.keys()
    grown = after.growths - before.growths
    assert f"{grown} (+{grown})" in lines
    assert "0, 0" in lines
    assert any(line.startswith("20 in ") for line in lines)


def test_local_counts_are_a_part_of_the_total():
    items = grid(40)
    items[6].location.x = items[5].location.x + 0.5
    built = switch_on(capacity=4)
    found = live.locality_of(built, items[5].session_uid)
    assert found.total == 39
    assert found.touching == 1
    assert found.touching <= found.near < 20
    assert live.locality_of(built, -1) is None
    items[6].location.y = 2
    bpy.context.view_layer.update()
    assert live.locality_of(built, items[5].session_uid).touching == 0


def ours():
    """List what of ours is registered because of Live."""
    names = [
        name
        for name, listener in handlers.LIVE_LISTENERS
        if listener in getattr(bpy.app.handlers, name)
    ]
    timer = ["timer"] * bpy.app.timers.is_registered(handlers.merge_later)
    return names + timer


def test_handlers_come_and_go_with_the_switch():
    grid(3)
    bpy.ops.octree.build(source="OBJECTS")
    assert ours() == []
    bpy.ops.octree.live()
    assert ours() == [name for name, _ in handlers.LIVE_LISTENERS]
    bpy.ops.octree.live()
    assert ours() == []
    assert live.get(bpy.context.scene) is None


def test_handlers_go_with_the_tree():
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


def test_panel_offers_live_before_there_is_a_tree():
    assert not OCTREE_PT_live.poll(bpy.context)
    settings_of(bpy.context.scene).source.source = "OBJECTS"
    assert OCTREE_PT_live.poll(bpy.context)
    assert panel_lines()["octree.live"] == "Follow Objects"


def test_handlers_go_with_the_file():
    grid(3)
    switch_on(merge="DEFERRED")
    bpy.ops.wm.read_homefile(use_empty=True)
    assert ours() == []


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


def test_switching_on_needs_a_tree_of_objects():
    grid(2)
    with pytest.raises(RuntimeError, match="Build an octree of objects first"):
        bpy.ops.octree.live()
    bpy.ops.octree.build(source="TRIANGLES")
    with pytest.raises(RuntimeError, match="Build an octree of objects first"):
        bpy.ops.octree.live()
    with pytest.raises(ValueError, match="Only an octree of objects"):
        live.start(bpy.context.scene, depsgraph())


def test_other_view_layers_and_renders_are_nothing_to_it(monkeypatch):
    grid(2)
    scene = bpy.context.scene
    follows = switch_on() and live.get(scene)
    seen = []
    monkeypatch.setattr(follows, "update", lambda *arguments: seen.append(arguments))
    layers = scene.view_layers[0], scene.view_layers.new("Other")
    for mode, layer in (("VIEWPORT", layers[1]), ("RENDER", layers[0]), ("VIEWPORT", layers[0])):
        live.follow(scene, SimpleNamespace(mode=mode, view_layer=layer))
    assert [graph.view_layer for _, graph in seen] == [layers[0]]


def test_another_order_of_the_same_objects_is_no_trap(monkeypatch):
    monkeypatch.setattr(crowd, "_FEW", 0.0)
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


def test_after_an_undo_nothing_is_taken_for_known(monkeypatch):
    items = grid(3)
    built = switch_on()
    readings, read_anew = [], follower.read_objects
    monkeypatch.setattr(
        follower, "read_objects", lambda *a, **k: readings.append(1) or read_anew(*a, **k)
    )
    for handler in ("undo_post", "redo_post"):
        items[0].location.x += 1
        bpy.context.view_layer.update()
        assert not readings
        handlers.after_undo(bpy.context.scene)
        assert handlers.after_undo in getattr(bpy.app.handlers, handler)
        items[0].location.x += 1
        bpy.context.view_layer.update()
        assert len(readings) == 1
        readings.clear()
    assert_followed(built)


def test_a_mistake_switches_it_off_instead_of_coming_up_at_every_frame(monkeypatch, capfd):
    items = grid(2)
    built = switch_on()

    def fail(*_):
        raise TypeError("a mistake of ours")

    monkeypatch.setattr(live.Follower, "update", fail)
    items[0].location.x += 1
    bpy.context.view_layer.update()
    assert "a mistake of ours" in capfd.readouterr().err
    assert ours() == []
    assert built.stale


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


def swarm(count):
    """Add many objects of one mesh, all over a cube."""
    mesh = cube("Seed").data
    for number in range(count - 1):
        link(bpy.data.objects.new(f"Fly {number}", mesh))
    rng = np.random.default_rng(7)
    places = rng.uniform(-50, 50, (count, 3)).astype(np.float32)
    bpy.data.objects.foreach_set("location", places.ravel())
    bpy.context.view_layer.update()
    return list(bpy.context.scene.objects), rng


def seconds_inside(change, repeats):
    """Return the least time that the handler took for a change of the scene."""
    seconds, follow = [], handlers.follow_update

    def timed(scene, graph):
        start = thread_time()
        follow(scene, graph)
        seconds.append(thread_time() - start)

    called = bpy.app.handlers.depsgraph_update_post
    called.remove(follow)
    called.append(timed)
    for _ in range(repeats):
        change()
        bpy.context.view_layer.update()
    called.remove(timed)
    called.append(follow)
    return min(seconds)


@pytest.mark.parametrize(
    ("share", "pairs", "limit"), [(0.01, False, 2e-3), (1.0, False, 12e-3), (1.0, True, 20e-3)]
)
def test_ten_thousand_objects_are_followed_in_time(share, pairs, limit):
    settings_of(bpy.context.scene).live.pairs = pairs
    items, rng = swarm(10_000)
    restless = rng.choice(items, int(share * len(items)), replace=False)
    switch_on()

    def change():
        for item in restless:
            item.location.x += 0.5

    seconds = seconds_inside(change, 120 if share < 1 else 8)
    assert step().moved == share * len(items)
    print(f"{share:.0%} of 10,000 moving, {pairs=}: {1e3 * seconds:.2f} ms")
    assert seconds <= limit
