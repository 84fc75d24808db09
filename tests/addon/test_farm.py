"""The examples for render farms: Dask with two worker processes, and Flamenco's job type."""

import importlib.util
import json
import os
import shutil
import subprocess
import sys
from functools import partial
from pathlib import Path
from types import SimpleNamespace

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
    carry_out(flamenco("audit", blendfile=str(blend), out=str(out), budget="", **settings), 1)
    assert out.read_bytes() == known


def carry_out(job, code):
    """Do all tasks of a job that wait for each other; only the last may fail."""
    *chunks, merge = job["tasks"]
    assert merge["needs"] == [each["name"] for each in chunks]
    for task in job["tasks"]:
        (command,) = task["commands"]
        before, words = command["parameters"]["args"][:2], command["parameters"]["args"][2:]
        assert before == ["--command", "octree"]
        assert command_line.main(words) == (code if task is merge else 0)


@pytest.fixture
def budget(tmp_path):
    """Have a budget that is broken."""
    path = tmp_path / "budget.json"
    path.write_text('{"cell": 2, "triangles": 9, "objects_per_cell": 0}')
    return path


@pytest.mark.skipif(not shutil.which("node"), reason="no Node.js to run a job type")
def test_tasks_of_flamenco_count_and_cut_as_one_machine(blend, tmp_path, budget):
    out, whole = tmp_path / "out.xml", tmp_path / "whole.xml"
    words = ["budget", str(blend), "--budget", str(budget), "--report", str(whole)]
    assert command_line.main(words) == 1
    settings = {"chunks": 3, "fail_on": "none", "clearance": 0, "contacts": False}
    settings |= {"blendfile": str(blend), "out": str(out), "budget": str(budget)}
    job = flamenco("audit", **settings)
    assert {each["key"] for each in job["type"]["settings"]} == settings.keys()
    carry_out(job, 1)
    assert out.read_bytes() == whole.read_bytes()
    settings = {"chunks": 3, "triangles": 50, "quadtree": True, "format": "tiles"}
    settings |= {"georeference": "-8.5,47.3", "out": f"{tmp_path / 'tiles'}/"}
    job = flamenco("chunks", blendfile=str(blend), **settings)
    assert {each["key"] for each in job["type"]["settings"]} == {*settings, "blendfile"}
    carry_out(job, 0)
    assert files_in(tmp_path / "tiles") == whole_tiles(blend, tmp_path / "whole")


def whole_tiles(blend, folder):
    """Return the files that one Blender writes."""
    words = ["--triangles", "50", "--quadtree", "--georeference=-8.5,47.3", "--tiles"]
    assert command_line.main(["chunks", str(blend), *words, str(folder)]) == 0
    return files_in(folder)


class OneWorker:
    """Stands in for Dask, its `Client` and tasks, and does each task at once."""

    name = "one"

    def __init__(self, scheduler=None, **_):
        assert scheduler == "tcp://farm:8786"

    def __enter__(self):
        return self

    def __exit__(self, *_):
        pass

    def map(self, call, commands, **_):
        return [SimpleNamespace(result=partial(str, call(each))) for each in commands]


def by_one_worker(monkeypatch, script, *words):
    """Run an example in this process; return its exit code."""
    there = SimpleNamespace(Client=OneWorker, as_completed=iter, get_worker=lambda: OneWorker)
    monkeypatch.setitem(sys.modules, "distributed", there)

    def run(command, **_):
        assert command[:3] == ["blender", "--command", "octree"]
        return subprocess.CompletedProcess(command, command_line.main(command[3:]), "done\n", "")

    monkeypatch.setattr(subprocess, "run", run)
    path = FARM / f"{script}_with_dask.py"
    monkeypatch.setattr(sys, "argv", [str(each) for each in (path, *words)])
    spec = importlib.util.spec_from_file_location(path.stem, path)
    module = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(module)
    return module.main()


def test_dask_counts_and_cuts_as_one_machine(blend, tmp_path, budget, monkeypatch):
    farm = (blend, "--scheduler", "tcp://farm:8786")
    out, whole = tmp_path / "out.json", tmp_path / "whole.json"
    words = ["budget", str(blend), "--budget", str(budget), "--report", str(whole)]
    assert command_line.main(words) == 1
    asked = ("--budget", budget, "--chunks", "2", "--report", out)
    assert by_one_worker(monkeypatch, "audit", *farm, *asked) == 1
    assert out.read_bytes() == whole.read_bytes()
    asked = ("--triangles", "50", "--quadtree", "--georeference=-8.5,47.3", "--shares", "2")
    words = (*farm, *asked, "--tiles", tmp_path / "tiles")
    assert by_one_worker(monkeypatch, "chunks", *words, "--keep") == 0
    assert files_in(tmp_path / "tiles") == whole_tiles(blend, tmp_path / "whole")
    assert len(list(tmp_path.glob("*-of-*"))) == 2
    assert by_one_worker(monkeypatch, "chunks", *words) == 0
    assert not list(tmp_path.glob("*-of-*"))
