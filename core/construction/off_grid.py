"""Off-grid cells, whose walls lie anywhere: which children items go to, and dividing them.

Nothing is known of an item beforehand: at every depth each item is a pair of item and cell, and
these are kept in the order of the cells. For medians, and for trees that change.
"""

from copy import copy
from dataclasses import dataclass
from functools import cached_property, partial
from typing import Protocol

import numpy as np

from .. import child_masks, tuning
from ..arrays import Flags, Floats, Ids, blocks, concatenated_ranges, gather
from ..cells import child_walls
from ..child_masks import ON_SIDES, POPCOUNT, ChildMasks
from ..grid import DEEPEST, Grid, enlarged_contain
from ..options import Options
from ..passes import taken_steps
from ..shapes import Shapes
from ..steps import Steps, between
from .levels import Check, Level, Members, foresee, moving, settle

# Of the root's size: what a few roundings may move an item by.
_MARGIN = 2.0**-46
_NONE_GONE = np.zeros(1, np.intp)


class ItemBounds:
    """Bounds and centers of items, (3, n) each, and which items have never been copied."""

    def __init__(
        self, items: Shapes, lower: Floats, upper: Floats, centers: Floats | None = None
    ) -> None:
        self.items, self.lower, self.upper = items, lower, upper
        self.centers = (lower + upper) / 2 if centers is None else centers
        self.never_copied = np.ones(len(items), bool)

    @property
    def rows(self) -> tuple[Floats, Floats, Floats]:
        """Lower and upper bounds, and centers."""
        return self.lower, self.upper, self.centers


@dataclass(frozen=True)
class OffGridCells:
    """Cells with these walls, (6, c), that are divided at `middles`, (3, c)."""

    grid: Grid
    walls: Floats
    middles: Floats

    @cached_property
    def _from(self) -> Floats:
        """From where on items lie in the upper half; none does in one without extent."""
        return np.where(self.middles < self.walls[3:], self.middles, np.inf)

    def taking(
        self, bounds: ItemBounds, pairs: Members, options: Options
    ) -> tuple[ChildMasks, Ids]:
        """Return the children that take each entry from its cell; none where it stays.

        The second result are strays: entries that touch no child, by a rounding, and go to all
        that they may touch.
        """
        if options.straddlers != "keep":
            return self._touched(bounds, pairs)
        walls, middles = gather(self.walls, pairs.cells), gather(self.middles, pairs.cells)
        lower, upper, centers = (gather(rows, pairs.entries) for rows in bounds.rows)
        masks = _holding(lower, upper, centers, walls, middles, options.loose_factor)
        return masks, pairs.entries[:0]

    def taking_each(self, bounds: ItemBounds, options: Options) -> tuple[ChildMasks, Ids]:
        """Do the same where each cell has one entry, which has its number."""
        each = np.arange(len(bounds.items))
        if options.straddlers != "keep":
            return self._touched(bounds, Members(each, each))
        factor = options.loose_factor
        return _holding(*bounds.rows, self.walls, self.middles, factor), each[:0]

    def _touched(self, bounds: ItemBounds, pairs: Members) -> tuple[ChildMasks, Ids]:
        overlapped = self._overlapped(bounds, pairs)
        # An item that lies in the cell and crosses one dividing plane touches both sides of it.
        certain = 1 + bounds.never_copied.take(pairs.entries).view(np.uint8)
        doubtful = np.flatnonzero(POPCOUNT.take(overlapped) > certain)
        some = pairs[doubtful]
        scale = self.grid.scale / 2**self.grid.depth
        extent = np.stack((self.middles - self.walls[:3], self.walls[3:] - self.middles))
        extent = gather((extent * scale[:, None]).reshape(6, -1), some.cells).reshape(2, 3, -1)
        middles = gather(self.middles, some.cells)
        touched = child_masks.touched_children(
            bounds.items, some.entries, middles, scale, _MARGIN, extent
        )
        return overlapped, some.entries[child_masks.drop_untouched(overlapped, doubtful, touched)]

    def _overlapped(self, bounds: ItemBounds, pairs: Members) -> ChildMasks:
        """Return the children that the entries' bounds overlap, or miss by a rounding."""
        rounding, flags = self.grid.rounding, np.zeros(len(pairs), np.uint8)
        for axis in range(3):
            wall = self._from[axis].take(pairs.cells)
            below = bounds.lower[axis].take(pairs.entries) <= wall + rounding
            above = bounds.upper[axis].take(pairs.entries) >= wall - rounding
            flags |= below.view(np.uint8) << 2 * axis | above.view(np.uint8) << 2 * axis + 1
        return ON_SIDES.take(flags)


def _holding(
    lower: Floats, upper: Floats, centers: Floats, walls: Floats, middles: Floats, factor: float
) -> ChildMasks:
    """Return the child around each item's center, if it holds it whole when it is enlarged."""
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


class Rule(Protocol):
    """Which off-grid cells may be divided, and where."""

    def divisible(self, walls: Floats, depths: Ids) -> Flags:
        """Return which cells are neither too deep nor too small to have children."""

    def divide(
        self, bounds: ItemBounds, walls: Floats, pairs: Members
    ) -> Steps[tuple[OffGridCells, ChildMasks, Ids]]:
        """Choose where to divide cells; return them, the children that take items, and strays."""

    def may_be_refused(self, level: Level, overfull: Ids) -> bool:
        """Tell whether copies grow so that a sample of these cells should be divided first."""

    def check(self, depth: int, count: int) -> None:
        """Raise if this many copies at one depth are beyond all use."""


