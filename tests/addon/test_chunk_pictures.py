"""Pictures of the source and of its chunks are the same at a million pixels, seams included."""

import bpy
import numpy as np
from blender_scenes import camera, monkey
from chunk_scenes import bumpy, cut
from scene_pictures import picture

SIZE = (1200, 850)
UV_MAPS = ("FLOAT2_CORNER", "FLOAT2_CORNER.001")
COLORS = ("FLOAT_COLOR_POINT", "BYTE_COLOR_CORNER")
STEP = 1 / 255


def view():
    """Show two sheets with all layers, and a smooth head, to a camera from the side."""
    bumpy("One", 40)
    other = bumpy("Other", seed=5)
    other.location, other.rotation_euler = (3.1, 0.4, 0.2), (0.3, 0.2, 0.7)
    head = monkey(2, location=(0.8, 2.6, 0.7))
    head.data.shade_smooth()
    camera(location=(1.7, -4.5, 3.2), rotation_euler=(1.1, 0, 0))
    render = bpy.context.scene.render
    render.resolution_x, render.resolution_y = SIZE
    bpy.context.view_layer.update()


def test_no_pixel_differs():
    view()
    before = picture(SIZE, (*UV_MAPS, *COLORS))
    assert set(np.unique(before.names)) == {"", "One", "Other", "Suzanne"}
    assert (before.names != "").mean() > 0.3
    made = cut(triangles=200)
    assert len(made) > 20
    after = picture(SIZE, (*UV_MAPS, *COLORS))
    assert len(before.names) > 1e6
    assert (after.names != before.names).sum() == 0
    assert set(before.values) == {*UV_MAPS, *COLORS}
    for name, wanted in before.values.items():
        assert np.ptp(wanted[:, 0]) > 0.9, name
        assert (np.abs(after.values[name] - wanted) > STEP).sum() == 0, name
    flat = before.bends < 20
    assert 0.2 < flat[before.names != ""].mean() < 1
    assert np.ptp(before.shades[flat]) > 0.8
    assert (np.abs(after.shades - before.shades)[flat] > STEP).sum() == 0
