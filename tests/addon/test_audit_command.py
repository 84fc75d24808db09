"""`blender --command octree audit`: reports, exit codes, and the file as it was."""

import json

import bpy
import numpy as np
import pytest
from blender_scenes import cube
from clash_scenes import KNOWN, audit, named, plant

from octree_ext.octree_addon.audit.keeping import active_audit, findings_in
from octree_ext.octree_addon.audit.model import read_json
from octree_ext.octree_addon.command_line import main

SCRIPT = "import bpy\nbpy.data.objects['Beam'].location.x = 100\n"


def octree(*words):
    return main([str(word) for word in words])


@pytest.fixture
def blend(empty_scene, tmp_path):
    """Save the plant, with a script that would move a beam."""
    plant()
    script = bpy.data.texts.new("startup.py")
    script.write(SCRIPT)
    script.use_module = True
    path = tmp_path / "plant.blend"
    bpy.ops.wm.save_as_mainfile(filepath=str(path))
    return path


def test_it_finds_what_the_button_finds_and_writes_nothing_else(blend, tmp_path, capsys):
    before, out = blend.read_bytes(), tmp_path / "out.json"
    assert octree("audit", blend, "--json", out, "--clearance", "0.125", "--contacts") == 1
    found = {each for each in KNOWN if each[0] != "self-intersection"}
    assert named(read_json(out.read_bytes())[0]) == found
    assert json.loads(out.read_text())["file"] == "plant.blend"
    assert blend.read_bytes() == before
    assert {each.name for each in tmp_path.iterdir()} == {"plant.blend", "out.json"}
    assert "Pipe" in capsys.readouterr().out
    again = tmp_path / "again.json"
    octree("audit", blend, "--json", again, "--clearance", "0.125", "--contacts")
    assert again.read_bytes() == out.read_bytes()
    bpy.ops.wm.open_mainfile(filepath=str(blend))
    assert named(audit(clearance=0.125, touching=True)) == found


@pytest.mark.parametrize(
    ("words", "code"),
    [
        (("--fail-on", "overlap,duplicate"), 1),
        (("--fail-on", "self-intersection"), 1),
        (("--fail-on", "none"), 0),
        (("--fail-on", "near", "--clearance", "0.03"), 0),
        (("--fail-on", "near", "--clearance", "0.125"), 1),
        (("--fail-on", "near"), 2),
        (("--fail-on", "nothing of the kind"), 2),
        (("--clearance", "-1"), 2),
        (("--clearance", "wide"), 2),
        (("--report", "audit.txt"), 2),
        (("--baseline", "missing.json"), 2),
    ],
)
def test_exit_codes_are_for_machines(blend, words, code):
    assert octree("audit", blend, *words) == code


def test_a_baseline_fails_only_what_is_new(blend, tmp_path, capsys):
    old = tmp_path / "old.json"
    assert octree("audit", blend, "--json", old) == 1
    assert octree("audit", blend, "--baseline", old) == 0
    bpy.ops.wm.open_mainfile(filepath=str(blend))
    cube("Late", location=(20.25, 0.125, 0.125))
    bpy.ops.wm.save_mainfile()
    capsys.readouterr()
    assert octree("audit", blend, "--baseline", old) == 1
    assert "Late" in capsys.readouterr().out


@pytest.mark.parametrize("name", ["missing.blend", "bad.blend"])
def test_a_file_that_cannot_be_read_is_2(empty_scene, tmp_path, capsys, name):
    (tmp_path / "bad.blend").write_text("nothing of the kind")
    assert octree("audit", tmp_path / name) == 2
    assert name in capsys.readouterr().err


def test_clearances_are_meters(blend):
    bpy.ops.wm.open_mainfile(filepath=str(blend))
    bpy.context.scene.unit_settings.scale_length = 0.001
    bpy.ops.wm.save_mainfile()
    near = ("audit", blend, "--fail-on", "near", "--clearance")
    assert octree(*near, "0.00005") == 0
    assert octree(*near, "0.00007") == 1


def test_reports_hold_the_groups_that_the_file_has(blend, tmp_path):
    audit()
    bpy.context.scene.octree.results.row = 1
    bpy.ops.octree.group_rows(group="Mine")
    grouped = named(
        findings_in(bpy.context.scene, active_audit(bpy.context.scene)).take(np.array([1]))
    )
    bpy.ops.wm.save_mainfile()
    out = tmp_path / "out.json"
    octree("audit", blend, "--json", out)
    found = read_json(out.read_bytes())[0]
    rows = [row for row in range(len(found)) if found.group_of(row) == "Mine"]
    assert named(found.take(np.array(rows))) == grouped
