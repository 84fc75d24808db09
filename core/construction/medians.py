"""Median splits: off-grid cells, divided on each axis at the median of their items' centers."""

from typing import Self

import numpy as np

from ..arrays import Flags, Floats, Ids, concatenated_ranges
from ..child_masks import POPCOUNT, ChildMasks
from ..grid import Grid
from ..options import Options
from ..steps import Ticks
from .entries import Entries, limits_of
from .levels import MOST_COPIES, Level
from .off_grid import ItemBounds, OffGridRule, leaves_of
from .rules import CellPairs, most_references

# Numbers in a table whose rows are searched for their medians.
_TABLE = 262_144


class MedianRule(OffGridRule):
    """The rule that divides cells at medians of centers, or else in the middle."""

    @classmethod
    def of(cls, entries: Entries, grid: Grid, options: Options) -> Ticks[Self]:
        """Return the rule for a root among entries."""
        bounds = ItemBounds(entries.arranged, *(yield from limits_of(entries.arranged, None)))
        return cls(bounds, np.ones(len(entries), bool), grid, options)

    def root(self) -> Level:
        """Return the root, which holds all entries."""
        count, walls = len(self.is_whole), np.concatenate((self.grid.lower, self.grid.upper))
        allowance = most_references(count, self.options)
        nothing = np.zeros(1, np.intp)
        return leaves_of(walls[:, None], np.arange(count), nothing + count, nothing, allowance)

    def choose(self, walls: Floats, pairs: CellPairs) -> Ticks[tuple[Floats, ChildMasks]]:
        """Return the division points of cells, (3, c), and the children that take each entry."""
        counts = np.bincount(pairs.cells)
        starts = np.cumsum(counts) - counts
        medians = yield from _medians(self.bounds.centers, pairs.entries, counts)
        lower, upper = walls[:3], walls[3:]
        centers = (lower + upper) / 2
        # The middle replaces medians on a wall, and medians that would make too small a child.
        middles = np.where((lower < medians) & (medians < upper), medians, centers)
        least = np.minimum(middles - lower, upper - middles).max(axis=0)
        middles = np.where(least >= self.options.min_size, middles, centers)
        masks = yield from self.masks(walls, middles, pairs)
        # The middle also replaces medians that would make too many copies.
        copies = np.add.reduceat(POPCOUNT.take(masks), starts, dtype=np.intp)
        costly = (copies > MOST_COPIES * counts) & (middles != centers).any(axis=0)
        if costly.any():
            some = concatenated_ranges(starts[costly], counts[costly])
            middles = np.where(costly, centers, middles)
            masks[some] = yield from self.masks(walls, middles, pairs[some])
        return middles, masks


def _medians(centers: Floats, entries: Ids, counts: Ids) -> Ticks[Floats]:
    """Return the medians of the centers of each cell's entries, (3, c).

    Cells of about one count are taken together, until their numbers fill a table. Each is
    a row of it, filled up on both sides so that all medians are in one column.
    """
    starts = np.cumsum(counts) - counts
    order = np.argsort(-counts, kind="stable")
    medians = np.empty((3, len(counts)))
    first = 0
    while first < len(order):
        width = int(counts[order[first]])
        some = order[first : first + max(1, _TABLE // width)]
        before = (width // 2 - counts[some] // 2)[:, None]
        columns = np.arange(width)
        left, right = columns < before, columns >= before + counts[some, None]
        members = entries.take(starts[some, None] - before + columns, mode="clip")
        for axis, row in enumerate(centers):
            table = row.take(members)
            table[left], table[right] = -np.inf, np.inf
            medians[axis, some] = _in_the_middle(table, counts[some] % 2 == 0)
            yield
        first += len(some)
    return medians


def _in_the_middle(table: Floats, even: Flags) -> Floats:
    """Return each row's median, (c,): for an even count, between two numbers; mixes the rows."""
    half = table.shape[1] // 2
    table.partition((half - 1, half), axis=1)
    return (table[:, half] + np.where(even, table[:, half - 1], table[:, half])) / 2
