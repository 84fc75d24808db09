"""The window itself: it starts with the extension, obeys keys and can be photographed."""

import pytest

pytestmark = pytest.mark.window


def state():
    import bpy

    return {"enabled": hasattr(bpy.types.Scene, "octree"), "objects": len(bpy.data.objects)}


def fail():
    raise ValueError("seen from outside")


def test_window_obeys_and_is_seen(window):
    assert window.call(state) == {"enabled": True, "objects": 3}
    window.move(600, 400)
    window.keys("x", "Return")
    assert window.call(state)["objects"] == 2
    window.keys("ctrl+z")
    assert window.call(state)["objects"] == 3
    assert len(set(map(tuple, window.picture("start").reshape(-1, 3)[::50]))) > 20


def test_error_inside_blender_is_shown(window):
    with pytest.raises(RuntimeError, match="ValueError: seen from outside"):
        window.call(fail)
