"""`blender --command octree seen`: what it writes, refuses and leaves alone."""

import csv
import json
from dataclasses import replace

import bpy
import numpy as np
import pytest
from blender_scenes import camera, cube, mesh_object
from seen_scenes import add_row, cubes
from seen_tables import random_table

from octree_ext.octree_addon import command_line
from octree_ext.octree_addon.command_line import seen
from octree_ext.octree_addon.command_line.farm import chunk_of
from octree_ext.octree_addon.command_line.frame_ranges import (
    frames_in_chunk,
    frames_of,
)

SCRIPT = "import bpy\nbpy.context.scene.frame_end = 1\n"


@pytest.fixture
def blend(tmp_path):
    """Save a row of cubes that a camera passes over, one in each of five frames."""
    add_row()
    path = tmp_path / "row.blend"
    bpy.ops.wm.save_as_mainfile(filepath=str(path))
    bpy.ops.wm.read_homefile(use_empty=True)
    return path


def octree(*words):
    return command_line.main([str(word) for word in words])


def seen_in(path):
    """Return (frame, camera, object) of each row."""
    data = json.loads(path.read_text(encoding="utf-8"))
    frames, cameras = data["views"]["frame"], data["views"]["camera"]
    rows = zip(data["rows"]["view"], data["rows"]["object"], strict=True)
    return {
        (frames[view], data["cameras"][cameras[view]], data["objects"][item]["name"])
        for view, item in rows
    }


def test_the_whole_range_of_the_scene(blend, tmp_path, capsys):
    out = tmp_path / "seen.json"
    assert octree("seen", blend, "--out", out) == 0
    assert "5 of 6 objects seen in 5 views; written to" in capsys.readouterr().out
    assert seen_in(out) == {(at + 1, "Camera", f"Cube {at}") for at in range(5)}
    data = json.loads(out.read_text())
    assert {each["name"] for each in data["objects"]} == cubes(0, 1, 2, 3, 4) | {"Aside"}
    assert set(data["rows"]["state"]) == {"in view"}
    assert data["question"] == {
        "file": "row.blend",
        "scene": "Scene",
        "cameras": ["scene"],
        "boxes": False,
        "behind_others": False,
    }
    assert (data["size"], data["chunk"]) == ([100, 100], None)


def test_csv_by_the_end_of_the_name(blend, tmp_path):
    assert octree("seen", blend, "--frames", "2,4-5", "--out", tmp_path / "seen.csv") == 0
    with (tmp_path / "seen.csv").open(newline="") as file:
        lines = list(csv.DictReader(file))
    assert [(line["frame"], line["object"]) for line in lines] == [
        ("2", "Cube 1"),
        ("4", "Cube 3"),
        ("5", "Cube 4"),
        ("", "Aside"),
        ("", "Cube 0"),
        ("", "Cube 2"),
    ]


def test_the_blend_file_and_its_folder_are_left_alone(blend, tmp_path):
    before, changed = blend.read_bytes(), blend.stat().st_mtime_ns
    out = tmp_path / "out"
    out.mkdir()
    assert octree("seen", blend, "--out", out / "seen.json") == 0
    assert (blend.read_bytes(), blend.stat().st_mtime_ns) == (before, changed)
    assert {each.name for each in tmp_path.iterdir()} == {"row.blend", "out"}
    assert [each.name for each in out.iterdir()] == ["seen.json"]


@pytest.mark.parametrize("count", [1, 2, 3, 7])
def test_merged_chunks_are_the_whole(blend, tmp_path, count):
    whole, again = tmp_path / "whole.json", tmp_path / "again.json"
    octree("seen", blend, "--cameras", "all", "--out", whole)
    for at in range(1, count + 1):
        chunk = ("--chunk", f"{at}/{count}", "--out", tmp_path / f"part {at}.json")
        assert octree("seen", blend, "--cameras", "all", *chunk) == 0
    assert octree("seen", "--merge", tmp_path / "part *.json", "--out", again) == 0
    assert again.read_bytes() == whole.read_bytes()
    whole.unlink()
    assert octree("seen", "--merge", tmp_path / "*.json", "--out", again) == 0  # once more
    octree("seen", blend, "--cameras", "all", "--out", whole)
    assert again.read_bytes() == whole.read_bytes()
    assert octree("seen", "--merge", again, "--out", tmp_path / "again.csv") == 0
    assert octree("seen", blend, "--cameras", "all", "--out", tmp_path / "whole.csv") == 0
    assert (tmp_path / "again.csv").read_bytes() == (tmp_path / "whole.csv").read_bytes()


