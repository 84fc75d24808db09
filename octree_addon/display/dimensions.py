"""Dimension lines: distances as lines with end ticks and their lengths, in front of everything.

Distances between moved objects are measured again before they are drawn.
"""

from collections.abc import Sequence

import blf
import bpy
import numpy as np
from bpy_extras import view3d_utils
from mathutils import Vector

from .. import distances
from ..arrays import Floats
from ..ui import length_text
from .layers import Redraw
from .lines import blended, line_batch, line_shader
from .words import draw_ground, width_of

_COLOR, _WIDTH = (1.0, 0.85, 0.2, 1.0), 2.0
# Pixels at a UI scale of 1: half a tick, the font size, and the margin around a text.
_TICK, _SIZE, _AROUND = 6.0, 11, 3.0


def shown_lines(scene: bpy.types.Scene) -> tuple[Floats, list[str]]:
    """Return the dimensions that are still valid: their ends, (k, 2, 3), and their texts."""
    asked = distances.shown_dimensions(scene)
    if asked is None:
        return np.empty((0, 2, 3)), []
    now, flags = distances.followed(scene, asked)
    written = list(distances.texts(scene, now.found, length_text))
    kept = np.flatnonzero(flags)
    return now.found.points.swapaxes(0, 1)[kept], [written[row] for row in kept.tolist()]


def draw_dimensions(redraw: Redraw) -> None:
    """Draw the dimensions of the active result into the current region, in pixels."""
    draw_lengths(*shown_lines(redraw.scene))


def draw_lengths(ends: Floats, written: Sequence[str]) -> None:
    """Draw lines (k, 2, 3) with ticks, and a text for each, into the current region."""
    region, view = bpy.context.region, bpy.context.region_data
    if view is None or not written:
        return
    places = [
        [view3d_utils.location_3d_to_region_2d(region, view, Vector(end)) for end in both]
        for both in ends.tolist()
    ]
    seen = [row for row, both in enumerate(places) if None not in both]
    if not seen:
        return
    lines = np.array([places[row] for row in seen], np.float64)
    scale = bpy.context.preferences.system.ui_scale
    points = np.pad(strokes(lines, _TICK * scale), ((0, 0), (0, 1))).astype(np.float32)
    with blended("NONE"):
        shader = line_shader(_WIDTH)
        shader.uniform_float("color", _COLOR)
        line_batch(points, np.arange(len(points), dtype=np.uint32).reshape(-1, 2)).draw(shader)
    blf.size(0, _SIZE * scale)
    for row, both in zip(seen, lines, strict=True):
        _write(written[row], both.mean(axis=0), scale)


def strokes(lines: Floats, tick: float) -> Floats:
    """Return lines (k, 2, 2) with a tick across each end, as pairs of points, (6 k, 2)."""
    way = lines[:, 1] - lines[:, 0]
    length = np.linalg.norm(way, axis=1, keepdims=True)
    along = np.where(length > 0, way / np.maximum(length, 1e-9), [[1.0, 0.0]])
    across = np.stack((-along[:, 1], along[:, 0]), axis=1)[:, None] * tick
    ticks = np.stack((lines - across, lines + across), axis=2)
    return np.concatenate((lines[:, None], ticks), axis=1).reshape(-1, 2)


def _write(text: str, middle: Floats, scale: float) -> None:
    """Draw a text on a dark background, centered on a point."""
    width, height, around = width_of(text), _SIZE * scale, _AROUND * scale
    left, low = middle[0] - width / 2, middle[1] + around
    draw_ground(left - around, low + height + around, width + 2 * around, height + 2 * around)
    blf.color(0, *_COLOR)
    blf.position(0, left, low + around, 0)
    blf.draw(0, text)
