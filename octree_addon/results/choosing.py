"""Chosen rows: select the objects of a row, make the first active, frame them in the 3D view."""

from collections.abc import Iterable, Iterator
from contextlib import contextmanager
from typing import Any, NamedTuple

import bpy
import numpy as np

from .. import references
from ..arrays import Floats, Ids
from ..reader import find_instance
from ..selection import select_found
from ..ui import settings_of, tag_redraw
from .kept import active_result, shown_of, view_of
from .lines import LINES, Contact

# Millimeters: the smaller part of what Blender's 3D view takes for the width of its sensor.
_SENSOR = 30.0


def row_chosen(settings: Any, context: bpy.types.Context) -> None:
    """Select what the active row is about; the callback of a click."""
    is_here = settings.id_data == context.scene
    if is_here and settings.row >= 0 and context.mode == "OBJECT":
        if settings.follow:
            go_to_row(context.scene, settings.row)
        choose(context, np.array([settings.row]), frame=settings.follow)
        isolate_also(context, active_objects(context.scene))
    tag_redraw()


def go_to_row(scene: bpy.types.Scene, row: int) -> None:
    """Go to the frame that a row is about, if its question is about frames."""
    result = active_result(scene)
    go_to = LINES[result.question].go_to if result and result.question in LINES else None
    if go_to is not None and row < result.count:
        go_to(scene, result, row)


def objects_of(scene: bpy.types.Scene, result: Any, rows: Ids) -> list[bpy.types.Object]:
    """Return the objects of some rows that are still in the scene, each once, in order."""
    view = view_of(scene, result)
    rows = np.asarray(rows)[np.asarray(rows) < len(view.rows)]
    numbers = dict.fromkeys(view.rows.objects[:, rows].T.ravel().tolist())
    items = references.objects_of(scene, [view.uids[number] for number in numbers])
    return [item for item in items if item is not None]


def choose(context: bpy.types.Context, rows: Ids, *, frame: bool) -> tuple[int, int]:
    """Select the objects of some rows and nothing else; the first becomes the active object.

    Returns how many objects were selected, and how many could not be.
    """
    scene, layer = context.scene, context.view_layer
    result = active_result(scene)
    objects = objects_of(scene, result, rows) if result else []
    counts = select_found(layer, {item.session_uid: 0 for item in objects}, "REPLACE")
    selected = [item for item in objects if item.select_get(view_layer=layer)]
    if selected:
        layer.objects.active = selected[0]
        if frame:
            frame_chosen(context, rows)
    return counts["objects"], counts["refused"]


def active_objects(scene: bpy.types.Scene) -> list[bpy.types.Object]:
    """Return the objects of the active row; none if no row is chosen."""
    result, row = active_result(scene), settings_of(scene).results.row
    if result is None or not 0 <= row < result.count:
        return []
    return objects_of(scene, result, np.array([row]))


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
    result, row = active_result(scene), settings_of(scene).results.row
    return [] if result is None else sides_of(scene, result, row)


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
    """Go so many rows on among those shown, wrapping around, and choose that row; return it."""
    scene = context.scene
    settings, result = settings_of(scene).results, active_result(scene)
    rows = shown_of(scene, result).rows if result else np.empty(0, np.intp)
    if not len(rows):
        return None
    here = np.flatnonzero(rows == settings.row)
    place = int(here[0]) + step if len(here) else min(step, 0)
    settings.row = int(rows[place % len(rows)])  # whose update selects
    return int(settings.row)


def view3d_areas(context: bpy.types.Context) -> Iterator[bpy.types.Area]:
    """Yield the 3D views of the window, that of the context first."""
    areas = [context.area, *(context.screen.areas if context.screen else ())]
    return (area for area in areas if area is not None and area.type == "VIEW_3D")


