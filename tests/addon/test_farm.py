"""The examples for render farms: Dask with two worker processes, and Flamenco's job type."""

import importlib.util
import json
import os
import shutil
import subprocess
import sys
from pathlib import Path

import bpy
import pytest
from behind_scenes import ball
from seen_scenes import add_row

from octree_ext.octree_addon import command_line

CHECKOUT = Path(__file__).resolve().parents[2]
FARM = CHECKOUT / "docs" / "farm"
has_dask = importlib.util.find_spec("distributed") is not None
# What Flamenco gives to a job type, as far as it is used; and the tasks that come of it, as JSON.
FLAMENCO = """
const author = {
    Task: (name, type) => ({
        name, type, commands: [], needs: [],
        addCommand(command) { this.commands.push(command); },
        addDependency(task) { this.needs.push(task.name); },
    }),
    Command: (name, parameters) => ({ name, parameters }),
};
const tasks = [];
const job = { settings: SETTINGS, addTask: (task) => tasks.push(task) };
compileJob(job);
console.log(JSON.stringify({ type: JOB_TYPE, tasks }));
"""


@pytest.fixture
def blend(tmp_path):
    """Save a row of cubes that a camera passes over, one in each of five frames."""
    add_row()
    ball("Ball", (4.2, 0, 2))  # above one of them
    path = tmp_path / "row.blend"
    bpy.ops.wm.save_as_mainfile(filepath=str(path))
    return path


def whole(blend, out, *words):
    """Return the bytes of the answer that one Blender gives."""
    assert command_line.main(["seen", str(blend), *words, "--out", str(out)]) == 0
    return out.read_bytes()


def files_in(folder):
    """Return relative path -> bytes of all files."""
    found = (path for path in folder.rglob("*") if path.is_file())
    return {str(path.relative_to(folder)): path.read_bytes() for path in found}


def dask(blend, out, *words, name="seen", option="--out", code=0):
    """Run an example with two worker processes; return its lines."""
    stand_in = (sys.executable, CHECKOUT / "tests" / "blender_stand_in.py")
    script = (sys.executable, FARM / f"{name}_with_dask.py", blend, option, out)
    paths = (CHECKOUT, CHECKOUT / "tests", os.environ.get("PYTHONPATH", ""))
    done = subprocess.run(
        [*script, "--blender", *stand_in, *words],
        env=os.environ | {"PYTHONPATH": os.pathsep.join(map(str, paths))},
        capture_output=True,
        text=True,
        timeout=240,
        check=False,
    )
    assert done.returncode == code, done.stderr
    return done.stdout.splitlines()


@pytest.mark.skipif(not has_dask, reason="no distributed in this environment")
@pytest.mark.skipif(bool(bpy.app.binary_path), reason="the workers are made of a wheel")
def test_two_dask_workers_give_the_whole(blend, tmp_path):
    out = tmp_path / "seen.json"
    words = "--chunks 3 --workers 2 --frames 1-5 --cameras all".split()
    *chunks, merged = dask(blend, out, *words)
    assert {line.partition(":")[0] for line in chunks} == {"0", "1"}
    assert len(chunks) == 3
    assert merged.startswith("6 of 7 objects seen in 5 views")
    assert out.read_bytes() == whole(blend, tmp_path / "whole.json", "--cameras", "all")
    assert not list(tmp_path.glob("*-of-*"))


@pytest.mark.skipif(not has_dask, reason="no distributed in this environment")
@pytest.mark.skipif(bool(bpy.app.binary_path), reason="the workers are made of a wheel")
def test_two_dask_workers_make_the_masks_and_labels_of_the_whole(blend, tmp_path):
    asked = ("--behind-others", "--format", "coco", "--labels")
    out, labels = tmp_path / "coco.json", tmp_path / "labels"
    dask(blend, out, "--chunks", "2", *asked, labels)
    assert out.read_bytes() == whole(blend, tmp_path / "whole.json", *asked, str(tmp_path / "all"))
    assert files_in(labels) == files_in(tmp_path / "all")
    assert len(files_in(labels)) == 5
    assert not list(tmp_path.rglob("*-of-*"))


def flamenco(name="seen", **settings):
    """Return a job type and its tasks, as Node.js runs them."""
    script = (FARM / f"octree_{name}.js").read_text() + FLAMENCO
    script = script.replace("SETTINGS", json.dumps(settings))
    command = [shutil.which("node"), "-e", script]
    return json.loads(subprocess.run(command, check=True, capture_output=True).stdout)


