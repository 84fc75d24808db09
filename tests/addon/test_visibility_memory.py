"""What is hidden by us is known after an undo, a new name, a save: and comes back."""

import json
import subprocess
import sys
from pathlib import Path

import bpy
import pytest
from shot_scenes import CUBES, ICONS, OURS, hidden_by, hide, shown, street
from snapshots import visibility as flags_now

from octree_ext.octree_addon import hiding

TESTS = Path(__file__).resolve().parents[1]
every_icon = pytest.mark.parametrize("icon", ICONS)


@pytest.fixture
def objects():
    return street()


@every_icon
def test_after_renaming_and_deleting(objects, icon):
    hide(objects, icon)
    objects["Cube 1"].name = "Renamed"
    bpy.data.objects.remove(objects["Cube 0"])
    bpy.context.view_layer.name = "Renamed"
    hiding.restore(bpy.context)
    assert hidden_by(icon) == CUBES - OURS[icon]
    assert not hiding.is_hiding(bpy.context.scene)


@every_icon
def test_undo_and_redo(objects, icon):
    before = flags_now()
    bpy.ops.ed.undo_push(message="Before")
    hide(objects, icon)
    hidden = flags_now()
    bpy.ops.ed.undo_push(message="Hidden")
    bpy.ops.ed.undo()
    assert flags_now() == before
    assert not hiding.is_hiding(bpy.context.scene)
    bpy.ops.ed.redo()
    assert flags_now() == hidden
    hiding.restore(bpy.context)
    assert flags_now() == before
    assert shown() == objects.keys() - {"Eyeless", "Dark"}


RESTORE = f"""
import json, os, sys
sys.path[:0] = [{str(TESTS)!r}, {str(TESTS.parent)!r}]
import bpy, conftest, octree_ext, snapshots
octree_ext.register()
bpy.ops.wm.open_mainfile(filepath={{path!r}})
bpy.context.scene.frame_set(7)
assert bpy.ops.octree.restore_hidden() == {{{{"FINISHED"}}}}
found = {{{{"visibility": snapshots.visibility(), "transforms": snapshots.transforms()}}}}
print("FOUND" + json.dumps(found))
sys.stdout.flush()
octree_ext.unregister()
os._exit(0)
"""


def restored_in_a_new_process(path):
    code = RESTORE.format(path=str(path))
    blender = (bpy.app.binary_path, "-b", "--factory-startup", "--python-exit-code", "1")
    command = (*blender, "--python-expr") if bpy.app.binary_path else (sys.executable, "-c")
    done = subprocess.run(
        [*command, code], capture_output=True, text=True, timeout=120, check=False
    )
    lines = [line for line in done.stdout.splitlines() if line.startswith("FOUND")]
    assert lines, done.stdout + done.stderr
    return json.loads(lines[0].removeprefix("FOUND"))


@every_icon
def test_after_saving_and_opening_in_a_new_process(objects, icon, tmp_path):
    """One object is renamed, one deleted; the animated one stands where frame 7 has it."""
    bpy.context.scene.frame_set(7)
    expected = json.loads(json.dumps(flags_now()))
    height = objects["Moving"].matrix_world[2][3]
    bpy.context.scene.frame_set(1)
    hide(objects, icon)
    objects["Cube 1"].name = "Renamed"
    bpy.data.objects.remove(objects["Cube 0"])
    bpy.ops.wm.save_as_mainfile(filepath=str(tmp_path / "hidden.blend"))
    found = restored_in_a_new_process(tmp_path / "hidden.blend")
    for group in (expected["flags"], *expected["eyes"].values()):
        group["Renamed"] = group.pop("Cube 1")
        del group["Cube 0"]
    assert found["visibility"] == expected
    (_, matrix, _) = found["transforms"]["Moving"]
    assert matrix[2][3] == height != objects["Moving"].matrix_world[2][3]


def test_deleted_objects_are_not_kept_alive_by_the_file(objects, tmp_path):
    hide(objects, "MONITOR")
    scene = bpy.context.scene
    scene.collection.objects.unlink(objects["Cube 0"])
    bpy.ops.wm.save_as_mainfile(filepath=str(tmp_path / "hidden.blend"))
    assert objects["Cube 0"].users == 0
    assert hiding.hidden_counts(scene)["MONITOR"] == len(OURS["MONITOR"]) - 1