def test_cameras_are_all_or_named_or_those_of_markers(tmp_path):
    add_row()
    other = camera("ORTHO", location=(0, 9, 10))
    other.data.ortho_scale, other.name = 1.0, "Other"
    scene = bpy.context.scene
    scene.timeline_markers.new("here", frame=1).camera = scene.objects["Camera"]
    scene.timeline_markers.new("there", frame=4).camera = other
    blend, out = tmp_path / "two.blend", tmp_path / "seen.json"
    bpy.ops.wm.save_as_mainfile(filepath=str(blend))
    first = {(at + 1, "Camera", f"Cube {at}") for at in range(5)}
    second = {(at + 1, "Other", "Aside") for at in range(5)}
    for words, expected in (
        (("all",), first | second),
        (("Other",), second),
        (("Other", "Camera"), first | second),
        (("scene",), {each for each in first | second if (each[1] == "Other") == (each[0] > 3)}),
    ):
        assert octree("seen", blend, "--cameras", *words, "--out", out) == 0
        assert seen_in(out) == expected
    views = json.loads(out.read_text())["views"]
    assert views == {"frame": [1, 2, 3, 4, 5], "camera": [0, 0, 0, 1, 1]}


def test_boxes_count_what_their_triangles_do_not(tmp_path):
    mesh_object("Corner", [(-3, 5, 0), (5, 5, 0), (5, -3, 0)], [(0, 1, 2)])
    camera("ORTHO", location=(0, 0, 10)).data.ortho_scale = 1.0
    blend, out = tmp_path / "a.blend", tmp_path / "seen.json"
    bpy.ops.wm.save_as_mainfile(filepath=str(blend))
    assert octree("seen", blend, "--frames", "1", "--out", out) == 0
    assert seen_in(out) == set()
    assert octree("seen", blend, "--frames", "1", "--boxes", "--out", out) == 0
    assert seen_in(out) == {(1, "Camera", "Corner")}
    assert json.loads(out.read_text())["question"]["boxes"] is True


def test_categories_are_properties_or_collections(tmp_path):
    plain, marked = cube("Plain"), cube("Marked")
    marked["category"] = "chair"
    collection = bpy.data.collections.new("Tables")
    bpy.context.scene.collection.children.link(collection)
    bpy.context.scene.collection.objects.unlink(plain)
    collection.objects.link(plain)
    camera(location=(0, 0, 10))
    blend, out = tmp_path / "a.blend", tmp_path / "seen.json"
    bpy.ops.wm.save_as_mainfile(filepath=str(blend))
    assert octree("seen", blend, "--frames", "1", "--out", out) == 0
    objects = json.loads(out.read_text())["objects"]
    assert {each["name"]: each["category"] for each in objects} == {
        "Plain": "Tables",
        "Marked": "chair",
    }


def test_the_scene_is_the_one_that_was_shown(tmp_path):
    cube("Elsewhere")
    other = bpy.data.scenes.new("Other")
    bpy.context.window.scene = other
    cube("Here")
    camera(location=(0, 0, 10))
    blend, out = tmp_path / "a.blend", tmp_path / "seen.json"
    bpy.ops.wm.save_as_mainfile(filepath=str(blend))
    assert octree("seen", blend, "--frames", "1", "--out", out) == 0
    data = json.loads(out.read_text())
    assert data["question"]["scene"] == "Other"
    assert [each["name"] for each in data["objects"]] == ["Here"]


