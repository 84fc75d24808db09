"""Bad options of every command are refused before the work."""

import argparse
import json

import bpy
import pytest
from failing_disks import FAILURES
from seen_scenes import add_row
from seen_tables import random_table

from octree_ext.core import atomic_file
from octree_ext.octree_addon import command_line
from octree_ext.octree_addon.cameras.table import SeenAnswer, json_texts
from octree_ext.octree_addon.command_line import audit, budget, chunks, distances, place, seen
from octree_ext.octree_addon.written_files import write_file

# What nobody can read, and where nobody can write.
UNREADABLE = ("missing.json", "folder.json", "broken.json", "other.json")
UNWRITABLE = ("missing/a.json", "folder.json", "good.json/a.json")
NUMBERS = ("-1", "nan", "inf", "-inf", "1e999", "x", "")
UNWRITABLE_FOLDERS = ("good.json", "good.json/below")
SEEN, LOOK = ["row.blend", "--out", "a.json"], ["--behind-others"]
CUT, COUNT = ["row.blend", "--out", "new"], ["row.blend", "--budget", "budget.json"]
DROP = ["row.blend", "--drop", "Collection", "--out", "b.blend"]
FILL = ["row.blend", "--fill", "Cube 0", "--of", "Scene Collection", "--out", "b.blend"]
# Of each command each option that takes something: bad values, and what else is said.
BAD = {
    ("seen", "file"): (("missing.blend", "folder.blend"), ["--out", "a.json"]),
    ("seen", "--merge"): (UNREADABLE, ["--out", "a.json"]),
    ("seen", "--frames"): (("one", "", "5-4", "1-9x0", "1048575", "--frames=-1048575"), SEEN),
    ("seen", "--cameras"): (("Nope",), SEEN),
    ("seen", "--chunk"): (("0/3", "4/3", "3", "x/y", "1/0"), SEEN),
    ("seen", "--out"): ((*UNWRITABLE, "a.txt"), ["row.blend"]),
    ("seen", "--format"): (("xml", "coco", "bop"), SEEN),
    ("seen", "--size"): ((*NUMBERS, "0", "101"), [*SEEN, *LOOK]),
    ("seen", "--samples"): ((*NUMBERS, "0", "17", "1.5"), [*SEEN, *LOOK]),
    ("seen", "--least"): (NUMBERS, [*SEEN, *LOOK]),
    ("seen", "--labels"): (("good.json", "good.json/below"), [*SEEN, *LOOK]),
    ("audit", "file"): (("missing.blend", "folder.blend"), []),
    ("audit", "--fail-on"): (("nothing", ",", "near"), ["row.blend"]),
    ("audit", "--clearance"): ((*NUMBERS, "1e160", "1.1e100"), ["row.blend"]),
    ("audit", "--report"): ((*UNWRITABLE, "a.txt", "a"), ["row.blend"]),
    ("audit", "--json"): ((*UNWRITABLE, "a.txt", "a"), ["row.blend"]),
    ("audit", "--baseline"): (UNREADABLE, ["row.blend"]),
    ("audit", "--chunk"): (("0/3", "4/3", "3", "x/y", "1/0"), ["row.blend", "--out", "a.npz"]),
    ("audit", "--out"): (UNWRITABLE, ["row.blend", "--chunk", "1/2"]),
    ("audit", "--merge"): (UNREADABLE, []),
    ("distances", "file"): (("missing.blend", "folder.blend"), []),
    ("distances", "--pairs"): (("some", ""), ["row.blend"]),
    ("distances", "--nearest"): ((*NUMBERS, "0", "1.5"), ["row.blend"]),
    ("distances", "--json"): (UNWRITABLE, ["row.blend"]),
    ("chunks", "file"): (("missing.blend", "folder.blend"), ["--out", "new"]),
    ("chunks", "--triangles"): ((*NUMBERS, "0", "1.5"), CUT),
    ("chunks", "--objects"): ((*NUMBERS, "0", "1.5"), CUT),
    ("chunks", "--texels"): ((*NUMBERS, "0", "1.5"), CUT),
    ("chunks", "--least-triangles"): ((*NUMBERS, "1.5"), CUT),
    ("chunks", "--least-size"): (NUMBERS, CUT),
    ("chunks", "--cell"): ((*NUMBERS, "0"), CUT),
    **{
        ("chunks", f"--{form}"): (UNWRITABLE_FOLDERS, ["row.blend"])
        for form in ("out", "gltf", "glb", "tiles", "blend")
    },
    ("chunks", "--levels"): ((*NUMBERS, "0", "9", "1.5"), CUT),
    ("chunks", "--georeference"): (("x", "181,0,0", "0,91,0", "nan,0,0"), CUT),
    ("chunks", "--chunk"): (("0/3", "4/3", "3", "x/y", "1/0"), CUT),
    ("chunks", "--merge"): ((*UNREADABLE, "folder.blend"), ["--glb", "new"]),
    ("budget", "file"): (("missing.blend", "folder.blend"), ["--budget", "budget.json"]),
    ("budget", "--budget"): (UNREADABLE, ["row.blend"]),
    ("budget", "--fail-on"): (("nothing", ","), COUNT),
    ("budget", "--chunk"): (("0/3", "4/3", "3", "x/y", "1/0"), [*COUNT, "--out", "a.json"]),
    ("budget", "--out"): (UNWRITABLE, [*COUNT, "--chunk", "1/2"]),
    ("budget", "--merge"): (UNREADABLE, []),
    ("budget", "--report"): ((*UNWRITABLE, "a.txt", "a"), COUNT),
    ("place", "file"): (("missing.blend", "folder.blend"), DROP[1:]),
    ("place", "--drop"): (("Nope",), ["row.blend", "--out", "b.blend"]),
    ("place", "--fill"): (("Nope",), ["row.blend", "--out", "b.blend", "--of", "Props"]),
    ("place", "--of"): (("Nope",), ["row.blend", "--out", "b.blend", "--fill", "Cube 0"]),
    ("place", "--out"): (("row.blend", "a.txt", "missing/a.blend"), DROP[:3]),
    ("place", "--json"): (UNWRITABLE, DROP),
    ("place", "--fail-on"): (("nothing", ","), DROP),
    ("place", "--gap"): (NUMBERS, DROP),
    ("place", "--sink"): (NUMBERS, DROP),
    ("place", "--toward"): (("aside", ""), DROP),
    ("place", "--axes"): (("w", ""), ["row.blend", "--push-apart", "--out", "b.blend"]),
    ("place", "--count"): ((*NUMBERS, "0", "1000001"), FILL),
    ("place", "--tries"): ((*NUMBERS, "0", "1000001"), FILL),
    ("place", "--room"): (("Nope",), FILL),
    ("place", "--seed"): (("nan", "x", ""), FILL),
}
# What only the opened file can tell.
OPENED = {
    ("seen", "--cameras"),
    ("place", "--drop"),
    ("place", "--fill"),
    ("place", "--of"),
    ("place", "--room"),
}
WRITTEN = {
    ("seen", "--out"), ("audit", "--out"), ("audit", "--report"), ("audit", "--json"),
    ("distances", "--json"), ("budget", "--report"), ("budget", "--out"),
    ("place", "--json"),
}  # fmt: skip


