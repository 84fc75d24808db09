"""Pairs of boxes as seen along a way, which a search divides."""

from dataclasses import dataclass

import numpy as np

from ..arrays import Flags, Floats, Ids, concatenated_ranges
from ..records import Columns


@dataclass(frozen=True)
class Boxed(Columns):
    """Pairs of nodes of pairs of placements, what bounds them as seen along the way, (8, t).

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
        """Return pairs of nodes with these bounds."""
        return cls(pairs, ones, others, one, other, other[2] - one[5])

    @property
    def are_beside(self) -> Flags:
        """Pairs of boxes whose shadows may only graze: neither holds the middle of the other."""
        one, other = self.one_bounds, self.other_bounds
        apart = np.abs((one[:2] + one[3:5]) - (other[:2] + other[3:5]))
        sizes = np.maximum(one[3:5] - one[:2], other[3:5] - other[:2])
        flags: Flags = (apart > sizes).any(axis=0)
        return flags


def each_with_each(ones: Ids, others: Ids, count: int) -> tuple[Ids, Ids]:
    """Return the places of each of `ones` with each of `others` of the same number, ascending."""
    counts = np.bincount(others, minlength=count)
    firsts = np.cumsum(counts) - counts
    mine = counts[ones]
    return np.repeat(np.arange(len(ones)), mine), concatenated_ranges(firsts[ones], mine)
