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

COUNT = 10_000

pytestmark = pytest.mark.usefixtures("visible_scope")


def swarm():
    """Add many objects of one mesh, all over a cube."""
    mesh = cube("Seed").data
    for number in range(COUNT - 1):
        link(bpy.data.objects.new(f"Fly {number}", mesh))
    rng = np.random.default_rng(7)
    places = rng.uniform(-50, 50, (COUNT, 3)).astype(np.float32)
    bpy.data.objects.foreach_set("location", places.ravel())
    bpy.context.view_layer.update()
    return list(bpy.context.scene.objects), rng


@pytest.mark.parametrize(
    ("moving", "pairs", "most_lines", "most_bytes"),
    [
        (100, False, 2_400, 5e6),
        (COUNT, False, 1_200, 30e6),
        (COUNT, True, 2_000, 45e6),
    ],
)
def test_what_moves_is_paid_for_and_nothing_else(moving, pairs, most_lines, most_bytes):
    settings_of(bpy.context.scene).live.pairs = pairs
    items, rng = swarm()
    restless = rng.choice(items, moving, replace=False)
    switch_on()
    for cost, most in ((lines_of, most_lines), (bytes_made, most_bytes)) * 3:
        for item in restless:
            item.location.x += 0.5
        spent = cost(bpy.context.view_layer.update)
        assert step().moved == moving
        assert 0 < spent <= most


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
    for item, expected in (
        (other, {}),
        (points, {"read_matrices": 1}),
        (bpy.data.objects["Instance"], {"read_matrices": 1}),
        (bpy.data.objects["A"], {"read_matrices": 1}),
    ):
        item.location.y += 1
        lines = lines_of(bpy.context.view_layer.update)
        assert readings == expected
        assert lines < 2_400
        readings.clear()
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
