"""Inspect Cells: the cell under the pointer (ray picking) is outlined, its numbers beside it."""

from dataclasses import dataclass

import bpy
import gpu
import numpy as np
from bpy_extras import view3d_utils

from .. import trees
from ..arrays import Floats
from ..built_tree import BuiltTree
from ..ui import RefusingOperator, Status, lengths_text, plural, settings_of, tag_redraw
from .batches import CellPicture, least_pixels, shown_picture
from .cells import box_corners, box_edges
from .detail import DetailView, cell_under, view_of
from .layers import Redraw
from .lines import blended, line_batch, line_shader
from .words import draw_words

_COLOR, _WIDTH, _BEHIND = (1.0, 1.0, 1.0), 2.0, 0.4


@dataclass(frozen=True, eq=False)
class Hovered:
    """The cell under the pointer.

    Attributes
    ----------
    region : bpy.types.Region pointer
        Its address.
    place : tuple of int
        Where the pointer is in that region.
    picture : CellPicture
        The cells that were shown.
    cell : int
        One of them.
    lines : tuple of str
        What is told of it.
    """

    region: int
    place: tuple[int, int]
    picture: CellPicture
    cell: int
    lines: tuple[str, ...]


# The running operator's mark, and what it found last.
_running: list[object] = []
_hovered: list[Hovered] = []


def numbers_of(built: BuiltTree, cell: int, boxes: str, scene: bpy.types.Scene) -> tuple[str, ...]:
    """Return what is told of a cell: depth, what it holds, its size and its bounds."""
    octree = built.octree
    held = np.zeros(len(octree.items), np.bool_)
    held[built.places_of(octree.items_below(cell))] = True
    rows = (octree.loose_rows if boxes == "LOOSE" else octree.cell_rows)[:, cell]
    kind = "" if octree.is_leaf[cell] else ", divided"
    return (
        f"Depth {octree.node_depth[cell]}{kind}",
        plural(int(held.sum()), built.source.noun),
        f"Size {lengths_text(scene, rows[3:] - rows[:3])}",
        f"From {lengths_text(scene, rows[:3])}",
        f"To {lengths_text(scene, rows[3:])}",
    )


def region_under(
    window: bpy.types.Window, x: int, y: int
) -> tuple[bpy.types.Area, bpy.types.Region] | None:
    """Return the 3D view that a place of the window is in, itself and not its sidebars."""
    for area in window.screen.areas:
        inside = [each for each in area.regions if holds(each, x, y)]
        if area.type == "VIEW_3D" and inside and all(each.type == "WINDOW" for each in inside):
            return area, inside[0]
    return None


def holds(region: bpy.types.Region, x: int, y: int) -> bool:
    """Tell whether a place of the window is in a region."""
    return 0 <= x - region.x < region.width and 0 <= y - region.y < region.height


def look_under(
    scene: bpy.types.Scene, area: bpy.types.Area, region: bpy.types.Region, place: tuple[int, int]
) -> Hovered | None:
    """Find the cell under a place of a 3D view, and what is told of it."""
    built, display = trees.get(scene), settings_of(scene).display
    picture = shown_picture(scene) if built and display.show else None
    view_3d = data_of(area, region)
    if built is None or picture is None or picture.octree is not built.octree or view_3d is None:
        return None
    ray = ray_under(region, view_3d, place)
    view, boxes = view_in(region, view_3d), picture.look.boxes
    cell = cell_under(picture.octree, picture.family, ray, boxes, view, least_pixels(display))
    if cell is None:
        return None
    return Hovered(
        region.as_pointer(), place, picture, cell, numbers_of(built, cell, boxes, scene)
    )


def data_of(area: bpy.types.Area, region: bpy.types.Region) -> bpy.types.RegionView3D | None:
    """Return how a region of a 3D view looks at the scene; it may be one of a quad view."""
    space = area.spaces.active
    if not isinstance(space, bpy.types.SpaceView3D) or not space.overlay.show_overlays:
        return None
    windows = [each for each in area.regions if each.type == "WINDOW"]
    if space.region_quadviews:
        return space.region_quadviews[windows.index(region)]
    return space.region_3d


def ray_under(
    region: bpy.types.Region, view_3d: bpy.types.RegionView3D, place: tuple[int, int]
) -> tuple[Floats, Floats]:
    """Return the ray under a place of a region, from the near end of the view on."""
    origin = view3d_utils.region_2d_to_origin_3d(region, view_3d, place)
    direction = view3d_utils.region_2d_to_vector_3d(region, view_3d, place)
    return np.array(origin, float), np.array(direction, float)


