"""Cells in flat arrays: from walls and parents to middles, depths and preorder.

Cell 0 is the root. All other cells follow it in blocks of eight siblings; a parent precedes its
children. Arrays are never modified, only replaced: a holder of older arrays may keep them.
"""

from collections.abc import Iterator
from dataclasses import dataclass, fields
from functools import cached_property
from typing import Any, NamedTuple, Self

import numpy as np
from numpy.typing import NDArray

from .arrays import Flags, Floats, Ids, address, concatenated_ranges
from .boxes import boxes_contain
from .grid import Grid, enlarged

# A condition on arrays, true if they are valid, and its text.
Promise = tuple[bool | np.bool_, str]

CHILDREN = np.arange(8)
# For each axis, True for the children above the middle, (3, 8).
UPPER_SIDES = (CHILDREN >> np.arange(3)[:, None] & 1) == 1
# Margins of a root beyond its items on each axis, as fractions of their size: 3.5 % together.
_BELOW = np.array([4, 6, 5]) * (9 / 4096)
_ABOVE = 9 / 256 - _BELOW


class Slices(NamedTuple):
    """Slices of the references in preorder, and the children of each cell that hold items.

    `ends` (m + 1,) are the ends of the slices in the references: first of the out-of-bounds
    items, then of each cell in preorder. `begin` and `own_end` (m,) delimit each cell's own
    references, `begin` and `end` those of its subtree; `child_masks` (m,) have a bit for each
    child.
    """

    ends: Ids
    begin: Ids
    own_end: Ids
    end: Ids
    child_masks: NDArray[np.uint8]


