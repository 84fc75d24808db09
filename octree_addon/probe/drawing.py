"""Layers of the live answer: found faces, outline, lines and points; text at the pointer."""

from collections.abc import Callable
from functools import partial
from typing import Any

import bpy
import gpu
import numpy as np

from ..display import dimensions
from ..display.batches import nearer
from ..display.layers import LAYERS, Layer, Redraw
from ..display.lines import blended, draw_plain, line_batch, line_shader, vertex_buffer
from ..display.words import draw_words
from ..preferences import colors
from . import session
from .picture import Corners, ProbePicture
from .session import Live

_SHAPE = (1.0, 1.0, 1.0, 0.8)  # of the question
_FILL, _BOXES = 0.45, 0.6
_WIDTH, _POINT = 2.0, 9.0  # pixels


def draw_live(draw: Callable[[Live], None], redraw: Redraw) -> None:
    """Draw the live answer into the views of its scene, while the tool or an operator asks."""
    live = session.current()
    if live is None or redraw.scene.session_uid != live.scene:
        return
    if live.is_held or session.is_on(bpy.context):
        draw(live)


def shows_picture(_: Redraw) -> bool:
    """Return whether a live answer is drawn, so that other answers are drawn faintly."""
    live = session.current()
    return live is not None and live.answered is not None and session.shows_truth(live)


def draw_shapes(live: Live) -> None:
    """Draw the found items, and the shape of the question."""
    if session.shows_truth(live) and live.answered is not None:
        draw_picture(live.answered.picture)


def draw_picture(picture: ProbePicture) -> None:
    """Draw triangles on their own surfaces, then lines and points in front of everything."""
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
    """Draw the lengths of dimensions, and the description of the answer beside the pointer.

    Without a valid answer, the reason is drawn instead.
    """
    answered = live.answered if session.shows_truth(live) else None
    if answered and answered.picture.lengths:
        ends = answered.picture.segments.reshape(-1, 2, 3).astype(np.float64)
        dimensions.draw_lengths(ends, answered.picture.lengths)
    words = answered.picture.words if answered else live.hint
    if words and bpy.context.region.as_pointer() == live.spot.region:
        draw_words((words,), live.spot.x, live.spot.y)


LAYERS += [
    Layer(partial(draw_live, draw_shapes), takes_stage=shows_picture, stop=session.end),
    Layer(partial(draw_live, draw_hint), in_pixels=True),
]
