"""The slots of a tree cell by cell, each with the later ones that it has to be compared with."""

from collections.abc import Iterator
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from ..arrays import Ids, concatenated_ranges, radix_argsort
from ..morton import BITS, unpack
from .quantized import QuantizedBounds

# So many pairs are made at a time.
_PAIRS = 65_536
# Cells with more slots than this are swept along an axis.
_LARGE = 128
# Turns are below this.
TURNS = 4


@dataclass(frozen=True)
class Lineup:
    """Slots in some order; place p is compared with `counts[p]` places from `starts[p]` on."""

    order: Ids
    starts: Ids
    counts: Ids

    def pairs(self) -> Iterator[tuple[Ids, Ids]]:
        """Yield all pairs of places, in pieces of bounded size."""
        ends = np.cumsum(self.counts)
        cuts = np.searchsorted(ends, np.arange(_PAIRS, ends[-1] if len(ends) else 0, _PAIRS))
        stops = [*np.unique(cuts).tolist(), len(ends)]
        for start, stop in zip([0, *stops], stops, strict=False):
            some = slice(start, stop)
            places = np.repeat(np.arange(start, stop), self.counts[some])
            yield places, concatenated_ranges(self.starts[some], self.counts[some])


def lineup(cells: Ids, turns: NDArray[np.uint8], bounds: QuantizedBounds, sides: int) -> Lineup:
    """Line up slots, given by their cell, their turn in it, and their bounds.

    With one side, each slot is compared with all after it in its cell. With two, slots of turn 0
    are compared with those of turn 1. Cells of many slots are swept along the axis on which these
    overlap least, whatever their turns (Cohen and others, "I-COLLIDE", 1995); no pair is left out.
    """
    begins = np.flatnonzero(np.diff(cells, prepend=-1))
    sizes = np.diff(begins, append=len(cells))
    rank = np.repeat(np.arange(len(begins)), sizes)
    order = radix_argsort(rank * TURNS + turns, (len(begins) * TURNS).bit_length())
    ends = (begins + sizes)[rank]
    starts = np.arange(1, len(cells) + 1)
    counts = ends - starts
    if sides == 2:
        second = turns[order] == 1
        starts = ends - np.bincount(rank, second, len(begins)).astype(np.intp)[rank]
        counts = np.where(second, 0, ends - starts)
    large = np.flatnonzero(sizes[rank] > _LARGE)
    if len(large):
        swept, reached = _swept(rank[large], bounds[large])
        order[large], starts[large], counts[large] = large[swept], large + 1, reached
    return Lineup(order, starts, counts)


def _swept(cells: Ids, bounds: QuantizedBounds) -> tuple[Ids, Ids]:
    """Return an order within each cell, and how many after each it may meet, in that order."""
    first, last = unpack(bounds.first), unpack(bounds.last)
    begins = np.flatnonzero(np.diff(cells, prepend=-1))
    lengths = np.add.reduceat(last - first + 1, begins, axis=1)
    widths = np.maximum.reduceat(last, begins, axis=1) - np.minimum.reduceat(first, begins, axis=1)
    axes = np.argmin(lengths / (widths + 1), axis=0)
    axis = np.repeat(axes, np.diff(begins, append=len(cells)))
    everyone = np.arange(len(cells))
    keys = cells << BITS | first[axis, everyone]
    order = np.argsort(keys, kind="stable")
    reach = (cells << BITS | last[axis, everyone])[order]
    return order, np.searchsorted(keys[order], reach, side="right") - everyone - 1
