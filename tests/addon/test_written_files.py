"""Every file of the extension is written whole or not at all, by any number of writers."""

import json
import os
import re
import sys
from argparse import ArgumentParser
from pathlib import Path

import bpy
import numpy as np
import pytest
from behind_scenes import ball, eye
from blender_scenes import cube
from clash_scenes import EVERYTHING, audit, plant
from failing_disks import FAILURES
from finding_scenes import house
from seen_tables import random_table

from octree_ext.core import Boxes, atomic_file, build_octree, save
from octree_ext.octree_addon import command_line
from octree_ext.octree_addon.audit.model import REPORTS, About, add_options, run_audit
from octree_ext.octree_addon.cameras.table import (
    FORMATS,
    SeenAnswer,
    json_texts,
    label_folder,
    write_label_pictures,
)
from octree_ext.octree_addon.text_formats import delimited, json_file, json_text
from octree_ext.octree_addon.written_files import require_file, require_folder, write_file

CHECKOUT = Path(__file__).resolve().parents[2]
OLDER = b"older"


# Each writer: what it needs, and what writes into a folder.


def nothing(folder):
    pass


def a_tree(folder):
    tree = build_octree(Boxes(np.zeros((9, 3)), np.ones((9, 3))))
    save(tree, folder / "tree.npz")


def a_report(ending):
    """Write what the command `audit` does, of findings that are known."""

    def write(folder):
        parser = ArgumentParser()
        add_options(parser)
        line = ["--fail-on", "none", "--report", str(folder / f"audit{ending}")]
        about = About("house.blend", "Ada", "2026-11-22T17:00:00+00:00")
        assert run_audit(parser.parse_args(line), lambda _: (house(), about)) is False

    return write


def a_chunk(folder):
    """Have a chunk to merge, and its label pictures."""
    table = random_table(1)[0]
    write_file(folder / "chunk.json", json_texts(SeenAnswer(table, chunk=(1, 1))))
    write_label_pictures(table, label_folder(folder, (1, 1)))


def a_merge(form, *words):
    def write(folder):
        out = folder / f"seen{FORMATS[form].ending}"
        labels = [each if each[0] == "-" else str(folder) for each in words]
        command = ["seen", "--merge", str(folder / "chunk.json"), "--format", form, *labels]
        assert command_line.main([*command, "--out", str(out)]) == 0

    return write


def a_file(folder):
    """Save a cube above a plate, and a budget that it is over."""
    cube("Cube", location=(0, 0, 5))
    cube("Plate")
    bpy.ops.wm.save_as_mainfile(filepath=str(folder / "scene.blend"))
    (folder / "budget.json").write_text('{"cell": 1, "triangles": 9}')


def a_folder_of_chunks(folder):
    """Have a share of chunks that is the whole."""
    a_file(folder)
    a_command("chunks", "--triangles", "20", "--tiles", "/part", "--chunk", "1/1")(folder)


def a_command(name, *words, code=0, file=("/scene.blend",)):
    """Call a command on the file; words that begin with a slash are paths in the folder."""

    def write(folder):
        paths = [f"{folder}{word}" if word[0] == "/" else word for word in (*file, *words)]
        assert command_line.main([name, *paths]) == code

    return write


def seen_spheres(_):
    eye(32, 24)
    ball("Ball", (0, 5, 0))
    bpy.context.view_layer.update()
    assert bpy.ops.octree.find_seen(behind="UNSEEN") == {"FINISHED"}


def audited(_):
    plant()
    audit(**EVERYTHING)


def an_operator(name, ending, **options):
    def write(folder):
        path = str(folder / f"export{ending}")
        assert getattr(bpy.ops.octree, name)(filepath=path, **options) == {"FINISHED"}

    return write


