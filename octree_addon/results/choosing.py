"""Chosen rows: select the objects of a row, make the first active, frame them in the 3D view."""

from collections.abc import Iterable, Iterator
from contextlib import contextmanager
from typing import Any

import bpy
import numpy as np

from ..arrays import Ids
from ..selection import select_found
from ..ui import settings_of, tag_redraw
from .kept import active_result, shown_of, view_of


def row_chosen(settings: Any, context: bpy.types.Context) -> None:
    """Select what the active row is about; the callback of a click."""
    if settings.row >= 0 and context.mode == "OBJECT":
        choose(context, np.array([settings.row]), frame=settings.follow)
    tag_redraw()


def objects_of(scene: bpy.types.Scene, result: Any, rows: Ids) -> list[bpy.types.Object]:
    """Return the objects of some rows that are still in the scene, each once, in order."""
    view = view_of(scene, result)
    rows = np.asarray(rows)[np.asarray(rows) < len(view.rows)]
    numbers = dict.fromkeys(view.rows.objects[:, rows].T.ravel().tolist())
    items = [result.objects[number].object for number in numbers if view.uids[number]]
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
            frame_selected(context)
    return counts["objects"], counts["refused"]


def active_objects(scene: bpy.types.Scene) -> list[bpy.types.Object]:
    """Return the objects of the active row; none if no row is chosen."""
    result, row = active_result(scene), settings_of(scene).results.row
    if result is None or not 0 <= row < result.count:
        return []
    return objects_of(scene, result, np.array([row]))


def active_sides(scene: bpy.types.Scene) -> list[bpy.types.Object | None]:
    """Return the object on each side of the active row; None for an instance or what is gone."""
    result, row = active_result(scene), settings_of(scene).results.row
    if result is None or not 0 <= row < result.count:
        return []
    view = view_of(scene, result)
    numbers = view.rows.objects[:, row].tolist()
    return [
        result.objects[number].object
        if view.uids[number] and not view.rows.numbers_of(row, side)
        else None
        for side, number in enumerate(numbers)
    ]


def step_row(context: bpy.types.Context, step: int) -> int | None:
    """Go so many rows on among those shown, round the end, and choose that row; return it."""
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


def frame_selected(context: bpy.types.Context) -> None:
    """Fill the 3D view with what is selected; nothing in background."""
    if bpy.app.background:
        return
    with in_view3d(context) as space:
        if space is not None:
            bpy.ops.view3d.view_selected()


def is_isolated(context: bpy.types.Context) -> bool:
    """Tell whether the 3D view is in local view."""
    with in_view3d(context) as space:
        return space is not None and space.local_view is not None


def isolate(context: bpy.types.Context, objects: Iterable[bpy.types.Object]) -> None:
    """Show these objects alone in the 3D view, or all again if it shows some alone."""
    with in_view3d(context) as space:
        if space is None:
            raise ValueError("There is no 3D view in this window")
        if space.local_view is None:
            found = {item.session_uid: 0 for item in objects}
            select_found(context.view_layer, found, "REPLACE")
        bpy.ops.view3d.localview(frame_selected=settings_of(context.scene).results.follow)
