"""Top-down construction in C: the same levels as `divide` makes, their copies cell by cell."""

from dataclasses import dataclass, replace
from functools import cached_property
from typing import Self

import numpy as np

from ..arrays import Flags, Floats, Ids
from ..cells import Cells
from ..compiled import CellsAsked, CellsDivided, Divider, Numbers
from ..grid import Grid, Words
from ..options import COPYING, Options
from ..shapes import Boxes, Shapes, Triangles
from ..steps import Steps, between
from .divide import Entries, division_of
from .levels import (
    MOST_COPIES,
    NO_MEMBERS,
    Filing,
    Level,
    Members,
    check_copies,
    foresee,
    may_be_refused,
    most_references,
)

_NONE, _NO_FLAGS = np.empty(0, np.intp), np.empty(0, bool)


@dataclass
class FiledLevel(Level):
    """A level whose copies lie in `table` cell by cell, as slices (2, c) tell, while it lives.

    `held` (c,) counts what each cell holds. `rows` (9, c) are all of these, as `CellsAsked` takes
    them. `copies` and `own` are empty.
    """

    rows: Ids
    table: Numbers
    depth: int

    @classmethod
    def made(cls, rows: Ids, allowance: Floats, table: Numbers, depth: int) -> Self:
        """Return leaves."""
        plain = rows[:3], rows[3:5], NO_MEMBERS, rows[8], allowance, _NONE, _NO_FLAGS, NO_MEMBERS
        return cls(*plain, rows, table, depth)

    @property
    def copied(self) -> Ids:
        """Where in the table the copies of each cell begin and end, (2, c)."""
        return self.rows[5:7]

    @property
    def held(self) -> Ids:
        """How many entries each cell holds, (c,)."""
        return self.rows[7]

    def pruned(self, useful: Flags, exists: Flags) -> Steps[Self]:
        """Return the level with only these divisions and cells; leaves have what they had."""
        yield 0.5
        rank = np.cumsum(exists) - 1
        kept = self.made(self.rows[:, exists], self.allowance[exists], self.table, self.depth)
        kept.divided = rank[self.divided[useful & exists[self.divided]]]
        return kept

    @cached_property
    def asked(self) -> CellsAsked:
        """The cells as the kernel takes them."""
        return CellsAsked(self.rows, self.allowance, self.table, self.depth)

    def plain(self) -> Level:
        """Return the leaves as NumPy divides them."""
        starts, ends = self.copied
        cells = np.repeat(np.arange(len(starts)), ends - starts)
        copies = Members(self.table.astype(np.intp), cells)
        return Level.of_leaves(self.cells, self.slices, copies, self.spread, self.allowance)


def may_divide(items: Shapes, options: Options) -> bool:
    """Tell whether the kernel divides cells among such items, as the options want it."""
    kinds = isinstance(items, Triangles | Boxes) and Divider.takes(len(items))
    return kinds and options.split == "middle" and options.straddlers in COPYING


class KernelDivision:
    """Divides the root, its children, their children and so on, among entries."""

    def __init__(self, entries: Entries, grid: Grid, options: Options) -> None:
        self._entries, self._grid, self._options = entries, grid, options
        words = entries.codes, entries.first, entries.last
        self._divider = Divider(entries.arranged, words, entries.depths, grid)
        self._fresh = np.bincount(entries.depths, minlength=grid.depth + 1)

    def divide(self) -> Steps[tuple[list[FiledLevel], Ids]]:
        """Return what `divide` returns; yields the fraction done."""
        entries, deepest, count = self._entries, self._grid.depth, len(self._entries)
        allowance = np.array([most_references(count, self._options)])
        levels, is_safe = [_root(count, allowance)], False
        for depth in range(deepest):
            level, start = levels[-1], depth / deepest
            (overfull,) = (level.held > self._options.capacity).nonzero()
            if len(overfull) == 0:
                break
            copies = len(level.table)
            if not is_safe and may_be_refused(copies, len(overfull), count, self._options):
                gone = np.append(0, np.cumsum(entries.depths < depth))
                divide = division_of(entries, self._grid, self._options)
                below = range(depth, deepest)
                trying = foresee(level.plain(), below, gone, divide, count, self._options)
                yield from between(start, start + 0.5 / deepest, trying)
                start, is_safe = start + 0.5 / deepest, True
            dividing = self._divide_level(level, overfull, depth)
            levels.append((yield from between(start, (depth + 1) / deepest, dividing)))
        return levels, self._divider.strays.nonzero()[0]

    def _divide_level(self, level: FiledLevel, overfull: Ids, depth: int) -> Steps[FiledLevel]:
        """Divide these cells where it is worth it; yields the fraction done."""
        counts, room = level.held[overfull], len(level.table) + int(self._fresh[depth])
        cells = CellsDivided(self._divider, level.asked, overfull, counts, room)
        yield from between(0.0, 0.7, cells.classify())
        rows, allowance, copies = cells.judge(MOST_COPIES)
        check_copies(len(self._entries), self._options, depth + 1, copies)
        level.divided, level.separated = overfull[cells.worth], cells.separates[cells.worth]
        table = yield from between(0.7, 0.99, cells.hand_down())
        return FiledLevel.made(rows, allowance, table, depth + 1)

    def walls(self, cells: Words, depths: Ids) -> Steps[Floats]:
        """Return what `bounds_steps` of the grid does; yields the fraction done."""
        yield 0.0
        return self._divider.walls(cells, depths)

    def file(self, levels: list[FiledLevel], first: Ids, cells: Cells) -> Filing:
        """Return the cells' slices of the references, these, in preorder, and what is copied."""
        is_leaf = cells.first_child < 0
        own: Ids = np.concatenate([level.held for level in levels])
        own[~is_leaf] = 0
        count = len(self._entries)
        beyond = np.arange(count, len(self._entries.order))
        cells = replace(cells, order=self._divider.preorder(cells))
        yield 0.05
        slices = self._divider.sliced(cells, own, len(beyond))
        yield 0.1
        references = np.empty(slices.end[0], np.intp)
        references[: len(beyond)] = beyond
        asked = [level.asked for level in levels]
        filing = self._divider.file(asked, own, is_leaf, slices.begin, references)
        yield from between(0.1, 1.0, filing)
        copied = np.zeros(len(self._entries.order), bool)
        copied[:count] = self._divider.times > 1
        return slices, references, copied


def _root(count: int, allowance: Floats) -> FiledLevel:
    """Return a root that holds so many entries."""
    rows = np.array([[0, 0, 0, 0, count, 0, 0, count, 1]], np.intp).T
    return FiledLevel.made(rows, allowance, np.empty(0, np.int32), 0)
