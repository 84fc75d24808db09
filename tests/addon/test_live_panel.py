"""What Live tells the user: cells, pairs that begin and end, total against local counts."""

import bpy
import pytest
from blender_scenes import cube
from live_scenes import grid, step, switch_on
from paper import buttons, drawn

from octree_ext.octree_addon import trees
from octree_ext.octree_addon.live import panel, shown_pairs
from octree_ext.octree_addon.ui import settings_of

pytestmark = pytest.mark.usefixtures("visible_scope")


def panel_lines():
    return drawn(bpy.types.OCTREE_PT_live)


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
    assert not any("overlap" in line for line in panel_lines())


def test_names_come_first_those_of_the_active_object_before_others():
    items = grid(12)
    switch_on()
    assert "Nothing overlaps" in panel_lines()
    for item in items:
        item.location = item.location * 0.0
    bpy.context.view_layer.objects.active = items[7]
    bpy.context.view_layer.update()
    lines = list(panel_lines())
    assert "66 pairs overlapping" in lines
    named = [line for line in lines if " and Cube" in line]
    assert len(named) == 6
    assert all("Cube 7" in line for line in named)
    assert "and 60 more" in lines
    assert lines.index(named[0]) < lines.index("pairs")


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
    found = panel.locality_of(built, items[5].session_uid)
    assert found.total == 39
    assert found.touching == 1
    assert found.touching <= found.near < 20
    assert panel.locality_of(built, -1) is None
    items[6].location.y = 2
    bpy.context.view_layer.update()
    assert panel.locality_of(built, items[5].session_uid).touching == 0


def test_panel_offers_live_before_there_is_a_tree():
    assert not bpy.types.OCTREE_PT_live.poll(bpy.context)
    settings_of(bpy.context.scene).source.source = "OBJECTS"
    assert bpy.types.OCTREE_PT_live.poll(bpy.context)
    assert panel_lines()["octree.live"] == "Follow Objects"


def test_a_ground_is_offered_and_left_out_and_the_active_object_may_be_alone():
    items = grid(6)
    ground = cube("Lawn", 40.0)
    switch_on()
    bpy.context.view_layer.update()
    live, built = settings_of(bpy.context.scene).live, trees.get(bpy.context.scene)
    assert "6 pairs overlapping" in panel_lines()
    hints = [each for each in buttons(bpy.types.OCTREE_PT_live) if "context" in each.name]
    assert [(each.data_path, each.value) for each in hints] == [
        ("scene.octree.live.ground", "Lawn")
    ]
    bpy.ops.wm.context_set_id(data_path=hints[0].data_path, value=hints[0].value)
    assert live.ground == ground
    assert "Nothing overlaps" in panel_lines()
    items[1].location = items[0].location
    bpy.context.view_layer.update()
    assert "1 pair overlapping" in panel_lines()
    floors = bpy.data.collections.new("Floors")
    for item in (ground, items[0]):
        floors.objects.link(item)
    live.ground, live.grounds = None, floors
    assert "Nothing overlaps" in panel_lines()
    live.grounds, live.active_only = None, True
    for active, count in ((items[0], 2), (items[4], 1), (ground, 6)):
        bpy.context.view_layer.objects.active = active
        assert any(line.startswith(f"{count} pair") for line in panel_lines())
        shown = shown_pairs(live, built, built.follower, active)
        assert sum(each.shape[1] for each in shown[:2]) == count
