"""The cells in the 3D views: arrays -> batches by signature -> drawn, and the state restored."""

import logging
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from typing import Any, NamedTuple
from weakref import WeakKeyDictionary

import bpy
import gpu
import numpy as np
from numpy.typing import NDArray

from ..core import Octree
from . import trees
from .cells import RAMP, cell_corners, cell_edges, cells_by_shade, largest_cells, shown_cells
from .preferences import limits
from .properties import OctreeDisplaySettings, settings_of

log = logging.getLogger(__name__)


class Look(NamedTuple):
    """Everything that a tree's batches depend on; opacity and line width they do not."""

    cells: str
    depth: int
    boxes: str
    color_by: str
    limit: int


@dataclass(frozen=True)
class Picture:
    """The batches of one tree, a color each; and how many cells they show, of how many."""

    look: Look
    batches: list[tuple[list[float], gpu.types.GPUBatch]]
    drawn: int
    wanted: int


# A tree's picture goes with the tree.
_pictures: WeakKeyDictionary[trees.BuiltTree, Picture] = WeakKeyDictionary()
_handles: list[Any] = []
_failures: list[str] = []


def make_batch(corners: NDArray[np.float32], edges: NDArray[np.uint32]) -> gpu.types.GPUBatch:
    """Hand (c, 8, 3) corners and (12 c, 2) edges to the graphics card.

    It checks no type: anything but contiguous float32 is drawn as garbage.
    """
    layout = gpu.types.GPUVertFormat()
    layout.attr_add(id="pos", comp_type="F32", len=3, fetch_mode="FLOAT")
    vertices = gpu.types.GPUVertBuf(layout, 8 * len(corners))
    vertices.attr_fill("pos", corners.reshape(-1, 3))
    indices = gpu.types.GPUIndexBuf(type="LINES", seq=edges)
    return gpu.types.GPUBatch(type="LINES", buf=vertices, elem=indices)


def make_picture(octree: Octree, look: Look) -> Picture:
    """Make a batch for each shade, its color left to the drawing."""
    wanted = shown_cells(octree, look)
    cells = largest_cells(octree, wanted, look.limit)
    groups = cells_by_shade(octree, cells, look.color_by)
    edges = cell_edges(max(map(len, groups.values()), default=0))
    batches = [
        (
            RAMP[shade].tolist(),
            make_batch(cell_corners(octree, group, look.boxes), edges[: 12 * len(group)]),
        )
        for shade, group in groups.items()
    ]
    return Picture(look, batches, len(cells), len(wanted))


def picture_of(built: trees.BuiltTree, display: OctreeDisplaySettings) -> Picture:
    """Return the picture of the tree, made anew only when something in it has changed."""
    depth = display.depth if display.cells == "DEPTH" else 0
    look = Look(display.cells, depth, display.boxes, display.color_by, limits().cells)
    picture = _pictures.get(built)
    if picture is None or picture.look != look:
        picture = _pictures[built] = make_picture(built.octree, look)
    return picture


def counts(built: trees.BuiltTree) -> tuple[int, int] | None:
    """Return how many cells are drawn, and of how many; nothing before the first draw."""
    picture = _pictures.get(built)
    return (picture.drawn, picture.wanted) if picture else None


@contextmanager
def line_state(in_front: bool) -> Iterator[None]:
    """Set how lines meet the picture so far, and leave all as it was."""
    state = gpu.state
    before = state.blend_get(), state.depth_test_get(), state.depth_mask_get()
    try:
        state.blend_set("ALPHA")
        state.depth_test_set("NONE" if in_front else "LESS_EQUAL")
        state.depth_mask_set(False)
        yield
    finally:
        state.blend_set(before[0])
        state.depth_test_set(before[1])
        state.depth_mask_set(before[2])


def line_shader(width: float) -> gpu.types.GPUShader:
    """Bind the shader for lines of this width in pixels; only the slower one knows a width."""
    if width <= 1:
        shader = gpu.shader.from_builtin("UNIFORM_COLOR")
        shader.bind()
        return shader
    shader = gpu.shader.from_builtin("POLYLINE_UNIFORM_COLOR")
    shader.bind()
    shader.uniform_float("viewportSize", gpu.state.viewport_get()[2:])
    shader.uniform_float("lineWidth", width)
    return shader


def draw_picture(picture: Picture, display: OctreeDisplaySettings) -> None:
    """Draw the cells, the lower shades first."""
    width = display.line_width * bpy.context.preferences.system.ui_scale
    with line_state(display.in_front):
        shader = line_shader(width)
        for color, batch in picture.batches:
            shader.uniform_float("color", (*color, display.opacity))
            batch.draw(shader)


def shows_overlays(context: bpy.types.Context) -> bool:
    """Tell whether the overlays of the 3D view are on; Blender calls its handlers either way."""
    space = context.space_data
    return isinstance(space, bpy.types.SpaceView3D) and space.overlay.show_overlays


def draw() -> None:
    """Draw the scene's tree into the 3D view that Blender is drawing."""
    scene = bpy.context.scene
    built, display = trees.get(scene), settings_of(scene).display
    if built is None or _failures or not display.show or not shows_overlays(bpy.context):
        return
    try:
        draw_picture(picture_of(built, display), display)
    except Exception as error:  # Blender would print it at every redraw
        log.exception("The octree could not be drawn")
        _failures.append(str(error))
        bpy.app.timers.register(switch_off)


def switch_off() -> None:
    """Switch the display off and tell the user why, soon after a drawing that failed."""
    message = _failures.pop()

    def explain(popup: bpy.types.UIPopupMenu, _: bpy.types.Context) -> None:
        popup.layout.label(text=message)

    manager = bpy.context.window_manager
    for window in manager.windows:
        settings_of(window.scene).display.show = False
    with bpy.context.temp_override(window=manager.windows[0]):
        manager.popup_menu(explain, title="The Octree Could Not Be Drawn", icon="ERROR")


def install() -> None:
    """Draw in every 3D view from now on."""
    if not _handles:
        draw_handler_add = bpy.types.SpaceView3D.draw_handler_add
        _handles.append(draw_handler_add(draw, (), "WINDOW", "POST_VIEW"))


def uninstall() -> None:
    """Stop drawing, and leave nothing on the graphics card."""
    while _handles:
        bpy.types.SpaceView3D.draw_handler_remove(_handles.pop(), "WINDOW")
    if bpy.app.timers.is_registered(switch_off):
        bpy.app.timers.unregister(switch_off)
    _pictures.clear()
    _failures.clear()
