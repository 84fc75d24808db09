"""Who stands where: cells, and pairs of items and cells."""

from dataclasses import dataclass, replace
from functools import cached_property

import numpy as np

from ..arrays import Ids
from ..build.levels import Pairs
from ..grid import Grid
from ..words import sorted_order
from .cells import Cells

OUTSIDE = -1
# Of the root's size: from how far items count as touching a cell, at most.
_REACH = 2.0**-44


@dataclass(frozen=True)
class Layout:
    """The cells, and for each of `count` items the cells that it stands in.

    `homes` are pairs of item and cell; of an item that the root does not hold, one pair with
    `OUTSIDE`. If the layout is `single`, item i has pair i and no other. `strays` are items,
    ascending, that stand in a cell that they do not touch, by a rounding. Others may be so far
    from a cell that they stand in: `reach`.
    """

    cells: Cells
    homes: Pairs
    count: int
    single: bool
    strays: Ids
    reach: float = 0.0

    @classmethod
    def of(cls, cells: Cells, count: int, single: bool) -> "Layout":
        """Return a layout of cells and so many items outside."""
        homes = Pairs(np.arange(count), np.full(count, OUTSIDE))
        return cls(cells, homes, count, single, np.empty(0, np.intp))

    @cached_property
    def _keys(self) -> Ids:
        """The place in preorder of each pair's cell, counted from 1; outside is 0, (r,)."""
        return np.append(self.cells.place + 1, 0)[self.homes.cells]

    @cached_property
    def _ends(self) -> Ids:
        """Where in the slots the items of the places end, outside first, (m + 1,)."""
        return np.cumsum(np.bincount(self._keys, minlength=len(self.cells) + 1))

    @cached_property
    def slots(self) -> Ids:
        """The items outside, then those of the cells in preorder, (r,)."""
        return self.homes.entries[sorted_order(self._keys, len(self.cells).bit_length())]

    @cached_property
    def begin(self) -> Ids:
        """Where in the slots the cells' own items begin, (m,)."""
        return self._ends[self.cells.place]

    @cached_property
    def own_end(self) -> Ids:
        """Where in the slots the cells' own items end, (m,)."""
        return self._ends[self.cells.place + 1]

    @cached_property
    def end(self) -> Ids:
        """Where in the slots the items of the cells' subtrees end, (m,)."""
        return self._ends[self.cells.place + self.cells.span]

    @property
    def own(self) -> Ids:
        """How many items stand in each cell itself, (m,)."""
        return self.own_end - self.begin

    @cached_property
    def outside(self) -> Ids:
        """The items that the root does not hold, in no order."""
        return self.homes.entries[np.flatnonzero(self.homes.cells == OUTSIDE)]

    @property
    def slack(self) -> float:
        """How far outside its cell an item may lie, and what rounding may do to walls."""
        walls = self.cells.rows[:, 0]
        return self.reach + 16 * Grid(walls[:3], walls[3:], 0).rounding

    @property
    def a_home(self) -> Ids:
        """One of the cells that each item stands in, or `OUTSIDE`, (n,)."""
        if self.single:
            return self.homes.cells
        cells = np.empty(self.count, np.intp)
        cells[self.homes.entries] = self.homes.cells
        return cells

    def pairs_of(self, items: Ids) -> Ids:
        """Return which pairs are of these items."""
        if self.single:
            return items
        chosen = np.zeros(self.count, bool)
        chosen[items] = True
        return np.flatnonzero(chosen[self.homes.entries])

    def cells_of(self, items: Ids) -> Ids:
        """Return the cells that these items stand in, with repetitions; not `OUTSIDE`."""
        cells = self.homes.cells[self.pairs_of(items)]
        return cells[cells != OUTSIDE]

    def in_cells(self, numbers: Ids) -> Ids:
        """Return which pairs stand in these cells, ascending."""
        chosen = np.zeros(len(self.cells) + 1, bool)
        chosen[numbers] = True
        return np.flatnonzero(chosen[self.homes.cells])

    def renumbered(self, cells: Cells, numbers: Ids) -> "Layout":
        """Return a layout with these cells, where the old ones have new numbers."""
        table = np.append(numbers, OUTSIDE)
        homes = Pairs(self.homes.entries, table[self.homes.cells])
        return replace(self, cells=cells, homes=homes if self.single else _each_once(homes))

    def merged(self, numbers: Ids) -> "Layout":
        """Return a layout where these cells, none of which lies in another, are leaves."""
        return self.renumbered(*self.cells.merged(numbers)) if len(numbers) else self

    def joined(self, count: int) -> "Layout":
        """Return the layout with so many more items, outside."""
        new = Pairs(self.count + np.arange(count), np.full(count, OUTSIDE))
        return replace(self, homes=self.homes + new, count=self.count + count)

    def only(self, items: Ids) -> "Layout":
        """Return the layout of some of the items, which ascend."""
        number = np.full(self.count, -1)
        number[items] = np.arange(len(items))
        strays = number[self.strays]
        entries = number[self.homes.entries]
        stay = entries >= 0
        homes = Pairs(entries[stay], self.homes.cells[stay])
        return replace(self, homes=homes, strays=strays[strays >= 0], count=len(items))

    def rehomed(self, moved: Ids, found: Pairs, strays: Ids) -> "Layout":
        """Return a layout where the moved items stand in the cells found for them."""
        layout = self.replaced(self.pairs_of(moved), found)
        if self.single:
            return layout
        return replace(layout, strays=np.union1d(np.setdiff1d(self.strays, moved), strays))

    def replaced(self, gone: Ids, found: Pairs) -> "Layout":
        """Return a layout with other pairs in place of these; of the same items, if single."""
        if self.single:
            if np.array_equal(self.homes.cells[found.entries], found.cells):
                return self
            cells = self.homes.cells.copy()
            cells[found.entries] = found.cells
            return replace(self, homes=Pairs(self.homes.entries, cells))
        stay = np.ones(len(self.homes), bool)
        stay[gone] = False
        reach = max(self.reach, _REACH * self.cells.size)
        return replace(self, homes=self.homes[stay] + found, reach=reach)


def _each_once(homes: Pairs) -> Pairs:
    """Return the pairs without repetition, by item."""
    order = np.lexsort((homes.cells, homes.entries))
    entries, cells = homes.entries[order], homes.cells[order]
    new = np.ones(len(order), bool)
    new[1:] = (np.diff(entries) != 0) | (np.diff(cells) != 0)
    return Pairs(entries[new], cells[new])
