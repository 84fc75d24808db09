"""What Live does inside its handler, for ten thousand objects: lines run and bytes allocated."""

from collections import Counter

import bpy
import numpy as np
import pytest
from blender_scenes import collection_instance, cube, link, mesh_object, scatter
from costs import bytes_made, lines_run
from live_scenes import assert_followed, grid, step, switch_on

from octree_ext.octree_addon.scene_index import boxes
from octree_ext.octree_addon.ui import settings_of

pytestmark = pytest.mark.usefixtures("visible_scope")


def swarm(count):
    """Add many objects of one mesh all over a cube, as dense however many they are."""
    mesh = cube("Seed").data
    for number in range(count - 1):
        link(bpy.data.objects.new(f"Fly {number}", mesh))
    rng, half = np.random.default_rng(7), 50 * (count / 10_000) ** (1 / 3)
    places = rng.uniform(-half, half, (count, 3)).astype(np.float32)
    bpy.data.objects.foreach_set("location", places.ravel())
    bpy.context.view_layer.update()
    return list(bpy.context.scene.objects), rng


def cost_of_moving(moving, count, pairs):
    """Return the most lines that a movement of some runs, and the most bytes that it allocates."""
    bpy.ops.wm.read_homefile(use_empty=True)
    settings = settings_of(bpy.context.scene)
    settings.source.scope, settings.live.pairs = "VISIBLE", pairs
    items, rng = swarm(count)
    restless = rng.choice(items, moving, replace=False)
    switch_on()
    spent = {lines_of: [], bytes_made: []}
    for cost in (lines_of, bytes_made) * 3:
        for item in restless:
            item.location.x += 0.5
        spent[cost].append(cost(bpy.context.view_layer.update))
        assert step().moved == moving
    return max(spent[lines_of]), max(spent[bytes_made])


@pytest.mark.parametrize("pairs", [False, True])
def test_what_moves_is_paid_for_and_nothing_else(pairs):
    """Among ten times as many, no line more is run; what stands still costs a part of its row."""
    few, all_few = cost_of_moving(100, 1000, pairs), cost_of_moving(1000, 1000, pairs)
    many, all_many = cost_of_moving(100, 10_000, pairs), cost_of_moving(10_000, 10_000, pairs)
    assert 0 < many[0] < 1.2 * few[0]
    assert 0 < all_many[0] < 1.2 * all_few[0]
    assert many[1] < all_many[1] / 3
    assert all_many[1] < 11 * all_few[1]


def lines_of(work):
    return lines_run(work).total()


@pytest.fixture
def readings(monkeypatch):
    """Count how often all is read, and how often the matrices of instances alone."""
    counts = Counter()

    def counted(name):
        read = getattr(boxes, name)
        monkeypatch.setattr(boxes, name, lambda *given: counts.update([name]) or read(*given))

    counted("read_boxes")
    counted("read_matrices")
    return counts


def test_instances_are_read_when_they_change_and_not_when_others_do(readings):
    points = mesh_object("Points", [(x, 0, 9) for x in range(1000)], [])
    scatter(cube("Stone", size=0.5), points)
    collection_instance([cube("A", location=(1, 0, 0)), cube("B")], location=(0, 9, 0))
    other = cube("Other", location=(0, 0, 20))
    built = switch_on()
    readings.clear()
    lines = []
    for item, expected in (
        (other, {}),
        (points, {"read_matrices": 1}),
        (bpy.data.objects["Instance"], {"read_matrices": 1}),
        (bpy.data.objects["A"], {"read_matrices": 1}),
    ):
        item.location.y += 1
        lines.append(lines_of(bpy.context.view_layer.update))
        assert readings == expected
        readings.clear()
    assert max(lines) - lines[0] < 1000  # less than a line for each instance that moves
    assert_followed(built)
    readings.clear()
    bpy.data.objects["Stone"].data.vertices[0].co.x -= 1
    bpy.data.objects["Stone"].data.update()
    bpy.context.view_layer.update()
    assert readings == {"read_boxes": 1}
    assert_followed(built)


def test_many_others_beside_instances_are_moved_in_bulk(readings):
    points = mesh_object("Points", [(x, 0, 9) for x in range(100)], [])
    scatter(cube("Stone", size=0.5), points)
    items = grid(300)
    built = switch_on()
    readings.clear()
    for item in items:
        item.location.z += 1
    bpy.context.view_layer.update()
    assert readings == {"read_matrices": 1}
    assert_followed(built)