@contextmanager
def in_view3d(context: bpy.types.Context) -> Iterator[bpy.types.SpaceView3D | None]:
    """Let operators work in the main region of a 3D view, if the window has one."""
    area = next(view3d_areas(context), None)
    if area is None:
        yield None
        return
    region = next(each for each in area.regions if each.type == "WINDOW")
    with context.temp_override(area=area, region=region):
        space = area.spaces.active
        yield space if isinstance(space, bpy.types.SpaceView3D) else None


def frame_chosen(context: bpy.types.Context, rows: Ids) -> None:
    """Fill the 3D view with what is selected, or with the instances of one row."""
    if bpy.app.background:
        return
    boxes = boxes_of_row(context) if len(rows) == 1 else []
    with in_view3d(context) as space:
        if space is None:
            return
        if boxes:
            frame_box(space, np.concatenate(boxes))
        else:
            bpy.ops.view3d.view_selected()


def boxes_of_row(context: bpy.types.Context) -> list[Floats]:
    """Return points around what the active row has to show, if not just its objects."""
    contact = active_contact(context.scene)
    return instance_boxes(context) if contact is None else [contact.around]


def active_contact(scene: bpy.types.Scene) -> Contact | None:
    """Return what touches in the active row, if its question tells that."""
    result, row = active_result(scene), settings_of(scene).results.row
    if result is None or not 0 <= row < result.count or result.question not in LINES:
        return None
    return LINES[result.question].contact(scene, result, row)


def instance_boxes(context: bpy.types.Context) -> list[Floats]:
    """Return the corners, (8, 3), of the instances of the active row."""
    depsgraph, boxes = context.evaluated_depsgraph_get(), []
    for side in active_sides(context.scene):
        if side is not None and side.numbers:
            found = find_instance(depsgraph, side.object.session_uid, side.numbers)
            if found is not None:
                boxes.append(found.corners)
    return boxes


def frame_box(space: bpy.types.SpaceView3D, points: Floats) -> None:
    """Turn a 3D view to the box around some points, (n, 3), so that it fills the view.

    Those that are not finite do not count; without others the view stays.
    """
    view = space.region_3d
    finite = points[np.isfinite(points).all(axis=1)]
    if not len(finite):
        return
    lower, upper = finite.min(axis=0), finite.max(axis=0)
    view.view_location = ((lower + upper) / 2).tolist()
    view.view_distance = float(np.linalg.norm(upper - lower)) * space.lens / _SENSOR
    if view.view_perspective == "CAMERA":
        view.view_perspective = "PERSP"


def is_isolated(context: bpy.types.Context) -> bool:
    """Tell whether the 3D view is in local view."""
    with in_view3d(context) as space:
        return space is not None and space.local_view is not None


def isolate_also(context: bpy.types.Context, objects: Iterable[bpy.types.Object]) -> None:
    """Let a local view that does not show all of these show them, and nothing else."""
    with in_view3d(context) as space:
        if space is None or space.local_view is None:
            return
        wanted = {item.session_uid for item in objects if not item.hide_get()}
        shown = {
            item.session_uid: item
            for item in context.view_layer.objects
            if item.local_view_get(space)
        }
        if wanted and not wanted <= shown.keys():
            for item in context.view_layer.objects:
                is_wanted = item.session_uid in wanted
                if is_wanted != (item.session_uid in shown):
                    item.local_view_set(space, is_wanted)


def isolate(context: bpy.types.Context, objects: Iterable[bpy.types.Object]) -> None:
    """Show these objects alone in the 3D view, or all again if it shows some alone.

    A `ValueError` says that all of them are hidden: nothing could be shown.
    """
    with in_view3d(context) as space:
        if space is None:
            raise ValueError("There is no 3D view in this window")
        if space.local_view is None:
            found = {item.session_uid: item for item in objects}
            if not any(item.visible_get() for item in found.values()):
                names = ", ".join(item.name for item in found.values())
                raise ValueError(f"Hidden, and not to be shown alone: {names}")
            select_found(context.view_layer, dict.fromkeys(found, 0), "REPLACE")
        bpy.ops.view3d.localview(frame_selected=settings_of(context.scene).results.follow)
