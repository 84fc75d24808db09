"""Item buffers in a window: drawn by the card, the same as in NumPy, and the window as before."""

import numpy as np
import pytest

pytestmark = pytest.mark.window


def draw_both(path):
    import importlib

    import bpy
    import numpy as np

    package = "bl_ext.user_default.octree"
    drawing = importlib.import_module(package + ".octree_addon.item_buffer")
    core = importlib.import_module(package + ".core")
    index = importlib.import_module(package + ".octree_addon.scene_index").scene_index()
    camera, depsgraph = bpy.context.scene.camera, bpy.context.evaluated_depsgraph_get()
    projection = camera.calc_matrix_camera(depsgraph, x=640, y=480)
    view = np.array(projection) @ np.linalg.inv(np.array(camera.matrix_world))
    drawn = drawing.renderer_of(index.octree)
    pictures = [
        core.item_buffers(made, [view], size=(640, 480))
        for made in (drawn, core.ZBuffer(index.octree))
    ]
    one, other = (picture.placements * 10_000 + picture.triangles for picture in pictures)
    np.save(path, one[0])
    measured = core.visibility(drawn, [view], size=(640, 480))
    return {
        "kind": type(drawn).__name__,
        "differ": float((one != other).mean()),
        "covered": float((pictures[1].placements >= 0).mean()),
        "placements": len(index.octree),
        "states": measured.states[0].tolist(),
    }


def add_monkey():
    import bpy

    bpy.ops.mesh.primitive_monkey_add(location=(1.5, -1, 0))


def redraw():
    import bpy

    bpy.ops.wm.redraw_timer(type="DRAW_WIN_SWAP", iterations=2)


def test_the_card_draws_what_numpy_draws(window, tmp_path):
    window.call(add_monkey)
    window.call(redraw)
    before = window.picture("item-buffer-before")
    found = window.call(draw_both, str(tmp_path / "items.npy"))
    window.call(redraw)
    after = window.picture("item-buffer-after")
    assert found["kind"] == "GpuBuffer"
    assert found["differ"] < 1e-3
    assert 0.05 < found["covered"] < 0.9
    assert found["states"] == [0] * found["placements"]
    assert len(np.unique(np.load(tmp_path / "items.npy"))) > 300
    # The state of the graphics is as it was, so the window is, too.
    assert (np.abs(before.astype(int) - after).max(axis=2) > 8).mean() < 0.001
