"""Dividing leaves that hold too many items, their parts, and so on.

First all that are crowded are divided. Then those divisions are taken back that separated nothing
and have none below them that did, so that coincident items stay together in one leaf instead of
a chain of cells.
"""

from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from ..arrays import Flags, Floats, Ids, gather
from ..child_masks import POPCOUNT
from ..construction.levels import MOST_COPIES, Pairs
from ..construction.off_grid import eight_parts
from ..options import Options
from .assignment import Layout
from .placement import Placement, handed_down, places


def crowded(layout: Layout, options: Options, numbers: Ids) -> Ids:
    """Return those of the cells that are leaves, hold too many items and may be divided, once."""
    cells = layout.cells
    many = (layout.own[numbers] > options.capacity) & (cells.first_child[numbers] < 0)
    numbers = np.unique(numbers[many])
    return numbers[
        _divisible(cells.rows[:, numbers], cells.depth[numbers], options, layout.finest)
    ]


def _divisible(walls: Floats, depth: Ids, options: Options, finest: float) -> Flags:
    """Return which cells are neither too deep nor too small to have parts."""
    sizes, middles = walls[3:] - walls[:3], _middles(walls)
    # Where numbers are too coarse to tell the middle from a wall, parts would be cells again.
    apart = ((walls[:3] < middles) & (middles < walls[3:])).any(axis=0)
    least = max(options.min_size, finest)
    return apart & (depth < options.max_depth) & (sizes.max(axis=0) / 2 >= least)


def _middles(walls: Floats) -> Floats:
    return (walls[:3] + walls[3:]) / 2


def divided(
    layout: Layout, rows: Floats, leaves: Ids, options: Options, placement: Placement
) -> Layout:
    """Return the layout after these leaves, whose items are some of `rows` (7, n), are divided."""
    if len(leaves) == 0:
        return layout
    division = _Division(layout, rows, options, placement)
    generation = division.of_leaves(leaves)
    while len(generation.numbers):
        generation = division.divide(generation)
    return division.without_idle_ones(division.made(layout.in_cells(leaves)))


def separable(
    layout: Layout, rows: Floats, leaves: Ids, options: Options, placement: Placement
) -> Ids:
    """Return those of the leaves whose division alone would set items (7, n) apart."""
    division = _Division(layout, rows, options, placement)
    cells = division.of_leaves(leaves)
    taking = division.taking(cells, _middles(cells.walls))
    worth, separated, _ = _worth(_held(cells.pairs.cells, taking, len(leaves)), cells)
    return leaves[worth & separated]


@dataclass(frozen=True)
class _Generation:
    """Cells to be divided: their numbers, walls (6, c) and depths.

    `pairs` are of items and these cells, counted from 0. Divisions that separated nothing have
    `spread` a cell's items over so many cells.
    """

    numbers: Ids
    walls: Floats
    depth: Ids
    spread: Ids
    pairs: Pairs


