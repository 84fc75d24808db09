"""What Live tells the user: cells, pairs that begin and end, total against local counts."""

import bpy
import pytest
from live_scenes import grid, step, switch_on
from paper import drawn

from octree_ext.octree_addon.live import panel
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
