"""Octree: flat, frozen arrays; a subtree's items are one slice of references in preorder.

Eight children are neighbors and follow their parent. `references` lists items in preorder: the
own items of a cell, then the items of its first child's subtree, and so on:

    begin[cell]            own_end[cell]                            end[cell]
        | the cell's own items   | items further down, child by child   |
"""

from collections.abc import Iterator
from dataclasses import dataclass, field
from functools import cached_property
from itertools import chain
from typing import SupportsIndex, TypeVar

import numpy as np
from numpy.typing import ArrayLike

from . import checks
from .arrays import Flags, Floats, Ids, Masks, blocks, column_major, gather
from .boxes import bounds_of_runs, box_gaps, boxes_contain, boxes_grown, boxes_meet, boxes_shared
from .cells import CHILDREN, Cells, Promise, Slices
from .options import COPYING, Options
from .shapes import Shapes, Triangles
from .steps import Steps, repeated
from .walkable import AnyOctree, Walkable

_NOTHING, _ROOT = np.empty(0, np.intp), np.zeros(1, np.intp)
_ROOT.setflags(write=False)
_OUTDATED = "the tree has changed since this octree was taken: ask its octree anew"

Answer = TypeVar("Answer")


@dataclass
class Freshness:
    """Validity of a snapshot of a changing tree: false once the tree has changed."""

    is_current: bool = True

    def require(self, complaint: str) -> None:
        """Raise a RuntimeError if the snapshot is outdated."""
        if not self.is_current:
            raise RuntimeError(complaint)

    def guarded(self, steps: Steps[Answer], complaint: str) -> Steps[Answer]:
        """Repeat the steps; raise a RuntimeError at the first step after a change."""
        return repeated(steps, float, before=lambda: self.require(complaint))


