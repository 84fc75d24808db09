"""Files that older versions wrote show what they showed, in this Blender and by today's code.

`fixtures/0.1.0_late/README.md` tells what they are; `older_files` looks at them as users do.
"""

import ast
import csv
import json
import re
import runpy
import shutil

import bpy
import pytest
from older_files import (
    FOLDER,
    LOOKS,
    command,
    differences,
    exported,
    is_older,
    open_file,
    see_all,
    see_restored,
    shown_results,
)

from octree_ext.octree_addon import item_buffer

BLENDS = sorted(FOLDER.glob("*.blend"))
OLDER = [path for path in BLENDS if is_older(path)]
# Findings of older files are not read.
SHOWN = [path for path in OLDER if not path.stem.startswith("audit")]
NAMES = ("audit", "cameras", "hidden", "never_seen", "objects", "questions", "settings")
EVERY_QUESTION = {
    "Audit", "Contacts over Frames", "Never Seen", "Not Seen by Cameras", "Seen by Cameras",
    "Select Collisions", "Select Floating", "Select Nearest", "Select in Box",
    "Select in Camera View", "Select in Sphere", "Select on Ray",
}  # fmt: skip
# Class, objects, status and reason of what somebody has looked at, or is gone.
MARKED = {
    ("overlap", "Beam", "Pipe", "reviewed", ""),
    ("duplicate", "Copy", "Panel", "ignored", 'Twice, "for light" & ünter'),
    ("coplanar opposite-facing", "Cup", "Table", "ignored", "Stands there"),
    ("touching", "Cup", "Table", "ignored", "Stands there"),
    ("coplanar same-facing", "Poster", "Wall", "resolved", ""),
    ("overlap", "Moved", "Stayed", "resolved", ""),
    ("overlap", "Gone", "Moved", "resolved", ""),
    ("overlap", "Gone", "Stayed", "resolved", ""),
}
# What 0.1.0 did not tell of instances in whole cells, and called by a place below 0: their ids.
NAMED_BY_PLACE = {"Instance [-5]": "Instance [0]", "Instance [-6]": "Instance [1]"}
# Automatic builds copy less than they did, and so divide less: what was built with them before.
AUTOMATIC = "/Scene/by button/"
BEFORE = {"Eye Before": "eye", "Monitor Before": "monitor", "Render Before": "render"}


def of(name):
    """Run a test with the files of one name that this Blender can open."""
    paths = [path for path in OLDER if path.stem.rpartition("_")[0] == name]
    return pytest.mark.parametrize("path", paths, ids=lambda path: path.stem)


def stated(path):
    facts = path.with_name(f"{path.stem.rpartition('_')[0]}.json")
    text = facts.read_text(encoding="utf-8")
    for before, now in NAMED_BY_PLACE.items():
        text = text.replace(before, now)
    return json.loads(text)


def show(name):
    """Show the result of this name, whole and as it was found."""
    for result in shown_results(bpy.context.scene):
        if result.name == name:
            return result
    raise AssertionError(f"There is no result {name}")


def report():
    return exported(bpy.ops.octree.export_audit)


def marked(report):
    """Return class, objects, status and reason of the findings that are not new."""
    names = [each["name"] for each in report["objects"]]
    return {
        (
            each["class"],
            *sorted(names[number] for number in each["objects"]),
            each["status"],
            each["reason"],
        )
        for each in report["findings"]
        if each["status"] != "new"
    }


def test_every_blender_wrote_every_file():
    assert {path.stem for path in BLENDS} == {
        f"{name}_{blender}" for name in NAMES for blender in ("4.2", "4.5", "5.2")
    }
    assert OLDER


@pytest.mark.parametrize("look", LOOKS)
@pytest.mark.parametrize("path", SHOWN, ids=lambda path: path.stem)
def test_an_older_file_shows_what_it_showed(path, look):
    open_file(path)
    others = differences(LOOKS[look](), stated(path)[look])
    if look == "built again":
        others = [each for each in others if not each.startswith(AUTOMATIC)]
    assert [*others] == []


@pytest.mark.parametrize("path", SHOWN, ids=lambda path: path.stem)
def test_an_older_file_saved_today_still_shows_it(path, tmp_path):
    open_file(path)
    bpy.ops.wm.save_as_mainfile(filepath=str(tmp_path / "again.blend"))
    open_file(tmp_path / "again.blend")
    assert [*differences(see_all(), stated(path)["seen"])] == []


def test_every_question_is_kept_in_some_file():
    titles = set()
    for path in OLDER:
        for results in stated(path)["seen"]["results"].values():
            titles |= {each["title"] for each in results}
    assert titles == EVERY_QUESTION


@of("audit")
def test_contacts_begin_and_end_where_they_did(path):
    open_file(path)
    show("All the Film")
    rows = exported(bpy.ops.octree.export_rows)["rows"]
    assert {
        row["objects"][0]: (row["Begins"], row["Ends"], row["Cut Off"])
        for row in rows
        if "Visitor" in row["objects"]
    } == {"Post 0": (2, 3, "no"), "Post 1": (5, 6, "no"), "Post 2": (8, 8, "at the end")}


@of("hidden")
def test_restoring_leaves_hidden_what_was_hidden_by_hand(path):
    open_file(path)
    seen = see_restored()["visibility"]
    hidden = {name: "monitor" for name, flags in seen["flags"].items() if flags[0]}
    hidden |= {name: "render" for name, flags in seen["flags"].items() if flags[1]}
    for eyes in seen["eyes"].values():
        hidden |= {name: "eye" for name, is_hidden in eyes.items() if is_hidden}
    assert hidden == BEFORE
    assert not bpy.ops.octree.restore_hidden.poll()


