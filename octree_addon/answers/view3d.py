"""The 3D view of a window: framing boxes, and local view (only some objects are shown)."""

from collections.abc import Iterable, Iterator, Sequence
from contextlib import contextmanager

import bpy
import numpy as np

from ..arrays import Floats

# Millimeters. Below the sensor width of Blender's 3D view, so that framed boxes have a margin.
_SENSOR = 30.0


def view3d_areas(context: bpy.types.Context) -> Iterator[bpy.types.Area]:
    """Yield the 3D view areas of the window, the area of the context first."""
    areas = [context.area, *(context.screen.areas if context.screen else ())]
    return (area for area in areas if area is not None and area.type == "VIEW_3D")


@contextmanager
def in_view3d(context: bpy.types.Context) -> Iterator[bpy.types.SpaceView3D | None]:
    """Override the context with the main region of a 3D view; yield the view, None without one."""
    area = next(view3d_areas(context), None)
    if area is None:
        yield None
        return
    region = next(each for each in area.regions if each.type == "WINDOW")
    with context.temp_override(area=area, region=region):
        space = area.spaces.active
        yield space if isinstance(space, bpy.types.SpaceView3D) else None


def fill_view(context: bpy.types.Context, boxes: Sequence[Floats]) -> None:
    """Frame boxes in the 3D view, points of shape (p, 3) each; without boxes, the selection."""
    with in_view3d(context) as space:
        if space is not None and boxes:
            frame_box(space, np.concatenate(boxes))
        elif space is not None:
            bpy.ops.view3d.view_selected()


def frame_box(space: bpy.types.SpaceView3D, points: Floats) -> None:
    """Move a 3D view so that the bounds of points, (n, 3), fill it.

    Points that are not finite are ignored; without a finite point the view stays.
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
    """Return whether the 3D view is in local view."""
    with in_view3d(context) as space:
        return space is not None and space.local_view is not None


def isolate_also(context: bpy.types.Context, objects: Iterable[bpy.types.Object]) -> None:
    """Show only these objects in local view, unless it shows all of them already.

    Hidden objects do not count. Without a local view nothing changes.
    """
    with in_view3d(context) as space:
        if space is None or space.local_view is None:
            return
        wanted = {
            item.session_uid for item in objects if not (item.hide_get() or item.hide_viewport)
        }
        shown = {
            item.session_uid for item in context.view_layer.objects if item.local_view_get(space)
        }
        if wanted and not wanted <= shown:
            for item in context.view_layer.objects:
                is_wanted = item.session_uid in wanted
                if is_wanted != (item.session_uid in shown):
                    item.local_view_set(space, is_wanted)
