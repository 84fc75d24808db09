"""Pairs of items that stand in one cell of a tree: each pair once, in one of the cells they share.

Two items that touch share the cell of a point where they do, if items are copied to all cells
that they touch. Which of several shared cells looks at the pair is settled without a look at the
others' pairs. For boxes it is the cell that holds the lower corner of what they have in common
(J.-P. Dittrich and B. Seeger, "Data Redundancy and Duplicate Detection in Spatial Join
Processing", 2000). Other items need not touch that cell; for them it is the first shared one.
"""

from collections.abc import Iterator

import numpy as np
from numpy.typing import NDArray

from .arrays import Flags, Ids, gather, runs
from .marks import grid_around, marks
from .octants import PARTS_IN
from .octree import Octree
from .shapes import Boxes
from .words import sorted_order

# So many pairs are looked at together.
_PAIRS = 65_536
# The turn of slots that are no part of any pair.
NEVER = 4


def cellmates(tree: Octree) -> Iterator[tuple[Ids, Ids]]:
    """Yield pairs of entries that stand in one cell and whose bounds may meet, each pair once."""
    cells = tree.cell_of_slot()
    cells[: tree.outside] = -1
    rule = (_Corners if isinstance(tree.arranged, Boxes) else _Turns)(tree, cells)
    slots, ends = _by_cell(cells, rule.turns)
    entries = tree.slots[slots]
    bounds = marks(tree.arranged, grid_around(tree.arranged))[entries]
    after = np.arange(1, len(slots) + 1)
    counts = ends - after
    for some in _portions(counts):
        ones = np.repeat(after[some] - 1, counts[some])
        others = runs(after[some], counts[some])
        met = bounds.meeting(ones, bounds, others)
        ones, others = ones[met], others[met]
        here = rule.meet_here(slots[ones], slots[others])
        yield entries[ones[here]], entries[others[here]]


def _by_cell(cells: Ids, turns: NDArray[np.uint8]) -> tuple[Ids, Ids]:
    """Return the slots cell by cell, those of a lower turn first, and where their cell ends.

    Slots that have no cell or no turn are left out.
    """
    slots = np.flatnonzero((cells >= 0) & (turns < NEVER))
    begins = np.flatnonzero(np.diff(cells[slots], prepend=-1))
    counts = np.diff(begins, append=len(slots))
    rank = np.repeat(np.arange(len(begins)), counts)
    order = sorted_order(rank * NEVER + turns[slots], (len(begins) * NEVER).bit_length())
    return slots[order], np.repeat(begins + counts, counts)


def _portions(counts: Ids) -> Iterator[slice]:
    """Return slices whose counts add up to about `_PAIRS`, or that are one long."""
    stops = np.flatnonzero(np.diff(np.cumsum(counts) // _PAIRS, append=-1)) + 1
    starts = [0, *stops[:-1].tolist()]
    return map(slice, starts, stops.tolist())


class _Corners:
    """Boxes meet in the cell that holds the lower corner of what they have in common."""

    def __init__(self, tree: Octree, cells: Ids) -> None:
        corners = gather(tree.arranged.rows[:3], tree.slots)
        walls = gather(tree.cell_rows, cells)
        x, y, z = (corners >= walls[:3]).view(np.uint8)
        # The axes on which the box begins in the cell.
        self.begun = x | y << 1 | z << 2
        self.turns = 3 - PARTS_IN[self.begun]
        beyond = (corners >= walls[3:]) & (walls[3:] < tree.cell_rows[3:, :1])
        self.turns[beyond.any(axis=0)] = NEVER

    def meet_here(self, ones: Ids, others: Ids) -> Flags:
        """Return whether on every axis one of the two slots' boxes begins in their cell."""
        return (self.begun[ones] | self.begun[others]) == 7


class _Turns:
    """Items meet in the first cell, in the order of the slots, that they share."""

    def __init__(self, tree: Octree, cells: Ids) -> None:
        self.entries, self.cells = tree.slots, cells
        self.earlier, self.places = _earlier_slots(tree.slots)
        self.turns = np.minimum(self.places, 1).astype(np.uint8)
        self.count = len(tree.order)
        self.standing = np.sort(cells * self.count + tree.slots)

    def meet_here(self, ones: Ids, others: Ids) -> Flags:
        """Return whether the two slots' items share no earlier cell."""
        flags = (self.places[ones] == 0) | (self.places[others] == 0)
        doubtful = np.flatnonzero(~flags)
        flags[doubtful] = ~self._met_before(ones[doubtful], others[doubtful])
        return flags

    def _met_before(self, ones: Ids, others: Ids) -> Flags:
        flags = np.zeros(len(ones), bool)
        shorter = self.places[ones] <= self.places[others]
        slots = self.earlier[np.where(shorter, ones, others)]
        partners = self.entries[np.where(shorter, others, ones)]
        pairs = np.arange(len(ones))
        while len(pairs):
            keys = self.cells[slots] * self.count + partners
            met = self.standing.take(np.searchsorted(self.standing, keys), mode="clip") == keys
            flags[pairs[met]] = True
            slots = self.earlier[slots]
            more = np.flatnonzero(~met & (slots >= 0))
            pairs, slots, partners = pairs[more], slots[more], partners[more]
        return flags


def _earlier_slots(entries: Ids) -> tuple[Ids, Ids]:
    """Return for each slot the slot before it that holds the same entry, or -1; and its place."""
    by_entry = sorted_order(entries, int(entries.max(initial=0)).bit_length())
    again = np.diff(entries[by_entry], prepend=-1) == 0
    earlier = np.full(len(entries), -1)
    earlier[by_entry[again]] = by_entry[np.flatnonzero(again) - 1]
    first = np.maximum.accumulate(np.where(again, 0, np.arange(len(entries))))
    places = np.empty(len(entries), np.intp)
    places[by_entry] = np.arange(len(entries)) - first
    return earlier, places
