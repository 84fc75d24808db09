"""Result kinds: how the results of one question look, what they offer, and how they are drawn.

Each feature has one `ResultKind` per question beside its panel and names them in its `Feature`.
The list, the panel and the overlays ask `kind_of(result)` and know no question by name.
"""

from collections.abc import Sequence
from typing import Any, NamedTuple

import bpy
import numpy as np

from ..arrays import Flags, Floats, Ids
from ..ui import plural
from .rows import Column, Rows, unpack


class Contact(NamedTuple):
    """Where the objects of a row meet.

    Attributes
    ----------
    around : ndarray of float64, shape (p, 3)
        The points that the view frames.
    segments : ndarray of float64, shape (s, 2, 3)
        The line in which their surfaces cross.
    faces : tuple of ndarray of intp
        The triangles in contact, of the evaluated mesh on each side.
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
        Their corners.
    values : ndarray of float64, shape (c,)
        Their values on a ratio scale: 0 or more.
    over : ndarray of bool, shape (c,)
        Which cells exceed the budget.
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
        The name of the operator that asks, without "octree.".

    Attributes
    ----------
    headers : tuple of str
        The columns that `texts` writes; without any, the list shows as many columns as fit.
    refresh : str
        The operator that asks the question of the active result again.
    """

    headers: tuple[str, ...] = ()
    refresh = "refresh_result"

    def __init__(self, question: str) -> None:
        self.question = question

    def of(self, result: Any) -> "ResultKind":
        """Return the kind of one result, where a question has more than one."""
        return self

    def rows(
        self, scene: bpy.types.Scene, result: Any, uids: Sequence[int], names: Sequence[str]
    ) -> Rows:
        """Return the rows of a result, whose objects have these session ids and names."""
        return unpack(result.data)

    def summary(self, layout: bpy.types.UILayout, context: bpy.types.Context, result: Any) -> None:
        """Draw the answer in words, above the list."""
        layout.label(text=plural(int(result.count), "row"), translate=False)

    def offer(self, layout: bpy.types.UILayout, context: bpy.types.Context, result: Any) -> None:
        """Draw the actions on the result and on its active row, below the list."""

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
        """Return whether a row is grayed, because it needs no action."""
        return False

    def now(self, scene: bpy.types.Scene, result: Any, column: Column) -> Column:
        """Return a column with the values of the current scene, for rows that follow it."""
        return column

    def contact(self, scene: bpy.types.Scene, result: Any, row: int) -> Contact | None:
        """Return where the objects of a row meet, if that is known."""
        return None

    def go_to(self, scene: bpy.types.Scene, result: Any, row: int) -> None:
        """Set the scene to the frame of a row."""

    def cells(self, scene: bpy.types.Scene, result: Any) -> ColoredCells | None:
        """Return the cells that the rows are, to be drawn in place of objects."""
        return None

    def colors_objects(self, scene: bpy.types.Scene, result: Any, rows: Rows) -> bool:
        """Return whether the objects of the rows are colored in the 3D view."""
        return not rows.are_pairs

    def severity(self, rows: Rows) -> Floats:
        """Return the severity of each row, (n,), by its first number: the largest or nearest."""
        column = next((each for each in rows.columns if not each.words), None)
        if column is None:
            return np.zeros(len(rows))
        values = column.values.astype(np.float64)
        known = np.where(np.isnan(values), np.inf if column.power else -np.inf, values)
        return -known if column.power else known


_ANY = ResultKind("")  # of a question that this version does not know
# By question; the package fills it from the features.
KINDS: dict[str, ResultKind] = {}


def kind_of(result: Any) -> ResultKind:
    """Return the kind of a result."""
    return KINDS.get(result.question, _ANY).of(result)
