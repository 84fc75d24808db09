"""Draw handlers of the live answer: found faces, outline, lines, points, words at the pointer."""

import logging
from typing import Any

import bpy
import gpu
import numpy as np

from ..display import answered, dimensions
from ..display.batches import nearer
from ..display.lines import blended, draw_plain, line_batch, line_shader, vertex_buffer
from ..display.words import draw_words
from ..preferences import colors
from ..ui import schedule
from . import session
from .picture import Corners, ProbePicture
from .session import Live

log = logging.getLogger(__name__)

_SHAPE = (1.0, 1.0, 1.0, 0.8)  # what is asked
_FILL, _BOXES = 0.45, 0.6
_WIDTH, _POINT = 2.0, 9.0  # pixels
_handles: list[tuple[Any, str]] = []


def shows_picture() -> bool:
    """Tell whether an answer under the pointer is drawn, before which others step back."""
    live = session.current()
    return live is not None and live.answered is not None and session.shows_truth(live)


answered.step_back_for(shows_picture)


def switch(is_wanted: bool) -> None:
    """Draw in every 3D view from now on, or leave nothing."""
    if is_wanted and not _handles:
        for draw, kind in ((draw_shapes, "POST_VIEW"), (draw_hint, "POST_PIXEL")):
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


def draw_picture(picture: ProbePicture) -> None:
    """Draw triangles on top of their own surfaces, then lines and points."""
    hue = picture.hue or colors().probe
    if len(picture.faces):
        with blended("LESS_EQUAL"), nearer():
            _fill(picture.faces, hue)
    with blended("LESS_EQUAL"):
        if picture.boxes is not None:
            _lines(picture.boxes.points, picture.boxes.edges, (*hue, _BOXES), 1.0)
        if picture.outline is not None:
            _lines(picture.outline.points, picture.outline.edges, _SHAPE, _WIDTH)
    with blended("NONE"):
        if len(picture.segments) and not picture.lengths:
            edges = np.arange(len(picture.segments), dtype=np.uint32).reshape(-1, 2)
            _lines(picture.segments, edges, (*colors().probe, 1.0), _WIDTH)
        if len(picture.points):
            _points(picture.points)


def _fill(corners: Corners, hue: tuple[float, float, float]) -> None:
    batch = gpu.types.GPUBatch(type="TRIS", buf=vertex_buffer(corners))
    draw_plain(batch, (*hue, _FILL))


def _lines(points: Corners, edges: Any, color: tuple[float, ...], width: float) -> None:
    shader = line_shader(width)
    shader.uniform_float("color", color)
    line_batch(points, edges).draw(shader)


def _points(points: Corners) -> None:
    gpu.state.point_size_set(_POINT * bpy.context.preferences.system.ui_scale)
    batch = gpu.types.GPUBatch(type="POINTS", buf=vertex_buffer(points))
    draw_plain(batch, (*colors().probe, 1.0))
    gpu.state.point_size_set(1.0)


def draw_hint(live: Live) -> None:
    """Write beside the pointer what is found, or why nothing is known yet."""
    answered = live.answered if session.shows_truth(live) else None
    if answered and answered.picture.lengths:
        ends = answered.picture.segments.reshape(-1, 2, 3).astype(np.float64)
        dimensions.draw_lengths(ends, answered.picture.lengths)
    words = answered.picture.words if answered else live.hint
    if words and bpy.context.region.as_pointer() == live.spot.region:
        draw_words((words,), live.spot.x, live.spot.y)
