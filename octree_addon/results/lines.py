"""Registry of row renderers: how rows of some questions look in the list and in the 3D view."""

from collections.abc import Callable
from typing import Any, NamedTuple

import bpy

from ..answers.rows import Column
from ..arrays import Floats, Ids


class Contact(NamedTuple):
    """Where the objects of a row meet.

    Attributes
    ----------
    around : ndarray of float64, shape (p, 3)
        What the view shows of it.
    segments : ndarray of float64, shape (s, 2, 3)
        The line in which their surfaces cross.
    faces : tuple of ndarray of intp
        The triangles in contact, of the evaluated mesh on each side.
    key : tuple of int
        What tells this contact from others.
    """

    around: Floats
    segments: Floats
    faces: tuple[Ids, ...]
    key: tuple[int, ...]


class Lines(NamedTuple):
    """How the rows of one question are shown.

    Attributes
    ----------
    headers : tuple of str
        The columns that can be sorted by with a click; none for as many as there is room for.
    texts : callable
        Returns the texts of a row in these columns.
    contact : callable
        Returns where the objects of a row meet, or None.
    go_to : callable, optional
        Brings the scene to what a row is about: to its frame.
    icons : callable
        Returns the icons before and behind the texts of a row.
    is_quiet : callable
        Tells whether a row is grayed: nothing is to be done about it.
    title : callable
        Returns what stands above a column, by its name.
    now : callable
        Returns a column as the scene stands now, for rows that follow it.
    """

    headers: tuple[str, ...]
    texts: Callable[[bpy.types.Scene, Any, int], tuple[str, ...]]
    contact: Callable[[bpy.types.Scene, Any, int], Contact | None]
    go_to: Callable[[bpy.types.Scene, Any, int], None] | None = None
    icons: Callable[[bpy.types.Scene, Any, int], tuple[tuple[str, ...], tuple[str, ...]]] = (
        lambda *_: ((), ())
    )
    is_quiet: Callable[[bpy.types.Scene, Any, int], bool] = lambda *_: False
    title: Callable[[bpy.types.Scene, Any, str], str] = lambda _, __, name: name
    now: Callable[[bpy.types.Scene, Any, Column], Column] = lambda _, __, column: column


class Said(NamedTuple):
    """What stands around the rows of one question.

    Attributes
    ----------
    say : callable
        Draws the answer in words, above the list.
    offer : callable
        Draws what can be done with the answer and with its active row, under the list.
    """

    say: Callable[[bpy.types.UILayout, bpy.types.Context, Any], None]
    offer: Callable[[bpy.types.UILayout, bpy.types.Context, Any], None]


# By the name of the operator that asked.
LINES: dict[str, Lines] = {}
ANSWERS: dict[str, Said] = {}
