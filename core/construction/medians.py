"""Median splits: off-grid cells, divided on each axis at the median of what they hold."""

from dataclasses import dataclass

import numpy as np

from .. import tuning
from ..arrays import Flags, Floats, Ids, blocks, concatenated_ranges
from ..child_masks import POPCOUNT, ChildMasks
from ..grid import DEEPEST, Grid
from ..options import Options
from ..shapes import Shapes
from ..steps import Steps, between
from .divide import Entries
from .levels import (
    MOST_COPIES,
    Level,
    Members,
    check_copies,
    may_be_refused,
    most_references,
)
from .off_grid import ItemBounds, OffGridCells, divide_off_grid, leaves_of

# Numbers in a table whose rows are searched for their medians.
_TABLE = 262_144


def divide_at_medians(
    entries: Entries, grid: Grid, options: Options
) -> Steps[tuple[list[Level], Ids]]:
    """Divide the root, its children, their children and so on; yields the fraction done.

    Returns the levels, and the entries that were placed where rounding hid what they touch.
    """
    bounds = yield from between(0.0, 0.04, _bounds_of(entries.arranged))
    everything = Members(np.arange(len(entries)), np.zeros(len(entries), np.intp))
    yield 0.05
    walls = np.concatenate((grid.lower, grid.upper))[:, None]
    root = leaves_of(walls, everything, most_references(len(entries), options))
    rule = _Medians(grid, options, len(entries))
    dividing = divide_off_grid(bounds, root, np.zeros(1, np.intp), rule, options)
    return (yield from between(0.05, 1.0, dividing))


def _bounds_of(items: Shapes) -> Steps[ItemBounds]:
    lower, upper, centers = np.empty((3, 3, len(items)))
    for some in blocks(len(items), tuning.current.divided):
        lower[:, some], upper[:, some] = items[some].limits()
        centers[:, some] = (lower[:, some] + upper[:, some]) / 2
        yield some.stop / len(items)
    return ItemBounds(items, lower, upper, centers)


@dataclass(frozen=True)
class _Medians:
    """Cells are divided at medians, as far as that is better than in the middle."""

    grid: Grid
    options: Options
    entries: int

    def divisible(self, walls: Floats, depths: Ids) -> Flags:
        """Return which cells are neither too deep nor too small to have children."""
        large = (walls[3:] - walls[:3]).max(axis=0) / 2 >= self.options.min_size
        return large & (depths < min(self.options.max_depth, DEEPEST))

    def may_be_refused(self, level: Level, overfull: Ids) -> bool:
        """Tell whether copies grow so that a sample of these cells should be divided first."""
        copies = len(level.copies)
        return may_be_refused(copies, len(overfull), self.entries, self.options)

    def check(self, depth: int, count: int) -> None:
        """Raise if this many copies at one depth are beyond all use."""
        check_copies(self.entries, self.options, depth, count)

    def divide(
        self, bounds: ItemBounds, walls: Floats, pairs: Members
    ) -> Steps[tuple[OffGridCells, ChildMasks, Ids]]:
        """Choose where to divide the cells, and find the children that take their items."""
        counts = np.bincount(pairs.cells)
        starts = np.cumsum(counts) - counts
        medians = yield from between(0.0, 0.4, _medians(bounds.centers, pairs.entries, counts))
        lower, upper = walls[:3], walls[3:]
        centers = (lower + upper) / 2
        # A median on a wall gives way to the middle, and so do those that make too small a child.
        middles = np.where((lower < medians) & (medians < upper), medians, centers)
        least = np.minimum(middles - lower, upper - middles).max(axis=0)
        middles = np.where(least >= self.options.min_size, middles, centers)
        cells = OffGridCells(self.grid, walls, middles)
        masks, strays = yield from between(0.4, 0.8, self._taking(cells, bounds, pairs))
        # So do those that cut too many items for their copies to be worth it.
        copies = np.add.reduceat(POPCOUNT.take(masks), starts, dtype=np.intp)
        costly = (copies > MOST_COPIES * counts) & (middles != centers).any(axis=0)
        if costly.any():
            some = concatenated_ranges(starts[costly], counts[costly])
            cells = OffGridCells(self.grid, walls, np.where(costly, centers, middles))
            again = self._taking(cells, bounds, pairs[some])
            masks[some], more = yield from between(0.8, 1.0, again)
            strays = np.concatenate((strays, more))
        return cells, masks, strays

    def _taking(
        self, cells: OffGridCells, bounds: ItemBounds, pairs: Members
    ) -> Steps[tuple[ChildMasks, Ids]]:
        """Return the children that take entries, and entries whose children rounding hid."""
        masks, strays = np.zeros(len(pairs), np.uint8), [np.empty(0, np.intp)]
        for some in blocks(len(pairs), tuning.current.divided):
            masks[some], lost = cells.taking(bounds, pairs[some], self.options)
            strays.append(lost)
            yield some.stop / len(pairs)
        return masks, np.concatenate(strays)


def _medians(centers: Floats, entries: Ids, counts: Ids) -> Steps[Floats]:
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
            yield (first + len(some) * (axis + 1) / 3) / len(order)
        first += len(some)
    return medians


def _in_the_middle(table: Floats, even: Flags) -> Floats:
    """Return each row's median, (c,): for an even count, between two numbers; mixes the rows."""
    half = table.shape[1] // 2
    table.partition((half - 1, half), axis=1)
    return (table[:, half] + np.where(even, table[:, half - 1], table[:, half])) / 2