TABLES = ((".csv", "TABLE"), (".json", "TABLE"), (".json", "COCO"), (".json", "BOP"))
ENDINGS = [writer.ending for writer in REPORTS.values()]
WRITERS = {
    "core/storage.py": {"tree": (nothing, a_tree)},
    "octree_addon/audit/model/gate.py": {each: (nothing, a_report(each)) for each in ENDINGS},
    "octree_addon/command_line/seen.py": {each: (a_chunk, a_merge(each)) for each in FORMATS}
    | {"coco": (a_chunk, a_merge("coco", "--labels", "folder"))},
    "octree_addon/command_line/audit.py": {
        "a share": (a_file, a_command("audit", "--chunk", "1/2", "--out", "/share.npz"))
    },
    "octree_addon/command_line/distances.py": {
        "distances": (a_file, a_command("distances", "--json", "/far.json"))
    },
    "octree_addon/command_line/budget.py": {
        ending: (
            a_file,
            a_command("budget", "--budget", "/budget.json", "--report", f"/b{ending}", code=1),
        )
        for ending in (".json", ".xml")
    }
    | {
        "a share": (
            a_file,
            a_command("budget", "--budget", "/budget.json", "--chunk", "1/2", "--out", "/b.json"),
        )
    },
    "octree_addon/shipping/folder.py": {
        f"chunks as {form}": (
            a_file,
            a_command("chunks", "--triangles", "20", f"--{form}", "/chunks"),
        )
        for form in ("out", "gltf", "tiles", "blend")
    }
    | {
        "chunks, merged": (
            a_folder_of_chunks,
            a_command("chunks", "--merge", "/part", "--tiles", "/chunks", file=()),
        )
    },
    "octree_addon/cameras/table/label_pictures.py": {
        "labels": (a_chunk, a_merge("json", "--labels", "folder"))
    },
    "octree_addon/file_export.py": {
        f"{form} {ending}": (seen_spheres, an_operator("export_seen", ending, format=form))
        for ending, form in TABLES
    }
    | {
        "labels": (seen_spheres, an_operator("export_seen", ".csv", labels=True)),
        "rows as csv": (audited, an_operator("export_rows", ".csv")),
        "rows as json": (audited, an_operator("export_rows", ".json")),
    }
    | {each: (audited, an_operator("export_audit", each)) for each in ENDINGS},
}
CASES = [
    pytest.param(*each, id=f"{path}: {name}")
    for path, of_file in WRITERS.items()
    for name, each in of_file.items()
]


def test_these_are_all_that_write():
    sources = [*CHECKOUT.glob("core/**/*.py"), *CHECKOUT.glob("octree_addon/**/*.py")]
    found = {
        path.relative_to(CHECKOUT).as_posix()
        for path in sources
        if any(f" {name}(" in path.read_text() for name in ("atomic_file", "write_file"))
    }
    others = {"core/atomic_files.py", "octree_addon/written_files.py"}
    others.add("octree_addon/shipping/shipping.py")  # stages what the folder writes
    others.add("octree_addon/command_line/place.py")  # after Blender has saved: in a test below
    assert found == {*WRITERS, *others}


def test_there_is_one_writer_of_csv_of_json_and_of_png():
    """Whatever leaves Blender as a file is made of their text and bytes."""
    addon = CHECKOUT / "octree_addon"
    texts = {path.relative_to(addon): path.read_text() for path in addon.rglob("*.py")}
    for word, home in {"^import csv$": "text_formats.py", "IHDR": "png.py"}.items():
        using = [path for path, text in texts.items() if re.search(word, text, re.MULTILINE)]
        assert [str(path) for path in using] == [home]
    writing = [path for path, text in texts.items() if re.search(r"text_formats|Writer\(", text)]
    assert len(writing) > 8
    assert not [path for path in writing if "json.dumps" in texts[path]]


@pytest.mark.parametrize("value", [np.nan, np.inf, -np.inf, np.float64("inf")])
def test_no_text_has_a_number_that_is_not_finite(value):
    """JSON has null for it, a table an empty field; glTF, which has neither, is refused."""
    nested = {"a": [1.5, value, {"b": (value, 2)}], "c": value}
    for options in ({}, {"ascii_only": True}, {"indent": 1}):
        text = json_text(nested, **options)
        wanted = {"a": [1.5, None, {"b": [None, 2]}], "c": None}
        assert json.loads(text, parse_constant=pytest.fail) == wanted
    assert json.loads(json_file(nested)) == wanted
    assert delimited([["x", value, 2.5]]) == "x,,2.5\n"
    with pytest.raises(ValueError, match="not JSON compliant"):
        json_text(nested, strict=True)


def files_in(folder):
    """Return the bytes of all files, by path."""
    return {path: path.read_bytes() for path in folder.rglob("*") if path.is_file()}