@dataclass(frozen=True, kw_only=True, eq=False, repr=False)
class Octree(Walkable, Options, AnyOctree):
    """A frozen octree over a batch of shapes: built, or a snapshot of a `DynamicOctree`.

    Attributes
    ----------
    capacity, max_depth, min_size, split, straddlers, hybrid_limit, loose_factor, bounds
        The build options.
    items : Triangles, Boxes, Spheres or Regions
        The indexed batch. Results are numbers into this batch, or `ids`.
    invalid_items : ndarray of intp, shape (b,)
        The items with a coordinate that is not finite, ascending. They are in no cell.
    cell_rows, loose_rows : ndarray of float64, shape (6, m)
        The cells, tight and enlarged: lower x, y, z, upper x, y, z. The same array if no cell is
        enlarged.
    middle_rows : ndarray of float64, shape (3, m)
        The points at which the cells are divided; NaN for a leaf.
    node_depth, node_parent : ndarray of intp, shape (m,)
        The root is cell 0, of depth 0 and parent -1.
    first_child : ndarray of intp, shape (m,)
        The first of eight neighbors, or -1 for a leaf.
    begin, own_end, end : ndarray of intp, shape (m,)
        Positions in `references`: a cell's own items begin and end, and its subtree's end.
    child_masks : ndarray of uint8, shape (m,)
        One bit for each child, set where that child's subtree holds items.
    order : ndarray of intp, shape (k,)
        The valid items, sorted by their first cell: entry e is item `order[e]`.
    arranged : Triangles, Boxes, Spheres or Regions
        The valid items in `order`, so that neighbors in space are neighbors in memory.
    references : ndarray of intp, shape (r,)
        Entries in preorder. A copied item is referenced several times.
    outside : int
        Number of references before the root's own: items that reach beyond the root, which every
        query tests.
    copied : ndarray of bool, shape (k,)
        True for the entries that are in more than one cell.
    strays : ndarray of intp, shape (s,)
        Entries that, because of rounding, touch no child of a cell that held them: an overlap
        with their cells is not certain.
    slack : float
        The largest distance by which an item may reach beyond a cell that holds it.
    ids : ndarray of intp, shape (n,), or None
        The ids of the items in results, ascending; None if their numbers are used.
    groups : ndarray of uint32, shape (n,), or None
        The groups of each item, one bit per group; None if all items are in every group.
    """

    items: Shapes
    invalid_items: Ids
    references: Ids
    middle_rows: Floats
    node_depth: Ids
    node_parent: Ids
    slack: float
    ids: Ids | None
    groups: Masks | None
    _seen: "dict[int, Octree]" = field(init=False, default_factory=dict)
    _freshness: Freshness = field(default_factory=Freshness)

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
    def roots(self) -> Ids:
        """The cells at which all queries begin, (1,): cell 0."""
        return _ROOT

    @property
    def slacks(self) -> Floats:
        """The slack for all queries, (1,)."""
        return np.array([self.slack])

    @property
    def is_leaf(self) -> Flags:
        """True for the cells without children, (m,)."""
        return self.first_child < 0

    @property
    def item_counts(self) -> Ids:
        """The number of each cell's own items, (m,); the root's include out-of-bounds items."""
        counts = self.own_end - self.begin
        counts[0] += self.outside
        return counts

    @cached_property
    def content_rows(self) -> Floats:
        """Bounds of the items in each cell's subtree, computed once, (6, m).

        Lower x, y, z, upper x, y, z. They are clipped to the enlarged cell, grown by `slack`. A
        subtree without items has infinite bounds, upper below lower.
        """
        held = np.repeat([[np.inf], [-np.inf]], 3, axis=0) * np.ones(len(self.begin))
        self._add_own(held)
        for depth in range(int(self.node_depth.max()) - 1, -1, -1):
            (parents,) = ((self.node_depth == depth) & (self.first_child >= 0)).nonzero()
            children = self.first_child[parents] + np.arange(8)[:, None]
            for low, high in zip(held[:3], held[3:], strict=True):
                low[parents] = np.minimum(low[parents], low[children].min(axis=0))
                high[parents] = np.maximum(high[parents], high[children].max(axis=0))
        return column_major(held)

    def items_in(self, node: SupportsIndex) -> Ids:
        """Return the own items of one cell, each once.

        Parameters
        ----------
        node : int
            A cell number.

        Returns
        -------
        ndarray of intp, shape (k,)
            Item numbers, ascending. The root's include the items that reach beyond the root.

        Raises
        ------
        ValueError
            If there is no such cell.
        """
        first, cell = self._first_reference(node)
        return np.sort(self.named(self.order[self.references[first : self.own_end[cell]]]))

    def items_below(self, node: SupportsIndex) -> Ids:
        """Return the items of one cell and of all cells below it: one slice, no traversal.

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
        first, cell = self._first_reference(node)
        return self.named(self.order[self.references[first : self.end[cell]]])

    def cells_of(self, items: ArrayLike | None = None) -> Ids:
        """Return the cells that contain the given items.

        Parameters
        ----------
        items : array_like of int, shape (k,), optional
            Item numbers; all by default.

        Returns
        -------
        ndarray of intp, shape (2, r)
            [0] items, [1] cells, sorted by item, then by cell. O(r log r) for all references.

        Raises
        ------
        ValueError
            If an item number is out of range.
        """
        pairs = np.stack((self.named(self.order[self.references]), self.cell_of_reference()))
        if items is not None:
            pairs = pairs[:, np.isin(pairs[0], self._known(items))]
        return pairs[:, np.lexsort(pairs[::-1])]

    def named(self, numbers: Ids) -> Ids:
        """Return the ids by which results name the items of these numbers.

        Parameters
        ----------
        numbers : ndarray of intp, shape (k,)
            Positions in `items`.

        Returns
        -------
        ndarray of intp, shape (k,)
            The ids; the numbers themselves, unless the octree is a snapshot of a changing tree.

        Raises
        ------
        IndexError
            If a number is out of range.
        """
        return numbers if self.ids is None else self.ids[numbers]

    def cell_of_reference(self) -> Ids:
        """Return the cell that each reference belongs to.

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
        for holds, promise in chain(self._promises_of_arrays(), self.promises()):
            assert holds, promise

    def promises(self) -> Iterator[Promise]:
        """Yield the invariants of items, options and the cells of the items.

        Yields
        ------
        holds : bool
            True if the invariant holds.
        promise : str
            The text of the invariant.
        """
        yield from self._promises_of_items()
        yield from self._promises_of_placements()

    def require_current(self) -> None:
        """Raise if this snapshot is outdated.

        Raises
        ------
        RuntimeError
            If the source tree has changed since the snapshot.
        """
        self._freshness.require(_OUTDATED)

    def _as_long_as_current(self, steps: Steps[Answer]) -> Steps[Answer]:
        """Repeat the steps of a query; raise a RuntimeError at the first step after a change."""
        return self._freshness.guarded(steps, _OUTDATED)

    def _known(self, items: ArrayLike) -> Ids:
        """Return numbers or ids of items, checked."""
        if self.ids is None:
            return checks.numbers("items", items, len(self.items))
        wanted = checks.numbers("items", items, int(self.ids.max(initial=-1)) + 1)
        checks.every_row("items", "be ids of the tree", np.isin(wanted, self.ids), wanted)
        return wanted

    def _first_reference(self, node: SupportsIndex) -> tuple[int, int]:
        """Return the position of a cell's first reference, and the checked cell number."""
        cell = checks.whole_number("node", node, 0)
        if cell >= len(self.node_depth):
            raise ValueError(f"node must be one of {len(self.node_depth)} cells, got {cell}")
        return (0 if cell == 0 else int(self.begin[cell])), cell

    def _add_own(self, held: Floats) -> None:
        """Set the bounds of the own items of each cell that has any."""
        (cells,) = (self.begin < self.own_end).nonzero()
        cells = cells[np.argsort(self.begin[cells], kind="stable")]
        lower, upper = self.arranged.limits()
        for some in blocks(len(cells)):
            here = cells[some]
            first = self.begin[here[0]]
            starts = self.begin[here] - first
            entries = self.references[first : self.own_end[here[-1]]]
            walls = boxes_grown(self.loose_rows[:, here], self.slack)
            content = bounds_of_runs(gather(lower, entries), gather(upper, entries), starts)
            held[:, here] = boxes_shared(content, walls)

    def _promises_of_arrays(self) -> Iterator[Promise]:
        """Yield the invariants of the cells, the references and the arrays derived from them."""
        cells = Cells(
            self.cell_rows,
            self.loose_rows,
            self.middle_rows,
            self.node_depth,
            self.node_parent,
            self.first_child,
            self.enlargement,
        )
        yield from cells.promises()
        inner = np.flatnonzero(~self.is_leaf)
        children = self.first_child[inner, None] + CHILDREN
        starts = np.column_stack((self.own_end[inner], self.end[children]))
        yield (
            (starts[:, :8] == self.begin[children]).all()
            and (starts[:, 8] == self.end[inner]).all()
            and (self.own_end >= self.begin).all()
            and (self.own_end == self.end)[self.is_leaf].all()
            and self.begin[0] == self.outside
            and self.end[0] == len(self.references),
            "slices of references must follow each other in preorder",
        )
        times = np.bincount(self.references, minlength=len(self.order))
        yield np.array_equal(self.copied, times > 1), "copied must be the items in several cells"
        yield (
            np.array_equal(self.arranged.rows, self.items[self.order].rows),
            "arranged must be the items in their order",
        )
        bits = (self.child_masks[inner, None] >> CHILDREN) & 1 == 1
        yield (
            np.array_equal(bits, (self.end > self.begin)[children])
            and not self.child_masks[self.is_leaf].any(),
            "child masks must be the children that hold items",
        )

    def _promises_of_items(self) -> Iterator[Promise]:
        count = len(self.items)
        named = np.bincount(np.concatenate((self.order, self.invalid_items)), minlength=count)
        yield (
            len(named) == count and (named == 1).all(),
            "order and invalid_items must name each item once",
        )
        yield (
            not np.isfinite(self.items[self.invalid_items].rows).all(axis=0).any(),
            "invalid_items must not be finite",
        )
        times = np.bincount(self.references, minlength=len(self.order))
        yield (
            len(times) == len(self.order) and (times > 0).all(),
            "references must name every item of the tree",
        )
        yield (
            all(each is None or len(each) == count for each in (self.ids, self.groups)),
            "ids and groups must be one for an item",
        )
        yield (
            ((self.strays >= 0) & (self.strays < len(self.order))).all(),
            "strays must be items of the tree",
        )

    def _promises_of_placements(self) -> Iterator[Promise]:
        yield self.node_depth.max() <= self.max_depth, "cells must not be deeper than max_depth"
        if self.straddlers in COPYING:
            yield (
                (self.own_end == self.begin)[~self.is_leaf].all(),
                'with "copy" and "clip", only leaves may hold items',
            )
        if self.straddlers == "keep":
            yield (
                not self.copied.any() and len(self.references) == len(self.order),
                'with "keep", items must not be copied',
            )
        lower, upper = self.arranged.limits()
        yield np.isfinite(lower).all() and np.isfinite(upper).all(), "items must be finite"
        beyond, root = self.references[: self.outside], self.loose_rows[:, :1]
        is_beyond = (gather(lower, beyond) < root[:3]) | (gather(upper, beyond) > root[3:])
        yield is_beyond.any(axis=0).all(), "items outside must reach beyond the root"
        cells, entries = self.cell_of_reference()[self.outside :], self.references[self.outside :]
        is_sure = ~self.copied
        is_sure[self.strays] = False
        is_alone = is_sure[entries]
        # An item in a single leaf touches no other leaf, so this leaf contains it up to `slack`.
        alone = entries[is_alone]
        # A cell with "keep" contains its items exactly.
        walls = gather(self.loose_rows, cells[is_alone])
        allowed = 0.0 if self.straddlers == "keep" else self.slack
        yield (
            boxes_contain(
                boxes_grown(walls, allowed), gather(lower, alone), gather(upper, alone)
            ).all(),
            "items in one cell must lie in it",
        )
        cells, entries = cells[~is_alone], entries[~is_alone]
        walls = gather(self.loose_rows, cells)
        bounds = np.concatenate((gather(lower, entries), gather(upper, entries)))
        yield (
            boxes_meet(bounds, boxes_grown(walls, self.slack)).all()
            and self._touch(entries, walls).all(),
            "items must touch their cells",
        )
        keys = np.sort(entries * len(self.node_depth) + cells)
        yield (keys[1:] > keys[:-1]).all(), "an item must stand once in a cell"

    def _touch(self, entries: Ids, walls: Floats) -> Flags:
        """Flag the entries that touch these boxes (6, k), as exactly as their kind is tested.

        Triangles, and all kinds with "keep", are tested by their bounds only, elsewhere.
        """
        if isinstance(self.arranged, Triangles) or self.straddlers == "keep":
            return np.ones(len(entries), bool)
        sides, radii = self.arranged.box_and_radius(entries)
        x, y, z = box_gaps(np.concatenate((sides[0], sides[-1])), walls)
        is_stray = np.isin(entries, self.strays)
        # Strays touch no cell, because of rounding; only their bounds can be tested.
        return (np.hypot(np.hypot(x, y), z) <= radii + self.slack) | is_stray


