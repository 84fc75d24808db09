"""The cells of one depth, while a tree is built: their slices, their copies, and what stays."""

from dataclasses import dataclass

import numpy as np

from .arrays import Flags, Ids
from .words import Words


@dataclass(frozen=True)
class Pairs:
    """Entries and the cells that they are in: two arrays of one length."""

    entries: Ids
    cells: Ids

    def __len__(self) -> int:
        return len(self.entries)

    def __getitem__(self, some: slice | Ids | Flags) -> "Pairs":
        if not isinstance(some, slice) and some.dtype == bool:
            some = np.flatnonzero(some)  # twice as fast, for two arrays
        return Pairs(self.entries[some], self.cells[some])

    def __add__(self, other: "Pairs") -> "Pairs":
        entries = np.concatenate((self.entries, other.entries))
        return Pairs(entries, np.concatenate((self.cells, other.cells)))


NO_PAIRS = Pairs(np.empty(0, np.intp), np.empty(0, np.intp))


@dataclass
class Level:
    """All cells of one depth, numbered from 0.

    `slices` (2, c) bound each cell's slice of the sorted items; of those the cell holds the items
    that no cell above it handed down or kept. `copies` are what it holds besides. `spread` tells
    over how many cells divisions that separated nothing have spread a cell's items.

    After the division: `divided` are the cells that have children, `separated` says which of
    these divisions set items apart, and `own` are the pairs that stay at this depth.
    """

    cells: Words
    slices: Ids
    copies: Pairs
    spread: Ids
    divided: Ids
    separated: Flags
    own: Pairs

    @classmethod
    def of_leaves(cls, cells: Words, slices: Ids, copies: Pairs, spread: Ids) -> "Level":
        """Return a level whose cells have no children."""
        nothing = np.empty(0, np.intp)
        return cls(cells, slices, copies, spread, nothing, nothing > 0, copies)

    def counts(self, gone: Ids) -> Ids:
        """Count the items of each cell, where `gone[i]` of the first i sorted items are not.

        Those have been handed down, and count as copies, or stayed further up.
        """
        begin, end = self.slices
        copies = np.bincount(self.copies.cells, minlength=len(begin))
        return end - begin - gone[end] + gone[begin] + copies
