"""Chosen rows: the active one and the picked ones, what they are about, and where it is."""

from typing import Any, NamedTuple

import bpy
import numpy as np

from .. import references
from ..answers.kept import active_result, shown_of, view_of
from ..answers.result_kind import Contact, kind_of
from ..answers.verbs import go_to
from ..answers.view3d import isolate_also
from ..arrays import Flags, Floats, Ids
from ..reader import find_instance
from ..selection import Subjects
from ..ui import settings_of, tag_redraw

NO_ROWS: Ids = np.empty(0, np.intp)


def row_chosen(settings: Any, context: bpy.types.Context) -> None:
    """Select what the active row is about; the callback of a click."""
    result = active_result(settings.id_data)
    if result is not None:
        pick(result, NO_ROWS)
    is_here = settings.id_data == context.scene
    if is_here and settings.row >= 0 and context.mode == "OBJECT":
        go_to_active(context, follow=settings.follow)
        isolate_also(context, active_subjects(context.scene).among(context.view_layer.objects))
    tag_redraw()


def go_to_active(context: bpy.types.Context, *, follow: bool) -> str:
    """Select what the active row is about; with `follow` turn frame and view to it, too."""
    if follow:
        go_to_row(context.scene, active_row(context.scene))
    return choose(context, active_rows(context.scene), follow=follow)


def active_row(scene: bpy.types.Scene) -> int:
    """Return the active row, of a header that whose numbers it shows; -1 if none is chosen."""
    result, line = active_result(scene), settings_of(scene).results.row
    return -1 if result is None else view_of(scene, result).folds.lead_of(line)


def active_rows(scene: bpy.types.Scene) -> Ids:
    """Return the active row, or all under the active header; none if none is chosen."""
    result = active_result(scene)
    if result is None or active_row(scene) < 0:
        return NO_ROWS
    return view_of(scene, result).folds.rows_of(settings_of(scene).results.row)


def line_of(settings: Any) -> int:
    """Return where the active row stands in the list; -1 if it is not shown."""
    # Blender asks for it again for each line that it draws.
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
    """Choose what stands at a place of the list."""
    result = active_result(settings.id_data)
    lines = shown_of(settings.id_data, result).lines if result else NO_ROWS
    if 0 <= place < len(lines):
        settings.row = int(lines[place])  # whose update selects


def pick(result: Any, rows: Ids) -> None:
    """Let some rows be the picked ones."""
    flags = np.zeros(result.count, np.bool_)
    flags[rows] = True
    bits = np.packbits(flags).tobytes() if len(rows) else b""
    if bits != result.picked:
        result.picked = bits


def picked_flags(result: Any) -> Flags:
    """Return which rows are picked, shown or not, (n,)."""
    bits = np.frombuffer(result.picked, np.uint8)
    return np.unpackbits(bits, count=result.count).astype(np.bool_)


def picked_rows(scene: bpy.types.Scene, result: Any) -> Ids:
    """Return the picked rows that the list shows, in its order."""
    rows = shown_of(scene, result).rows
    return rows[picked_flags(result)[rows]] if result.picked else NO_ROWS


def go_to_row(scene: bpy.types.Scene, row: int) -> None:
    """Go to the frame that a row is about, if its question is about frames."""
    result = active_result(scene)
    if result is not None and row < result.count:
        kind_of(result).go_to(scene, result, row)


def row_subjects(scene: bpy.types.Scene, result: Any, rows: Ids) -> Subjects:
    """Return the objects of some rows that are still in the scene, in their order.

    The number of each is how many of these rows name it.
    """
    view = view_of(scene, result)
    objects = view.rows.objects[:, rows[rows < len(view.rows)]].T
    is_another = np.ones_like(objects, np.bool_)  # than the first of its pair
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
    """Return the picked rows, if `which` is "PICKED" and there are any, else as `otherwise`.

    "SHOWN" are all that the list shows, "ACTIVE" the active one, or all under its header.
    A `ValueError` says that none is active.
    """
    if which == "PICKED":
        rows = picked_rows(scene, result)
        return rows if len(rows) else rows_meant(scene, result, otherwise)
    rows = shown_of(scene, result).rows if which == "SHOWN" else active_rows(scene)
    if which != "SHOWN" and not len(rows):
        raise ValueError("Click a row first")
    return rows


def choose(context: bpy.types.Context, rows: Ids, *, follow: bool) -> str:
    """Select the objects of some rows and nothing else; the first becomes the active object.

    With `follow` they fill the 3D view, or of one row its contact or its instances do.
    """
    result = active_result(context.scene)
    subjects = row_subjects(context.scene, result, rows) if result else Subjects()
    return go_to(
        context,
        subjects,
        follow=follow,
        boxes=lambda: boxes_of_row(context) if len(rows) == 1 else (),
    )


def active_subjects(scene: bpy.types.Scene) -> Subjects:
    """Return the objects of the active row; none if no row is chosen."""
    result = active_result(scene)
    return Subjects() if result is None else row_subjects(scene, result, active_rows(scene))


class Side(NamedTuple):
    """What stands on one side of a row.

    Attributes
    ----------
    object : bpy.types.Object
        The object, or the instancer; valid until the next undo.
    numbers : tuple of int
        The used part of the persistent id of an instance; empty for the object itself.
    """

    object: bpy.types.Object
    numbers: tuple[int, ...]


def active_sides(scene: bpy.types.Scene) -> list[Side | None]:
    """Return what the active row is about, one or two; None for what is gone."""
    result = active_result(scene)
    return [] if result is None else sides_of(scene, result, active_row(scene))


def sides_of(scene: bpy.types.Scene, result: Any, row: int) -> list[Side | None]:
    """Return what any row is about; nothing if there is no such row."""
    if not 0 <= row < result.count:
        return []
    view = view_of(scene, result)
    sides: list[Side | None] = []
    for side, number in enumerate(view.rows.objects[:, row].tolist()):
        item = references.find_object(view.uids[number], view.names[number])
        sides.append(Side(item, tuple(view.rows.numbers_of(row, side))) if item else None)
    return sides


def step_row(context: bpy.types.Context, step: int) -> int | None:
    """Go so many lines on, wrapping around, and choose what stands there; return its row."""
    scene = context.scene
    settings, result = settings_of(scene).results, active_result(scene)
    lines = shown_of(scene, result).lines if result else NO_ROWS
    if not len(lines):
        return None
    here = settings.line
    place = here + step if here >= 0 else min(step, 0)
    settings.line = place % len(lines)
    return active_row(scene)


def boxes_of_row(context: bpy.types.Context) -> list[Floats]:
    """Return points around what the active row has to show, if not just its objects."""
    contact = active_contact(context.scene)
    return instance_boxes(context) if contact is None else [contact.around]


def active_contact(scene: bpy.types.Scene) -> Contact | None:
    """Return what touches in the active row, if its question tells that."""
    result, row = active_result(scene), active_row(scene)
    return None if row < 0 else kind_of(result).contact(scene, result, row)


def instance_boxes(context: bpy.types.Context) -> list[Floats]:
    """Return the corners, (8, 3), of the instances of the active row."""
    depsgraph, boxes = context.evaluated_depsgraph_get(), []
    for side in active_sides(context.scene):
        if side is not None and side.numbers:
            found = find_instance(depsgraph, side.object.session_uid, side.numbers)
            if found is not None:
                boxes.append(found.corners)
    return boxes