def test_scripts_of_a_file_run_only_if_blender_lets_them(blend, tmp_path):
    bpy.ops.wm.open_mainfile(filepath=str(blend))
    script = bpy.data.texts.new("startup.py")
    script.write(SCRIPT)
    script.use_module = True
    bpy.ops.wm.save_mainfile()
    out = tmp_path / "seen.json"
    assert octree("seen", blend, "--out", out) == 0
    assert len(json.loads(out.read_text())["views"]["frame"]) == 5


@pytest.mark.parametrize(
    ("words", "message"),
    [
        ((), "NAME"),
        (("nothing",), "invalid choice"),
        (("seen", "FILE"), "--out"),
        (("seen", "--out", "a.json"), "either a .blend FILE, or what to --merge"),
        (("seen", "FILE", "--out", "a.json", "--merge", "b.json"), "either a .blend FILE"),
        (("seen", "FILE", "--out", "a.txt"), "must end in .json or .csv"),
        (("seen", "FILE", "--out", "a.blend", "--format", "json"), "must end in .json"),
        (("seen", "FILE", "--out", "a.csv", "--chunk", "1/2"), "written as JSON"),
        (("seen", "FILE", "--out", "a.json", "--chunk", "3/2"), "'3/2' is no chunk"),
        (("seen", "FILE", "--out", "a.json", "--frames", "one"), "'one' is no range"),
        (("seen", "FILE", "--out", "a.json", "--frames", "5-4"), "'5-4' goes nowhere"),
        (("seen", "FILE", "--out", "a.json", "--frames", "1-9x0"), "goes nowhere"),
        (("seen", "--merge", "b.json", "--out", "a.json", "--boxes"), "ask about a FILE"),
        (("seen", "--merge", "a.json", "--out", "a.json"), "the only file"),
        (("seen", "FILE", "--out", "no/a.json"), "There is no folder no"),
        (("seen", "no.blend", "--out", "a.json"), "There is no file no.blend"),
        (("seen", "bad.blend", "--out", "a.json"), "bad.blend cannot be opened"),
        (("seen", "FILE", "--out", "a.json", "--cameras", "Nope"), "no camera named Nope"),
        (("seen", "FILE", "--out", "a.json", "--format", "coco"), "with --behind-others"),
        (("seen", "FILE", "--out", "a.json", "--format", "bop"), "with --behind-others"),
        (("seen", "FILE", "--out", "a.json", "--labels", "here"), "with --behind-others"),
        (("seen", "FILE", "--out", "a.json", "--boxes", "--behind-others"), "no pixels"),
        (("seen", "FILE", "--out", "a.json", "--size", "0"), "0 is no percentage"),
        (("seen", "--merge", "no.json", "--out", "a.json"), "no.json"),
        (("seen", "--merge", "bad.blend", "--out", "a.json"), "cannot be merged"),
    ],
)
def test_errors_have_reasons(blend, tmp_path, monkeypatch, capsys, words, message):
    monkeypatch.chdir(tmp_path)
    (tmp_path / "bad.blend").write_text("nothing of the kind")
    before = {each.name for each in tmp_path.iterdir()}
    assert octree(*(str(blend) if word == "FILE" else word for word in words)) == 2
    assert message in capsys.readouterr().err
    assert {each.name for each in tmp_path.iterdir()} == before


def test_a_missing_chunk_is_said(blend, tmp_path, capsys):
    for at in (1, 3):
        octree("seen", blend, "--chunk", f"{at}/3", "--out", tmp_path / f"{at}.json")
    merge = ("seen", "--merge", tmp_path / "1.json", tmp_path / "3.json")
    assert octree(*merge, "--out", tmp_path / "all.json") == 2
    assert "Missing of 3 chunks: 2" in capsys.readouterr().err
    assert not (tmp_path / "all.json").exists()


@pytest.mark.parametrize("words", [("--help",), ("seen", "--help")])
def test_help_is_no_error(capsys, words):
    assert octree(*words) == 0
    assert "blender --command octree" in capsys.readouterr().out


