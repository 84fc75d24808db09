"""Inspect Cells: the cell under the pointer (ray picking), outlined, with its numbers as text."""

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
    region : int
        Address of the region.
    place : tuple of int
        Position of the pointer in that region, in pixels.
    picture : CellPicture
        The displayed cells.
    cell : int
        Number of the cell in the octree.
    lines : tuple of str
        Lines of text about the cell.
    """

    region: int
    place: tuple[int, int]
    picture: CellPicture
    cell: int
    lines: tuple[str, ...]


# Marker of the running operator, and the cell that it has found last.
_running: list[object] = []
_hovered: list[Hovered] = []


def numbers_of(built: BuiltTree, cell: int, boxes: str, scene: bpy.types.Scene) -> tuple[str, ...]:
    """Return lines of text about a cell: depth, number of items, size and bounds."""
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
    """Return the 3D view at a position of the window; None outside, or over its sidebars."""
    for area in window.screen.areas:
        inside = [each for each in area.regions if holds(each, x, y)]
        if area.type == "VIEW_3D" and inside and all(each.type == "WINDOW" for each in inside):
            return area, inside[0]
    return None


def holds(region: bpy.types.Region, x: int, y: int) -> bool:
    """Return whether a region contains a position of the window."""
    return 0 <= x - region.x < region.width and 0 <= y - region.y < region.height


def look_under(
    scene: bpy.types.Scene, area: bpy.types.Area, region: bpy.types.Region, place: tuple[int, int]
) -> Hovered | None:
    """Return the cell at a position of a 3D view; None if no cell is displayed there."""
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
    """Return the view of a region, maybe one of a quad view; None if overlays are off."""
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
    """Return origin and direction of the ray at a position of a region, from the near plane."""
    origin = view3d_utils.region_2d_to_origin_3d(region, view_3d, place)
    direction = view3d_utils.region_2d_to_vector_3d(region, view_3d, place)
    return np.array(origin, float), np.array(direction, float)


def view_in(region: bpy.types.Region, view_3d: bpy.types.RegionView3D) -> DetailView:
    """Return the view of a region, as cells are drawn in it."""
    matrices = view_3d.view_matrix, view_3d.window_matrix
    model_view, projection = (np.array(matrix, float) for matrix in matrices)
    return view_of(model_view, projection, region.height)


class OCTREE_OT_inspect_cells(RefusingOperator, bpy.types.Operator):
    """Operator that shows the numbers of the cell under the pointer, until Esc."""

    bl_idname = "octree.inspect_cells"
    bl_label = "Inspect Cells"
    bl_description = (
        "Outline the cell under the pointer, and tell its depth, what it holds, its size and its"
        " bounds. Esc, or this button again, ends it; all else may go on meanwhile"
    )
    # No undo: the operator changes no data.
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
        """Find the cell under the pointer, and redraw if there is one or was one."""
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
    """Return whether Inspect Cells is running."""
    return bool(_running)


def start(mark: object) -> None:
    """Register a running operator by its marker."""
    _running.append(mark)
    tag_redraw()


def stop() -> None:
    """End Inspect Cells: the operator notices at its next event. Can be called at any time."""
    had_any = bool(_running)
    _running.clear()
    _hovered.clear()
    if had_any:
        tag_redraw()


def hovered_in(scene: bpy.types.Scene) -> Hovered | None:
    """Return the cell under the pointer; None if its octree is no longer displayed.

    An undo or a new octree comes without a movement of the pointer.
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
    """Draw lines in the color of hovered cells."""
    shader = line_shader(_WIDTH)
    shader.uniform_float("color", (*_COLOR, opacity))
    batch.draw(shader)


def draw_text(redraw: Redraw) -> None:
    """Draw the numbers of the hovered cell beside the pointer, in the region of the pointer."""
    hovered = hovered_in(redraw.scene)
    if hovered is None or bpy.context.region.as_pointer() != hovered.region:
        return
    draw_words(hovered.lines, *hovered.place)
