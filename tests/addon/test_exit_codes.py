"""One table of exit codes for all commands, whatever happens; each error by one prefix."""

import json
import re
from pathlib import Path

import bpy
import pytest
from blender_scenes import cube
from seen_scenes import add_row

from octree_ext.octree_addon import command_line
from octree_ext.octree_addon.command_line import (
    audit,
    budget,
    chunks,
    distances,
    exit_codes,
    seen,
)
from octree_ext.octree_addon.command_line.exit_codes import MEANINGS, ExitCode
from octree_ext.octree_addon.place import carrying

NAMES = [each.name for each in command_line.COMMANDS]
REFERENCE = Path(__file__).resolve().parents[2] / "docs/reference.md"
# Of each command a line that finds nothing that fails, and one that does.
QUIET = {
    "seen": ["row.blend", "--out", "a.json"],
    "audit": ["row.blend", "--fail-on", "contained", "--json", "a.json"],
    "distances": ["row.blend", "--json", "a.json"],
    "place": ["row.blend", "--drop", "Scene Collection", "--fail-on", "none", "--out", "b.blend"],
    "chunks": ["row.blend", "--glb", "new"],
    "budget": ["row.blend", "--budget", "wide.json"],
}
LOUD = {
    "audit": ["row.blend", "--fail-on", "overlap"],
    "place": ["row.blend", "--drop", "Scene Collection", "--toward", "up", "--out", "b.blend"],
    "budget": ["row.blend", "--budget", "budget.json"],
}
# How a part for a merge is written, and how it is merged.
PARTS = {
    "seen": (["row.blend", "--out", "part.json"], ["--merge", "part.json", "--out", "b.json"]),
    "audit": (["row.blend", "--fail-on", "none", "--out", "part"], ["--merge", "part"]),
    "budget": (["row.blend", "--budget", "wide.json", "--out", "part"], ["--merge", "part"]),
    "chunks": (["row.blend", "--glb", "part"], ["--merge", "part", "--glb", "new"]),
}
MODULES = {
    "seen": seen, "audit": audit, "distances": distances, "place": carrying, "chunks": chunks,
    "budget": budget,
}  # fmt: skip


@pytest.fixture(autouse=True)
def work(tmp_path, monkeypatch):
    """Have a good file in which two cubes overlap, a missing one, and two damaged ones."""
    add_row()
    cube("Over", location=(0.5, 0, 0))
    bpy.ops.wm.save_as_mainfile(filepath=str(tmp_path / "row.blend"))
    whole = (tmp_path / "row.blend").read_bytes()
    (tmp_path / "half.blend").write_bytes(whole[: len(whole) // 2])
    (tmp_path / "text.blend").write_text("nothing of the kind")
    (tmp_path / "budget.json").write_text('{"cell": 1, "triangles": 9}')
    (tmp_path / "wide.json").write_text('{"cell": 1, "triangles": 9999}')
    monkeypatch.chdir(tmp_path)


def octree(name, words):
    return command_line.main([name, *words])


def fails_with(code, capsys):
    said = capsys.readouterr().err
    assert "Traceback" not in said
    assert said.splitlines()[-1].startswith("octree: error: ")
    return code == 2


def test_each_command_is_here():
    assert set(NAMES) == set(QUIET) == set(MODULES)
    merging = {name for name in NAMES if "--merge" in help_of(name)}
    failing = {name for name in NAMES if "  --fail-on" in help_of(name)}
    assert (merging, failing) == (set(PARTS), set(LOUD))


def help_of(name):
    (names,) = command_line._parser()._subparsers._group_actions
    return names.choices[name].format_help()


@pytest.mark.parametrize("name", NAMES)
def test_each_help_has_the_table(name, capsys):
    assert command_line.main([name, "--help"]) == 0
    assert capsys.readouterr().out.endswith(f"{exit_codes.HELP}\n")


def test_the_reference_has_the_table():
    rows = re.findall(r"^\| (\d+) \| (.*) \|$", REFERENCE.read_text(encoding="utf-8"), re.M)
    assert {int(code): text for code, text in rows} == {
        code.value: text.replace("--fail-on", "`--fail-on`") for code, text in MEANINGS.items()
    }
    assert [code.value for code in ExitCode] == [0, 1, 2, 130]


@pytest.mark.parametrize("name", NAMES)
def test_nothing_that_fails_is_0(name):
    assert octree(name, QUIET[name]) == 0


@pytest.mark.parametrize("name", LOUD)
def test_something_that_fails_is_1_unless_nothing_is_to_fail(name):
    assert octree(name, LOUD[name]) == 1
    others = [word for word in LOUD[name] if word not in ("--fail-on", "overlap")]
    assert octree(name, [*others, "--fail-on", "none"]) == 0


@pytest.mark.parametrize("name", NAMES)
@pytest.mark.parametrize("file", ["missing.blend", "half.blend", "text.blend"])
def test_a_file_that_is_missing_or_damaged_is_2(name, file, capsys):
    assert fails_with(octree(name, [file, *QUIET[name][1:]]), capsys)


@pytest.mark.parametrize("name", NAMES)
@pytest.mark.parametrize("words", [["--nonsense"], ["stray", "words"], ["--cell="], [""]])
def test_what_is_not_understood_is_2(name, words, capsys):
    assert fails_with(octree(name, [*QUIET[name], *words]), capsys)


@pytest.mark.parametrize("name", ["", "nonsense"])
def test_no_command_is_2(name, capsys):
    assert fails_with(command_line.main([name] * bool(name)), capsys)


@pytest.mark.parametrize("name", PARTS)
def test_a_part_that_is_missing_or_damaged_is_2(name, capsys):
    write, merge = PARTS[name]
    assert fails_with(octree(name, merge), capsys)
    assert octree(name, [*write, "--chunk", "1/1"]) == 0
    part = Path({"chunks": "part/manifest.json", "seen": "part.json"}.get(name, "part"))
    whole = part.read_bytes()
    for count in (0, 1, len(whole) // 3, len(whole) // 2, len(whole) - 40):
        part.write_bytes(whole[:count])
        capsys.readouterr()
        assert fails_with(octree(name, merge), capsys), count
    part.write_bytes(whole)
    assert octree(name, merge) == 0


@pytest.mark.parametrize("name", NAMES)
def test_an_interrupt_is_130(name, monkeypatch, capsys):
    def interrupted(*_, **__):
        raise KeyboardInterrupt

    monkeypatch.setattr(MODULES[name], "run", interrupted)
    assert octree(name, QUIET[name]) == 130
    assert capsys.readouterr().err == "octree: error: interrupted\n"


@pytest.mark.parametrize("name", NAMES)
def test_a_mistake_of_ours_is_no_finding(name, monkeypatch, capsys):
    monkeypatch.setattr(MODULES[name], "run", lambda *_, **__: 1 / 0)
    assert octree(name, QUIET[name]) == 2
    said = capsys.readouterr().err
    assert "Traceback" in said
    assert said.splitlines()[-1] == "octree: error: ZeroDivisionError: division by zero"


def test_what_is_written_when_something_fails_is_whole():
    assert octree("audit", [*LOUD["audit"], "--json", "a.json"]) == 1
    assert json.loads(Path("a.json").read_text(encoding="utf-8"))["file"] == "row.blend"
