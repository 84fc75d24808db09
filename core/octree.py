"""Octree: flat, frozen arrays.

Cells are numbered level by level, eight children as neighbours. `slots` lists items in preorder, a
cell's own, then its first child's and so on, so that the items of a subtree are one slice:

    begin[cell]            own_end[cell]                            end[cell]
        | the cell's own items   | items further down, child by child   |
"""

from dataclasses import dataclass, field
from typing import SupportsIndex

import numpy as np
from numpy.typing import ArrayLike, NDArray

from . import checks
from .arrays import Flags, Floats, Ids, Masks
from .content_bounds import ContentBounds
from .invariants import Invariants
from .options import Options
from .shapes import Shapes


@dataclass
class Freshness:
    """Whether a changing tree still is as it was when an octree was taken of it."""

    is_current: bool = True


@dataclass(frozen=True, kw_only=True, eq=False, repr=False)
class Octree(Options, Invariants, ContentBounds):
    """A frozen octree over a batch of shapes, built, or taken of a `DynamicOctree`.

    Attributes
    ----------
    capacity, max_depth, min_size, split, straddlers, hybrid_limit, loose_factor, bounds
        What it was built with.
    items : Triangles, Boxes, Spheres or Regions
        What it was built over. Answers are numbers into this batch.
    invalid_items : ndarray of intp, shape (b,)
        The items with a coordinate that is not finite, ascending. They are in no cell.
    cell_rows, loose_rows : ndarray of float64, shape (6, m)
        The cells, tight and enlarged: lower x, y, z, upper x, y, z. The same array if none is.
    middle_rows : ndarray of float64, shape (3, m)
        Where the cells are divided; NaN for a leaf.
    node_depth, node_parent : ndarray of intp, shape (m,)
        The root is cell 0, of depth 0 and parent -1.
    first_child : ndarray of intp, shape (m,)
        The first of eight neighbours, or -1 for a leaf.
    begin, own_end, end : ndarray of intp, shape (m,)
        Where in `slots` a cell's own items begin and end, and where its subtree's end.
    child_masks : ndarray of uint8, shape (m,)
        One bit for each child, set where that child's subtree holds items.
    order : ndarray of intp, shape (k,)
        The valid items in the order of the cells they begin in: entry e is item `order[e]`.
    arranged : Triangles, Boxes, Spheres or Regions
        The valid items in that order, so that neighbours in space are neighbours in memory.
    slots : ndarray of intp, shape (r,)
        Entries in preorder. A copied item stands in several places.
    outside : int
        So many slots come before the root's own: items that reach beyond it, always searched.
    copied : ndarray of bool, shape (k,)
        The entries that stand in more than one cell.
    strays : ndarray of intp, shape (s,)
        Entries that touch no part of a cell they were in, by a rounding: no cell vouches for them.
    slack : float
        An item may lie this far outside a cell that it was placed in.
    ids : ndarray of intp, shape (n,), or None
        What answers call the items, ascending; None if they go by their numbers.
    groups : ndarray of uint32, shape (n,), or None
        The groups that each item is in, a bit for each; None if all are in every group.
    """

    items: Shapes
    invalid_items: Ids
    cell_rows: Floats
    loose_rows: Floats
    middle_rows: Floats
    node_depth: Ids
    node_parent: Ids
    first_child: Ids
    begin: Ids
    own_end: Ids
    end: Ids
    child_masks: NDArray[np.uint8]
    order: Ids
    arranged: Shapes
    references: Ids
    outside: int
    copied: Flags
    strays: Ids
    slack: float
    ids: Ids | None
    groups: Masks | None
    _seen: "dict[int, Octree]" = field(init=False, default_factory=dict)
    _freshness: Freshness = field(default_factory=Freshness)

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

    def items_in(self, node: SupportsIndex) -> Ids:
        """Return the items of one cell itself, each once.

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
        first, cell = self._slots_from(node)
        return np.sort(self.named(self.order[self.references[first : self.own_end[cell]]]))

    def items_below(self, node: SupportsIndex) -> Ids:
        """Return the items of one cell and of all cells below it: one slice, no walk.

        Parameters
        ----------
        node : int
            A cell number.

        Returns
        -------
        ndarray of intp, shape (k,)
            Item numbers in the order of the cells. A copied item may be named twice.

        Raises
        ------
        ValueError
            If there is no such cell.
        """
        first, cell = self._slots_from(node)
        return self.named(self.order[self.references[first : self.end[cell]]])

    def cells_of(self, items: ArrayLike | None = None) -> Ids:
        """Return the cells that items stand in.

        Parameters
        ----------
        items : array_like of int, shape (k,), optional
            Item numbers; all by default.

        Returns
        -------
        ndarray of intp, shape (2, r)
            [0] items, [1] cells, sorted by item, then by cell. O(r log r) for all slots.

        Raises
        ------
        ValueError
            If an item number is out of range.
        """
        pairs = np.stack((self.named(self.order[self.references]), self.cell_of_slot()))
        if items is not None:
            pairs = pairs[:, np.isin(pairs[0], self._known(items))]
        return pairs[:, np.lexsort(pairs[::-1])]

    def named(self, numbers: Ids) -> Ids:
        """Return what answers call the items of these numbers.

        Parameters
        ----------
        numbers : ndarray of intp, shape (k,)
            Where items stand in `items`.

        Returns
        -------
        ndarray of intp, shape (k,)
            Their ids; the numbers themselves, unless the octree was taken of a changing tree.

        Raises
        ------
        IndexError
            If there is no such item.
        """
        return numbers if self.ids is None else self.ids[numbers]

    def _roots_for(self, questions: int) -> tuple[Ids, Floats]:
        """Return the cell in which each question of a batch begins, and the slack it takes, (q,).

        Others than cell 0 where one set of arrays holds many trees.
        """
        return np.zeros(questions, np.intp), np.full(questions, self.slack)

    def require_current(self) -> None:
        """See that questions may be asked.

        Raises
        ------
        RuntimeError
            If the tree that this octree was taken of has changed since.
        """
        if not self._freshness.is_current:
            raise RuntimeError(
                "the tree has changed since this octree was taken: ask its octree anew"
            )

    def _known(self, items: ArrayLike) -> Ids:
        """Return what are numbers or ids of items."""
        if self.ids is None:
            return checks.numbers("items", items, len(self.items))
        wanted = checks.numbers("items", items, int(self.ids.max(initial=-1)) + 1)
        checks.every_row("items", "be ids of the tree", np.isin(wanted, self.ids), wanted)
        return wanted

    def _slots_from(self, node: SupportsIndex) -> tuple[int, int]:
        """Return where a cell's slots begin, and the cell."""
        cell = checks.whole_number("node", node, 0)
        if cell >= len(self.node_depth):
            raise ValueError(f"node must be one of {len(self.node_depth)} cells, got {cell}")
        return (0 if cell == 0 else int(self.begin[cell])), cell