def written_once(prepare, write, folder):
    """Return the files that a writer has written, and leave older ones in their place."""
    prepare(folder)
    before = files_in(folder)
    write(folder)
    written = [path for path in files_in(folder) if path not in before]
    assert written
    for path in written:
        assert path.stat().st_size > 10
        path.write_bytes(OLDER)
    return written


@pytest.mark.parametrize("failure", FAILURES)
@pytest.mark.parametrize(("prepare", "write"), CASES)
def test_a_failing_disk_keeps_what_was_there(
    tmp_path, monkeypatch, capsys, prepare, write, failure
):
    written = written_once(prepare, write, tmp_path)
    before = files_in(tmp_path)
    capsys.readouterr()
    with FAILURES[failure](monkeypatch, atomic_file) as expected:
        try:
            write(tmp_path)
        except BaseException as error:
            said = f"{error}{capsys.readouterr().err}"
        else:
            pytest.fail("It says that it has written")
    assert files_in(tmp_path) == before
    if expected.number is not None:
        assert os.strerror(expected.number) in said
        assert any(str(path) in said for path in written) or str(tmp_path) in said
    write(tmp_path)
    assert files_in(tmp_path).keys() == before.keys()
    assert all(path.read_bytes() != OLDER for path in written)


@pytest.mark.parametrize(("prepare", "write"), CASES)
def test_writers_that_overlap_all_write(tmp_path, monkeypatch, prepare, write):
    """Another begins and ends while each file is written but not yet there."""
    written = written_once(prepare, write, tmp_path)
    before = files_in(tmp_path)
    others = []

    def at_the_end(number):
        if len(others) < len(written):
            path = written[len(others)]
            others.append(path)
            write_file(path, ["of the other"])
        flush(number)

    flush = os.fsync
    monkeypatch.setattr(sys.modules[atomic_file.__wrapped__.__module__].os, "fsync", at_the_end)
    write(tmp_path)
    assert len(others) == len(written)
    assert files_in(tmp_path).keys() == before.keys()
    assert all(path.read_bytes() not in (OLDER, b"of the other") for path in written)


@pytest.mark.parametrize("failure", ["forbidden", "read only"])
def test_places_are_tried_before_the_work(tmp_path, monkeypatch, failure):
    (tmp_path / "file").write_bytes(OLDER)
    for ask, path in (
        (require_file, tmp_path / "file"),
        (require_folder, tmp_path / "a" / "b"),
    ):
        ask(path)
        with FAILURES[failure](monkeypatch, atomic_file) as expected:
            with pytest.raises(expected.kind) as raised:
                ask(path)
        assert raised.value.errno == expected.number
        assert str(path) in str(raised.value)
    assert files_in(tmp_path) == {tmp_path / "file": OLDER}
    assert list(tmp_path.iterdir()) == [tmp_path / "file"]


def test_no_file_where_a_folder_is_and_no_folder_where_a_file_is(tmp_path):
    (tmp_path / "file").write_bytes(OLDER)
    with pytest.raises(FileExistsError, match="A folder or device stands there"):
        require_file(tmp_path)
    with pytest.raises(FileNotFoundError, match="There is no folder"):
        require_file(tmp_path / "new" / "file")
    for path in (tmp_path / "file", tmp_path / "file" / "below"):
        with pytest.raises(NotADirectoryError, match="file is a file, not a folder"):
            require_folder(path)


@pytest.mark.parametrize("failure", FAILURES)
def test_what_was_placed_is_saved_even_if_its_table_cannot_be(tmp_path, monkeypatch, failure):
    a_file(tmp_path)
    (tmp_path / "placed.json").write_bytes(OLDER)
    source = (tmp_path / "scene.blend").read_bytes()
    words = ["--drop", "Scene Collection", "--out", str(tmp_path / "placed.blend")]
    words = [
        "place",
        str(tmp_path / "scene.blend"),
        *words,
        "--json",
        str(tmp_path / "placed.json"),
    ]
    with FAILURES[failure](monkeypatch, atomic_file):
        assert command_line.main(words) in (2, 130)
    assert (tmp_path / "placed.json").read_bytes() == OLDER
    assert (tmp_path / "scene.blend").read_bytes() == source
    names = {path.name for path in tmp_path.iterdir()}
    assert names <= {"scene.blend", "budget.json", "placed.json", "placed.blend"}
