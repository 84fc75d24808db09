"""Row selection: the active row and the picked rows, with their objects and places."""

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any, NamedTuple

import bpy
import numpy as np

from .. import references
from ..answers.kept import active_result, shown_of, view_of
from ..answers.result_kind import Contact
from ..answers.verbs import go_to
from ..answers.view import View
from ..answers.view3d import isolate_also
from ..arrays import Flags, Floats, Ids
from ..reader import find_instance
from ..selection import Subjects
from ..ui import settings_of, tag_redraw

NO_ROWS: Ids = np.empty(0, np.intp)


class Side(NamedTuple):
    """The object or instance on one side of a row.

    Attributes
    ----------
    object : bpy.types.Object
        The object, or the instancer of an instance; valid until the next undo.
    numbers : tuple of int
        The used part of the persistent id of an instance; empty for the object itself.
    """

    object: bpy.types.Object
    numbers: tuple[int, ...]


@dataclass(frozen=True, eq=False)
class ActiveResult:
    """The result that the list shows, looked up once per click or drawing and then passed on.

    Attributes
    ----------
    scene : bpy.types.Scene
        The scene of the result.
    result : OctreeResult
        The result in the file; valid until the next undo.
    view : View
        The rows of the result.
    line : int
        The active line: a row, n + i for header i over n rows, or -1.
    """

    scene: bpy.types.Scene
    result: Any
    view: View
    line: int

    @property
    def row(self) -> int:
        """The active row, or the representative row of the active header; -1 for none."""
        return self.view.folds.lead_of(self.line)

    @property
    def rows(self) -> Ids:
        """The active row, or all rows under the active header."""
        return self.view.folds.rows_of(self.line) if self.row >= 0 else NO_ROWS

    def subjects(self) -> Subjects:
        """Return the objects of the active rows."""
        return row_subjects(self.scene, self.view, self.rows)

    def sides(self) -> list[Side | None]:
        """Return the one or two objects or instances of the active row; None if deleted."""
        return sides_of(self.view, self.row)

    def contact(self) -> Contact | None:
        """Return the contact between the objects of the active row; None if unknown."""
        row = self.row
        return None if row < 0 else self.view.kind.contact(self.scene, self.result, row)

    def go_to(self, context: bpy.types.Context, *, follow: bool) -> Subjects:
        """Select and return the objects of the active rows.

        With `follow`, also set the frame of the row and turn the 3D view to the objects.
        """
        if follow and self.row < self.result.count:
            self.view.kind.go_to(self.scene, self.result, self.row)
        subjects = self.subjects()
        go_to(context, subjects, follow=follow, boxes=lambda: self._boxes(context))
        return subjects

    def _boxes(self, context: bpy.types.Context) -> list[Floats]:
        """Return points to frame instead of whole objects: of a contact, or corners of instances.

        Empty if more than one row is active.
        """
        if len(self.rows) != 1:
            return []
        contact = self.contact()
        return instance_boxes(context, self.sides()) if contact is None else [contact.around]


def active_of(scene: bpy.types.Scene) -> ActiveResult | None:
    """Return the active result with its rows and its active line; None without results."""
    settings = settings_of(scene).results
    if settings.active >= len(settings.kept):
        return None
    result = settings.kept[settings.active]
    return ActiveResult(scene, result, view_of(scene, result), settings.row)


def active_row(scene: bpy.types.Scene) -> int:
    """Return the active row, or the representative row of the active header; -1 for none."""
    active = active_of(scene)
    return -1 if active is None else active.row


def row_chosen(settings: Any, context: bpy.types.Context) -> None:
    """Select the objects of the active row, and unpick all rows; an update callback."""
    active = active_of(settings.id_data)
    if active is not None:
        pick(active.result, NO_ROWS)
        if active.scene == context.scene and active.line >= 0 and context.mode == "OBJECT":
            subjects = active.go_to(context, follow=settings.follow)
            isolate_also(context, subjects.among(context.view_layer.objects))
    tag_redraw()


def activate_in_place(settings: Any, line: int) -> None:
    """Make a line active, and leave the frame and the 3D view as they are."""
    follows, settings.follow = settings.follow, False
    settings.row = line  # the update callback selects
    settings.follow = follows


def line_of(settings: Any) -> int:
    """Return the place of the active row in the list; -1 if it is not shown."""
    # Cached, because Blender calls this getter for each line that it draws.
    if settings.active >= len(settings.kept):
        return -1
    result = settings.kept[settings.active]
    places = view_of(settings.id_data, result).places
    key = settings.row, settings.search, settings.sort, settings.reverse, result.opened
    if key not in places:
        places.clear()
        places[key] = shown_of(settings.id_data, result).place(settings.row)
    return int(places[key])


