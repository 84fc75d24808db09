"""Top-down construction in C: the same levels as `divide` makes, their copies cell by cell."""

from dataclasses import dataclass, replace
from functools import cached_property
from typing import Self

import numpy as np

from ..arrays import Flags, Floats, Ids
from ..cells import UPPER_SIDES, Cells
from ..compiled import CellsAsked, Divider, Numbers
from ..grid import Grid, Words
from ..options import COPYING, Options
from ..shapes import Boxes, Shapes, Triangles
from ..steps import Steps, between
from .divide import Entries, division_of
from .levels import (
    NO_PAIRS,
    Filing,
    Level,
    Pairs,
    check_copies,
    foresee,
    judged,
    may_be_refused,
    most_references,
)


@dataclass
class FiledLevel(Level):
    """A level whose copies lie in `table` cell by cell, as slices (2, c) tell, while it lives.

    `held` (c,) counts what each cell holds. `copies` and `own` are empty.
    """

    table: Numbers
    copied: Ids
    held: Ids
    depth: int

    @classmethod
    def made(
        cls,
        depth: int,
        cells: Words,
        slices: Ids,
        counts: tuple[Ids, Floats],
        table: Numbers,
        copied: Ids,
        held: Ids,
    ) -> "FiledLevel":
        """Return leaves; `counts` are spread and allowance."""
        copies, none = NO_PAIRS, np.empty(0, np.intp)
        plain = cells, slices, copies, *counts, none, none > 0, copies
        return cls(*plain, table, copied, held, depth)

    def pruned(self, useful: Flags, exists: Flags) -> Steps[Self]:
        """Return the level with only these divisions and cells; leaves have what they had."""
        yield 0.5
        rank = np.cumsum(exists) - 1
        return replace(
            self,
            cells=self.cells[:, exists],
            slices=self.slices[:, exists],
            copied=self.copied[:, exists],
            held=self.held[exists],
            divided=rank[self.divided[useful & exists[self.divided]]],
        )

    def is_leaf(self) -> Flags:
        """Tell which cells have no children, (c,)."""
        leaves = np.ones(len(self.held), bool)
        leaves[self.divided] = False
        return leaves

    @cached_property
    def asked(self) -> CellsAsked:
        """The cells as the kernel takes them."""
        return CellsAsked(self.cells, self.slices, self.copied, self.table, self.depth)

    def plain(self) -> Level:
        """Return the leaves as NumPy divides them."""
        starts, ends = self.copied
        cells = np.repeat(np.arange(len(starts)), ends - starts)
        copies = Pairs(self.table.astype(np.intp), cells)
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
        classifying = self._divider.classify(level.asked, overfull, counts, room)
        found = yield from between(0.0, 0.7, classifying)
        pairs, masks, ends, bounds, handed, held = found
        verdict = judged(held, counts, level.spread[overfull], level.allowance[overfull])
        copies = int(handed[verdict.allowed].sum())
        check_copies(len(self._entries), self._options, depth + 1, copies)
        worth = verdict.worth
        level.divided, level.separated = overfull[worth], verdict.separated[worth]
        stops = np.cumsum((handed * worth[:, None]).ravel()).reshape(-1, 8)
        starts, total = stops - handed, int(stops[-1, -1])
        handing = self._divider.hand_down(pairs, masks, ends, starts, worth, total)
        table = yield from between(0.7, 0.99, handing)
        some = slice(None) if worth.all() else worth
        copied, slices = np.empty((2, 2, 8 * len(level.divided)), np.intp)
        copied[0], copied[1] = starts[some].ravel(), stops[some].ravel()
        slices[0], slices[1] = bounds[some, :-1].ravel(), bounds[some, 1:].ravel()
        cells = (2 * level.cells[:, level.divided, None] + UPPER_SIDES[:, None]).reshape(3, -1)
        below = np.repeat(verdict.spread[some], 8), np.repeat(verdict.allowance[some], 8)
        return FiledLevel.made(depth + 1, cells, slices, below, table, copied, held[some].ravel())

    def file(self, levels: list[FiledLevel], first: Ids, cells: Cells) -> Filing:
        """Return the cells' slices of the references, these, in preorder, and what is copied."""
        leaves = [level.is_leaf() for level in levels]
        own: Ids = np.concatenate([level.held for level in levels])
        own[~np.concatenate(leaves)] = 0
        count = len(self._entries)
        beyond = np.arange(count, len(self._entries.order))
        ends = cells.ends_in_preorder(own, len(beyond))
        yield 0.05
        begin, own_end, end = cells.slices(ends)
        yield 0.1
        references = np.empty(end[0], np.intp)
        references[: len(beyond)] = beyond
        for depth, (level, is_leaf) in enumerate(zip(levels, leaves, strict=True)):
            start, stop = first[depth : depth + 2]
            filing = self._divider.file(
                level.asked, own[start:stop], is_leaf, begin[start:stop], references
            )
            at, then = (0.1 + 0.9 * number / len(cells) for number in (start, stop))
            yield from between(at, then, filing)
        copied = np.zeros(len(self._entries.order), bool)
        copied[:count] = self._divider.times > 1
        return (begin, own_end, end), references, copied


def _root(count: int, allowance: Floats) -> FiledLevel:
    """Return a root that holds so many entries."""
    cells, slices = np.zeros((3, 1), np.int64), np.array([[0], [count]])
    copied, table = np.zeros((2, 1), np.intp), np.empty(0, np.int32)
    counts = np.ones(1, np.intp), allowance
    return FiledLevel.made(0, cells, slices, counts, table, copied, np.array([count]))