@dataclass(frozen=True)
class Cells:
    """All m cells, as an Octree describes them, in contiguous rows.

    `order` are the preorder places and the subtree sizes of the cells, if they are known.
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

    def __getstate__(self) -> dict[str, Any]:
        """Return the fields for a copy, without cached memory addresses."""
        return {each.name: getattr(self, each.name) for each in fields(self)}

    @cached_property
    def _places_and_spans(self) -> tuple[Ids, Ids]:
        # Lazy: several doublings of a root in a row need the preorder only after the last one.
        return _preorder(self.parent, self.depth) if self.order is None else self.order

    @property
    def place(self) -> Ids:
        """The position of each cell in preorder, (m,)."""
        return self._places_and_spans[0]

    @property
    def span(self) -> Ids:
        """The number of cells in each subtree, (m,)."""
        return self._places_and_spans[1]

    @cached_property
    def addresses(self) -> tuple[int, ...]:
        """The memory addresses of all arrays but the depths, places and spans included."""
        rows = self.rows, self.loose_rows, self.middle_rows
        arrays = *rows, self.parent, self.first_child, self.place, self.span
        assert all(array.flags.c_contiguous for array in arrays)
        return tuple(map(address, arrays))

    def slices(self, own: Ids, outside: int) -> Slices:
        """Return the slices for `outside` out-of-bounds references and `own` (m,) of each cell."""
        counts = np.empty(len(self) + 1, np.intp)
        counts[0] = outside
        counts[1:][self.place] = own
        ends = counts.cumsum()
        begin, own_end, end = ends[self.place], ends[self.place + 1], ends[self.place + self.span]
        return Slices(ends, begin, own_end, end, child_masks_of(self.parent, end > begin))

    def uppermost(self, chosen: Flags) -> Ids:
        """Return the chosen cells (m,) whose parents are not chosen."""
        return np.flatnonzero(chosen & ~np.append(chosen, False)[self.parent])

    @cached_property
    def root(self) -> Grid:
        """The root as a grid of one cell."""
        return Grid(self.rows[:3, 0], self.rows[3:, 0], 0)

    @property
    def size(self) -> float:
        """The root's longest edge."""
        return float((self.rows[3:, 0] - self.rows[:3, 0]).max())

    @classmethod
    def of(cls, rows: Floats, parent: Ids, factor: float, depth: Ids | None = None) -> Self:
        """Return cells with these walls (6, m), enlarged by `factor` for the items they keep.

        Parents precede their children. Depths are computed, unless they are given.
        """
        rows, divided = np.ascontiguousarray(rows), parent[1::8]
        first_child = np.full(len(parent), -1)
        first_child[divided] = np.arange(1, len(parent), 8)
        middles = np.full((3, len(parent)), np.nan)
        middles[:, divided] = rows[3:, 1::8]  # the first child ends where its cell is divided
        loose = rows if factor == 1 else np.concatenate(enlarged(rows[:3], rows[3:], factor))
        depth = _depths(parent, np.zeros(len(parent), np.intp), 1) if depth is None else depth
        return cls(rows, loose, middles, depth, parent, first_child, factor)

    @classmethod
    def of_root(cls, walls: Floats, factor: float) -> Self:
        """Return a root (6,) without children."""
        return cls.of(walls[:, None], np.array([-1]), factor)

    def with_children(self, divided: Ids, children: Floats) -> "Cells":
        """Return the cells and, for each divided cell, its eight children (6, 8 b).

        `divided` may also name new children; new cells are numbered after the old ones, in order.
        """
        children = np.ascontiguousarray(children)
        parent = np.concatenate((self.parent, np.repeat(divided, 8)))
        depth = np.concatenate((self.depth, np.zeros(8 * len(divided), np.intp)))
        depth = _depths(parent, depth, len(self))
        first_child = np.concatenate((self.first_child, np.full(8 * len(divided), -1)))
        first_child[divided] = np.arange(len(self), len(parent), 8)
        middles = np.concatenate((self.middle_rows, np.full(children[:3].shape, np.nan)), axis=1)
        middles[:, divided] = children[3:, ::8]  # the first child ends where its cell is divided
        rows = loose = np.concatenate((self.rows, children), axis=1)
        if self.factor != 1:
            loose_children = np.concatenate(enlarged(children[:3], children[3:], self.factor))
            loose = np.concatenate((self.loose_rows, loose_children), axis=1)
        order = self._order_with(divided, parent, depth)
        return Cells(rows, loose, middles, depth, parent, first_child, self.factor, order)

    def _order_with(self, divided: Ids, parent: Ids, depth: Ids) -> tuple[Ids, Ids]:
        """Return places and spans after these cells are divided: later cells move back."""
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
        _number_children(place, span, parent, _levels(depth, len(self)))
        return place, span

    def merged(self, numbers: Ids) -> tuple["Cells", Ids]:
        """Turn these cells into leaves; none of them may lie in another.

        The second result maps each old cell to a new number: its own, or that of the leaf that
        replaced it.
        """
        in_preorder = np.empty(len(self), np.intp)
        in_preorder[self.place] = np.arange(len(self))
        below = self.span[numbers] - 1
        merged_into = np.arange(len(self))
        merged = in_preorder[concatenated_ranges(self.place[numbers] + 1, below)]
        merged_into[merged] = np.repeat(numbers, below)
        stay = merged_into == np.arange(len(self))
        renumbered = np.cumsum(stay) - 1
        return self._only(np.flatnonzero(stay), renumbered, self.depth[0]), renumbered[merged_into]

    def grown(self, octant: int) -> tuple["Cells", Ids]:
        """Double the root towards an octant: it becomes one of eight children of the new root.

        The second result are the new numbers of the old cells.
        """
        walls, child = doubled(self.rows[:, 0], octant), 7 - octant
        # The old root keeps its walls, bit by bit.
        middle = np.where(octant >> np.arange(3) & 1, self.rows[3:, 0], self.rows[:3, 0])
        children = child_walls(walls[:, None], middle[:, None])
        rows = np.concatenate((walls[:, None], children, self.rows[:, 1:]), axis=1)
        renumbered = np.arange(len(self)) + 8
        renumbered[0] = 1 + child
        parent = np.concatenate(([-1], np.zeros(8, np.intp), renumbered[self.parent[1:]]))
        depth = np.concatenate(([0], np.ones(8, np.intp), self.depth[1:] + 1))
        return Cells.of(rows, parent, self.factor, depth), renumbered

    def shrunk(self, child: int) -> tuple["Cells", Ids]:
        """Make a child of the root the new root; dropped cells get the new number -1."""
        behind = self.place - self.place[child]
        inside = (behind > 0) & (behind < self.span[child])
        renumbered = np.where(inside, np.cumsum(inside), -1)
        renumbered[child] = 0
        kept = np.concatenate(([child], np.flatnonzero(inside)))
        return self._only(kept, renumbered, self.depth[child]), renumbered

    def promises(self) -> Iterator[Promise]:
        """Yield the invariants of all cells: True if the invariant holds, and its text."""
        is_leaf = self.first_child < 0
        inner = np.flatnonzero(~is_leaf)
        children = self.first_child[inner, None] + CHILDREN
        known = np.arange(1, len(self.depth))
        yield (
            np.array_equal(np.sort(children, axis=None), known),
            "each cell but the root must be one of eight children",
        )
        parents, depths = self.parent[children], self.depth[children]
        yield (parents == inner[:, None]).all(), "children must name their parents"
        yield self.parent[0] == -1 and self.depth[0] == 0, "cell 0 must be the root"
        yield (
            (depths == self.depth[inner, None] + 1).all(),
            "children must be one deeper than their parents",
        )
        # Exact comparison of floats: shared walls have equal bits.
        lower_wall, upper_wall = self.rows[:3, inner, None], self.rows[3:, inner, None]
        middle, upper = self.middle_rows[:, inner, None], UPPER_SIDES[:, None]
        lower_walls = np.where(upper, middle, lower_wall)
        upper_walls = np.where(upper, upper_wall, middle)
        yield (
            (self.rows[:, children] == np.concatenate((lower_walls, upper_walls))).all(),
            "children must share their walls with their parent and with each other",
        )
        yield (
            ((lower_wall <= middle) & (middle <= upper_wall)).all(),
            "cells must be divided within their walls",
        )
        yield np.isnan(self.middle_rows[:, is_leaf]).all(), "leaves must not be divided"
        yield (
            boxes_contain(self.loose_rows, self.rows[:3], self.rows[3:]).all(),
            "enlarged cells must hold their cells",
        )

    def check(self) -> None:
        """Assert that subtrees are contiguous in preorder, with the children in order."""
        assert np.array_equal(np.sort(self.place), np.arange(len(self)))
        inner = np.flatnonzero(self.first_child >= 0)
        children = self.first_child[inner, None] + CHILDREN
        ends = self.place[children] + self.span[children]
        assert (self.place[children[:, 0]] == self.place[inner] + 1).all()
        assert (self.place[children[:, 1:]] == ends[:, :-1]).all()
        assert (ends[:, -1] == self.place[inner] + self.span[inner]).all()
        assert (self.span[self.first_child < 0] == 1).all()
        assert (self.parent < np.arange(len(self))).all()

    def _only(self, kept: Ids, renumbered: Ids, shift: int) -> "Cells":
        """Return only the kept cells, the root first, with depths reduced by `shift`."""
        parent = np.concatenate(([-1], renumbered[self.parent[kept[1:]]]))
        return Cells.of(self.rows[:, kept], parent, self.factor, self.depth[kept] - shift)


