"""Draw handlers of the live answer: found faces, outline, lines, points, words at the pointer."""

import logging
from typing import Any

import blf
import bpy
import gpu
import numpy as np

from ..display.batches import nearer
from ..display.lines import blended, line_batch, line_shader, vertex_buffer
from ..preferences import colors
from ..ui import schedule
from . import session
from .picture import Corners, Picture
from .session import Live

log = logging.getLogger(__name__)

_SHAPE = (1.0, 1.0, 1.0, 0.8)
_FILL, _BOXES = 0.45, 0.6
_WIDTH, _POINT = 2.0, 9.0  # pixels
_SIZE, _BESIDE, _MARGIN = 12, 16, 5  # points; pixels from the pointer, and around the words
_DARK = (0.0, 0.0, 0.0, 0.6)
_handles: list[tuple[Any, str]] = []


def switch(is_wanted: bool) -> None:
    """Draw in every 3D view from now on, or leave nothing."""
    if is_wanted and not _handles:
        for draw, kind in ((draw_shapes, "POST_VIEW"), (draw_words, "POST_PIXEL")):
            add = bpy.types.SpaceView3D.draw_handler_add
            _handles.append((add(guarded, (draw,), "WINDOW", kind), "WINDOW"))
    elif not is_wanted:
        while _handles:
            bpy.types.SpaceView3D.draw_handler_remove(*_handles.pop())


def guarded(draw: Any) -> None:
    """Draw, and end the session if that fails: Blender would print it at every redraw."""
    live, space = session.current(), bpy.context.space_data
    if live is None or not isinstance(space, bpy.types.SpaceView3D):
        return
    if not space.overlay.show_overlays or bpy.context.scene.session_uid != live.scene:
        return
    if not (live.is_held or session.is_on(bpy.context)):
        return
    try:
        draw(live)
    except Exception:
        log.exception("The live answer could not be drawn")
        schedule(session.end, 0.0)


def draw_shapes(live: Live) -> None:
    """Draw what is found, and what is asked."""
    if session.shows_truth(live) and live.answered is not None:
        draw_picture(live.answered.picture)


def draw_picture(picture: Picture) -> None:
    """Draw triangles on top of their own surfaces, then lines and points."""
    if len(picture.faces):
        with blended("LESS_EQUAL"), nearer():
            _fill(picture.faces)
    with blended("LESS_EQUAL"):
        if picture.boxes is not None:
            _lines(picture.boxes.points, picture.boxes.edges, (*colors().found, _BOXES), 1.0)
        if picture.outline is not None:
            _lines(picture.outline.points, picture.outline.edges, _SHAPE, _WIDTH)
    with blended("NONE"):
        if len(picture.segments):
            edges = np.arange(len(picture.segments), dtype=np.uint32).reshape(-1, 2)
            _lines(picture.segments, edges, (*colors().other, 1.0), _WIDTH)
        if len(picture.points):
            _points(picture.points)


def _fill(corners: Corners) -> None:
    shader = gpu.shader.from_builtin("UNIFORM_COLOR")
    shader.bind()
    shader.uniform_float("color", (*colors().found, _FILL))
    gpu.types.GPUBatch(type="TRIS", buf=vertex_buffer(corners)).draw(shader)


def _lines(points: Corners, edges: Any, color: tuple[float, ...], width: float) -> None:
    shader = line_shader(width)
    shader.uniform_float("color", color)
    line_batch(points, edges).draw(shader)


def _points(points: Corners) -> None:
    shader = gpu.shader.from_builtin("UNIFORM_COLOR")
    shader.bind()
    shader.uniform_float("color", (*colors().other, 1.0))
    before = gpu.state
    before.point_size_set(_POINT * bpy.context.preferences.system.ui_scale)
    gpu.types.GPUBatch(type="POINTS", buf=vertex_buffer(points)).draw(shader)
    before.point_size_set(1.0)


def draw_words(live: Live) -> None:
    """Write beside the pointer what is found, or why nothing is known yet."""
    words = live.answered.picture.words if live.answered else live.hint
    region = bpy.context.region
    if not words or region.as_pointer() != live.spot.region:
        return
    scale = bpy.context.preferences.system.ui_scale
    blf.size(0, _SIZE * scale)
    size: Any = blf.dimensions(0, words)  # type: ignore[func-returns-value]
    width, height = size
    margin = _MARGIN * scale
    # Below the pointer, where its cross and the line of a distance seldom are.
    x = max(min(live.spot.x + _BESIDE * scale, region.width - width - 2 * margin), margin)
    y = max(live.spot.y - _BESIDE * scale - height, 2 * margin)
    _plate(x - margin, y - margin, x + width + margin, y + height + margin)
    blf.color(0, 1.0, 1.0, 1.0, 1.0)
    blf.position(0, x, y, 0)
    blf.draw(0, words)


def _plate(left: float, bottom: float, right: float, top: float) -> None:
    """Darken what is behind words."""
    corners = [(left, bottom, 0), (right, bottom, 0), (left, top, 0), (right, top, 0)]
    batch = gpu.types.GPUBatch(type="TRI_STRIP", buf=vertex_buffer(np.array(corners, np.float32)))
    with blended("NONE"):
        shader = gpu.shader.from_builtin("UNIFORM_COLOR")
        shader.bind()
        shader.uniform_float("color", _DARK)
        batch.draw(shader)