def as_octree(name: str, tree: object) -> Octree:
    """Return an argument after checking that it is an octree that is not outdated."""
    checks.kind(name, tree, (Octree,))
    assert isinstance(tree, Octree)
    tree.require_current()
    return tree


def copied_of(references: Ids, count: int, options: Options) -> Flags:
    """Flag the `count` entries that are referenced more than once, (n,)."""
    if options.straddlers == "keep":
        return np.zeros(count, bool)
    return np.bincount(references, minlength=count) > 1


def octree_of(
    options: Options,
    cells: Cells,
    slices: Slices,
    references: Ids,
    *,
    items: Shapes,
    order: Ids,
    arranged: Shapes,
    strays: Ids,
    slack: float,
    copied: Flags | None = None,
    invalid_items: Ids = _NOTHING,
    ids: Ids | None = None,
    groups: Masks | None = None,
    freshness: Freshness | None = None,
) -> Octree:
    """Return the octree of these cells, with `copied` computed unless it is given."""
    if copied is None:
        copied = copied_of(references, len(order), options)
    return Octree(
        **vars(options),
        items=items,
        invalid_items=invalid_items,
        cell_rows=cells.rows,
        loose_rows=cells.loose_rows,
        middle_rows=cells.middle_rows,
        node_depth=cells.depth,
        node_parent=cells.parent,
        first_child=cells.first_child,
        begin=slices.begin,
        own_end=slices.own_end,
        end=slices.end,
        child_masks=slices.child_masks,
        order=order,
        arranged=arranged,
        references=references,
        outside=int(slices.ends[0]),
        copied=copied,
        strays=strays,
        slack=slack,
        ids=ids,
        groups=groups,
        _freshness=Freshness() if freshness is None else freshness,
    )