def choose_line(settings: Any, place: int) -> None:
    """Make the row or header at a place of the list active."""
    result = active_result(settings.id_data)
    lines = shown_of(settings.id_data, result).lines if result else NO_ROWS
    if 0 <= place < len(lines):
        settings.row = int(lines[place])  # the update callback selects


def pick(result: Any, rows: Ids) -> None:
    """Replace the picked rows."""
    flags = np.zeros(result.count, np.bool_)
    flags[rows] = True
    bits = np.packbits(flags).tobytes() if len(rows) else b""
    if bits != result.picked:
        result.picked = bits


def picked_flags(result: Any) -> Flags:
    """Flag the picked rows, shown or not, (n,)."""
    bits = np.frombuffer(result.picked, np.uint8)
    return np.unpackbits(bits, count=result.count).astype(np.bool_)


def picked_rows(scene: bpy.types.Scene, result: Any) -> Ids:
    """Return the picked rows that the list shows, in its order."""
    rows = shown_of(scene, result).rows
    return rows[picked_flags(result)[rows]] if result.picked else NO_ROWS


def row_subjects(scene: bpy.types.Scene, view: View, rows: Ids) -> Subjects:
    """Return the objects of rows that are still in the scene, in the order of the rows.

    The number of each object is the number of these rows that name it.
    """
    objects = view.rows.objects[:, rows[rows < len(view.rows)]].T
    is_another = np.ones_like(objects, np.bool_)  # False where a pair has one object twice
    is_another[:, 1:] = objects[:, 1:] != objects[:, :1]
    found = np.unique(objects[is_another], return_index=True, return_counts=True)
    numbers, _, counts = np.stack(found)[:, np.argsort(found[1])].tolist()
    uids = [view.uids[number] for number in numbers]
    items = references.objects_of(scene, uids)
    numbered = zip(uids, counts, items, strict=True)
    return Subjects({uid: count for uid, count, item in numbered if item is not None})


def rows_meant(
    scene: bpy.types.Scene, result: Any, which: str = "PICKED", otherwise: str = "SHOWN"
) -> Ids:
    """Return the rows that an operator acts on.

    Parameters
    ----------
    scene, result
        The scene and the result of the rows.
    which : {"PICKED", "SHOWN", "ACTIVE"}
        The picked rows; all rows that the list shows; or the active row, or all rows under the
        active header.
    otherwise : {"SHOWN", "ACTIVE"}
        The rows in place of the picked ones if none is picked.

    Raises
    ------
    ValueError
        If the active row is wanted and there is none.
    """
    if which == "PICKED":
        rows = picked_rows(scene, result)
        return rows if len(rows) else rows_meant(scene, result, otherwise)
    if which == "SHOWN":
        return shown_of(scene, result).rows
    active = active_of(scene)
    if active is None or active.row < 0:
        raise ValueError("Click a row first")
    return active.rows


def sides_of(view: View, row: int) -> list[Side | None]:
    """Return the one or two objects or instances of a row, None if deleted.

    Empty if there is no such row.
    """
    if not 0 <= row < len(view.rows):
        return []
    sides: list[Side | None] = []
    for side, number in enumerate(view.rows.objects[:, row].tolist()):
        item = references.find_object(view.uids[number], view.names[number])
        sides.append(Side(item, tuple(view.rows.numbers_of(row, side))) if item else None)
    return sides


def step_row(context: bpy.types.Context, step: int) -> int | None:
    """Make the line `step` lines below the active one active, wrapping around; return its row.

    None if the list shows no line.
    """
    scene = context.scene
    settings, result = settings_of(scene).results, active_result(scene)
    lines = shown_of(scene, result).lines if result else NO_ROWS
    if not len(lines):
        return None
    here = settings.line
    place = here + step if here >= 0 else min(step, 0)
    settings.line = place % len(lines)
    return active_row(scene)


def instance_boxes(context: bpy.types.Context, sides: Sequence[Side | None]) -> list[Floats]:
    """Return the corners of the bounds, (8, 3), of each instance among the sides of a row."""
    depsgraph, boxes = context.evaluated_depsgraph_get(), []
    for side in sides:
        if side is not None and side.numbers:
            found = find_instance(depsgraph, side.object.session_uid, side.numbers)
            if found is not None:
                boxes.append(found.corners)
    return boxes
