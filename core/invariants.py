"""What an octree promises of its arrays, each promise stated once."""

import numpy as np
from numpy.typing import NDArray

from .arrays import Flags, Floats, Ids, Masks
from .shapes import Shapes


class Invariants:
    """The part of an Octree that examines it; the arrays are described there."""

    items: Shapes
    invalid_items: Ids
    arranged: Shapes
    order: Ids
    cell_rows: Floats
    loose_rows: Floats
    middle_rows: Floats
    node_depth: Ids
    node_parent: Ids
    first_child: Ids
    begin: Ids
    own_end: Ids
    end: Ids
    references: Ids
    outside: int
    copied: Flags
    strays: Ids
    child_masks: NDArray[np.uint8]
    slack: float
    max_depth: int
    straddlers: str
    ids: Ids | None
    groups: Masks | None

    @property
    def is_leaf(self) -> Flags:
        """Which cells have no children, (m,)."""
        return self.first_child < 0

    @property
    def item_counts(self) -> Ids:
        """How many items each cell holds itself, (m,); the root's include those beyond it."""
        counts = self.own_end - self.begin
        counts[0] += self.outside
        return counts

    def cell_of_slot(self) -> Ids:
        """Return the cell that each slot belongs to.

        Returns
        -------
        ndarray of intp, shape (r,)
            Cell numbers; the first `outside` are the root.
        """
        counts = self.item_counts
        occupied = np.flatnonzero(counts)
        in_order = occupied[np.argsort(self.begin[occupied], kind="stable")]
        return np.repeat(in_order, counts[in_order])

    def check(self) -> None:
        """Assert every invariant of the structure.

        Raises
        ------
        AssertionError
            If the arrays contradict each other or the items.
        """
        self._check_cells()
        self._check_slots()
        self._check_places()

    def _check_cells(self) -> None:
        inner = np.flatnonzero(~self.is_leaf)
        children = self.first_child[inner, None] + np.arange(8)
        assert np.array_equal(np.sort(children, axis=None), np.arange(1, len(self.node_depth)))
        assert (self.node_parent[children] == inner[:, None]).all() and self.node_parent[0] == -1
        assert (self.node_depth[children] == self.node_depth[inner, None] + 1).all()
        assert self.node_depth[0] == 0
        # Parts share their walls with the cell and with each other, bit by bit.
        upper = (np.arange(8) >> np.arange(3)[:, None] & 1 == 1)[:, None]
        lower_wall, upper_wall = self.cell_rows[:3, inner, None], self.cell_rows[3:, inner, None]
        middle = self.middle_rows[:, inner, None]
        assert (self.cell_rows[:3][:, children] == np.where(upper, middle, lower_wall)).all()
        assert (self.cell_rows[3:][:, children] == np.where(upper, upper_wall, middle)).all()
        assert (lower_wall <= middle).all() and (middle <= upper_wall).all()
        assert np.isnan(self.middle_rows[:, self.is_leaf]).all()
        assert (self.loose_rows[:3] <= self.cell_rows[:3]).all()
        assert (self.loose_rows[3:] >= self.cell_rows[3:]).all()

    def _check_slots(self) -> None:
        inner = np.flatnonzero(~self.is_leaf)
        children = self.first_child[inner, None] + np.arange(8)
        starts = np.column_stack((self.own_end[inner], self.end[children]))
        assert (starts[:, :8] == self.begin[children]).all()
        assert (starts[:, 8] == self.end[inner]).all()
        assert (self.own_end >= self.begin).all()
        assert (self.own_end == self.end)[self.is_leaf].all()
        assert self.begin[0] == self.outside and self.end[0] == len(self.references)
        stand = np.bincount(self.references, minlength=len(self.order))
        assert (stand > 0).all() and (self.copied == (stand > 1)).all()
        everything = np.sort(np.concatenate((self.order, self.invalid_items)))
        assert np.array_equal(everything, np.arange(len(self.items)))
        assert not np.isfinite(self.items[self.invalid_items].rows).all(axis=0).any()
        assert np.array_equal(self.arranged.rows, self.items[self.order].rows)
        assert self.ids is None or self.ids.shape == (len(self.items),)
        assert self.groups is None or self.groups.shape == (len(self.items),)
        assert np.isin(self.strays, np.arange(len(self.order))).all()
        bits = (self.child_masks[inner, None] >> np.arange(8)) & 1 == 1
        assert (bits == (self.end > self.begin)[children]).all()
        assert not self.child_masks[self.is_leaf].any()
        if self.straddlers == "copy":
            assert (self.own_end == self.begin)[inner].all()

    def _check_places(self) -> None:
        cells, entries = self.cell_of_slot()[self.outside :], self.references[self.outside :]
        lower, upper = self.arranged.limits()
        beyond = (lower < self.loose_rows[:3, :1]) | (upper > self.loose_rows[3:, :1])
        assert beyond[:, self.references[: self.outside]].any(axis=0).all()
        cell_lower, cell_upper = self.loose_rows[:3, cells], self.loose_rows[3:, cells]
        assert (lower[:, entries] <= cell_upper + self.slack).all()
        assert (upper[:, entries] >= cell_lower - self.slack).all()
        if self.straddlers == "keep":
            assert not self.copied.any()
            assert (lower[:, entries] >= cell_lower).all()
            assert (upper[:, entries] <= cell_upper).all()
        assert len(np.unique(entries * len(self.node_depth) + cells)) == len(entries)
        assert self.node_depth.max() <= self.max_depth
