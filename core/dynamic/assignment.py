"""Assignment: pairs of items and cells, and the references that they make in preorder."""

from dataclasses import dataclass, replace
from functools import cached_property, partial
from typing import Self

import numpy as np

from ..arrays import Flags, Floats, Ids, distinct, flagged, radix_argsort
from ..cells import Cells, Slices
from ..compiled import Builder, Tallies, builder
from ..construction.levels import Members

# The cell of an item that the root does not hold.
NO_CELL = -1
# Of the root's size: from how far items count as touching a cell, at most.
_TOLERANCE = 2.0**-44
# If more than one item in this many stands elsewhere, the references are sorted anew.
_MANY = 16


@dataclass(frozen=True)
class Assignment:
    """The cells, and for each of `count` items the cells that it stands in, in any number.

    `placements` are pairs of item and cell; of an item that the root does not hold, one pair with
    `NO_CELL`. `own` counts the items that stand in each cell itself. `strays` are items,
    ascending, that stand in a cell that they do not touch, by a rounding. Others may be as far as
    `tolerance` from a cell that they stand in.
    """

    cells: Cells
    placements: Members
    own: Ids
    count: int
    strays: Ids
    tolerance: float = 0.0

    @classmethod
    def of(cls, cells: Cells, count: int) -> Self:
        """Return an assignment of cells and this many items outside."""
        placements = Members(np.arange(count), np.full(count, NO_CELL))
        return cls(cells, placements, np.zeros(len(cells), np.intp), count, np.empty(0, np.intp))

    @cached_property
    def slices(self) -> Slices:
        """Where in the references the items of each cell are, those outside first."""
        outside = len(self.placements) - int(self.own.sum())
        kernel = builder()
        sliced = self.cells.slices if kernel is None else partial(kernel.sliced, self.cells)
        return sliced(self.own, outside)

    @cached_property
    def references(self) -> Ids:
        """The items outside, then those of the cells in preorder, (r,)."""
        # Half of the cells, or more, are empty: numbers of the others are sorted faster.
        ranks = np.cumsum(np.diff(self.slices.ends, prepend=0) > 0)
        table = np.append(ranks[1:][self.cells.place], ranks[0])
        keys = table[self.placements.cells]
        return self.placements.entries[radix_argsort(keys, int(ranks[-1]).bit_length())]

    @cached_property
    def outside(self) -> Ids:
        """The items that the root does not hold, in no order."""
        return self.placements.entries[np.flatnonzero(self.placements.cells == NO_CELL)]

    @property
    def slack(self) -> float:
        """How far outside its cell an item may lie, and what rounding may do to walls."""
        return self.tolerance + 16 * self._rounding

    @property
    def finest(self) -> float:
        """The longest edge below which rounding would copy items into all cells around them."""
        return 256 * self._rounding

    @property
    def _rounding(self) -> float:
        return self.cells.root.rounding

    @property
    def order(self) -> Ids:
        """The items as they come, 0, 1, 2 and so on, (n,)."""
        return np.arange(self.count)

    @property
    def any_cell(self) -> Ids:
        """One of the cells that each item stands in, or `NO_CELL`, (n,)."""
        cells = np.empty(self.count, np.intp)
        cells[self.placements.entries] = self.placements.cells
        return cells

    @property
    def stands_alone(self) -> Flags:
        """Which items stand in one cell, (n,)."""
        return np.bincount(self.placements.entries, minlength=self.count) == 1

    def different_items(self, least: int) -> Ids:
        """Count the different items in each subtree, (m,), as far as they are fewer than `least`.

        Of a subtree that holds enough, nothing is handed up: what is counted stays small.
        """
        cells, counts = self.cells, self.own.copy()
        pairs = self.placements[self.placements.cells != NO_CELL]
        for depth in range(int(cells.depth.max()), 0, -1):
            (here,) = (cells.depth == depth).nonzero()
            enough = here[counts[here] >= least]
            up = pairs[(cells.depth[pairs.cells] == depth) & (counts[pairs.cells] < least)]
            keys = distinct(up.entries * len(cells) + cells.parent[up.cells])
            lifted = Members(keys // len(cells), keys % len(cells))
            counts += np.bincount(lifted.cells, minlength=len(cells))
            counts[cells.parent[enough]] = least
            pairs = pairs[cells.depth[pairs.cells] < depth] + lifted
        return counts

    def pairs_of(self, items: Ids) -> Ids:
        """Return which pairs are of these items."""
        return np.flatnonzero(flagged(self.count, items)[self.placements.entries])

    def cells_of(self, items: Ids) -> Ids:
        """Return the cells that these items stand in, with repetitions; not `NO_CELL`."""
        cells = self.placements.cells[self.pairs_of(items)]
        return cells[cells != NO_CELL]

    def in_cells(self, numbers: Ids) -> Ids:
        """Return which pairs stand in these cells, ascending."""
        return np.flatnonzero(flagged(len(self.cells) + 1, numbers)[self.placements.cells])

    def renumbered(self, cells: Cells, numbers: Ids) -> Self:
        """Return an assignment to these cells, where the old ones have new numbers."""
        table = np.append(numbers, NO_CELL)
        moved = Members(self.placements.entries, table[self.placements.cells])
        return self._with(self._deduplicated(moved), cells=cells)

    def merged(self, numbers: Ids) -> Self:
        """Return an assignment where these cells, none of which lies in another, are leaves."""
        return self.renumbered(*self.cells.merged(numbers)) if len(numbers) else self

    def joined(self, count: int) -> Self:
        """Return the assignment with this many more items, outside."""
        new = Members(self.count + np.arange(count), np.full(count, NO_CELL))
        return self._with(self.placements + new, count=self.count + count)

    def only(self, items: Ids) -> Self:
        """Return the assignment of some of the items, which ascend."""
        number = np.full(self.count, -1)
        number[items] = np.arange(len(items))
        strays = number[self.strays]
        kept = self.placements[number[self.placements.entries] >= 0]
        pairs = Members(number[kept.entries], kept.cells)
        return self._with(pairs, count=len(items), strays=strays[strays >= 0])

    def refined(self, cells: Cells, leaves: Ids, found: Members, strays: Ids) -> Self:
        """Return the assignment after leaves have been divided into the last of these cells."""
        own = np.append(self.own, np.zeros(len(cells) - len(self.cells), np.intp))
        finer = replace(self, cells=cells, own=own, strays=np.union1d(self.strays, strays))
        return finer._replaced(self.in_cells(leaves), found)

    def reassigned(self, moved: Ids, found: Members, strays: Ids) -> Self:
        """Return an assignment where the moved items stand in the cells found for them."""
        strays = np.union1d(np.setdiff1d(self.strays, moved), strays)
        return replace(self, strays=strays)._replaced(self.pairs_of(moved), found)

    def _replaced(self, gone: Ids, found: Members) -> Self:
        """Return an assignment with other pairs in place of these."""
        stay = ~flagged(len(self.placements), gone)
        tolerance = max(self.tolerance, _TOLERANCE * self.cells.size)
        return self._with(self.placements[stay] + found, tolerance=tolerance)

    def _with(self, placements: Members, **changes: object) -> Self:
        changed = replace(self, placements=placements, **changes)  # type: ignore[arg-type]
        return replace(changed, own=_counted(placements.cells, len(changed.cells)))

    def _deduplicated(self, placements: Members) -> Members:
        """Return the pairs without repetition, by item."""
        span = int(placements.cells.max(initial=NO_CELL)) + 2
        keys = distinct(placements.entries * span + placements.cells + 1)
        return Members(keys // span, keys % span - 1)

    def check(self) -> None:
        """Assert that items and cells do not contradict each other."""
        placements = self.placements
        assert np.array_equal(distinct(placements.entries), np.arange(self.count))
        is_outside = flagged(self.count, self.outside)
        assert (is_outside[placements.entries] == (placements.cells == NO_CELL)).all()
        assert np.array_equal(self.own, _counted(placements.cells, len(self.cells)))
        self.cells.check()


@dataclass(frozen=True)
class OneCellEach(Assignment):
    """An assignment where every item stands in one cell: item i has pair i and no other.

    `former` may be the references of an earlier assignment of the same items, and which of them
    have gone to other cells since.
    """

    former: tuple[Ids, Ids] | None = None

    @cached_property
    def references(self) -> Ids:
        """The items outside, then those of the cells in preorder, (n,)."""
        if self.former is None:
            return super().references
        return self._corrected(*self.former)

    def _corrected(self, references: Ids, moved: Ids) -> Ids:
        """Return the references after items have moved: these are the last in their cells now."""
        if (kernel := builder()) is not None:
            return kernel.referred(
                references, moved, self.placements.cells, self.cells, self.slices.ends
            )
        moved = distinct(moved)
        keys = np.append(self.cells.place + 1, 0)[self.placements.cells[moved]]
        order = np.argsort(keys, kind="stable")
        keys = keys[order]
        behind = np.searchsorted(keys, keys, side="right") - np.arange(len(keys))
        is_new = flagged(len(references), self.slices.ends[keys] - behind)
        is_moved = flagged(len(references), moved)
        found = np.empty_like(references)
        found[is_new] = moved[order]
        found[~is_new] = references[~is_moved[references]]
        return found

    @property
    def finest(self) -> float:
        """The longest edge below which rounding would copy items: there are no copies."""
        return 0.0

    @property
    def order(self) -> Ids:
        """The items as they come, (n,)."""
        return self.placements.entries

    @property
    def any_cell(self) -> Ids:
        """The cell that each item stands in, or `NO_CELL`, (n,)."""
        return self.placements.cells

    @property
    def stands_alone(self) -> Flags:
        """Which items stand in one cell: all, (n,)."""
        return np.ones(self.count, bool)

    def different_items(self, least: int) -> Ids:
        """Count the items in each subtree, (m,)."""
        return self.slices.end - self.slices.begin

    def pairs_of(self, items: Ids) -> Ids:
        """Return which pairs are of these items."""
        return items

    def moved(self, rows: Floats, moved: Ids, kernel: Builder) -> tuple[Self, Tallies]:
        """Return where items (7, n) stand after some have moved, and what is known then."""
        stands, own = self.placements.cells, self.own
        tallies, gone, stands, own, slices = kernel.moved(self.cells, rows, moved, stands, own)
        if len(gone) == 0:
            return self, tallies
        placements, former = Members(self.placements.entries, stands), self._former(gone)
        found = type(self)(
            self.cells, placements, own, self.count, self.strays, self.tolerance, former
        )
        vars(found)["slices"] = slices  # that need not be made
        return found, tallies

    def reassigned(self, moved: Ids, found: Members, strays: Ids) -> Self:
        """Return an assignment where the moved items stand in the cells found for them."""
        return self._replaced(moved, found)

    def _replaced(self, gone: Ids, found: Members) -> Self:
        """Return an assignment where some items stand in other cells."""
        found = found[self.placements.cells[found.entries] != found.cells]
        if len(found) == 0:
            return self
        cells = self.placements.cells.copy()
        cells[found.entries] = found.cells
        own = self.own - _counted(self.placements.cells[found.entries], len(self.cells))
        own += _counted(found.cells, len(self.cells))
        placements, former = Members(self.placements.entries, cells), self._former(found.entries)
        return replace(self, placements=placements, own=own, former=former)

    def _former(self, moved: Ids) -> tuple[Ids, Ids] | None:
        """Return references that are known already, and what has moved since, if few have."""
        if "references" in vars(self):
            references, gone = self.references, moved
        elif self.former is None:
            return None
        else:
            references, gone = self.former[0], np.append(self.former[1], moved)
        return (references, gone) if len(gone) * _MANY < self.count else None

    def _with(self, placements: Members, **changes: object) -> Self:
        return super()._with(placements, former=None, **changes)

    def _deduplicated(self, placements: Members) -> Members:
        return placements

    def check(self) -> None:
        """Assert that items and cells do not contradict each other."""
        super().check()
        assert np.array_equal(self.placements.entries, np.arange(self.count))
        places = np.append(self.cells.place, -1)[self.placements.cells]
        assert (np.diff(places[self.references]) >= 0).all()


def _counted(cells: Ids, count: int) -> Ids:
    """Return how often each of `count` cells occurs; not `NO_CELL`."""
    return np.bincount(cells + 1, minlength=count + 1)[1:]
