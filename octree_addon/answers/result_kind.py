"""Result kinds: the summary, buttons, columns and drawing of the results of one question.

Each feature declares one `ResultKind` per question and lists it in its `Feature`. The list, the
panel and the overlays call `kind_of(result)` and contain no names of questions.
"""

from collections.abc import Sequence
from typing import Any, NamedTuple

import bpy
import numpy as np

from ..arrays import Flags, Floats, Ids
from ..ui import plural
from .rows import Column, Rows, unpack


class Contact(NamedTuple):
    """The contact between the two objects of a row.

    Attributes
    ----------
    around : ndarray of float64, shape (p, 3)
        The points that the 3D view frames.
    segments : ndarray of float64, shape (s, 2, 3)
        The segments of the line where the surfaces cross.
    faces : tuple of ndarray of intp
        The triangles in contact, indices into the evaluated mesh of each side.
    key : tuple of int
        Identifies this contact among all others.
    """

    around: Floats
    segments: Floats
    faces: tuple[Ids, ...]
    key: tuple[int, ...]


class ColoredCells(NamedTuple):
    """The cells of a result, with the values that color them.

    Attributes
    ----------
    lower, upper : ndarray of float64, shape (c, 3)
        The corners of each cell.
    values : ndarray of float64, shape (c,)
        The value of each cell, 0 or more.
    over : ndarray of bool, shape (c,)
        Flags of the cells that exceed the budget.
    """

    lower: Floats
    upper: Floats
    values: Floats
    over: Flags


class ResultKind:
    """The results of one question. The defaults suit rows of objects with plain numbers.

    Parameters
    ----------
    question : str
        The name of the operator that asks the question, without "octree.".

    Attributes
    ----------
    headers : tuple of str
        The columns that `texts` writes; if empty, the list shows as many columns as fit.
    refresh : str
        The operator that asks the question of the active result again, without "octree.".
    """

    headers: tuple[str, ...] = ()
    refresh = "refresh_result"

    def __init__(self, question: str) -> None:
        self.question = question

    def of(self, result: Any) -> "ResultKind":
        """Return the kind of one result; overridden by questions with more than one kind."""
        return self

    def rows(
        self, scene: bpy.types.Scene, result: Any, uids: Sequence[int], names: Sequence[str]
    ) -> Rows:
        """Read the rows of a result, whose objects have these session ids and names."""
        return unpack(result.data)

    def summary(self, layout: bpy.types.UILayout, context: bpy.types.Context, result: Any) -> None:
        """Draw the summary of the result, above the list."""
        layout.label(text=plural(int(result.count), "row"), translate=False)

    def offer(self, layout: bpy.types.UILayout, context: bpy.types.Context, result: Any) -> None:
        """Draw the buttons for the result and its active row, below the list."""

    def fixes(self, layout: bpy.types.UILayout, context: bpy.types.Context, result: Any) -> None:
        """Draw the buttons that fix the problem of the active row."""

    def title(self, scene: bpy.types.Scene, result: Any, name: str) -> str:
        """Return the header of a column."""
        return name

    def texts(self, scene: bpy.types.Scene, result: Any, row: int) -> tuple[str, ...]:
        """Return the texts of a row in the columns of `headers`."""
        return ()

    def icons(
        self, scene: bpy.types.Scene, result: Any, row: int
    ) -> tuple[tuple[str, ...], tuple[str, ...]]:
        """Return the icons before and after the texts of a row."""
        return (), ()

    def is_quiet(self, scene: bpy.types.Scene, result: Any, row: int) -> bool:
        """Return whether a row is drawn in gray because it needs no action."""
        return False

    def now(self, scene: bpy.types.Scene, result: Any, column: Column) -> Column:
        """Return a column with the values of the current scene, for columns that follow it."""
        return column

    def contact(self, scene: bpy.types.Scene, result: Any, row: int) -> Contact | None:
        """Return the contact between the objects of a row; None if unknown."""
        return None

    def go_to(self, scene: bpy.types.Scene, result: Any, row: int) -> None:
        """Set the scene to the frame of a row."""

    def cells(self, scene: bpy.types.Scene, result: Any) -> ColoredCells | None:
        """Return the cells to draw if the rows stand for cells, not objects; else None."""
        return None

    def colors_objects(self, scene: bpy.types.Scene, result: Any, rows: Rows) -> bool:
        """Return whether the objects of the rows are colored in the 3D view."""
        return not rows.are_pairs

    def severity(self, rows: Rows) -> Floats:
        """Return the severity of each row, (n,), from the first column of numbers.

        Lengths and areas are the more severe the smaller they are, other numbers the larger.
        """
        column = next((each for each in rows.columns if not each.words), None)
        if column is None:
            return np.zeros(len(rows))
        values = column.values.astype(np.float64)
        known = np.where(np.isnan(values), np.inf if column.power else -np.inf, values)
        return -known if column.power else known


_ANY = ResultKind("")  # for questions that this version does not know
# Result kinds by question; `octree_addon/__init__.py` adds those of all features.
KINDS: dict[str, ResultKind] = {}


def kind_of(result: Any) -> ResultKind:
    """Return the kind of a result."""
    return KINDS.get(result.question, _ANY).of(result)
