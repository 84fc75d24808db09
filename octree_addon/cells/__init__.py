"""Cells to be shown, as pure arrays for viewport and mesh; read palettes, choice, then boxes."""

from .boxes import cell_corners, cell_edges
from .choice import (
    Look,
    ShadedCells,
    cell_shades,
    largest_cells,
    look_of,
    shaded_cells,
    shown_cells,
)
from .palettes import RAMP, SHADES, VERDICTS

__all__ = [
    "RAMP",
    "SHADES",
    "VERDICTS",
    "Look",
    "ShadedCells",
    "cell_corners",
    "cell_edges",
    "cell_shades",
    "largest_cells",
    "look_of",
    "shaded_cells",
    "shown_cells",
]
