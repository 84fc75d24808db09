"""Exported tables of a result: text, CSV with units in the header, JSON with a version."""

import json
from collections.abc import Iterable
from typing import Any

import bpy
import numpy as np

from ..answers.kept import view_of
from ..answers.rows import Column
from ..answers.view import View
from ..arrays import Ids
from ..text_formats import delimited, json_file
from ..ui import length_unit
from ..written_files import Writer, Writers

VERSION = 1


def headers_of(scene: bpy.types.Scene, view: View) -> list[str]:
    """Return the headers of a table, with units, such as "Distance [m]"."""
    names = ["Object", "Other Object"][: len(view.rows.objects)]
    return names + [
        f"{each.name} [{unit_of(scene, each)}]" if each.unit else each.name
        for each in view.rows.columns
    ]


def unit_of(scene: bpy.types.Scene, column: Column) -> str:
    """Return the unit of an exported column, such as "m", "m2" or "%"; empty for none."""
    length = length_unit(scene)[0]
    return {"": "", "PERCENT": "%", "LENGTH": length, "AREA": f"{length}2"}[column.unit]


def exported_values(scene: bpy.types.Scene, column: Column, rows: Ids) -> list[Any]:
    """Return the values of rows in the unit of the header, as Python numbers or words.

    Numbers that are not finite become None.
    """
    values = column.values[rows]
    if column.words:
        return [column.words[value] for value in values.tolist()]
    if column.power:
        values = values * length_unit(scene)[1] ** column.power
    finite = np.isfinite(values).tolist()
    return [value if good else None for value, good in zip(values.tolist(), finite, strict=True)]


def table_lines(scene: bpy.types.Scene, result: Any, rows: Ids) -> Iterable[list[Any]]:
    """Yield the header, then one line per row: names, numbers and, if used, the group."""
    view = view_of(scene, result)
    yield headers_of(scene, view) + ["Group"] * bool(view.groups)
    names = (view.labels(row) for row in rows.tolist())
    columns = [exported_values(scene, each, rows) for each in view.rows.columns]
    if view.groups:
        columns.append([view.folds.group_of(row) for row in rows.tolist()])
    for line, labels in enumerate(names):
        yield [*labels, *(column[line] for column in columns)]


def csv_table(scene: bpy.types.Scene, result: Any, rows: Ids) -> str:
    """Return rows as CSV. A name that looks like a formula is prefixed with an apostrophe."""
    return delimited(table_lines(scene, result, rows))


def text_table(scene: bpy.types.Scene, result: Any, rows: Ids) -> str:
    """Return rows as tab-separated text, to be pasted into a spreadsheet or a message."""
    return delimited(table_lines(scene, result, rows), "\t")


def json_table(scene: bpy.types.Scene, result: Any, rows: Ids) -> str:
    """Return rows as JSON, with unchanged names, persistent ids of instances, and frames."""
    view = view_of(scene, result)
    table, sides = view.rows, range(len(view.rows.objects))
    columns = {each.name: exported_values(scene, each, rows) for each in table.columns}
    written: list[dict[str, Any]] = []
    for line, row in enumerate(rows.tolist()):
        entry: dict[str, Any] = {
            "objects": [view.names[table.objects[side, row]] for side in sides],
            "instances": [table.numbers_of(row, side) for side in sides],
        }
        entry |= {name: values[line] for name, values in columns.items()}
        if table.seen is not None:
            name = "touching_in" if table.are_pairs else "seen_in"
            entry[name] = table.frames[table.seen[row]].tolist()
        if view.folds.group_of(row):
            entry["group"] = view.folds.group_of(row)
        written.append(entry)
    head = {
        "version": VERSION,
        "result": result.name,
        "question": result.question,
        "options": json.loads(result.options),
        "units": {each.name: unit_of(scene, each) for each in table.columns if each.unit},
        "frames": table.frames.tolist(),
        "rows": written,
    }
    return json_file(head)


TABLES: Writers = {"csv": Writer(".csv", csv_table), "json": Writer(".json", json_table)}