def test_what_counts_pixels_plugs_in(blend, tmp_path, monkeypatch, capsys):
    table, _, labels = random_table(1)

    def steps(context, shot, pixels):
        assert shot.frames == (1, 2, 3) and pixels is not None
        yield 0.5
        return table

    monkeypatch.setattr(seen, "table_steps", steps)
    ask = ("seen", blend, "--frames", "1-3", "--behind-others", "--out", tmp_path / "a.json")
    assert octree(*ask, "--labels", tmp_path / "labels") == 0
    seen_items = len(np.unique(labels)) - 1
    assert seen_items < len(table.items) - len(table.absent)  # some are behind others
    assert f"{seen_items} of 5 objects seen in 3 views" in capsys.readouterr().out
    data = json.loads((tmp_path / "a.json").read_text())
    assert sum(data["rows"]["visible_pixels"]) == sum(int((each >= 0).sum()) for each in labels)
    assert len(list((tmp_path / "labels").iterdir())) == 3
    assert octree(*ask, "--format", "coco") == 0
    assert json.loads((tmp_path / "a.json").read_text())["annotations"]
    assert octree(*ask, "--format", "bop") == 0
    assert json.loads((tmp_path / "a.json").read_text()).keys() == {"1", "2", "3"}
    monkeypatch.setattr(seen, "table_steps", in_order_of_chunks(table))
    for at in (1, 2, 3):
        words = ("--behind-others", "--chunk", f"{at}/3", "--out", tmp_path / f"{at}.json")
        assert octree("seen", blend, "--frames", "1-3", *words) == 0
    parts = [tmp_path / f"{at}.json" for at in (1, 2, 3)]
    merge = ("seen", "--merge", *parts, "--format", "bop", "--out", tmp_path / "b.json")
    assert octree(*merge) == 0
    assert (tmp_path / "a.json").read_text() == (tmp_path / "b.json").read_text()


def in_order_of_chunks(table):
    """Return an answer that has those views of a table whose frames are asked for."""

    def steps(_, shot, pixels):
        yield 0.5
        views = np.flatnonzero(np.isin(table.which.frames, shot.frames))
        rows = np.flatnonzero(np.isin(table.views, views))
        which = replace(
            table.which, frames=table.which.frames[views], cameras=table.which.cameras[views]
        )
        return replace(
            table,
            which=which,
            views=np.searchsorted(views, table.views[rows]),
            items_of=table.items_of[rows],
            states=table.states[rows],
            pixels=table.pixels.taken(rows),
            labels=None,
        )

    return steps


@pytest.mark.parametrize(
    ("text", "frames"),
    [
        ("7", (7,)),
        ("1-3", (1, 2, 3)),
        ("1..3", (1, 2, 3)),
        ("3, 5-10x2, 4-5", (3, 4, 5, 7, 9)),
        ("-3--1", (-3, -2, -1)),
    ],
)
def test_frames_are_written_as_farms_write_them(text, frames):
    assert frames_of(text) == frames


@pytest.mark.parametrize("count", range(1, 9))
def test_chunks_are_neighbors_and_nearly_equal(count):
    frames = tuple(range(10, 15))
    parts = [frames_in_chunk(frames, chunk_of(f"{at}/{count}")) for at in range(1, count + 1)]
    assert sum(parts, ()) == frames
    sizes = [len(part) for part in parts]
    assert max(sizes) - min(sizes) <= 1


def test_commands_are_known_to_blender_until_unregistered(monkeypatch):
    known = []
    monkeypatch.setattr(command_line, "_handles", [])
    monkeypatch.setattr(bpy.utils, "register_cli_command", lambda *both: known.append(both) or 7)
    monkeypatch.setattr(bpy.utils, "unregister_cli_command", lambda _: known.pop())
    command_line.register()
    assert known == [("octree", command_line.main)]
    command_line.unregister()
    command_line.unregister()
    assert known == command_line._handles == []
