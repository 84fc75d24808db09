"""What is colored goes with the next redraw, whatever is done; nothing is lost without a save."""

import json
import os
import subprocess

import pytest
from gui.harness import MODULE, run_there, wait_for

pytestmark = pytest.mark.window

BLUE = (0.34, 0.71, 0.91)
CENTER = (430, 420)


def build_pair():
    """Set up two cubes that overlap, and ask for collisions; nothing is selected then."""
    import bpy

    for item in list(bpy.data.objects):
        bpy.data.objects.remove(item)
    for name, x in (("Floor", -1.2), ("Wall", 0.7), ("Far", 14)):
        bpy.ops.mesh.primitive_cube_add(size=2.4, location=(x, 0, 0))
        bpy.context.object.name = name
    for area in bpy.context.screen.areas:
        if area.type == "VIEW_3D":
            area.spaces.active.overlay.show_cursor = False
    bpy.ops.ed.undo_push(message="Pair")
    bpy.ops.octree.select_collisions("EXEC_DEFAULT", True)
    bpy.ops.object.select_all(action="DESELECT")
    bpy.data.objects["Floor"].select_set(True)
    bpy.context.view_layer.objects.active = bpy.data.objects["Floor"]
    bpy.ops.ed.undo_push(message="Asked")


def press(name):
    import bpy

    getattr(bpy.ops.octree, name)("EXEC_DEFAULT", True)


def remove(name):
    import bpy

    bpy.data.objects.remove(bpy.data.objects[name])


def blue_pixels(picture):
    """Count the pixels of the 3D view that are mixed with the color of an answer."""
    pixels = picture[130:760, 70:840].astype(int)
    red, green, blue = (pixels[..., channel] for channel in range(3))
    return int(((blue > red + 30) & (green > red + 15)).sum())


def words():
    """Return what the status bar would say of the last question."""
    import importlib

    import bpy

    name = "bl_ext.user_default.octree.octree_addon.questions"
    return importlib.import_module(name).is_current(bpy.context.scene)


MOVED = ("g", "x", "5", "Return")


@pytest.mark.parametrize(
    "keys", [MOVED, ("x", "Return"), ("Tab", *MOVED), ("ctrl+z",)], ids=lambda keys: keys[0]
)
def test_blue_goes_at_the_next_redraw(window, keys):
    window.call(build_pair)
    window.move(*CENTER)
    name = f"ghosts_{keys[0].replace('+', '_')}"
    assert blue_pixels(window.picture(f"{name}_asked")) > 5_000
    window.keys(*keys)
    if keys == ("ctrl+z",):
        window.keys("ctrl+z")  # the first one takes back a selection
    assert blue_pixels(window.picture(name)) < 50
    assert not window.call(words)


def test_blue_goes_with_the_list_and_with_what_a_script_removes(window):
    window.call(build_pair)
    window.move(*CENTER)
    window.call(press, "clear_results")
    assert blue_pixels(window.picture("ghosts_cleared")) < 50
    window.call(press, "select_collisions")
    assert blue_pixels(window.picture("ghosts_again")) > 5_000
    window.call(remove, "Floor")
    assert blue_pixels(window.picture("ghosts_removed")) < 50


def users():
    import bpy

    return {item.name: item.users for item in bpy.data.objects}


def add(name):
    import bpy

    bpy.ops.mesh.primitive_cube_add(size=1, location=(0, 6, 0))
    bpy.context.object.name = name
    return bpy.context.object.name


def test_a_deleted_object_leaves_its_name(window):
    window.call(build_pair)
    window.move(*CENTER)
    assert window.call(users) == {"Floor": 1, "Wall": 1, "Far": 1}
    window.keys("x", "Return")
    assert window.call(add, "Floor") == "Floor"


def rename_and_delete(folder):
    import bpy

    bpy.context.preferences.filepaths.temporary_directory = folder
    bpy.data.objects["Wall"].name = "Wand"
    bpy.data.objects.remove(bpy.data.objects["Floor"])


def subjects():
    import bpy

    return bpy.context.scene.octree.results.kept[0].subjects


def quit_there():
    import bpy

    bpy.app.timers.register(lambda: bpy.ops.wm.quit_blender() and None, first_interval=0.5)


READ = """
import importlib, json, sys, bpy
results = importlib.import_module("bl_ext.user_default.octree.octree_addon.result_list")
scene = bpy.context.scene
view = results.view_of(scene, results.active_result(scene))
print("said " + json.dumps(dict(zip(view.names, map(bool, view.uids)))))
"""


def test_a_session_that_was_never_saved_is_recovered_whole(window, user_folder, tmp_path):
    """As after a crash: neither autosave nor the file of the last session calls `save_pre`."""
    window.call(build_pair)
    window.call(rename_and_delete, str(tmp_path))
    wait_for(lambda: '"Wand"' in window.call(subjects))
    window.call(quit_there)
    window.blender.wait(60)
    found = run_there(
        *("blender", "-b", "--addons", MODULE, str(tmp_path / "quit.blend")),
        *("--python-exit-code", "1", "--python-expr", READ),
        env=os.environ | {"BLENDER_USER_RESOURCES": str(user_folder)},
        stdout=subprocess.PIPE,
    )
    said = next(line for line in found.stdout.decode().splitlines() if line.startswith("said "))
    assert json.loads(said.removeprefix("said ")) == {"Floor": False, "Wand": True}
