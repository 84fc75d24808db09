"""Quantized bounds (AABBs on a fine grid, two words each): a quick look at pairs."""

from dataclasses import dataclass

import numpy as np

from ..arrays import Floats, Ids, blocks
from ..grid import Grid
from ..morton import BITS, GUARD_BITS, Words, packed
from ..shapes import Shapes

# Shapes in a sample, about; one in this many of them may be far away on either side.
_SAMPLE, _FEW = 512, 16


@dataclass(frozen=True)
class QuantizedBounds:
    """The first and the last cell that each of n bounds touch, (n,); the last with guard bits."""

    first: Words
    last: Words

    def __getitem__(self, ids: Ids) -> "QuantizedBounds":
        return QuantizedBounds(self.first[ids], self.last[ids])

    def __setitem__(self, ids: Ids | slice, bounds: "QuantizedBounds") -> None:
        self.first[ids], self.last[ids] = bounds.first, bounds.last

    def meeting(self, ids: Ids, others: "QuantizedBounds", numbers: Ids) -> Ids:
        """Return which pairs may meet, ascending: all whose bounds do, and very few besides."""
        above = self.last[ids]
        above -= others.first[numbers]
        below = others.last[numbers]
        below -= self.first[ids]
        above &= below
        above &= GUARD_BITS
        return np.flatnonzero(above == GUARD_BITS)


def grid_around(shapes: Shapes, cell: Floats | None = None) -> Grid:
    """Return the finest grid that words can hold, over all that these shapes cover.

    A few that are far away, or huge, do not make it coarse for all others: they are left to its
    border. All shapes lie in the cell (6,), if one is given.
    """
    if len(shapes) == 0:
        return Grid(np.zeros(3), np.zeros(3), BITS)
    lower, upper = shapes[:: len(shapes) // _SAMPLE + 1].limits()
    low, high = np.sort(lower), np.sort(upper)
    few = low.shape[1] // _FEW
    low, high = low[:, few], high[:, -1 - few]
    size = np.where(high > low, high - low, np.inf)
    if cell is None:
        lower, upper = shapes.limits()
        cell = np.concatenate((lower.min(axis=1), upper.max(axis=1)))
    return Grid(np.maximum(cell[:3], low - size), np.minimum(cell[3:], high + size), BITS)


def quantize(shapes: Shapes, grid: Grid) -> QuantizedBounds:
    """Return the shapes' bounds on a grid; what lies beyond the grid counts to its border."""
    lower, upper = shapes.limits()
    bounds = QuantizedBounds(*np.empty((2, len(shapes)), np.int64))
    for some in blocks(len(shapes)):
        cells, ends = grid.overlapped(lower[:, some], upper[:, some])
        bounds.first[some], bounds.last[some] = packed(cells), packed(ends) | GUARD_BITS
    return bounds