@pytest.fixture
def work(tmp_path, monkeypatch):
    """Have good and bad files, and count what is opened and what is begun."""
    add_row()
    bpy.ops.wm.save_as_mainfile(filepath=str(tmp_path / "row.blend"))
    write_file(tmp_path / "good.json", json_texts(SeenAnswer(random_table(1)[0])))
    (tmp_path / "broken.json").write_text('{"format": "octree')
    (tmp_path / "budget.json").write_text('{"cell": 1, "triangles": 9}')
    (tmp_path / "other.json").write_text(json.dumps({"format": "other"}))
    for name in ("folder.json", "folder.blend"):
        (tmp_path / name).mkdir()
    monkeypatch.chdir(tmp_path)
    counts = {"opened": 0, "begun": 0}

    def counted(name, call):
        def count(*given, **options):
            counts[name] += 1
            return call(*given, **options)

        return count

    for module in (audit, budget, chunks, distances, place, seen):
        monkeypatch.setattr(module, "open_blend", counted("opened", module.open_blend))
        monkeypatch.setattr(module, "run", counted("begun", module.run))
    monkeypatch.setattr(seen, "merged_answers", counted("begun", seen.merged_answers))
    monkeypatch.setattr(place, "carried_out", counted("begun", place.carried_out))
    monkeypatch.setattr(chunks, "merged_shipment", counted("begun", chunks.merged_shipment))
    monkeypatch.setattr(budget, "merged_counts", counted("begun", budget.merged_counts))
    monkeypatch.setattr(audit, "merged_shares", counted("begun", audit.merged_shares))
    return counts


