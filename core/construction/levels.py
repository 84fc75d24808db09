"""Levels: the cells of one depth, the items that they hold, and which of them are divided."""

from collections.abc import Sequence
from dataclasses import dataclass, field, replace
from functools import cached_property
from typing import Any, NamedTuple, Self

import numpy as np
from numpy.typing import NDArray

from ..arrays import Flags, Floats, Ids, concatenated_ranges, flagged
from ..compiled import CellsAsked
from ..records import Columns

# A division whose children together hold more than this many times the cell's items is not kept.
MOST_COPIES = 4


@dataclass(frozen=True)
class Members(Columns):
    """Entries and the cells that they are in: two arrays of one length."""

    entries: Ids
    cells: Ids

    def __add__(self, other: "Members") -> "Members":
        if len(other) == 0:
            return self  # fresh memory for millions costs more than all else here
        return Members.joined((self, other))


NO_MEMBERS = Members(np.empty(0, np.intp), np.empty(0, np.intp))


@dataclass(frozen=True)
class Leaves(Columns):
    """Cells that have not been divided yet, a column each.

    `where` has the grid numbers of the cells (3, c), or their walls (6, c). `rows` (7, c) are, in
    this order: begin and end of a slice of the sorted entries, of which a cell holds the entries
    that no ancestor kept or handed down as copies; begin and end of the cell's copies; the number
    of entries and copies together; the number of cells over which divisions that separated
    nothing have spread them; the depth. `allowance` (c,) is the average number of references of
    each entry that divisions of the cell and below may make.
    """

    where: NDArray[Any]
    rows: Ids
    allowance: Floats

    def __len__(self) -> int:
        return len(self.allowance)

    @property
    def slices(self) -> Ids:
        """The begins and ends of the cells' slices of the sorted entries, (2, c)."""
        return self.rows[:2]

    @property
    def copied(self) -> Ids:
        """The begins and ends of the cells' copies, (2, c)."""
        return self.rows[2:4]

    @property
    def copy_counts(self) -> Ids:
        """The number of copies in each cell, (c,)."""
        return self.rows[3] - self.rows[2]

    @property
    def held(self) -> Ids:
        """The number of entries in each cell, (c,)."""
        return self.rows[4]

    @property
    def spread(self) -> Ids:
        """The number of cells over which idle divisions have spread each cell's entries, (c,)."""
        return self.rows[5]

    @property
    def depths(self) -> Ids:
        """The depths of the cells, (c,)."""
        return self.rows[6]


class Verdict(NamedTuple):
    """Verdicts on the division of cells (c,), with the fields that their children inherit.

    `worth` flags the divisions that pay off, `separated` the divisions that separate items. The
    copies are within the limit if `allowance` is 1 or more; `allowance` and `spread` are fields
    of `Leaves`.
    """

    worth: Flags
    separated: Flags
    spread: Ids
    allowance: Floats


def judged(held: Ids, counts: Ids, spread: Ids, allowance: Floats) -> Verdict:
    """Judge divisions of cells of `counts` items (c,), given the children's counts (c, 8)."""
    occupied = (held > 0).sum(axis=1)
    separated = ((held > 0) & (held < counts[:, None])).any(axis=1)
    spread = np.where(separated, 1, spread * occupied)
    together = held.sum(axis=1)
    allowance = allowance * counts / np.maximum(together, 1)
    worth = (together <= MOST_COPIES * counts) & (spread <= MOST_COPIES) & (occupied > 0)
    return Verdict(worth & (allowance >= 1), separated, spread, allowance)


@dataclass
class Level:
    """Cells of one depth, numbered from 0, and the copies that they hold, cell by cell.

    After the division: `divided` are the cells that have children, `separated` flags the
    divisions that separated items, and `stay` are the pairs that stay in divided cells.
    """

    cells: Leaves
    copies: NDArray[Any]
    divided: Ids = field(default_factory=lambda: np.empty(0, np.intp))
    separated: Flags = field(default_factory=lambda: np.empty(0, bool))
    stay: Members = NO_MEMBERS

    @cached_property
    def asked(self) -> CellsAsked:
        """The cells as the kernel takes them; copies of 32 bits."""
        cells, depth = self.cells, int(self.cells.depths[0])
        return CellsAsked(cells.where, cells.rows, cells.allowance, self.copies, depth)

    @property
    def leaves(self) -> Ids:
        """The cells that have no children."""
        return np.flatnonzero(~flagged(len(self.cells), self.divided))

    @property
    def own_counts(self) -> Ids:
        """The number of entries in each leaf, and that stay in each divided cell, (c,)."""
        counts = self.cells.held.copy()
        counts[self.divided] = 0
        if len(self.stay):
            counts += np.bincount(self.stay.cells, minlength=len(counts))
        return counts

    @property
    def own(self) -> Members:
        """The copies of the leaves, then the pairs that stay in divided cells."""
        leaves = self.leaves
        cells = self.cells[leaves]
        return Members(self.copies_in(cells), np.repeat(leaves, cells.copy_counts)) + self.stay

    def copies_in(self, cells: Leaves) -> Ids:
        """Return the copies that cells of the level hold, cell by cell."""
        return self.copies[concatenated_ranges(cells.copied[0], cells.copy_counts)]

    def settle(self, cells: Ids, worth: Flags, separated: Flags) -> None:
        """Store the cells whose division pays off as the divided cells."""
        self.divided, self.separated = cells[worth], separated[worth]

    def pruned(self, useful: Flags, exists: Flags) -> Self:
        """Return the level with only the cells that still exist and the divisions that are useful.

        All the items of a cell whose division was idle are in every child of it that is not empty,
        and none stays: the cell has its copies as before.
        """
        rank = np.cumsum(exists) - 1
        kept = useful & exists[self.divided]
        return replace(
            self,
            cells=self.cells[exists],
            divided=rank[self.divided[kept]],
            separated=self.separated[kept],
            stay=Members(self.stay.entries, rank[self.stay.cells]),
        )


def without_idle_divisions(levels: Sequence[Level]) -> list[Level]:
    """Undo divisions that separated nothing, unless a division below them did."""
    kept: list[Level] = []
    exists = np.ones(len(levels[0].cells), bool)
    for level, useful in zip(levels, _useful_divisions(levels), strict=True):
        if not exists.any():
            break
        all_stay = exists.all() and useful.all()
        kept.append(level if all_stay else level.pruned(useful, exists))
        exists = np.repeat(useful & exists[level.divided], 8)
    return kept


def _useful_divisions(levels: Sequence[Level]) -> list[Flags]:
    """Flag the divisions of each level that separated items, or have one below that did."""
    useful = [levels[-1].separated]
    for level, deeper in zip(levels[-2::-1], levels[:0:-1], strict=True):
        below = flagged(len(deeper.cells), deeper.divided, useful[0])
        useful.insert(0, level.separated | below.reshape(-1, 8).any(axis=1))
    return useful