def root_around(lower: Floats, upper: Floats) -> Floats:
    """Return a cube (6,) around bounds (3, n), larger and off center; the origin if n is 0.

    Symmetric models have many faces in their middle planes and in the middle planes of their
    halves. Walls in these planes would copy all these faces, and a fan of triangles to all eight
    children.
    """
    if lower.shape[1] == 0:
        return np.zeros(6)
    low, high = lower.min(axis=1), upper.max(axis=1)
    middle, size = (low + high) / 2, (high - low).max()
    start, end = middle - (0.5 + _BELOW) * size, middle + (0.5 + _ABOVE) * size
    return np.concatenate((np.minimum(start, low), np.maximum(end, high)))


def doubled(walls: Floats, octant: int) -> Floats:
    """Return a box (6,) twice as large, towards an octant; a flat one becomes as thick as wide."""
    lower, upper = walls[:3], walls[3:]
    size = upper - lower
    size = np.where(size > 0, size, size.max())
    is_upper = octant >> np.arange(3) & 1 == 1
    low, high = np.where(is_upper, lower, lower - size), np.where(is_upper, upper + size, upper)
    return np.concatenate((low, high))


def child_walls(walls: Floats, middles: Floats) -> Floats:
    """Return the eight children (6, 8 c) of cells with walls (6, c), divided at `middles`."""
    upper = UPPER_SIDES[:, None]
    low, high = walls[:, :, None].reshape(2, 3, -1, 1)
    rows = np.where(upper, middles[:, :, None], low), np.where(upper, high, middles[:, :, None])
    return np.concatenate(rows).reshape(6, -1)


def child_masks_of(parent: Ids, is_filled: Flags) -> NDArray[np.uint8]:
    """Return for each of m cells a bit for each child, set where that child is filled."""
    masks = np.zeros(len(parent), np.uint8)
    masks[parent[1::8]] = np.packbits(is_filled[1:], bitorder="little")  # eight children a byte
    return masks


def _depths(parent: Ids, depth: Ids, first: int) -> Ids:
    """Fill in the depths of all cells from `first` on, and return them all."""
    # A round for each level: children's depths are right once their parents' are.
    while not np.array_equal(deeper := depth[parent[first:]] + 1, depth[first:]):
        depth[first:] = deeper
    return depth


def _preorder(parent: Ids, depth: Ids) -> tuple[Ids, Ids]:
    """Return the position of each cell in preorder, and the number of cells in its subtree."""
    place, span = np.zeros(len(depth), np.intp), np.ones(len(depth), np.intp)
    levels = _levels(depth, 1)
    for first_children in levels[::-1]:
        span[parent[first_children]] += span[first_children[:, None] + CHILDREN].sum(axis=1)
    _number_children(place, span, parent, levels)
    return place, span


def _levels(depth: Ids, first: int) -> list[Ids]:
    """Return the first of each eight children, from cell `first` on, level by level."""
    children = np.arange(first, len(depth), 8)
    children = children[np.argsort(depth[children], kind="stable")]
    return np.split(children, np.flatnonzero(np.diff(depth[children])) + 1)


def _number_children(place: Ids, span: Ids, parent: Ids, levels: list[Ids]) -> None:
    """Set the preorder places of children after those of their parents, upper levels first."""
    for first_children in levels:
        children = first_children[:, None] + CHILDREN
        below = span[children]
        place[children] = (
            place[parent[first_children], None] + 1 + np.cumsum(below, axis=1) - below
        )
