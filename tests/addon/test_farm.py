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
    path = tmp_path / "row.blend"
    bpy.ops.wm.save_as_mainfile(filepath=str(path))
    return path


def whole(blend, tmp_path, *words):
    """Return the bytes of the answer that one Blender gives."""
    out = tmp_path / "whole.json"
    assert command_line.main(["seen", str(blend), *words, "--out", str(out)]) == 0
    return out.read_bytes()


@pytest.mark.skipif(not has_dask, reason="no distributed in this environment")
@pytest.mark.skipif(bool(bpy.app.binary_path), reason="the workers are made of a wheel")
def test_two_dask_workers_give_the_whole(blend, tmp_path):
    out = tmp_path / "seen.json"
    stand_in = (sys.executable, CHECKOUT / "tests" / "blender_stand_in.py")
    words = "--chunks 3 --workers 2 --frames 1-5 --cameras all".split()
    script = (sys.executable, FARM / "seen_with_dask.py", blend, "--out", out)
    paths = (CHECKOUT, CHECKOUT / "tests", os.environ.get("PYTHONPATH", ""))
    done = subprocess.run(
        [*script, "--blender", *stand_in, *words],
        env=os.environ | {"PYTHONPATH": os.pathsep.join(map(str, paths))},
        capture_output=True,
        text=True,
        timeout=240,
        check=False,
    )
    assert done.returncode == 0, done.stderr
    *chunks, merged = done.stdout.splitlines()
    assert {line.partition(":")[0] for line in chunks} == {"0", "1"}
    assert len(chunks) == 3
    assert merged.startswith("5 of 6 objects seen in 5 views")
    assert out.read_bytes() == whole(blend, tmp_path, "--cameras", "all")
    assert not list(tmp_path.glob("*-of-*"))


def flamenco(**settings):
    """Return the job type and its tasks, as Node.js runs them."""
    script = (FARM / "octree_seen.js").read_text() + FLAMENCO
    script = script.replace("SETTINGS", json.dumps(settings))
    command = [shutil.which("node"), "-e", script]
    return json.loads(subprocess.run(command, check=True, capture_output=True).stdout)


@pytest.mark.skipif(not shutil.which("node"), reason="no Node.js to run a job type")
def test_tasks_of_flamenco_give_the_whole(blend, tmp_path):
    out = tmp_path / "seen.json"
    settings = {"frames": "1-5", "chunks": 3, "cameras": "all"}
    job = flamenco(blendfile=str(blend), out=str(out), **settings)
    assert {each["key"] for each in job["type"]["settings"]} == {*settings, "blendfile", "out"}
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
    assert out.read_bytes() == whole(blend, tmp_path, "--cameras", "all")
