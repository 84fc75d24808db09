"""Mark: write a number into a custom property of each object of rows."""

from typing import Any, Literal

import bpy

from ..answers import verbs
from ..answers.kept import view_of
from ..answers.view import View
from ..arrays import Ids
from ..options import enum, string
from ..selection import Subjects
from ..ui import settings_of
from .operators import RowsOptions, SubjectsOperator


class MarkRowsOptions(RowsOptions):
    """The rows, the number to write, and the name of the custom property."""

    number: Literal["ROWS", "COLUMN"] = enum(
        "ROWS",
        "Number",
        "What is written",
        {
            "ROWS": ("Rows", "How many of the rows name the object"),
            "COLUMN": (
                "Sorted Column",
                "The number in the column that the list is sorted by; of several rows with the"
                " object that of the first",
            ),
        },
    )
    attribute: str = string("rows_found", "Attribute", "Name of the custom property", maxlen=63)


class OCTREE_OT_mark_rows(SubjectsOperator[MarkRowsOptions], bpy.types.Operator):
    """Write into objects how many rows name them, or a number of their rows."""

    bl_idname = "octree.mark_rows"
    bl_label = "Mark Result Rows"
    bl_description = (
        "Write into a custom property of each object of the picked rows, or of all that the list"
        " shows, how many of these rows name it, or its number in the column that the list is"
        " sorted by"
    )
    button = "Mark"

    def act(self, context: bpy.types.Context, result: Any, rows: Ids, subjects: Subjects) -> str:
        if self.taken.number == "COLUMN":
            by = settings_of(context.scene).results.sort
            first = first_numbers(view_of(context.scene, result), rows, by)
            subjects = Subjects({uid: first[uid] for uid in subjects.objects})
        return verbs.mark(context, subjects, self.taken.attribute)


def first_numbers(view: View, rows: Ids, header: str) -> dict[int, float]:
    """Return the value of a column for each object, from its first row, by session id.

    Raises a `ValueError` if there is no such column, or if it holds words.
    """
    column = view.rows.column(header)
    if column is None or column.words:
        raise ValueError("Sort the list by a column of numbers first")
    found: dict[int, float] = {}
    objects = view.rows.objects[:, rows].T.tolist()
    for numbers, value in zip(objects, column.values[rows].tolist(), strict=True):
        for number in numbers:
            found.setdefault(view.uids[number], value)
    return found
