"""Who stands where: cells, and pairs of items and cells."""

from dataclasses import dataclass, replace
from functools import cached_property

import numpy as np

from ..arrays import Ids, radix_argsort
from ..construction.levels import Pairs
from ..grid import Grid
from .cells import Cells

OUTSIDE = -1
# Of the root's size: from how far items count as touching a cell, at most.
_REACH = 2.0**-44
# If more than one item in so many stands elsewhere, the slots are sorted anew.
_MANY = 16


@dataclass(frozen=True)
class Layout:
    """The cells, and for each of `count` items the cells that it stands in.

    `homes` are pairs of item and cell; of an item that the root does not hold, one pair with
    `OUTSIDE`. `own` counts the items that stand in each cell itself. If the layout is `single`,
    item i has pair i and no other. `strays` are items, ascending, that stand in a cell that they
    do not touch, by a rounding. Others may be so far from a cell that they stand in: `reach`.
    `former` may be the slots of an earlier layout of the same items, and which of them have gone
    to other cells since.
    """

    cells: Cells
    homes: Pairs
    own: Ids
    count: int
    single: bool
    strays: Ids
    reach: float = 0.0
    former: tuple[Ids, Ids] | None = None

    @classmethod
    def of(cls, cells: Cells, count: int, single: bool) -> "Layout":
        """Return a layout of cells and so many items outside."""
        homes = Pairs(np.arange(count), np.full(count, OUTSIDE))
        own, strays = np.zeros(len(cells), np.intp), np.empty(0, np.intp)
        return cls(cells, homes, own, count, single, strays)

    @cached_property
    def _counts(self) -> Ids:
        """How many items stand in the cells in preorder, after those outside, (m + 1,)."""
        counts = np.empty(len(self.cells) + 1, np.intp)
        counts[0] = len(self.homes) - self.own.sum()
        counts[1:][self.cells.place] = self.own
        return counts

    @cached_property
    def _ends(self) -> Ids:
        """Where in the slots the items of the places end, outside first, (m + 1,)."""
        return np.cumsum(self._counts)

    @cached_property
    def references(self) -> Ids:
        """The items outside, then those of the cells in preorder, (r,)."""
        if self.former is not None:
            return self._put_right(*self.former)
        # Half of the cells, or more, are empty: numbers of the others are sorted faster.
        ranks = np.cumsum(self._counts > 0)
        table = np.append(ranks[1:][self.cells.place], ranks[0])
        keys = table[self.homes.cells]
        order = radix_argsort(keys, int(ranks[-1]).bit_length())
        return order if self.single else self.homes.entries[order]

    def _put_right(self, slots: Ids, moved: Ids) -> Ids:
        """Return the slots after items have moved: these are the last in their cells now."""
        moved = np.unique(moved)
        keys = np.append(self.cells.place + 1, 0)[self.homes.cells[moved]]
        order = np.argsort(keys, kind="stable")
        keys = keys[order]
        behind = np.searchsorted(keys, keys, side="right") - np.arange(len(keys))
        is_new, is_moved = np.zeros((2, len(slots)), bool)
        is_new[self._ends[keys] - behind] = True
        is_moved[moved] = True
        found = np.empty_like(slots)
        found[is_new] = moved[order]
        found[~is_new] = slots[~is_moved[slots]]
        return found

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

    @cached_property
    def outside(self) -> Ids:
        """The items that the root does not hold, in no order."""
        return self.homes.entries[np.flatnonzero(self.homes.cells == OUTSIDE)]

    @property
    def slack(self) -> float:
        """How far outside its cell an item may lie, and what rounding may do to walls."""
        return self.reach + 16 * self._rounding

    @property
    def finest(self) -> float:
        """The longest edge below which rounding would copy items into all cells around them."""
        return 0.0 if self.single else 256 * self._rounding

    @property
    def _rounding(self) -> float:
        walls = self.cells.rows[:, 0]
        return Grid(walls[:3], walls[3:], 0).rounding

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
        homes = homes if self.single else _each_once(homes)
        own = _counted(homes.cells, len(cells))
        return replace(self, cells=cells, homes=homes, own=own, former=None)

    def refined(self, cells: Cells, strays: Ids) -> "Layout":
        """Return the layout with more cells behind the old ones, and with more strays."""
        own = np.append(self.own, np.zeros(len(cells) - len(self.cells), np.intp))
        return replace(self, cells=cells, own=own, strays=np.union1d(self.strays, strays))

    def merged(self, numbers: Ids) -> "Layout":
        """Return a layout where these cells, none of which lies in another, are leaves."""
        return self.renumbered(*self.cells.merged(numbers)) if len(numbers) else self

    def joined(self, count: int) -> "Layout":
        """Return the layout with so many more items, outside."""
        new = Pairs(self.count + np.arange(count), np.full(count, OUTSIDE))
        return replace(self, homes=self.homes + new, count=self.count + count, former=None)

    def only(self, items: Ids) -> "Layout":
        """Return the layout of some of the items, which ascend."""
        number = np.full(self.count, -1)
        number[items] = np.arange(len(items))
        strays = number[self.strays]
        entries = number[self.homes.entries]
        stay = entries >= 0
        homes = Pairs(entries[stay], self.homes.cells[stay])
        return replace(
            self,
            homes=homes,
            own=_counted(homes.cells, len(self.cells)),
            count=len(items),
            strays=strays[strays >= 0],
            former=None,
        )

    def rehomed(self, moved: Ids, found: Pairs, strays: Ids) -> "Layout":
        """Return a layout where the moved items stand in the cells found for them."""
        layout = self.replaced(self.pairs_of(moved), found)
        if self.single:
            return layout
        return replace(layout, strays=np.union1d(np.setdiff1d(self.strays, moved), strays))

    def replaced(self, gone: Ids, found: Pairs) -> "Layout":
        """Return a layout with other pairs in place of these; of the same items, if single."""
        if self.single:
            return self._with_new(found[self.homes.cells[found.entries] != found.cells])
        stay = np.ones(len(self.homes), bool)
        stay[gone] = False
        homes = self.homes[stay] + found
        own, reach = _counted(homes.cells, len(self.cells)), _REACH * self.cells.size
        return replace(self, homes=homes, own=own, reach=max(self.reach, reach))

    def _with_new(self, homes: Pairs) -> "Layout":
        """Return the layout, which is single, where some items have these homes instead."""
        if len(homes) == 0:
            return self
        cells = self.homes.cells.copy()
        cells[homes.entries] = homes.cells
        own = self.own - _counted(self.homes.cells[homes.entries], len(self.cells))
        own += _counted(homes.cells, len(self.cells))
        former = self._former_of(homes.entries)
        return replace(self, homes=Pairs(self.homes.entries, cells), own=own, former=former)

    def _former_of(self, moved: Ids) -> tuple[Ids, Ids] | None:
        """Return slots that are known already, and who has gone elsewhere since, if few have."""
        if "references" in vars(self):
            slots, gone = self.references, moved
        elif self.former is None:
            return None
        else:
            slots, gone = self.former[0], np.append(self.former[1], moved)
        return (slots, gone) if len(gone) * _MANY < self.count else None


def _counted(cells: Ids, count: int) -> Ids:
    """Return how often each of `count` cells occurs; not `OUTSIDE`."""
    return np.bincount(cells + 1, minlength=count + 1)[1:]


def _each_once(homes: Pairs) -> Pairs:
    """Return the pairs without repetition, by item."""
    order = np.lexsort((homes.cells, homes.entries))
    entries, cells = homes.entries[order], homes.cells[order]
    new = np.ones(len(order), bool)
    new[1:] = (np.diff(entries) != 0) | (np.diff(cells) != 0)
    return Pairs(entries[new], cells[new])
