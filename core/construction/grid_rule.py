"""Cells on a grid: divided in the middle, among entries that are sorted along the Morton curve.

An entry in the slice of a cell is looked at when a cell is divided that it straddles; from there
on it is a copy, handed down level by level. The compiled kernel makes the same levels.
"""

from collections.abc import Sequence
from dataclasses import replace
from typing import Any

import numpy as np
from numpy.typing import NDArray

from .. import tuning
from ..arrays import Flags, Floats, Ids, blocks, concatenated_ranges
from ..cells import UPPER_SIDES, Cells
from ..child_masks import ON_SIDES, ChildMasks
from ..compiled import CellsDivided, Divider
from ..grid import Grid, Words, morton_codes, pack, sides_of_planes
from ..options import COPYING, Options
from ..shapes import Boxes, Shapes, Triangles
from ..steps import Ticks
from .entries import Entries
from .levels import MOST_COPIES, Leaves, Level
from .rules import CellPairs, Check, Cut, Filing, Rule, most_references

# Entries are numbered by 32 bits.
_MOST = 2**31


class GridRule(Rule):
    """Divides cells of a grid, known by their numbers, among entries."""

    def __init__(self, entries: Entries, grid: Grid, options: Options) -> None:
        super().__init__(options)
        self.entries, self.grid = entries, grid

    def root(self) -> Level:
        """Return the root, which holds all entries in its slice."""
        count = len(self.entries)
        rows = np.array([[0], [count], [0], [0], [count], [1], [0]])
        allowance = np.array([most_references(count, self.options)])
        return Level(Leaves(np.zeros((3, 1), np.int64), rows, allowance), np.empty(0, np.intp))

    def divisible(self, leaves: Leaves, some: Ids) -> Flags:
        """Return which of some cells the grid divides farther."""
        return leaves.depths[some] < self.grid.depth

    def leaving(self, level: Level, leaves: Leaves) -> Ticks[CellPairs]:
        """Return the entries that leave the slices of cells or stay, then copies, cell by cell."""
        straddling = np.flatnonzero(self.entries.depths == leaves.depths[0])
        start, stop = np.searchsorted(straddling, leaves.slices)
        counts = np.stack((stop - start, leaves.copy_counts), axis=1)
        yield
        is_whole = np.repeat(np.tile([True, False], len(leaves)), counts.ravel())
        entries = np.empty(len(is_whole), np.intp)
        entries[is_whole] = straddling[concatenated_ranges(start, stop - start)]
        yield
        entries[~is_whole] = level.copies_in(leaves)
        yield
        cells = np.repeat(np.arange(len(leaves)), counts.sum(axis=1))
        return CellPairs(entries, cells, is_whole)

    def children(self, leaves: Leaves, pairs: CellPairs) -> Ticks[tuple[Words, ChildMasks]]:
        """Return the numbers of the children, (3, 8 c), and which take the entry of each pair."""
        depth = int(leaves.depths[0])
        where = (2 * leaves.where[:, :, None] + UPPER_SIDES[:, None]).reshape(3, -1)
        if self.options.straddlers == "keep":
            return where, np.zeros(len(pairs), np.uint8)
        entries, odd, finer = self.entries, 2 * leaves.where + 1, self.grid.depth - depth - 1
        # In units of children, nothing in the root is farther away; a few roundings are lost.
        margin, middles = 2.0 ** (depth + 1) * 2.0**-48, self.grid.bounds(odd, depth + 1)[:3]
        walls, planes = self.grid.bounds(leaves.where, depth), pack(odd << finer)
        cut = Cut(walls, middles, self.grid.scale / 2**finer, margin)

        def take(some: CellPairs) -> tuple[ChildMasks, Ids]:
            first, last = entries.first[some.entries], entries.last[some.entries]
            overlapped = ON_SIDES.take(sides_of_planes(first, last, planes[some.cells]))
            return cut.touched(entries.arranged, some, overlapped, some.is_whole)

        return where, (yield from self.taking(take, pairs))

    def sliced(self, leaves: Leaves, where: NDArray[Any]) -> Ticks[tuple[Ids, Ids]]:
        """Return the children's slices of the entries, (2, c, 8), and how many they hold."""
        depth = int(leaves.depths[0])
        codes = morton_codes(where, depth + 1).reshape(-1, 8) << 3 * (self.grid.depth - depth - 1)
        bounds = np.empty((len(leaves), 9), np.intp)
        bounds[:, 0], bounds[:, 8] = leaves.slices
        for some in blocks(len(leaves), tuning.current.piece // 8):
            bounds[some, 1:8] = np.searchsorted(self.entries.codes, codes[some, 1:])
            yield
        # Prefix counts of the entries that sink deeper than these cells.
        deeper = np.zeros(len(self.entries) + 1, np.intp)
        for some in blocks(len(self.entries), tuning.current.piece):
            counts = deeper[some.start + 1 : some.stop + 1]
            np.cumsum(self.entries.depths[some] > depth, out=counts)
            counts += deeper[some.start]
            yield
        return np.stack((bounds[:, :-1], bounds[:, 1:])), np.diff(deeper[bounds], axis=1)

    def walls(self, where: Words, depths: Ids) -> Floats:
        """Return the walls (6, c) of cells of these depths, given their numbers."""
        return self.grid.bounds(where, depths)


def may_divide(items: Shapes, options: Options) -> bool:
    """Return whether the kernel can divide cells among these items with these options."""
    kinds = isinstance(items, Triangles | Boxes) and len(items) < _MOST
    return kinds and options.split == "middle" and options.straddlers in COPYING


class KernelRule(GridRule):
    """The rule by which the compiled kernel divides the cells of a grid."""

    def __init__(self, entries: Entries, grid: Grid, options: Options) -> None:
        super().__init__(entries, grid, options)
        words = entries.codes, entries.first, entries.last
        self._divider = Divider(entries.arranged, words, entries.depths, grid)

    def root(self) -> Level:
        """Return the root, which holds all entries in its slice."""
        return Level(super().root().cells, np.empty(0, np.int32))

    def divide(self, level: Level, overfull: Ids, check: Check) -> Ticks[Level]:
        """Divide the overfull cells of a level where this pays off; return the children."""
        depth = int(level.cells.depths[0])
        counts = level.cells.held[overfull]
        room = len(level.copies) + np.count_nonzero(self.entries.depths == depth)
        cells = CellsDivided(self._divider, level.asked, overfull, counts, room)
        yield from cells.classify()
        rows, allowance, copies = cells.judge(MOST_COPIES)
        check(depth + 1, copies)
        level.settle(overfull, cells.worth, cells.separates)
        leaves = Leaves(rows[:3], rows[3:], allowance)
        return Level(leaves, (yield from cells.hand_down()))

    def walls(self, where: Words, depths: Ids) -> Floats:
        """Return the walls (6, c) of cells of these depths, given their numbers."""
        return self._divider.walls(where, depths)

    def file(self, entries: Entries, levels: Sequence[Level], cells: Cells) -> Filing:
        """Return the slices of all cells, the references in preorder, and what is copied."""
        own = np.concatenate([level.own_counts for level in levels])
        cells = replace(cells, order=self._divider.preorder(cells))
        yield
        slices = self._divider.sliced(cells, own, entries.beyond)
        yield
        references = np.empty(slices.end[0], np.intp)
        references[: entries.beyond] = np.arange(len(entries), len(entries.order))
        asked = [level.asked for level in levels]
        yield from self._divider.file(asked, own, cells.first_child < 0, slices.begin, references)
        (self.strays,) = self._divider.strays.nonzero()
        copied = np.zeros(len(entries.order), bool)
        copied[: len(entries)] = self._divider.times > 1
        return slices, references, copied
