"""The cells of a tree that changes: flat arrays that are never written to, only replaced.

Cell 0 is the root. All others stand behind it in blocks of eight neighbours, the parts of one
cell, which comes before them. A change makes new arrays at the speed of memory, and whoever holds
the old ones may keep them.
"""

from dataclasses import dataclass
from functools import cached_property
from typing import Self

import numpy as np

from ..arrays import Floats, Ids, concatenated_ranges
from ..construction.off_grid import eight_parts
from ..grid import enlarged

_EIGHT = np.arange(8)


@dataclass(frozen=True)
class Cells:
    """All m cells, as an Octree describes them.

    `order` are their places and spans, if they are known.
    """

    rows: Floats
    loose_rows: Floats
    middle_rows: Floats
    depth: Ids
    parent: Ids
    first_child: Ids
    factor: float
    order: tuple[Ids, Ids] | None = None

    def __len__(self) -> int:
        return len(self.depth)

    @cached_property
    def _places_and_spans(self) -> tuple[Ids, Ids]:
        # A root that grows many times at once does not number its cells each time.
        return _preorder(self.parent, self.depth) if self.order is None else self.order

    @property
    def place(self) -> Ids:
        """Where each cell stands in preorder, (m,)."""
        return self._places_and_spans[0]

    @property
    def span(self) -> Ids:
        """How many cells each subtree has, (m,)."""
        return self._places_and_spans[1]

    @property
    def size(self) -> float:
        """The root's longest edge."""
        return float((self.rows[3:, 0] - self.rows[:3, 0]).max())

    @classmethod
    def of(cls, rows: Floats, parent: Ids, depth: Ids, factor: float) -> Self:
        """Return cells with these walls (6, m), `factor` times as large if items ask."""
        divided = parent[1::8]
        first_child = np.full(len(parent), -1)
        first_child[divided] = np.arange(1, len(parent), 8)
        middles = np.full((3, len(parent)), np.nan)
        middles[:, divided] = rows[3:, 1::8]  # the first part ends where its cell is divided
        loose = rows if factor == 1 else np.concatenate(enlarged(rows[:3], rows[3:], factor))
        return cls(rows, loose, middles, depth, parent, first_child, factor)

    @classmethod
    def of_root(cls, walls: Floats, factor: float) -> Self:
        """Return a root (6,) without parts."""
        return cls.of(walls[:, None], np.array([-1]), np.array([0]), factor)

    def with_parts(self, divided: Ids, parts: Floats) -> "Cells":
        """Return these and more cells: for each divided cell its eight parts (6, 8 b).

        Parts may be divided, too: they are numbered behind the cells, in this order.
        """
        parent = np.concatenate((self.parent, np.repeat(divided, 8)))
        depth = np.concatenate((self.depth, np.zeros(8 * len(divided), np.intp)))
        # A round for each level of parts: their depths are right once their parents' are.
        while not np.array_equal(deeper := depth[parent[len(self) :]] + 1, depth[len(self) :]):
            depth[len(self) :] = deeper
        first_child = np.concatenate((self.first_child, np.full(8 * len(divided), -1)))
        first_child[divided] = np.arange(len(self), len(parent), 8)
        middles = np.concatenate((self.middle_rows, np.full(parts[:3].shape, np.nan)), axis=1)
        middles[:, divided] = parts[3:, ::8]  # the first part ends where its cell is divided
        rows = loose = np.concatenate((self.rows, parts), axis=1)
        if self.factor != 1:
            loose_parts = np.concatenate(enlarged(parts[:3], parts[3:], self.factor))
            loose = np.concatenate((self.loose_rows, loose_parts), axis=1)
        order = self._order_with(divided, parent, depth)
        return Cells(rows, loose, middles, depth, parent, first_child, self.factor, order)

    def _order_with(self, divided: Ids, parent: Ids, depth: Ids) -> tuple[Ids, Ids]:
        """Return places and spans after these cells have been divided: all others move up."""
        above = [divided]
        while len(above[-1]):
            higher = parent[above[-1]]
            above.append(higher[higher >= 0])
        span = 1 + 8 * np.bincount(np.concatenate(above), minlength=len(parent))
        span[: len(self)] += self.span - 1
        place = np.zeros(len(parent), np.intp)
        leaves = divided[divided < len(self)]
        more = np.zeros(len(self), np.intp)
        more[self.place[leaves]] = span[leaves] - 1
        place[: len(self)] = self.place + (np.cumsum(more) - more)[self.place]
        _number_parts(place, span, parent, _levels(depth, len(self)))
        return place, span

    def merged(self, numbers: Ids) -> tuple["Cells", Ids]:
        """Make leaves of these cells, none of which lies in another.

        The second result is, for each of the old cells, the new number of what it is in now.
        """
        in_preorder = np.empty(len(self), np.intp)
        in_preorder[self.place] = np.arange(len(self))
        below = self.span[numbers] - 1
        heirs = np.arange(len(self))
        heirs[in_preorder[concatenated_ranges(self.place[numbers] + 1, below)]] = np.repeat(
            numbers, below
        )
        stay = heirs == np.arange(len(self))
        renumbered = np.cumsum(stay) - 1
        return self._only(np.flatnonzero(stay), renumbered, self.depth[0]), renumbered[heirs]

    def grown(self, octant: int) -> tuple["Cells", Ids]:
        """Double the root towards an octant: it becomes one of eight parts of the new root.

        The second result are the new numbers of the old cells.
        """
        walls, part = doubled(self.rows[:, 0], octant), 7 - octant
        # The old root keeps its walls, bit by bit.
        middle = np.where(octant >> np.arange(3) & 1, self.rows[3:, 0], self.rows[:3, 0])
        parts = eight_parts(walls[:, None], middle[:, None])
        rows = np.concatenate((walls[:, None], parts, self.rows[:, 1:]), axis=1)
        renumbered = np.arange(len(self)) + 8
        renumbered[0] = 1 + part
        parent = np.concatenate(([-1], np.zeros(8, np.intp), renumbered[self.parent[1:]]))
        depth = np.concatenate(([0], np.ones(8, np.intp), self.depth[1:] + 1))
        return Cells.of(rows, parent, depth, self.factor), renumbered

    def shrunk(self, child: int) -> tuple["Cells", Ids]:
        """Make a part of the root the root; the new number of cells beside it is -1."""
        behind = self.place - self.place[child]
        inside = (behind > 0) & (behind < self.span[child])
        renumbered = np.where(inside, np.cumsum(inside), -1)
        renumbered[child] = 0
        kept = np.concatenate(([child], np.flatnonzero(inside)))
        return self._only(kept, renumbered, self.depth[child]), renumbered

    def _only(self, kept: Ids, renumbered: Ids, shift: int) -> "Cells":
        """Return some of the cells, the root first, so much less deep."""
        parent = np.concatenate(([-1], renumbered[self.parent[kept[1:]]]))
        return Cells.of(self.rows[:, kept], parent, self.depth[kept] - shift, self.factor)


