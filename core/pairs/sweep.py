"""Sweep and prune over quantized bounds (AABBs), in the cells of an octree or in strips.

On a fine grid, bounds take two words, so that two subtractions compare two of them. In a large
cell, the sweep goes along the axis on which bounds overlap least. Without cells, the sweep goes
along one axis, in strips that divide the two others (after J. D. Cohen, M. C. Lin, D. Manocha and
M. Ponamgi, "I-COLLIDE", 1995, which sweeps all of space at once).
"""

from collections.abc import Iterator
from dataclasses import dataclass
from typing import NamedTuple, Self

import numpy as np
from numpy.typing import NDArray

from .. import tuning
from ..arrays import Floats, Ids, blocks, concatenated_ranges, radix_argsort
from ..boxes import boxes_grown, magnitudes
from ..grid import BITS, GUARD_BITS, Grid, Words, pack, unpack
from ..records import Columns
from ..shapes import Boxes, Shapes

# Rounding error of bounds that are moved by a margin, as a part of their largest coordinate.
_ROUNDING = 2.0**-50
# The approximate size of a sample of shapes; one shape in `_FEW` may be far away on either side.
_SAMPLE, _FEW = 512, 16
# Cells with more references than this are swept along an axis.
_LARGE = 128
# Priorities are numbers below this.
PRIORITIES = 4
# The width of a strip, in average extents of bounds; the most strips along an axis.
_WIDTH, _MOST_STRIPS = 2.5, 1_024
# Bins in all strips together, for each of the bounds; the fewest and the most bins.
_BINS, _FEWEST_BINS, _MOST_BINS = 4, 2**16, 2**22
# Strips do not pay if they make more copies or comparisons than this for each of the bounds.
_COPIES, _COMPARED = 6, 24


@dataclass(frozen=True)
class QuantizedBounds(Columns):
    """First and last grid cells that n bounds touch, packed, (n,); the last with guard bits."""

    first: Words
    last: Words

    def __setitem__(self, ids: Ids | slice, bounds: "QuantizedBounds") -> None:
        self.first[ids], self.last[ids] = bounds.first, bounds.last

    def meeting(self, ids: Ids, others: "QuantizedBounds", numbers: Ids) -> Ids:
        """Return the pairs that may overlap, ascending: all that do, and very few others."""
        above = self.last[ids]
        above -= others.first[numbers]
        below = others.last[numbers]
        below -= self.first[ids]
        above &= below
        above &= GUARD_BITS
        return np.flatnonzero(above == GUARD_BITS)


def grid_around(shapes: Shapes, cell: Floats | None = None) -> Grid:
    """Return the finest grid that words can hold, over these shapes.

    The grid does not grow for a few shapes that are far away or huge: these are clamped to its
    border. If a cell (6,) is given, all shapes lie in it.
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
    """Return the bounds of shapes on a grid, clamped to the border of the grid."""
    lower, upper = shapes.limits()
    bounds = QuantizedBounds(*np.empty((2, len(shapes)), np.int64))
    for some in blocks(len(shapes)):
        cells, ends = grid.overlapped(lower[:, some], upper[:, some])
        bounds.first[some], bounds.last[some] = pack(cells), pack(ends) | GUARD_BITS
    return bounds


def grown_bounds(shapes: Shapes, margin: float) -> Floats:
    """Return the bounds of shapes, enlarged by a margin on all sides, (6, h)."""
    if isinstance(shapes, Boxes) and margin == 0:
        return shapes.rows
    bounds = np.concatenate(shapes.limits())
    if margin > 0:
        bounds = boxes_grown(bounds, margin + _ROUNDING * (magnitudes(bounds) + margin))
    return bounds


class PairBatch(NamedTuple):
    """Batch of pairs, (h,) and (h,), and the fraction of the work that is done after it."""

    done: float
    ones: Ids
    others: Ids


_NONE = np.empty(0, np.intp)


def no_pairs(done: float) -> PairBatch:
    """Return a batch without pairs, which reports the progress of preparations."""
    return PairBatch(done, _NONE, _NONE)


@dataclass(frozen=True)
class Comparisons:
    """Order of references, and the pairs of places in this order to compare.

    Place p is compared with the `counts[p]` places from `starts[p]` on.
    """

    order: Ids
    starts: Ids
    counts: Ids

    def batches(self) -> Iterator[PairBatch]:
        """Yield all pairs of places, in batches of bounded size."""
        ends = np.cumsum(self.counts)
        total = int(ends[-1]) if len(ends) else 0
        most = tuning.current.swept_pairs
        cuts = np.searchsorted(ends, np.arange(most, total, most))
        stops = [*np.unique(cuts).tolist(), len(ends)]
        for start, stop in zip([0, *stops], stops, strict=False):
            some = slice(start, stop)
            places = np.repeat(np.arange(start, stop), self.counts[some])
            done = float(ends[stop - 1]) / total if total and stop else 1.0
            partners = concatenated_ranges(self.starts[some], self.counts[some])
            yield PairBatch(done, places, partners)


def comparisons(
    cells: Ids, priority: NDArray[np.uint8], bounds: QuantizedBounds, sides: int
) -> Comparisons:
    """Return the comparisons of references with cells, priorities and bounds, (r,) each.

    With one side, each reference is compared with all references after it in its cell, in the
    order of priorities. With two sides, references of priority 0 are compared with references of
    priority 1.

    Cells of many references are swept along the axis on which their bounds overlap least, whatever
    their priorities (Cohen and others, "I-COLLIDE", 1995). No overlapping pair is left out.
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
    """Return an order within each cell, and how many bounds after each may overlap it there."""
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


