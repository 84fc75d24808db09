"""Assignment: pairs of items and cells, and the item references in preorder made from them."""

from dataclasses import dataclass, replace
from functools import cached_property, partial
from typing import Self

import numpy as np

from ..arrays import Flags, Floats, Ids, distinct, flagged, radix_argsort
from ..cells import Cells, Slices
from ..compiled import Builder, Tallies, builder
from ..construction.levels import Members

# The cell of an out-of-bounds item.
NO_CELL = -1
# Largest distance at which an item counts as touching a cell, as a fraction of the root's size.
_TOLERANCE = 2.0**-44
# If more than one item in this many has moved to another cell, the references are sorted anew.
_MANY = 16


@dataclass(frozen=True)
class Assignment:
    """The cells, and for each of `count` items one or more cells that it is assigned to.

    `placements` are pairs of item and cell; an out-of-bounds item has one pair, with `NO_CELL`.
    `own` counts the items in each cell itself. `strays` are items, ascending, in a cell that they
    do not touch because of rounding. All other items lie within `tolerance` of their cells.
    """

    cells: Cells
    placements: Members
    own: Ids
    count: int
    strays: Ids
    tolerance: float = 0.0

    @classmethod
    def of(cls, cells: Cells, count: int) -> Self:
        """Return an assignment of cells and `count` out-of-bounds items."""
        placements = Members(np.arange(count), np.full(count, NO_CELL))
        return cls(cells, placements, np.zeros(len(cells), np.intp), count, np.empty(0, np.intp))

    @cached_property
    def slices(self) -> Slices:
        """The slices of each cell in the references; out-of-bounds items come first."""
        outside = len(self.placements) - int(self.own.sum())
        kernel = builder()
        sliced = self.cells.slices if kernel is None else partial(kernel.sliced, self.cells)
        return sliced(self.own, outside)

    @cached_property
    def references(self) -> Ids:
        """The out-of-bounds items, then the items of the cells in preorder, (r,)."""
        # At least half of the cells are empty: ranks of the others are sorted faster.
        ranks = np.cumsum(np.diff(self.slices.ends, prepend=0) > 0)
        table = np.append(ranks[1:][self.cells.place], ranks[0])
        keys = table[self.placements.cells]
        return self.placements.entries[radix_argsort(keys, int(ranks[-1]).bit_length())]

    @cached_property
    def outside(self) -> Ids:
        """The out-of-bounds items, in no order."""
        return self.placements.entries[np.flatnonzero(self.placements.cells == NO_CELL)]

    @property
    def slack(self) -> float:
        """The most by which an item may lie outside its cell, with the rounding of walls."""
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
        """The item numbers 0, 1, 2 and so on, (n,)."""
        return np.arange(self.count)

    @property
    def any_cell(self) -> Ids:
        """A cell of each item, any one of several, or `NO_CELL`, (n,)."""
        cells = np.empty(self.count, np.intp)
        cells[self.placements.entries] = self.placements.cells
        return cells

    @property
    def stands_alone(self) -> Flags:
        """True for the items with a single pair, (n,)."""
        return np.bincount(self.placements.entries, minlength=self.count) == 1

    def different_items(self, least: int) -> Ids:
        """Count the different items in each subtree, (m,), as far as they are fewer than `least`.

        A subtree with enough items hands no items up, so the number of counted pairs stays small.
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
        """Return the positions of the pairs of these items."""
        return np.flatnonzero(flagged(self.count, items)[self.placements.entries])

    def cells_of(self, items: Ids) -> Ids:
        """Return the cells of these items, with repetitions and without `NO_CELL`."""
        cells = self.placements.cells[self.pairs_of(items)]
        return cells[cells != NO_CELL]

    def in_cells(self, numbers: Ids) -> Ids:
        """Return the positions of the pairs of these cells, ascending."""
        return np.flatnonzero(flagged(len(self.cells) + 1, numbers)[self.placements.cells])

    def renumbered(self, cells: Cells, numbers: Ids) -> Self:
        """Return an assignment to `cells`, given the new numbers of the old cells."""
        table = np.append(numbers, NO_CELL)
        moved = Members(self.placements.entries, table[self.placements.cells])
        return self._with(self._deduplicated(moved), cells=cells)

    def merged(self, numbers: Ids) -> Self:
        """Return an assignment where these cells are leaves; none of them lies in another."""
        return self.renumbered(*self.cells.merged(numbers)) if len(numbers) else self

    def joined(self, count: int) -> Self:
        """Return the assignment with `count` more items, out of bounds."""
        new = Members(self.count + np.arange(count), np.full(count, NO_CELL))
        return self._with(self.placements + new, count=self.count + count)

    def only(self, items: Ids) -> Self:
        """Return the assignment of only these items, given in ascending order."""
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
        """Return the assignment with the moved items in the cells found for them."""
        strays = np.union1d(np.setdiff1d(self.strays, moved), strays)
        return replace(self, strays=strays)._replaced(self.pairs_of(moved), found)

    def _replaced(self, gone: Ids, found: Members) -> Self:
        """Return the assignment with the pairs at `gone` replaced by `found`."""
        stay = ~flagged(len(self.placements), gone)
        tolerance = max(self.tolerance, _TOLERANCE * self.cells.size)
        return self._with(self.placements[stay] + found, tolerance=tolerance)

    def _with(self, placements: Members, **changes: object) -> Self:
        changed = replace(self, placements=placements, **changes)  # type: ignore[arg-type]
        return replace(changed, own=_counted(placements.cells, len(changed.cells)))

    def _deduplicated(self, placements: Members) -> Members:
        """Return the distinct pairs, sorted by item."""
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
    """An assignment of every item to one cell: item i has pair i and no other.

    `former` may be the references of an earlier assignment of the same items, and the items that
    have moved to other cells since.
    """

    former: tuple[Ids, Ids] | None = None

    @cached_property
    def references(self) -> Ids:
        """The out-of-bounds items, then the items of the cells in preorder, (n,)."""
        if self.former is None:
            return super().references
        return self._corrected(*self.former)

    def _corrected(self, references: Ids, moved: Ids) -> Ids:
        """Return the references after items have moved; moved items come last in their cells."""
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
        """The longest edge below which rounding would copy items: 0, since nothing is copied."""
        return 0.0

    @property
    def order(self) -> Ids:
        """The item numbers 0, 1, 2 and so on, (n,)."""
        return self.placements.entries

    @property
    def any_cell(self) -> Ids:
        """The cell of each item, or `NO_CELL`, (n,)."""
        return self.placements.cells

    @property
    def stands_alone(self) -> Flags:
        """True for all items, since each has a single pair, (n,)."""
        return np.ones(self.count, bool)

    def different_items(self, least: int) -> Ids:
        """Count the items in each subtree, (m,); the counts are exact, whatever `least` is."""
        return self.slices.end - self.slices.begin

    def pairs_of(self, items: Ids) -> Ids:
        """Return the positions of the pairs of these items: the item numbers themselves."""
        return items

    def moved(self, rows: Floats, moved: Ids, kernel: Builder) -> tuple[Self, Tallies]:
        """Return the assignment of items (7, n) after a move, and the kernel's tallies."""
        stands, own = self.placements.cells, self.own
        tallies, gone, stands, own, slices = kernel.moved(self.cells, rows, moved, stands, own)
        if len(gone) == 0:
            return self, tallies
        placements, former = Members(self.placements.entries, stands), self._former(gone)
        found = type(self)(
            self.cells, placements, own, self.count, self.strays, self.tolerance, former
        )
        vars(found)["slices"] = slices  # fill the cache: the kernel has computed them
        return found, tallies

    def reassigned(self, moved: Ids, found: Members, strays: Ids) -> Self:
        """Return the assignment with the moved items in the cells found for them."""
        return self._replaced(moved, found)

    def _replaced(self, gone: Ids, found: Members) -> Self:
        """Return the assignment with the items of `found` in their new cells."""
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
        """Return known references and the items moved since then, or None if too many have."""
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
    """Count the occurrences of each of `count` cells, without `NO_CELL`."""
    return np.bincount(cells + 1, minlength=count + 1)[1:]
