"""Exports stay as they are to the byte: what scripts read today, they read tomorrow."""

from dataclasses import replace
from pathlib import Path

import bpy
import numpy as np
import pytest
from finding_scenes import house, of_names
from seen_tables import random_table

from octree_ext.octree_addon.answers.answer import Answer
from octree_ext.octree_addon.answers.kept import keep
from octree_ext.octree_addon.audit import report_formats as reports
from octree_ext.octree_addon.audit.model import IGNORED, About
from octree_ext.octree_addon.cameras.table import (
    SeenAnswer,
    bop_text,
    coco_texts,
    csv_text,
    json_texts,
)
from octree_ext.octree_addon.result_list import Column, Rows, no_instances

EXPORTS = Path(__file__).resolve().parents[1] / "fixtures" / "exports"
ABOUT = About("house.blend", "Ada", "2026-11-22T17:00:00+00:00", {"clearance": 0.03, "a": True})


def findings():
    return house().with_statuses([0], IGNORED, "sleeve")


def table():
    return random_table(1, cameras=("Camera",))[0]


def rows(ending):
    def write(folder):
        keep_floating()
        path = folder / f"rows{ending}"
        assert bpy.ops.octree.export_rows(filepath=str(path)) == {"FINISHED"}
        return path.read_bytes()

    return write


PARTS = {
    "Pipe": 2,
    "Poster": 2,
    "Panel": 2,
    "Table": 2,
    "Door": 1,
    "Frame": 1,
    "Bow": 1,
    "Moved": 1,
    "Stayed": 1,
    "Pair": 2,  # an instance
    "Post 0": 1,
    "Post 1": 1,
    "Post 2": 1,
    "Visitor": 1,
}


def keep_floating():
    """Keep a result of objects that land on nothing."""
    items = [bpy.data.objects.new(name, None) for name in PARTS]
    for item in items:
        bpy.context.scene.collection.objects.link(item)
    uids = np.array([item.session_uid for item in items])
    columns = (
        Column("Gap", "LENGTH", np.full(len(items), np.nan)),
        Column("Lands On", "", np.zeros(len(items), np.intp), ("nothing",)),
        Column("Parts", "", np.array(list(PARTS.values()))),
    )
    instances = no_instances(len(items))
    instances[0, list(PARTS).index("Pair"), 0] = 0
    options = {"ground": "LOWEST", "collection": ""}
    answer = Answer(
        found=None,
        title="Select Floating",
        question="select_floating",
        options=options,
        rows=Rows(uids[None], instances, columns),
    )
    keep(bpy.context, answer)


def bare(answer):
    return SeenAnswer(replace(answer, pixels=None, labels=None), {"file": "a.blend"}, (2, 3))


CASES = {
    "audit.csv": lambda _: reports.csv_report(findings(), ABOUT, {}),
    "audit.json": lambda _: reports.json_report(findings(), ABOUT, {}),
    "nothing.json": lambda _: reports.json_report(of_names(["a"]), ABOUT, {}),
    "audit.xml": lambda _: reports.junit_report(findings(), ABOUT, {}),
    "seen.csv": lambda _: csv_text(table()),
    "seen.json": lambda _: json_texts(SeenAnswer(table(), {"scene": "Scene"})),
    "chunk.csv": lambda _: csv_text(bare(table()).table),
    "chunk.json": lambda _: json_texts(bare(table())),
    "coco.json": lambda _: coco_texts(table()),
    "bop.json": lambda _: bop_text(table()),
    "rows.csv": rows(".csv"),
    "rows.json": rows(".json"),
}


def content_of(written):
    """Return the bytes of a file from all that writers give."""
    if isinstance(written, bytes):
        return written
    return "".join(written).encode("utf-8", "backslashreplace")


@pytest.mark.parametrize("name", CASES)
def test_a_format_stays_as_it_is_to_the_byte(tmp_path, name):
    content = content_of(CASES[name](tmp_path))
    assert content == (EXPORTS / name).read_bytes()
