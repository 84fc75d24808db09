"""Octree: flat, frozen arrays.

Cells are numbered level by level, the eight children of a cell as neighbours. `slots` lists items in
preorder: a cell's own items, then its first child's, and so on, so that the items of a
subtree are one slice:

    begin[cell]            own_end[cell]                            end[cell]
        | the cell's own items   | items further down, child by child   |
"""

from dataclasses import dataclass, field
from typing import SupportsIndex

import numpy as np
from numpy.typing import NDArray

from . import checks
from .arrays import Flags, Floats, Ids
from .shapes import Boxes, Shapes


@dataclass(frozen=True, kw_only=True)
class Options:
    """How an octree is built: what the keywords of `build_octree` say."""

    capacity: int
    max_depth: int
    min_size: float
    split: str
    straddlers: str
    hybrid_limit: int
    loose_factor: float
    bounds: Boxes | None


@dataclass(frozen=True, kw_only=True, eq=False, repr=False)
class Octree(Options):
    """A frozen octree over a batch of shapes, made by `build_octree`.

    Attributes
    ----------
    capacity, max_depth, min_size, split, straddlers, hybrid_limit, loose_factor, bounds
        What it was built with.
    items : Triangles, Boxes or Spheres
        What it was built over. Answers are numbers into this batch.
    invalid_items : ndarray of intp
        The items with a coordinate that is not finite, ascending. They are in no cell.
    node_depth, node_parent : ndarray of intp, shape (m,)
        The root is cell 0, of depth 0 and parent -1.
    first_child : ndarray of intp, shape (m,)
        The first of eight neighbours, or -1 for a leaf.
    begin, own_end, end : ndarray of intp, shape (m,)
        Where in `slots` a cell's own items begin and end, and where its subtree's end.
    occupied_parts : ndarray of uint8, shape (m,)
        One bit for each child, set where that child's subtree holds items.
    order : ndarray of intp, shape (k,)
        The valid items in the order of the cells they begin in: entry e is item `order[e]`.
    arranged : Triangles, Boxes or Spheres
        The valid items in that order, so that neighbours in space are neighbours in memory.
    slots : ndarray of intp, shape (r,)
        Entries in preorder. A copied item stands in several places.
    outside : int
        So many slots come before the root's own: items that reach beyond it, always searched.
    copied : ndarray of bool, shape (k,)
        The entries that stand in more than one cell, or beyond the root.
    strays : ndarray of intp
        Entries that touch no part of a cell they were in, by a rounding: no cell vouches for them.
    slack : float
        An item may lie this far outside a cell that it was placed in.
    """

    items: Shapes
    invalid_items: Ids
    cell_rows: Floats = field(metadata={"shape": "(6, m)"})
    loose_rows: Floats = field(metadata={"shape": "(6, m)"})
    middle_rows: Floats = field(metadata={"shape": "(3, m)"})
    node_depth: Ids
    node_parent: Ids
    first_child: Ids
    begin: Ids
    own_end: Ids
    end: Ids
    occupied_parts: NDArray[np.uint8]
    order: Ids
    arranged: Shapes
    slots: Ids
    outside: int
    copied: Flags
    strays: Ids
    slack: float

    def __post_init__(self) -> None:
        for value in vars(self).values():
            if isinstance(value, np.ndarray):
                value.setflags(write=False)

    def __len__(self) -> int:
        return len(self.items) - len(self.invalid_items)

    def __repr__(self) -> str:
        return f"Octree({type(self.items).__name__}={len(self)}, cells={len(self.node_depth)})"

    @property
    def node_lower(self) -> Floats:
        """The lower corners of the cells, (m, 3)."""
        return self.cell_rows[:3].T

    @property
    def node_upper(self) -> Floats:
        """The upper corners of the cells, (m, 3)."""
        return self.cell_rows[3:].T

    @property
    def loose_lower(self) -> Floats:
        """The lower corners of the enlarged cells, (m, 3)."""
        return self.loose_rows[:3].T

    @property
    def loose_upper(self) -> Floats:
        """The upper corners of the enlarged cells, (m, 3)."""
        return self.loose_rows[3:].T

    @property
    def node_middle(self) -> Floats:
        """The points where the cells are divided, (m, 3); NaN for a leaf."""
        return self.middle_rows.T

    @property
    def is_leaf(self) -> Flags:
        """Which cells have no children, (m,)."""
        return self.first_child < 0

    @property
    def item_counts(self) -> Ids:
        """How many items each cell holds itself, (m,)."""
        counts = self.own_end - self.begin
        counts[0] += self.outside
        return counts

    def items_in(self, node: SupportsIndex, /) -> Ids:
        """The items of one cell itself, each once.

        Parameters
        ----------
        node : int
            A cell number.

        Returns
        -------
        ndarray of intp, shape (k,)
            Item numbers, ascending. The root's include those that reach beyond it.

        Raises
        ------
        ValueError
            If there is no such cell.
        """
        cell = self._cell(node)
        return np.sort(self.order[self.slots[self._first_slot(cell) : self.own_end[cell]]])

    def items_below(self, node: SupportsIndex, /) -> Ids:
        """The items of one cell and of all cells below it: a slice, without a walk.

        Parameters
        ----------
        node : int
            A cell number.

        Returns
        -------
        ndarray of intp, shape (k,)
            Item numbers in the order of the cells; a copied item may be named twice.

        Raises
        ------
        ValueError
            If there is no such cell.
        """
        cell = self._cell(node)
        return self.order[self.slots[self._first_slot(cell) : self.end[cell]]]

    def cells_of(self, items: Ids | None = None, /) -> Ids:
        """The cells that items stand in.

        Parameters
        ----------
        items : array_like of int, shape (k,), optional
            Item numbers; all by default.

        Returns
        -------
        ndarray of intp, shape (2, r)
            [0] items, [1] cells, sorted by item, then by cell.

        Raises
        ------
        ValueError
            If an item number is out of range.
        """
        pairs = np.stack((self.order[self.slots], self.cell_of_slot()))
        if items is not None:
            rows = np.reshape(np.asarray(items), (-1, 1))
            wanted = checks.indices("items", rows, 1, len(self.items))[:, 0]
            pairs = pairs[:, np.isin(pairs[0], wanted)]
        return pairs[:, np.lexsort(pairs[::-1])]

    def cell_of_slot(self) -> Ids:
        """The cell that each slot belongs to, (r,)."""
        counts = self.item_counts
        occupied = np.flatnonzero(counts)
        in_order = occupied[np.argsort(self.begin[occupied], kind="stable")]
        return np.repeat(in_order, counts[in_order])

    def _cell(self, node: SupportsIndex) -> int:
        cell = checks.whole_number("node", node, 0)
        if cell >= len(self.node_depth):
            raise ValueError(f"node must be one of {len(self.node_depth)} cells, got {cell}")
        return cell

    def _first_slot(self, cell: int) -> int:
        return 0 if cell == 0 else int(self.begin[cell])