DEFAULTS = {"behind_others": False, "size": 100, "samples": 1, "least": 1.0, "open": False,
            "labels": "", "format": "json"}  # fmt: skip


@pytest.mark.skipif(not shutil.which("node"), reason="no Node.js to run a job type")
@pytest.mark.parametrize(
    ("changed", "asked"),
    [
        ({}, ()),
        ({"format": "csv"}, ()),
        (
            {"behind_others": True, "size": 50, "samples": 2, "least": 3.0, "open": True}
            | {"format": "coco"},
            "--behind-others --size 50 --samples 2 --least 3 --open --format coco".split(),
        ),
    ],
)
def test_tasks_of_flamenco_give_the_whole(blend, tmp_path, changed, asked):
    settings = {"frames": "1-5", "chunks": 3, "cameras": "all", **DEFAULTS, **changed}
    out = tmp_path / ("seen.csv" if settings["format"] == "csv" else "seen.json")
    has_labels = settings["behind_others"]
    settings["labels"] = str(tmp_path / "labels") if has_labels else ""
    job = flamenco(blendfile=str(blend), out=str(out), **settings)
    given = {each["key"]: each.get("default") for each in job["type"]["settings"]}
    assert given.keys() == {*settings, "blendfile", "out"}
    assert {name: given[name] for name in DEFAULTS} == DEFAULTS
    *chunks, merge = job["tasks"]
    assert (merge["name"], len(chunks)) == ("merge", 3)
    assert merge["needs"] == [each["name"] for each in chunks]
    for task in job["tasks"]:
        assert task["type"] == "blender"
        (command,) = task["commands"]
        assert command["name"] == "exec"
        assert command["parameters"]["exe"] == "{blender}"
        before, words = command["parameters"]["args"][:2], command["parameters"]["args"][2:]
        assert before == ["--command", "octree"]
        assert command_line.main(words) == 0
    labels = ("--labels", str(tmp_path / "all")) if has_labels else ()
    known = whole(blend, tmp_path / f"whole{out.suffix}", "--cameras", "all", *asked, *labels)
    assert out.read_bytes() == known
    if has_labels:
        found = files_in(tmp_path / "labels")
        merged = {name: data for name, data in found.items() if "-of-" not in name}
        assert merged == files_in(tmp_path / "all")
        assert len(found) == 2 * len(merged) == 10


AUDITED = ("--clearance", "9", "--fail-on", "near,overlap")


def whole_audit(blend, out, code):
    """Return the bytes of the report that one Blender writes."""
    words = ["audit", str(blend), *AUDITED, "--contacts", "--report", str(out)]
    assert command_line.main(words) == code
    return out.read_bytes()


@pytest.mark.skipif(not has_dask, reason="no distributed in this environment")
@pytest.mark.skipif(bool(bpy.app.binary_path), reason="the workers are made of a wheel")
def test_two_dask_workers_audit_as_one_machine(blend, tmp_path):
    known = whole_audit(blend, tmp_path / "whole.json", 1)
    out = tmp_path / "audit.json"
    asked = ("--chunks", "3", *AUDITED, "--contacts")
    lines = dask(blend, out, *asked, name="audit", option="--report", code=1)
    assert len([line for line in lines if "in chunk" in line]) == 3
    assert out.read_bytes() == known
    assert not list(tmp_path.glob("*-of-*"))
    asked += ("--baseline", out)
    dask(blend, tmp_path / "again.json", *asked, name="audit", option="--report", code=0)


@pytest.mark.skipif(not shutil.which("node"), reason="no Node.js to run a job type")
def test_tasks_of_flamenco_audit_as_one_machine(blend, tmp_path):
    known = whole_audit(blend, tmp_path / "whole.xml", 1)
    settings = {"chunks": 3, "fail_on": "near,overlap", "clearance": 9, "contacts": True}
    out = tmp_path / "audit.xml"
    job = flamenco("audit", blendfile=str(blend), out=str(out), **settings)
    assert {each["key"] for each in job["type"]["settings"]} == {*settings, "blendfile", "out"}
    *chunks, merge = job["tasks"]
    assert merge["needs"] == [each["name"] for each in chunks]
    for task in job["tasks"]:
        (command,) = task["commands"]
        before, words = command["parameters"]["args"][:2], command["parameters"]["args"][2:]
        assert before == ["--command", "octree"]
        assert command_line.main(words) == (task is merge)
    assert out.read_bytes() == known
