"""Cells to be shown, as pure arrays for viewport and mesh; read palettes, choice, then boxes."""

from .boxes import box_corners, box_edges, cell_corners
from .choice import (
    Look,
    ShadedCells,
    cell_shades,
    largest_cells,
    look_of,
    shaded_cells,
    shown_cells,
)
from .palettes import IN, OUT, RAMP, SHADES, VERDICTS

__all__ = [
    "IN",
    "OUT",
    "RAMP",
    "SHADES",
    "VERDICTS",
    "Look",
    "ShadedCells",
    "box_corners",
    "box_edges",
    "cell_corners",
    "cell_shades",
    "largest_cells",
    "look_of",
    "shaded_cells",
    "shown_cells",
]
