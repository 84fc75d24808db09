"""Off-grid cells: cells with walls at any position, and the children that their items go to.

The cells of items cannot be computed in advance: in cells of every depth, each item is a copy.
Used for medians, and for trees that change.
"""

from abc import abstractmethod
from dataclasses import dataclass
from functools import cached_property, partial
from typing import Self

import numpy as np

from ..arrays import Flags, Floats, Ids, flagged, gather
from ..cells import child_walls
from ..child_masks import ON_SIDES, POPCOUNT, ChildMasks
from ..grid import Grid, enlarged_contain
from ..options import Options
from ..shapes import Shapes
from ..steps import Ticks
from .levels import Leaves, Level
from .rules import CellPairs, Cut, Rule

# Error of an item's position after a few roundings, at most, as a fraction of the root's size.
_MARGIN = 2.0**-46


@dataclass(frozen=True)
class ItemBounds:
    """Items and their bounds, (3, n) each."""

    items: Shapes
    lower: Floats
    upper: Floats

    @cached_property
    def centers(self) -> Floats:
        """The centers of the bounds, (3, n)."""
        return (self.lower + self.upper) / 2


@dataclass(frozen=True)
class OffGridCut(Cut):
    """Cells with these walls that are divided at `middles`, off by a rounding at most."""

    rounding: float

    @classmethod
    def of(cls, root: Grid, walls: Floats, middles: Floats) -> Self:
        """Return cells within a root."""
        return cls(walls, middles, root.scale / 2**root.depth, _MARGIN, root.rounding)

    @cached_property
    def _from(self) -> Floats:
        """The coordinates where upper halves begin; infinite for cells without extent."""
        return np.where(self.middles < self.walls[3:], self.middles, np.inf)

    def taking(
        self, bounds: ItemBounds, options: Options, pairs: CellPairs
    ) -> tuple[ChildMasks, Ids]:
        """Return the children that take each entry from its cell; none where it stays.

        The second result are strays: entries that touch no child, by a rounding, and go to all
        that they may touch.
        """
        if options.straddlers != "keep":
            overlapped = self._overlapped(bounds, pairs)
            return self.touched(bounds.items, pairs, overlapped, pairs.is_whole)
        walls, middles = gather(self.walls, pairs.cells), gather(self.middles, pairs.cells)
        lower, upper = gather(bounds.lower, pairs.entries), gather(bounds.upper, pairs.entries)
        masks = _holding(lower, upper, walls, middles, options.loose_factor)
        return masks, pairs.entries[:0]

    def _overlapped(self, bounds: ItemBounds, pairs: CellPairs) -> ChildMasks:
        """Return the children that the entries' bounds overlap, or miss by a rounding."""
        flags = np.zeros(len(pairs), np.uint8)
        for axis in range(3):
            wall = self._from[axis].take(pairs.cells)
            below = bounds.lower[axis].take(pairs.entries) <= wall + self.rounding
            above = bounds.upper[axis].take(pairs.entries) >= wall - self.rounding
            flags |= below.view(np.uint8) << 2 * axis | above.view(np.uint8) << 2 * axis + 1
        return ON_SIDES.take(flags)


def _holding(
    lower: Floats, upper: Floats, walls: Floats, middles: Floats, factor: float
) -> ChildMasks:
    """Return the child around each item's center, if it holds it whole when it is enlarged."""
    centers = (lower + upper) / 2
    above = centers >= middles
    on_wall = np.flatnonzero(centers == middles)
    if len(on_wall):
        # The larger child grows further beyond the wall; none grows that has no extent.
        wall = middles.ravel()[on_wall]
        below, beyond = wall - walls[:3].ravel()[on_wall], walls[3:].ravel()[on_wall] - wall
        above.ravel()[on_wall] = (below <= beyond) & (beyond > 0)
    low, high = np.where(above, middles, walls[:3]), np.where(above, walls[3:], middles)
    held = enlarged_contain(low, high, factor, lower, upper)
    x, y, z = above.view(np.uint8)
    return held.view(np.uint8) << (x | y << np.uint8(1) | z << np.uint8(2))


class OffGridRule(Rule):
    """Divides cells, known by their walls, of a root; `is_whole` flags items never copied."""

    def __init__(self, bounds: ItemBounds, is_whole: Flags, root: Grid, options: Options) -> None:
        super().__init__(options)
        self.bounds, self.grid, self.is_whole = bounds, root, is_whole
        self.least = options.min_size

    def divisible(self, leaves: Leaves, some: Ids) -> Flags:
        """Return which of some cells are neither too deep nor too small to have children."""
        walls, depths = gather(leaves.where, some), leaves.depths[some]
        return may_have_children(walls, depths, self.least, self.options)

    @abstractmethod
    def choose(self, walls: Floats, pairs: CellPairs) -> Ticks[tuple[Floats, ChildMasks]]:
        """Return the division points of cells, (3, c), and the children that take each entry."""

    def leaving(self, level: Level, leaves: Leaves) -> Ticks[CellPairs]:
        """Return all entries of the cells, cell by cell."""
        entries = level.copies_in(leaves)
        yield
        cells = np.repeat(np.arange(len(leaves)), leaves.held)
        yield
        return CellPairs(entries, cells, self.is_whole.take(entries))

    def children(self, leaves: Leaves, pairs: CellPairs) -> Ticks[tuple[Floats, ChildMasks]]:
        """Return the walls of the children, (6, 8 c), and which take the entry of each pair."""
        middles, masks = yield from self.choose(leaves.where, pairs)
        copied = pairs.entries[np.flatnonzero(POPCOUNT.take(masks) > 1)]
        self.is_whole = self.is_whole & ~flagged(len(self.is_whole), copied)
        yield
        return child_walls(leaves.where, middles), masks

    def masks(self, walls: Floats, middles: Floats, pairs: CellPairs) -> Ticks[ChildMasks]:
        """Return the children that take each entry from cells that are divided there."""
        cut = OffGridCut.of(self.grid, walls, middles)
        return self.taking(partial(cut.taking, self.bounds, self.options), pairs)


def may_have_children(walls: Floats, depths: Ids, least: float, options: Options) -> Flags:
    """Flag the cells that are neither deeper than allowed nor have children below `least`."""
    sizes, middles = walls[3:] - walls[:3], (walls[:3] + walls[3:]) / 2
    # Where numbers are too coarse to tell the middle from a wall, children would be as large.
    apart = ((walls[:3] < middles) & (middles < walls[3:])).any(axis=0)
    return apart & (depths < options.max_depth) & (sizes.max(axis=0) / 2 >= least)


def leaves_of(
    walls: Floats, entries: Ids, counts: Ids, depths: Ids, allowance: float = np.inf
) -> Level:
    """Return leaves with these walls (6, c), depths and numbers of entries, as a level."""
    ends = np.cumsum(counts)
    nothing, one = np.zeros_like(ends), np.ones_like(ends)
    rows = np.stack((nothing, nothing, ends - counts, ends, counts, one, depths))
    return Level(Leaves(walls, rows, np.full(len(ends), allowance)), entries)
