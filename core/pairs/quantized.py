"""Bounds on a fine grid, packed in two words each: a quick look at pairs before a closer one."""

from dataclasses import dataclass

import numpy as np

from ..arrays import Ids, blocks
from ..grid import Grid
from ..morton import BITS, GUARD_BITS, Words, pack
from ..shapes import Shapes

# Of a sample of the shapes, one in so many may be far away on either side.
_SAMPLE, _FEW = 512, 16


@dataclass(frozen=True)
class QuantizedBounds:
    """The first and the last cell that each of n bounds touch, (n,); the last with spare bits."""

    first: Words
    last: Words

    def __getitem__(self, ids: Ids) -> "QuantizedBounds":
        return QuantizedBounds(self.first[ids], self.last[ids])

    def meeting(self, ids: Ids, others: "QuantizedBounds", numbers: Ids) -> Ids:
        """Return which pairs may meet, ascending: all whose bounds do, and very few besides."""
        above = self.last[ids]
        above -= others.first[numbers]
        below = others.last[numbers]
        below -= self.first[ids]
        above &= below
        above &= GUARD_BITS
        return np.flatnonzero(above == GUARD_BITS)


def grid_around(shapes: Shapes) -> Grid:
    """Return the finest grid that words can hold, over all that these shapes cover.

    A few that are far away, or huge, do not make it coarse for all others: they are left to its
    border.
    """
    lower, upper = shapes.limits()
    if len(shapes) == 0:
        return Grid(np.zeros(3), np.zeros(3), BITS)
    some = slice(None, None, len(shapes) // _SAMPLE + 1)
    low, high = np.sort(lower[:, some]), np.sort(upper[:, some])
    few = low.shape[1] // _FEW
    low, high = low[:, few], high[:, -1 - few]
    size = np.where(high > low, high - low, np.inf)
    least, most = lower.min(axis=1), upper.max(axis=1)
    return Grid(np.maximum(least, low - size), np.minimum(most, high + size), BITS)


def marks(shapes: Shapes, grid: Grid) -> QuantizedBounds:
    """Return the marks of the shapes' bounds; what lies beyond the grid counts to its border."""
    lower, upper = shapes.limits()
    first, last = np.empty((2, len(shapes)), np.int64)
    for some in blocks(len(shapes)):
        cells, ends = grid.overlapped(lower[:, some], upper[:, some])
        first[some], last[some] = pack(cells), pack(ends) | GUARD_BITS
    return QuantizedBounds(first, last)
