"""The dynamic octree: a tree whose items are inserted, moved and removed."""

from copy import deepcopy
from typing import Self

import numpy as np
from numpy.typing import ArrayLike

from .. import checks
from ..arrays import Ids, flagged
from ..octree import Freshness, Octree, octree_of
from ..options import Options
from ..shapes import Boxes, Shapes
from .assignment import Assignment
from .changes import PairChanges
from .items import ItemStore, rows_of
from .maintenance import ChangeCounts, Maintenance

STRADDLERS = ("keep", "copy")


class DynamicOctree:
    """An octree over boxes, spheres and regions that are inserted, moved and removed.

    Parameters
    ----------
    capacity : int
        A leaf with more items is divided, unless depth or size forbids it or no division would
        separate the items.
    merge_below : int
        The uppermost cell whose subtree holds fewer items becomes a leaf; at least 1, at most
        `capacity`. The farther this is below `capacity`, the fewer cells change.
    max_depth : int
        No cell is deeper; the root has depth 0.
    min_size : float
        A cell whose children would have a longest edge below this stays a leaf; scene units.
    straddlers : {"keep", "copy"}
        "keep": an item is in the deepest cell that holds it whole. "copy": in every leaf that it
        touches.
    loose_factor : float
        With "keep", each cell is enlarged by this factor about its center, so that small
        straddlers sink: 1.0 for no enlargement, 2.0 for the classical loose octree.
    merge : {"eager", "deferred"}
        "eager": cells merge, and the root shrinks, with every change. "deferred": only by `prune`.
    grow_above : int
        While more items than this lie outside the root, it doubles.
    shrink_below : int
        While at most this many items lie outside the root's fullest child, that child becomes the
        root; unless more than `grow_above` would be outside then.
    bounds : Boxes, optional
        One box, the initial root. By default the cube around the first items.

    Raises
    ------
    ValueError
        If an option is unknown or out of range.

    Notes
    -----
    The dynamic octree of Piko3D ("Space Partitioning Tutorial: Piko3D's Dynamic Octree", 2010),
    with the leaf octree of the blog "Octrees - Code and walkthrough", 2010, as "copy". All state
    is arrays; a change replaces the affected arrays, so that octrees taken before keep their
    contents. A copy is independent of its original, by `copy.copy` as by `copy.deepcopy`.
    """

    def __init__(
        self,
        *,
        capacity: int = 8,
        merge_below: int = 4,
        max_depth: int = 10,
        min_size: float = 0.0,
        straddlers: str = "keep",
        loose_factor: float = 1.25,
        merge: str = "eager",
        grow_above: int = 0,
        shrink_below: int = 0,
        bounds: Boxes | None = None,
    ) -> None:
        self._options = Options(
            capacity=capacity,
            max_depth=max_depth,
            min_size=min_size,
            split="middle",
            straddlers=checks.choice("straddlers", straddlers, STRADDLERS),
            hybrid_limit=8,
            loose_factor=loose_factor,
            bounds=bounds,
        ).checked()
        self._maintenance = Maintenance(
            self._options, merge_below, grow_above, shrink_below, merge
        )
        self._items = ItemStore.empty()
        self._assignment = self._maintenance.empty_assignment()
        self._changes = PairChanges()
        self._octree: Octree | None = None
        self._freshness = Freshness()

    def __copy__(self) -> Self:
        return deepcopy(self)

    def __len__(self) -> int:
        return len(self._items)

    def __repr__(self) -> str:
        return f"DynamicOctree(items={len(self)}, cells={len(self._assignment.cells)})"

    @property
    def ids(self) -> Ids:
        """The ids of the present items, ascending, (n,)."""
        return self._items.ids

    @property
    def outside(self) -> Ids:
        """The ids of the out-of-bounds items, ascending, (k,)."""
        return self.ids[np.sort(self._assignment.outside)]

    @property
    def turnover(self) -> ChangeCounts:
        """The counts so far of cells divided and merged, and of the root's growths and shrinks."""
        return self._maintenance.turnover

    @property
    def octree(self) -> Octree:
        """A snapshot of the tree for all queries; queries raise once the tree has changed."""
        if self._octree is None:
            items, assignment = self._items, self._assignment
            self._octree = octree_of(
                self._options,
                assignment.cells,
                assignment.slices,
                assignment.references,
                items=items.shapes,
                order=assignment.order,
                arranged=items.shapes,
                strays=assignment.strays,
                slack=assignment.slack,
                ids=items.ids,
                groups=items.groups,
                freshness=self._freshness,
            )
        return self._octree

    def insert(self, items: Shapes, /, *, groups: ArrayLike | None = None) -> Ids:
        """Add items.

        Parameters
        ----------
        items : Boxes, Spheres or Regions
            n items, finite. Kinds may differ from call to call.
        groups : array_like of int, shape () or (n,), optional
            Their masks of 32 bits, one for all or one each. By default they are in every group.

        Returns
        -------
        ndarray of intp, shape (n,)
            The new ids: 0, 1, 2 and so on in the order of insertion, never reused.

        Raises
        ------
        ValueError
            If an item is not finite or of another kind, or a mask is no whole number of 32 bits.
            The tree is unchanged then.
        """
        rows = rows_of(items)
        masks = None if groups is None else checks.masks("groups", groups, len(items))
        count = len(self)
        self._items = self._items.extended(rows, masks)
        self._changes.joined(len(items))
        self._become(self._maintenance.joined(self._assignment, self._items.rows))
        return self.ids[count:].copy()

    def move(self, ids: ArrayLike, items: Shapes, /) -> None:
        """Replace the shapes of items, all at once: move, resize or reshape them.

        Parameters
        ----------
        ids : array_like of int, shape (k,)
            Ids of present items, each once.
        items : Boxes, Spheres or Regions
            The new shape of each item, finite.

        Raises
        ------
        ValueError
            If an id is unknown, removed or repeated, or an item is not finite or of another kind.
            The tree is unchanged then.

        Notes
        -----
        An item that its cell still holds stays there, or sinks; other items ascend to the first
        cell that holds them, and descend again.
        """
        numbers, rows = self._living(ids), rows_of(items)
        checks.same_length("ids and items", numbers, rows.T)
        self._items = self._items.moved(numbers, rows)
        self._changes.moved(numbers)
        self._become(self._maintenance.moved(self._assignment, self._items.rows, numbers))

    def remove(self, ids: ArrayLike, /) -> None:
        """Remove items.

        Parameters
        ----------
        ids : array_like of int, shape (k,)
            Ids of present items, each once.

        Raises
        ------
        ValueError
            If an id is unknown, removed or repeated. The tree is unchanged then.
        """
        staying = np.flatnonzero(~flagged(len(self), self._living(ids)))
        self._changes.only(staying, self.ids)
        self._items = self._items[staying]
        self._become(self._maintenance.only(self._assignment, self._items.rows, staying))

    def prune(self) -> None:
        """Merge cells that hold too few items, and shrink the root, for any value of `merge`."""
        self._become(self._maintenance.rebalanced(self._assignment, self._items.rows))

    def changes(self) -> tuple[Ids, Ids, Ids]:
        """Return the pairs of items that began, kept and ceased to touch since the last call.

        Returns
        -------
        began, lasted, ended : ndarray of intp, shape (2, h)
            Ids, the smaller first, sorted by the first, then by the second, each pair once. At
            the first call, all pairs are in `began`. Pairs in `ended` may contain removed items.

        Notes
        -----
        Intermediate positions between two calls are not tested. The cost grows with the changes:
        only pairs with a new or moved item are searched.
        """
        return self._changes.since_last(self.octree)

    def check(self) -> None:
        """Assert every invariant of the structure.

        Raises
        ------
        AssertionError
            If the arrays contradict each other, the items, or the options.
        """
        self.octree.check()
        self._items.check()
        assert len(self) == self._assignment.count
        self._assignment.check()
        self._maintenance.check(self._assignment, self._items.rows)

    def _become(self, assignment: Assignment) -> None:
        """Replace the assignment, and mark octrees taken before as outdated."""
        self._assignment = assignment
        self._octree = None
        self._freshness.is_current = False
        self._freshness = Freshness()

    def _living(self, ids: ArrayLike) -> Ids:
        numbers = self._items.numbers_of(ids)
        if (numbers[1:] > numbers[:-1]).all():
            return numbers
        seen = np.bincount(numbers, minlength=len(self))
        if seen.max(initial=0) > 1:
            checks.every_row("ids", "not repeat", seen[numbers] == 1, self.ids[numbers])
        return numbers
