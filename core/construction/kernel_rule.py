"""Cells on a grid, divided in C: the same levels as `GridRule` makes."""

from collections.abc import Sequence
from dataclasses import replace

import numpy as np

from ..arrays import Floats, Ids
from ..cells import Cells
from ..compiled import CellsDivided, Divider
from ..grid import Grid, Words
from ..options import COPYING, Options
from ..shapes import Boxes, Shapes, Triangles
from ..steps import Ticks
from .entries import Entries
from .grid_rule import GridRule
from .levels import MOST_COPIES, Leaves, Level
from .rules import Check, Filing

# Entries are numbered by 32 bits.
_MOST = 2**31


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