@of("never_seen")
def test_masks_come_off_whole(path):
    open_file(path)
    names = [item.name for item in bpy.data.objects if item.modifiers]
    assert names == ["Half Out", "Part", "Twin"]
    assert bpy.ops.octree.unmask_never_seen() == {"FINISHED"}
    for name in names:
        item = bpy.data.objects[name]
        assert not (item.modifiers or item.vertex_groups)


@of("settings")
def test_a_preset_of_settings_sets_every_value(path):
    open_file(path)
    bpy.context.window.scene = bpy.data.scenes.new("Plain")
    octree = bpy.context.scene.octree
    wanted = values_in("settings")
    assert len(wanted) == 13
    apply = {"menu_idname": "OCTREE_PT_build_presets"}
    label = bpy.types.OCTREE_PT_build_presets.bl_label
    try:
        bpy.ops.script.execute_preset(filepath=str(FOLDER / "presets" / "settings.py"), **apply)
    finally:
        bpy.types.OCTREE_PT_build_presets.bl_label = label  # Blender writes the preset's there
    assert {name: octree.path_resolve(name) for name in wanted} == wanted


@of("settings")
@pytest.mark.parametrize("name", ["build", "find_never_seen", "find_seen"])
def test_a_preset_of_an_operator_is_understood(path, name):
    open_file(path)
    ask = getattr(bpy.ops.octree, name)
    few = {"directions": 1, "views": "OUTSIDE", "resolution": 8, "last": 2}
    known = ask.get_rna_type().properties
    small = {key: value for key, value in few.items() if key in known}
    assert ask("EXEC_DEFAULT", True, **small) == {"FINISHED"}
    runpy.run_path(str(FOLDER / "presets" / f"{name}.py"))
    asked, wanted = bpy.context.active_operator, values_in(name)
    assert {key: getattr(asked, key) for key in wanted} == wanted
    assert ask("EXEC_DEFAULT", True, **wanted) == {"FINISHED"}


def values_in(name):
    """Return the values that a preset sets, by property."""
    text = (FOLDER / "presets" / f"{name}.py").read_text(encoding="utf-8")
    lines = re.findall(r"^(?:op|octree)\.([\w.]+) = (.+)$", text, re.MULTILINE)
    return {key: ast.literal_eval(value) for key, value in lines}


@of("audit")
def test_an_older_report_is_a_baseline(path, capsys):
    words = ("audit", path, "--clearance", "0.125")
    assert command(*words) == 1
    assert "Pipe" in capsys.readouterr().out
    assert command(*words, "--baseline", FOLDER / "reports" / "audit.json") == 0


@of("audit")
def test_an_older_report_gives_findings_their_statuses(path):
    open_file(path)
    ask = {"clearance": 0.125, "touching": True, "itself": True, "instances": True}
    sides = {"ones": "VISIBLE", "others": "VISIBLE", "coplanar": True}
    assert bpy.ops.octree.audit("EXEC_DEFAULT", True, **ask, **sides) == {"FINISHED"}
    assert marked(report()) == set()
    old = str(FOLDER / "reports" / "audit.json")
    assert bpy.ops.octree.compare_audit(filepath=old) == {"FINISHED"}
    assert marked(report()) == {each for each in MARKED if "coplanar same-facing" not in each}


def table(name):
    return json.loads((FOLDER / "tables" / name).read_text(encoding="utf-8"))


def same_tables(merged, whole):
    """Compare all but the question, which a whole and its chunks tell otherwise."""
    names = ("format", "version", "size", "cameras", "objects", "views", "rows")
    return [*differences(merged, {name: whole[name] for name in names})]


def test_older_chunks_merge_to_the_whole(tmp_path):
    tables, out = FOLDER / "tables", tmp_path / "merged.json"
    chunks = [tables / "chunk_1.json", tables / "chunk_2.json"]
    assert command("seen", "--merge", *chunks, "--out", out) == 0
    assert same_tables(json.loads(out.read_text()), table("pixels.json")) == []
    shutil.copytree(tables / "labels", tmp_path / "labels")
    words = ("--format", "coco", "--labels", tmp_path / "labels")
    assert command("seen", "--merge", *chunks, *words, "--out", out) == 0
    assert [*differences(json.loads(out.read_text()), table("pixels_coco.json"))] == []


def test_an_older_chunk_merges_with_one_of_today(tmp_path, monkeypatch):
    # The older one is by software in place of a card, and the kernel draws edges otherwise.
    monkeypatch.setattr(item_buffer, "has_kernel", lambda: False)
    out, today = tmp_path / "merged.json", tmp_path / "today.json"
    asked = ("--behind-others", "--size", 50, "--chunk", "2/2")
    assert command("seen", FOLDER / "cameras_4.2.blend", *asked, "--out", today) == 0
    chunks = [FOLDER / "tables" / "chunk_1.json", today]
    assert command("seen", "--merge", *chunks, "--out", out) == 0
    assert same_tables(json.loads(out.read_text()), table("pixels.json")) == []


@pytest.mark.parametrize("name", ["view", "pixels"])
def test_an_older_table_of_json_becomes_its_csv(tmp_path, name):
    out = tmp_path / "table.csv"
    assert command("seen", "--merge", FOLDER / "tables" / f"{name}.json", "--out", out) == 0
    new, old = (lines_of(path) for path in (out, FOLDER / "tables" / f"{name}.csv"))
    assert len(new) == len(old) > 8
    for line, wanted in zip(new, old, strict=True):
        assert [*differences(line, wanted)] == []


def lines_of(path):
    with path.open(encoding="utf-8", newline="") as file:
        return list(csv.DictReader(file))
