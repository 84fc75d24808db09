"""What Live does inside its handler, for ten thousand objects: lines run and bytes allocated."""

import bpy
import numpy as np
import pytest
from blender_scenes import cube, link
from costs import bytes_made, lines_run
from live_scenes import step, switch_on

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
        # Few are looked up one by one; many are read at once, for one loop over them costs more.
        (100, False, 2_400, 3e6),
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
