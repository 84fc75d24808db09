"""Sweep and prune over quantized bounds: which references of a cell to compare with which."""

from collections.abc import Iterator
from dataclasses import dataclass
from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from ..arrays import Ids, concatenated_ranges, radix_argsort
from ..morton import BITS, unpacked
from .quantized import QuantizedBounds

# Pairs that are made at a time, about.
_PAIRS = 65_536
# Cells with more references than this are swept along an axis.
_LARGE = 128
# Priorities are below this.
PRIORITIES = 4


class PairBatch(NamedTuple):
    """Some pairs, (h,) and (h,), and the fraction of all comparisons that are done with them."""

    done: float
    ones: Ids
    others: Ids


_NONE = np.empty(0, np.intp)


def no_pairs(done: float) -> PairBatch:
    """Return a batch without pairs: a step of the work that precedes them."""
    return PairBatch(done, _NONE, _NONE)


@dataclass(frozen=True)
class Comparisons:
    """References in some order; place p is compared with `counts[p]` places from `starts[p]`."""

    order: Ids
    starts: Ids
    counts: Ids

    def batches(self) -> Iterator[PairBatch]:
        """Yield all pairs of places, in batches of bounded size."""
        ends = np.cumsum(self.counts)
        total = int(ends[-1]) if len(ends) else 0
        cuts = np.searchsorted(ends, np.arange(_PAIRS, total, _PAIRS))
        stops = [*np.unique(cuts).tolist(), len(ends)]
        for start, stop in zip([0, *stops], stops, strict=False):
            some = slice(start, stop)
            places = np.repeat(np.arange(start, stop), self.counts[some])
            done = float(ends[stop - 1]) / total if total and stop else 1.0
            yield PairBatch(
                done, places, concatenated_ranges(self.starts[some], self.counts[some])
            )


def comparisons(
    cells: Ids, priority: NDArray[np.uint8], bounds: QuantizedBounds, sides: int
) -> Comparisons:
    """Return what to compare of references, given by cell, priority in it, and bounds.

    With one side, each reference is compared with all after it in its cell, in the order of their
    priorities. With two, those of priority 0 are compared with those of priority 1. Cells of many
    references are swept along the axis on which these overlap least, whatever their priorities
    (Cohen and others, "I-COLLIDE", 1995); no pair is left out.
    """
    begins = np.flatnonzero(np.diff(cells, prepend=-1))
    sizes = np.diff(begins, append=len(cells))
    rank = np.repeat(np.arange(len(begins)), sizes)
    order = radix_argsort(rank * PRIORITIES + priority, (len(begins) * PRIORITIES).bit_length())
    ends = (begins + sizes)[rank]
    starts = np.arange(1, len(cells) + 1)
    counts = ends - starts
    if sides == 2:
        second = priority[order] == 1
        starts = ends - np.bincount(rank, second, len(begins)).astype(np.intp)[rank]
        counts = np.where(second, 0, ends - starts)
    large = np.flatnonzero(sizes[rank] > _LARGE)
    if len(large):
        swept, reached = _swept(rank[large], bounds[large])
        order[large], starts[large], counts[large] = large[swept], large + 1, reached
    return Comparisons(order, starts, counts)


def _swept(cells: Ids, bounds: QuantizedBounds) -> tuple[Ids, Ids]:
    """Return an order within each cell, and how many after each it may meet, in that order."""
    first, last = unpacked(bounds.first), unpacked(bounds.last)
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