class _Division:
    """Divides one generation after the other, and notes what comes of it."""

    def __init__(
        self, layout: Layout, rows: Floats, options: Options, placement: Placement
    ) -> None:
        self.layout, self.rows, self.options, self.placement = layout, rows, options, placement
        self.count = len(layout.cells)
        self.single = np.bincount(layout.homes.entries, minlength=rows.shape[1]) == 1
        self.divided: list[Ids] = []
        self.separated: list[Flags] = []
        self.parts: list[Floats] = []
        self.settled: list[Pairs] = []
        self.strays: list[Ids] = []

    def of_leaves(self, leaves: Ids) -> _Generation:
        """Return some leaves of the layout as a generation."""
        cells, homes = self.layout.cells, self.layout.homes[self.layout.in_cells(leaves)]
        rank = np.empty(len(cells), np.intp)
        rank[leaves] = np.arange(len(leaves))
        pairs = Pairs(homes.entries, rank[homes.cells])
        walls, depth = cells.rows[:, leaves], cells.depth[leaves]
        return _Generation(leaves, walls, depth, np.ones(len(leaves), np.intp), pairs)

    def divide(self, cells: _Generation) -> _Generation:
        """Divide these cells; return those of their parts that are to be divided, too."""
        pairs, middles = cells.pairs, _middles(cells.walls)
        taking = self.taking(cells, middles)
        held = _held(pairs.cells, taking, len(cells.numbers))
        worth, separated, spread = _worth(held, cells)
        taking[~worth[pairs.cells]] = 0
        self.single[pairs.entries[POPCOUNT[taking] > 1]] = False
        self._settle(pairs[taking == 0], cells.numbers)
        parts = eight_parts(cells.walls[:, worth], middles[:, worth])
        self.divided.append(cells.numbers[worth])
        self.separated.append(separated[worth])
        self.parts.append(parts)
        numbers = self.count + np.arange(parts.shape[1])
        self.count += len(numbers)
        first_parts = 8 * (np.cumsum(worth) - 1)
        going = handed_down(pairs.entries, first_parts[pairs.cells], taking)
        depth = np.repeat(cells.depth[worth] + 1, 8)
        again = (held[worth].ravel() > self.options.capacity) & _divisible(
            parts, depth, self.options, self.layout.finest
        )
        self._settle(going[~again[going.cells]], numbers)
        going = going[again[going.cells]]
        rank = np.cumsum(again) - 1
        return _Generation(
            numbers[again],
            parts[:, again],
            depth[again],
            np.repeat(spread[worth], 8)[again],
            Pairs(going.entries, rank[going.cells]),
        )

    def taking(self, cells: _Generation, middles: Floats) -> NDArray[np.uint8]:
        """Return the parts that take each pair's item."""
        pairs = cells.pairs
        walls, middles = gather(cells.walls, pairs.cells), gather(middles, pairs.cells)
        items = places(gather(self.rows, pairs.entries), self.single[pairs.entries])
        parts, lost = self.placement.parts(self.layout.cells, walls, middles, items)
        self.strays.append(pairs.entries[lost])
        return parts

    def _settle(self, pairs: Pairs, numbers: Ids) -> None:
        self.settled.append(Pairs(pairs.entries, numbers[pairs.cells]))

    def made(self, gone: Ids) -> Layout:
        """Return the layout with all that was divided, without these pairs of the leaves."""
        parts = np.concatenate(self.parts, axis=1)
        cells = self.layout.cells.with_parts(np.concatenate(self.divided), parts)
        entries = np.concatenate([pairs.entries for pairs in self.settled])
        numbers = np.concatenate([pairs.cells for pairs in self.settled])
        layout = self.layout.refined(cells, np.concatenate(self.strays))
        return layout.replaced(gone, Pairs(entries, numbers))

    def without_idle_ones(self, layout: Layout) -> Layout:
        """Return the layout without divisions that separated nothing, nor did any below them."""
        parent = layout.cells.parent
        useful, idle = np.zeros((2, len(parent)), bool)
        for numbers, separated in zip(self.divided[::-1], self.separated[::-1], strict=True):
            useful[numbers[separated]] = True
            idle[numbers[~useful[numbers]]] = True
            useful[parent[numbers[useful[numbers]]]] = True
        return layout.merged(np.flatnonzero(idle & ~idle[parent]))


def _held(cells: Ids, taking: NDArray[np.uint8], count: int) -> Ids:
    """Return how many of its items each part of each cell takes, (c, 8)."""
    taken = handed_down(np.arange(len(cells)), 8 * cells, taking)
    return np.bincount(taken.cells, minlength=8 * count).reshape(-1, 8)


def _worth(held: Ids, cells: _Generation) -> tuple[Flags, Flags, Ids]:
    """Return which divisions are worth trying, which separate items, and how far these spread.

    Copies are kept within the bounds that hold for a static tree.
    """
    counts = np.bincount(cells.pairs.cells, minlength=len(held))
    occupied = (held > 0).sum(axis=1)
    separated = ((held > 0) & (held < counts[:, None])).any(axis=1)
    spread = np.where(separated, 1, cells.spread * occupied)
    worth = (held.sum(axis=1) <= MOST_COPIES * counts) & (spread <= MOST_COPIES) & (occupied > 0)
    return worth, separated, spread
