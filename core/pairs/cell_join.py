"""Pairs of items that stand in one cell of a tree: each pair once, in one of the cells they share.

Two items that touch share the cell of a point where they do, if items are copied to all cells
that they touch. Which of several shared cells looks at the pair is settled without a look at the
others' pairs. For boxes it is the cell that holds the lower corner of what they have in common
(J.-P. Dittrich and B. Seeger, "Data Redundancy and Duplicate Detection in Spatial Join
Processing", 2000). Other items need not touch that cell; for them it is the first shared one.
"""

from collections.abc import Iterator

import numpy as np

from ..arrays import Flags, Ids, gather, radix_argsort
from ..child_masks import POPCOUNT
from ..octree import Octree
from ..shapes import Boxes
from .quantized import grid_around, marks
from .sweep import TURNS, lineup


def cellmates(tree: Octree, own: int | None = None) -> Iterator[tuple[Ids, Ids]]:
    """Yield pairs of entries that stand in one cell and whose bounds may meet, each pair once.

    With `own`, only pairs of one of the tree's first so many items and one of the others. The two
    come in any order.
    """
    cells = tree.cell_of_reference()
    rule = (_Corners if isinstance(tree.arranged, Boxes) else _Turns)(tree, cells)
    slots = np.flatnonzero(rule.turns < TURNS)
    turns = rule.turns
    if own is not None:
        turns = (tree.order >= own).view(np.uint8)[tree.references]
    bounds = marks(tree.arranged, grid_around(tree.arranged))[tree.references[slots]]
    line = lineup(cells[slots], turns[slots], bounds, sides=1 if own is None else 2)
    slots, bounds = slots[line.order], bounds[line.order]
    for ones, others in line.pairs():
        met = bounds.meeting(ones, bounds, others)
        here, there = slots[ones[met]], slots[others[met]]
        flags = rule.meet_here(here, there)
        if own is not None:
            flags &= turns[here] != turns[there]
        some = np.flatnonzero(flags)
        yield tree.references[here[some]], tree.references[there[some]]


class _Corners:
    """Boxes meet in the cell that holds the lower corner of what they have in common."""

    def __init__(self, tree: Octree, cells: Ids) -> None:
        corners = gather(tree.arranged.rows[:3], tree.references)
        walls = gather(tree.cell_rows, cells)
        x, y, z = (corners >= walls[:3]).view(np.uint8)
        # The axes on which the box begins in the cell.
        self.begun = x | y << 1 | z << 2
        self.turns = 3 - POPCOUNT[self.begun]
        beyond = (corners >= walls[3:]) & (walls[3:] < tree.cell_rows[3:, :1])
        self.turns[beyond.any(axis=0)] = TURNS

    def meet_here(self, ones: Ids, others: Ids) -> Flags:
        """Return whether on every axis one of the two slots' boxes begins in their cell."""
        return (self.begun[ones] | self.begun[others]) == 7


class _Turns:
    """Items meet in the first cell, in the order of the slots, that they share."""

    def __init__(self, tree: Octree, cells: Ids) -> None:
        self.entries, self.cells = tree.references, cells
        self.earlier, self.places = _earlier_slots(tree.references)
        self.turns = np.minimum(self.places, 1).astype(np.uint8)
        self.count = len(tree.order)
        self.standing = np.sort(cells * self.count + tree.references)

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
    by_entry = radix_argsort(entries, int(entries.max(initial=0)).bit_length())
    again = np.diff(entries[by_entry], prepend=-1) == 0
    earlier = np.full(len(entries), -1)
    earlier[by_entry[again]] = by_entry[np.flatnonzero(again) - 1]
    first = np.maximum.accumulate(np.where(again, 0, np.arange(len(entries))))
    places = np.empty(len(entries), np.intp)
    places[by_entry] = np.arange(len(entries)) - first
    return earlier, places
