"""Pairs of boxes as seen along a way, which a search divides."""

from dataclasses import dataclass

import numpy as np

from ..arrays import Flags, Floats, Ids, concatenated_ranges
from ..records import Columns


@dataclass(frozen=True)
class Boxed(Columns):
    """Pairs of patches of pairs of placements, what bounds them as seen along the way, (8, t).

    `least` are what no gap in them is below.
    """

    pairs: Ids
    ones: Ids
    others: Ids
    one_bounds: Floats
    other_bounds: Floats
    least: Floats

    @classmethod
    def of(cls, pairs: Ids, ones: Ids, others: Ids, one: Floats, other: Floats) -> "Boxed":
        """Return pairs of patches with these bounds."""
        return cls(pairs, ones, others, one, other, other[2] - one[5])


def promise(boxed: Boxed) -> tuple[Floats, Flags]:
    """Return how far boxes are apart at their middles, and which may only graze each other."""
    (one, half), (other, other_half) = (
        ((each[:3] + each[3:6]) / 2, (each[3:6] - each[:3]) / 2)
        for each in (boxed.one_bounds, boxed.other_bounds)
    )
    beside = np.abs(one[:2] - other[:2]) > np.maximum(half, other_half)[:2]
    return other[2] - one[2], beside.any(axis=0)


def each_with_each(ones: Ids, others: Ids, count: int) -> tuple[Ids, Ids]:
    """Return the places of each of `ones` with each of `others` of the same number, ascending."""
    counts = np.bincount(others, minlength=count)
    firsts = np.cumsum(counts) - counts
    mine = counts[ones]
    return np.repeat(np.arange(len(ones)), mine), concatenated_ranges(firsts[ones], mine)