def options():
    """Yield each command with each of its options that takes something."""
    for command in command_line.COMMANDS:
        parser = argparse.ArgumentParser()
        command.add_arguments(parser)
        for action in parser._actions:
            if action.nargs != 0:
                yield command.name, (action.option_strings or [action.dest])[-1]


def test_bad_values_are_known_for_every_option():
    assert set(BAD) == set(options())


def line(command, option, value):
    """Return the words of a command with a value for an option."""
    others = BAD[command, option][1]
    if option[0] != "-":
        return [command, value, *others]
    return [command, *others, value if value.startswith("--") else f"{option}={value}"]


@pytest.mark.parametrize(
    ("command", "option", "value"), [(*key, value) for key in BAD for value in BAD[key][0]]
)
def test_a_bad_value_is_refused_before_the_work(work, tmp_path, capsys, command, option, value):
    before = {path: path.stat().st_mtime_ns for path in tmp_path.rglob("*")}
    code = command_line.main(line(command, option, value))
    said = capsys.readouterr().err
    assert code == 2
    assert "Traceback" not in said
    reason = said.splitlines()[-1]
    assert reason.startswith("octree: error: ")
    named = (option, value.removeprefix("--frames=").partition("/")[0], "--behind-others")
    assert any(each and each in reason for each in named)
    # A blend file that is none is what opening tells.
    assert work["opened"] <= ((command, option) in OPENED or option == "file")
    assert work["begun"] == 0
    assert {path: path.stat().st_mtime_ns for path in tmp_path.rglob("*")} == before


@pytest.mark.parametrize(("command", "option"), sorted(WRITTEN))
@pytest.mark.parametrize("failure", ["forbidden", "read only"])
def test_a_place_that_forbids_writing_is_said_before_the_work(
    work, monkeypatch, capsys, command, option, failure
):
    with FAILURES[failure](monkeypatch, atomic_file):
        code = command_line.main(line(command, option, "a.json"))
    assert code == 2
    said = capsys.readouterr().err
    assert "'a.json'" in said or "'b.blend'" in said
    assert work == {"opened": 0, "begun": 0}


def test_good_options_begin(work):
    """The counters count."""
    assert command_line.main(["seen", *SEEN]) == 0
    assert command_line.main(["audit", "row.blend"]) == 0
    assert work == {"opened": 2, "begun": 2}
    assert command_line.main(["seen", "--merge", "good.json", "--out", "b.json"]) == 0
    assert work == {"opened": 2, "begun": 3}


def test_more_cameras_than_bop_has_are_refused_before_the_work(work, capsys):
    words = ["seen", *SEEN, *LOOK, "--format", "bop", "--cameras", "Camera", "Aside"]
    assert command_line.main(words) == 2
    assert "BOP has one camera a scene" in capsys.readouterr().err
    assert work == {"opened": 1, "begun": 0}


def test_a_scene_without_a_camera_is_refused_before_the_work(work, tmp_path, capsys):
    bpy.ops.wm.open_mainfile(filepath=str(tmp_path / "row.blend"))
    bpy.data.objects.remove(bpy.data.objects["Camera"])
    bpy.ops.wm.save_mainfile()
    assert command_line.main(["seen", *SEEN]) == 2
    assert "The scene has no camera" in capsys.readouterr().err
    assert work == {"opened": 1, "begun": 0}
