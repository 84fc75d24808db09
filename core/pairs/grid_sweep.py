"""Sweep and prune in a grid: strips across two axes, and a sweep along the third.

Bounds stand in all strips that they touch, each strip in the order in which they begin, and are
compared with those that begin within them (after Cohen and others, "I-COLLIDE", 1995, who sweep
all of space at once). Two that share several strips meet in the first: there, across each axis,
one of the two begins. All is counted in whole numbers, by bins: nothing is built except a table of
where the bins end.
"""

from collections.abc import Iterator
from dataclasses import dataclass
from typing import Self

import numpy as np
from numpy.typing import NDArray

from ..arrays import Ids, concatenated_ranges, radix_argsort
from ..morton import BITS, Words, unpacked
from ..shapes import Boxes
from .quantized import QuantizedBounds, grid_around, quantize
from .sweep import Comparisons, PairBatch

# How many times as wide as the average of the bounds a strip is; the most strips along an axis.
_WIDTH, _MOST = 2.5, 1_024
# Bins for each of the bounds; the fewest and the most bins of all.
_BINS, _FEWEST, _LARGEST = 4, 2**16, 2**22
# Strips that make more copies of each of the bounds, or more pairs to compare, do not fit.
_COPIES, _PAIRS = 6, 24


def grid_sweep_pairs(bounds: Boxes, owners: Ids | None = None) -> Iterator[PairBatch] | None:
    """Return pairs of bounds that may meet, each once, in any order; or nothing.

    With `owners` (n,), only pairs of different owners. No strips fit where sizes or places are
    too uneven: few strips hold almost all then, or many of the bounds stand in almost every strip.
    """
    if len(bounds) == 0:
        return iter(())
    fine = quantize(bounds, grid_around(bounds))
    strips = _Strips.around(unpacked(fine.first), unpacked(fine.last))
    if strips.copies.sum() > _COPIES * len(bounds):
        return None
    members, begun, line = strips.compared()
    if line.counts.sum() > _PAIRS * len(bounds):
        return None
    return _met(fine[members], members, begun, line, owners)


def _met(
    fine: QuantizedBounds,
    members: Ids,
    begun: NDArray[np.uint8],
    line: Comparisons,
    owners: Ids | None,
) -> Iterator[PairBatch]:
    """Yield the pairs whose bounds may meet, each in the first of the strips that it shares."""
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
    """Across two axes, the first and last strip of each of the bounds; along the third, its bins.

    `shape` is how many strips there are across each axis, and how many bins in a strip.
    """

    first: list[Words]
    last: list[Words]
    shape: list[int]

    @classmethod
    def around(cls, first: Words, last: Words) -> Self:
        """Return strips for bounds given on a fine grid, (3, n) each.

        The sweep goes along the axis of which the bounds take the smallest part.
        """
        count = first.shape[1]
        extents = (last.sum(axis=1) - first.sum(axis=1)) / (count * 2**BITS)
        axes = np.argsort(extents)[::-1].tolist()
        narrowest = 1 / min(count**0.5, _MOST)
        widths = np.maximum(_WIDTH * extents[axes[:2]], narrowest).clip(max=1.0)
        i, j = (1 / widths).astype(np.intp).tolist()
        shape = [i, j, min(max(_BINS * count, _FEWEST), _LARGEST) // (i * j)]
        sizes = list(zip(axes, shape, strict=True))
        begin, end = (
            [side[axis] * size >> BITS for axis, size in sizes] for side in (first, last)
        )
        return cls(begin, end, shape)

    @property
    def copies(self) -> Ids:
        """In how many strips each of the bounds stands."""
        return (self.last[0] - self.first[0] + 1) * (self.last[1] - self.first[1] + 1)

    def compared(self) -> tuple[Ids, NDArray[np.uint8], Comparisons]:
        """Return the copies in order: whose they are, across which axes it begins there.

        Last comes with how many of those after it each has to be compared.
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