def doubled(walls: Floats, octant: int) -> Floats:
    """Return a box (6,) twice as large, towards an octant; a flat one becomes as thick as wide."""
    lower, upper = walls[:3], walls[3:]
    size = upper - lower
    size = np.where(size > 0, size, size.max())
    is_upper = octant >> np.arange(3) & 1 == 1
    low, high = np.where(is_upper, lower, lower - size), np.where(is_upper, upper + size, upper)
    return np.concatenate((low, high))


def _preorder(parent: Ids, depth: Ids) -> tuple[Ids, Ids]:
    """Return the place of each cell in preorder, and how many cells its subtree has."""
    place, span = np.zeros(len(depth), np.intp), np.ones(len(depth), np.intp)
    levels = _levels(depth, 1)
    for first_parts in levels[::-1]:
        span[parent[first_parts]] += span[first_parts[:, None] + _EIGHT].sum(axis=1)
    _number_parts(place, span, parent, levels)
    return place, span


def _levels(depth: Ids, first: int) -> list[Ids]:
    """Return the first of each eight parts, from cell `first` on, level by level."""
    parts = np.arange(first, len(depth), 8)
    parts = parts[np.argsort(depth[parts], kind="stable")]
    return np.split(parts, np.flatnonzero(np.diff(depth[parts])) + 1)


def _number_parts(place: Ids, span: Ids, parent: Ids, levels: list[Ids]) -> None:
    """Set the places of parts behind those of their cells, the upper levels first."""
    for first_parts in levels:
        parts = first_parts[:, None] + _EIGHT
        below = span[parts]
        place[parts] = place[parent[first_parts], None] + 1 + np.cumsum(below, axis=1) - below
