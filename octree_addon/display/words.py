"""Text beside the pointer (blf): lines on a dark background, kept within the region."""

from collections.abc import Sequence
from typing import Any

import blf
import bpy
import gpu
import numpy as np

from .lines import blended, draw_plain, vertex_buffer

# Font size in points; distance from the pointer in pixels, outside its cross; line spacing.
_SIZE, _BESIDE, _LEADING = 11, 18, 1.5
_WHITE, _GROUND = (1.0, 1.0, 1.0, 1.0), (0.0, 0.0, 0.0, 0.6)


def draw_words(lines: Sequence[str], x: float, y: float) -> None:
    """Draw lines of text below and to the right of a point of the current region."""
    region, scale = bpy.context.region, bpy.context.preferences.system.ui_scale
    blf.size(0, _SIZE * scale)
    leading = _SIZE * _LEADING * scale
    width, height = max(map(width_of, lines)), leading * len(lines)
    # Keep the text within the region.
    left = max(min(x + _BESIDE * scale, region.width - width - leading), leading)
    top = max(min(y - _BESIDE * scale, region.height - leading), height + leading)
    draw_ground(left - leading / 2, top + leading / 4, width + leading, height + leading / 2)
    blf.color(0, *_WHITE)
    for number, line in enumerate(lines):
        blf.position(0, left, top - leading * (number + 0.75), 0)
        blf.draw(0, line)


def width_of(line: str) -> float:
    """Return the width of a line of text in pixels."""
    dimensions: Any = blf.dimensions  # its type stub has no return type
    width: float = dimensions(0, line)[0]
    return width


def draw_ground(left: float, top: float, width: float, height: float) -> None:
    """Darken a rectangle of the region, as a background for white text."""
    corners = [(x, y, 0) for x in (left, left + width) for y in (top, top - height)]
    points = vertex_buffer(np.array(corners, np.float32))
    with blended("NONE"):
        draw_plain(gpu.types.GPUBatch(type="TRI_STRIP", buf=points), _GROUND)