def leaves_of(walls: Floats, pairs: Members, allowance: float = np.inf) -> Level:
    """Return leaves with these walls (6, c) and items, given cell by cell, as a level."""
    count = walls.shape[1]
    no_slices = np.zeros((2, count), np.intp)
    return Level.of_leaves(
        walls, no_slices, pairs, np.ones(count, np.intp), np.full(count, allowance)
    )


def divide_off_grid(
    bounds: ItemBounds, leaves: Level, depths: Ids, rule: Rule, options: Options
) -> Steps[tuple[list[Level], Ids]]:
    """Divide leaves of these depths, their children and so on; yields the fraction done.

    Returns the levels, and the entries that were placed where rounding hid what they touch.
    """
    levels, strays = [leaves], [np.empty(0, np.intp)]
    deepest, is_safe = max(min(options.max_depth, DEEPEST), 1), False
    while True:
        level, done = levels[-1], len(levels) - 1
        overfull = overfull_cells(level, depths, rule, options)
        if len(overfull) == 0:
            return levels, np.concatenate(strays)
        start = done / deepest
        if not is_safe and rule.may_be_refused(level, overfull):
            trying = _foresee(bounds, level, range(done, deepest), rule, options)
            yield from between(start, start + 0.5 / deepest, trying)
            start, is_safe = start + 0.5 / deepest, True
        dividing = divide_level(bounds, level, overfull, done, rule, options)
        children, lost = yield from between(start, (done + 1) / deepest, dividing)
        levels.append(children)
        strays.append(lost)
        depths = np.repeat(depths[level.divided] + 1, 8)


def _foresee(
    bounds: ItemBounds, level: Level, depths: range, rule: Rule, options: Options
) -> Steps[None]:
    """Divide a sample of the cells down to the last depth; raise if all make too many copies."""
    bounds = copy(bounds)
    bounds.never_copied = bounds.never_copied.copy()

    def divide(
        level: Level, some: Ids, depth: int, _: Ids, check: Check
    ) -> Steps[tuple[Level, Ids]]:
        some = some[rule.divisible(level.cells[:, some], np.full(len(some), depth))]
        return divide_level(bounds, level, some, depth, rule, options, check)

    return foresee(level, depths, _NONE_GONE, divide, len(bounds.items), options)


def overfull_cells(level: Level, depths: Ids, rule: Rule, options: Options) -> Ids:
    """Return the cells that hold more items than they should and may be divided."""
    overfull = np.flatnonzero(level.counts(_NONE_GONE) > options.capacity)
    return overfull[rule.divisible(level.cells[:, overfull], depths[overfull])]


def divide_level(
    bounds: ItemBounds,
    level: Level,
    overfull: Ids,
    depth: int,
    rule: Rule,
    options: Options,
    check: Check | None = None,
) -> Steps[tuple[Level, Ids]]:
    """Divide these cells of a level where it is worth it; yields the fraction done.

    Returns their children, and strays.
    """
    counts = level.counts(_NONE_GONE)
    pairs = yield from between(0.0, 0.05, _pairs_of(level, overfull, counts))
    dividing = rule.divide(bounds, level.cells[:, overfull], pairs)
    cells, masks, strays = yield from between(0.05, 0.7, dividing)
    move, stay = moving(masks, options)
    making = _children(cells, pairs[move], masks[move], len(overfull))
    children = yield from between(0.7, 0.89, making)
    yield 0.9
    bounds.never_copied[pairs.entries[np.flatnonzero(POPCOUNT.take(masks) > 1)]] = False
    yield 0.91
    check_below = partial(check or rule.check, depth + 1)
    counts = counts[overfull]
    settling = settle(level, overfull, counts, pairs[stay], children, _NONE_GONE, check_below)
    children = yield from between(0.91, 0.99, settling)
    yield 1.0
    return children, strays


def _pairs_of(level: Level, overfull: Ids, counts: Ids) -> Steps[Members]:
    """Return the items of the overfull cells, cell by cell, and the ranks of these cells."""
    starts = np.cumsum(counts) - counts
    members = concatenated_ranges(starts[overfull], counts[overfull])
    yield 0.3
    cells = np.repeat(np.arange(len(overfull)), counts[overfull])
    yield 0.4
    entries = yield from between(0.4, 1.0, taken_steps(level.copies.entries, members))
    return Members(entries, cells)


def _children(cells: OffGridCells, pairs: Members, masks: ChildMasks, count: int) -> Steps[Level]:
    """Return the children of the cells, with copies of the pairs in those that they go to."""
    going, held = [], np.empty((8, count), np.intp)
    for child in range(8):
        going.append(np.flatnonzero(masks & np.uint8(1 << child)))
        held[child] = np.bincount(pairs.cells[going[child]], minlength=count)
        yield 0.05 * (child + 1)
    ends = np.cumsum(held.T)
    starts = ends.reshape(-1, 8).T - held
    entries = np.empty(ends[-1], np.intp)
    for child, some in enumerate(going):
        # A cell's pairs for one child follow each other in both orders.
        shift = starts[child] - (np.cumsum(held[child]) - held[child])
        for piece in blocks(len(some), tuning.current.piece):
            these, places = some[piece], np.arange(piece.start, piece.stop)
            entries[places + shift[pairs.cells[these]]] = pairs.entries[these]
            yield 0.4 + 0.05 * (child + piece.stop / len(some))
    copies = Members(entries, np.repeat(np.arange(held.size), held.T.ravel()))
    yield 0.9
    return leaves_of(child_walls(cells.walls, cells.middles), copies)