def grid_sweep_pairs(bounds: Boxes, owners: Ids | None = None) -> Iterator[PairBatch] | None:
    """Return batches of pairs of bounds that may overlap, each once, in any order.

    With `owners` (n,), yields only pairs of different owners. Returns None if strips do not pay:
    if a few strips hold almost all bounds, or if many bounds reach across almost every strip.
    """
    if len(bounds) == 0:
        return iter(())
    fine = quantize(bounds, grid_around(bounds))
    strips = _Strips.around(unpack(fine.first), unpack(fine.last))
    if strips.copies.sum() > _COPIES * len(bounds):
        return None
    members, begun, line = strips.compared()
    if line.counts.sum() > _COMPARED * len(bounds):
        return None
    return _met(fine[members], members, begun, line, owners)


def _met(
    fine: QuantizedBounds,
    members: Ids,
    begun: NDArray[np.uint8],
    line: Comparisons,
    owners: Ids | None,
) -> Iterator[PairBatch]:
    """Yield pairs of bounds that may overlap, each in the first strip that both share."""
    for done, ones, others in line.batches():
        here = np.flatnonzero((begun[ones] | begun[others]) == 3)
        some = here[fine.meeting(ones[here], fine, others[here])]
        first, second = members[ones[some]], members[others[some]]
        if owners is not None:
            apart = np.flatnonzero(owners[first] != owners[second])
            first, second = first[apart], second[apart]
        yield PairBatch(done, first, second)


@dataclass(frozen=True)
class _Strips:
    """First and last strip of n bounds across two axes, and first and last bin along the third.

    `shape` is the number of strips across each of the two axes, and of bins in a strip.
    """

    first: list[Words]
    last: list[Words]
    shape: list[int]

    @classmethod
    def around(cls, first: Words, last: Words) -> Self:
        """Return strips for bounds, given their first and last cells on a fine grid, (3, n).

        The sweep goes along the axis on which the bounds have the smallest average extent.
        """
        count = first.shape[1]
        extents = (last.sum(axis=1) - first.sum(axis=1)) / (count * 2**BITS)
        axes = np.argsort(extents)[::-1].tolist()
        narrowest = 1 / min(count**0.5, _MOST_STRIPS)
        widths = np.maximum(_WIDTH * extents[axes[:2]], narrowest).clip(max=1.0)
        i, j = (1 / widths).astype(np.intp).tolist()
        shape = [i, j, min(max(_BINS * count, _FEWEST_BINS), _MOST_BINS) // (i * j)]
        sizes = list(zip(axes, shape, strict=True))
        begin, end = (
            [side[axis] * size >> BITS for axis, size in sizes] for side in (first, last)
        )
        return cls(begin, end, shape)

    @property
    def copies(self) -> Ids:
        """Number of strips that each of the bounds overlaps, (n,)."""
        return (self.last[0] - self.first[0] + 1) * (self.last[1] - self.first[1] + 1)

    def compared(self) -> tuple[Ids, NDArray[np.uint8], Comparisons]:
        """Return the copies of bounds in all strips, sorted by strip and bin, (c,).

        Returns the bounds of each copy, flags of the axes (bits 0 and 1) across which the bounds
        begin in its strip, and the comparisons of the copies.
        """
        copies, (_, columns, bins) = self.copies, self.shape
        members = np.repeat(np.arange(len(copies)), copies)
        nth = concatenated_ranges(np.zeros_like(copies), copies)
        widths = (self.last[1] - self.first[1] + 1)[members]
        across = nth // widths
        down = nth - across * widths
        begun = (across == 0).view(np.uint8) | (down == 0).view(np.uint8) << np.uint8(1)
        strips = (self.first[0] * columns + self.first[1])[members] + across * columns + down
        strips *= bins
        keys = strips + self.first[2][members]
        ends = np.bincount(keys, minlength=np.prod(self.shape))
        order = radix_argsort(keys, len(ends).bit_length())
        stops = np.cumsum(ends, out=ends)[(strips + self.last[2][members])[order]]
        starts = np.arange(1, len(keys) + 1)
        return members[order], begun[order], Comparisons(order, starts, stops - starts)
