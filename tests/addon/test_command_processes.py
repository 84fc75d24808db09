"""Commands as processes of their own: what Ctrl-C leaves, and that nothing else stays behind."""

import os
import signal
import subprocess
import sys
from pathlib import Path

import bpy
import pytest
from blender_scenes import cube
from seen_scenes import add_row

from octree_ext.octree_addon import command_line

pytestmark = pytest.mark.skipif(
    bool(bpy.app.binary_path), reason="the processes are made of a wheel"
)
TESTS = Path(__file__).resolve().parents[1]
PIXELS = ("--behind-others", "--size", "50", "--frames", "1-3")
COMMANDS = {
    "seen": ("seen", "row.blend", "--out", "out/a.json"),
    "seen by pixels": (
        "seen", "row.blend", *PIXELS, "--out", "out/a.json", "--labels", "out/labels"
    ),
    "seen as masks": (
        "seen", "row.blend", *PIXELS, "--out", "out/a.json", "--format", "coco",
    ),
    "seen, merged": ("seen", "--merge", "chunk.json", "--out", "out/a.csv"),
    "audit": (
        "audit", "row.blend", "--report", "out/a.html", "--json", "out/a.json", "--clearance", "9"
    ),
    "distances": ("distances", "row.blend", "--json", "out/a.json"),
    "place": (
        "place", "row.blend", "--drop", "Scene Collection", "--toward", "up",
        "--out", "out/a.blend", "--json", "out/a.json",
    ),
    "chunks": ("chunks", "row.blend", "--triangles", "20", "--out", "out/chunks"),
    "chunks, merged": ("chunks", "--merge", "part", "--glb", "out/chunks"),
    "budget": ("budget", "row.blend", "--budget", "budget.json", "--report", "out/a.xml"),
}  # fmt: skip
# What ends with 1, since something is found, is over, or has nothing to fall onto.
FOUND = ("audit", "budget", "place")


@pytest.fixture
def place(tmp_path):
    """Have a file, a chunk of an answer about it, and older answers."""
    add_row()
    cube("Beside", location=(2, 0.5, 0))
    bpy.ops.wm.save_as_mainfile(filepath=str(tmp_path / "row.blend"))
    words = ["seen", str(tmp_path / "row.blend"), "--chunk", "1/1"]
    assert command_line.main([*words, "--out", str(tmp_path / "chunk.json")]) == 0
    words = ["chunks", str(tmp_path / "row.blend"), "--chunk", "1/1"]
    assert command_line.main([*words, "--glb", str(tmp_path / "part")]) == 0
    for name in ("out", "temporary"):
        (tmp_path / name).mkdir()
    (tmp_path / "budget.json").write_text('{"cell": 1, "triangles": 9}')
    for name in ("a.json", "a.csv", "a.html", "a.xml", "a.blend"):
        (tmp_path / "out" / name).write_bytes(b"older")
    return tmp_path


def called(place, words, moment="never"):
    """Return what came of a command with a temporary folder of its own."""
    folder = str(place / "temporary")
    paths = (TESTS.parent, TESTS, os.environ.get("PYTHONPATH", ""))
    return subprocess.run(
        [sys.executable, TESTS / "interrupted_stand_in.py", moment, "--command", "octree", *words],
        cwd=place,
        env=os.environ
        | dict.fromkeys(("TMPDIR", "TMP", "TEMP"), folder)
        | {"PYTHONPATH": os.pathsep.join(map(str, paths))},
        capture_output=True,
        text=True,
        timeout=300,
        check=False,
    )


def files_in(folder):
    return {path.name: path.read_bytes() for path in folder.rglob("*") if path.is_file()}


def test_every_command_is_called():
    assert {words[0] for words in COMMANDS.values()} == {
        each.name for each in command_line.COMMANDS
    }


@pytest.mark.parametrize("words", COMMANDS.values(), ids=COMMANDS)
def test_nothing_stays_behind_and_nothing_frightens(place, words):
    done = called(place, words)
    assert done.stderr == ""
    assert done.returncode == (words[0] in FOUND)
    assert list((place / "temporary").iterdir()) == []
    written = {path for path in words if path.startswith("out/a.")}
    for path in written:
        assert (place / path).read_bytes() != b"older"
    assert {path.name for path in place.iterdir()} == {
        "row.blend", "chunk.json", "part", "budget.json", "out", "temporary"
    }  # fmt: skip


@pytest.mark.parametrize(
    ("name", "moment"),
    [
        ("seen", "Blender"),
        *(
            (name, "working")
            for name in COMMANDS
            if name != "seen as masks" and "merged" not in name
        ),
        # As by pixels; and Blender itself writes what is placed.
        *((name, "writing") for name in COMMANDS if name not in ("seen", "place")),
    ],
)
def test_control_c_ends_a_command_and_writes_nothing(place, name, moment):
    before = files_in(place)
    done = called(place, COMMANDS[name], moment)
    assert done.returncode == 130, done.stderr
    assert "octree: error: interrupted\n" in done.stderr
    assert moment == "Blender" or done.stderr.count("\n") == 1
    assert files_in(place) == before


def test_the_next_in_line_for_control_c_is_back_afterwards():
    before = signal.getsignal(signal.SIGINT)
    assert command_line.main(["seen", "no.blend", "--out", "no.json"]) == 2
    assert signal.getsignal(signal.SIGINT) is before