def view_in(region: bpy.types.Region, view_3d: bpy.types.RegionView3D) -> DetailView:
    """Return the view that cells are drawn for in a region."""
    matrices = view_3d.view_matrix, view_3d.window_matrix
    model_view, projection = (np.array(matrix, float) for matrix in matrices)
    return view_of(model_view, projection, region.height)


class OCTREE_OT_inspect_cells(RefusingOperator, bpy.types.Operator):
    """Tell the numbers of the cell under the pointer, until Esc."""

    bl_idname = "octree.inspect_cells"
    bl_label = "Inspect Cells"
    bl_description = (
        "Outline the cell under the pointer, and tell its depth, what it holds, its size and its"
        " bounds. Esc, or this button again, ends it; all else may go on meanwhile"
    )
    # Nothing is changed: no undo.
    bl_options = {"REGISTER"}
    _mark: object = None

    @classmethod
    def obstacle(cls, context: bpy.types.Context) -> str:
        if bpy.app.background:
            return "There is no window"
        return "" if trees.get(context.scene) else "Build an octree first"

    def invoke(self, context: bpy.types.Context, event: bpy.types.Event) -> Status:
        if is_running():
            stop()
            return {"FINISHED"}
        self._mark = object()
        start(self._mark)
        context.window_manager.modal_handler_add(self)
        return {"RUNNING_MODAL"}

    def modal(self, context: bpy.types.Context, event: bpy.types.Event) -> Status:
        if self._mark not in _running:
            return {"CANCELLED"}
        if event.type == "ESC" and event.value == "PRESS":
            stop()
            return {"FINISHED"}
        if event.type in {"MOUSEMOVE", "INBETWEEN_MOUSEMOVE"}:
            self._look(context, event)
        return {"PASS_THROUGH"}

    def cancel(self, context: bpy.types.Context) -> None:
        if self._mark in _running:
            stop()

    def _look(self, context: bpy.types.Context, event: bpy.types.Event) -> None:
        """Look at the cell under the pointer, and show it if it moved."""
        assert context.window
        found = region_under(context.window, event.mouse_x, event.mouse_y)
        before = _hovered[:]
        _hovered.clear()
        if found is not None:
            area, region = found
            place = event.mouse_x - region.x, event.mouse_y - region.y
            hovered = look_under(context.window.scene, area, region, place)
            _hovered.extend([hovered] if hovered else [])
        if before or _hovered:
            tag_redraw()


def is_running() -> bool:
    """Tell whether cells are inspected."""
    return bool(_running)


def start(mark: object) -> None:
    """Begin to inspect, for one running operator."""
    _running.append(mark)
    tag_redraw()


def stop() -> None:
    """End it; the operator notices at its next event. May be called at any time."""
    had_any = bool(_running)
    _running.clear()
    _hovered.clear()
    if had_any:
        tag_redraw()


def hovered_in(scene: bpy.types.Scene) -> Hovered | None:
    """Return what the pointer is over, unless the cells there are no longer those that are shown.

    An undo or another build does not move the pointer.
    """
    built = trees.get(scene)
    if not _hovered or built is None or not settings_of(scene).display.show:
        return None
    return _hovered[0] if _hovered[0].picture.octree is built.octree else None


def draw_hovered(redraw: Redraw) -> None:
    """Outline the cell under the pointer, faintly where surfaces hide it."""
    hovered = hovered_in(redraw.scene)
    if hovered is None:
        return
    picture = hovered.picture
    octree, cell = picture.octree, np.array([hovered.cell])
    rows = octree.loose_rows if picture.look.boxes == "LOOSE" else octree.cell_rows
    corners = box_corners(rows[:3].T, rows[3:].T, cell).reshape(-1, 3)
    batch = line_batch(corners, box_edges(1))
    with blended("LESS_EQUAL"):
        draw_lines(batch, 1.0)
    with blended("GREATER"):
        draw_lines(batch, _BEHIND)


def draw_lines(batch: gpu.types.GPUBatch, opacity: float) -> None:
    """Draw lines in the color of what is hovered."""
    shader = line_shader(_WIDTH)
    shader.uniform_float("color", (*_COLOR, opacity))
    batch.draw(shader)


def draw_text(redraw: Redraw) -> None:
    """Write the numbers of the cell beside the pointer, in the region that it is in."""
    hovered = hovered_in(redraw.scene)
    if hovered is None or bpy.context.region.as_pointer() != hovered.region:
        return
    draw_words(hovered.lines, *hovered.place)
