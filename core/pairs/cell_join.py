"""Per-cell join: pairs of items that are in one cell, each pair once.

If items are copied to all cells that they touch, two touching items share the cell of their common
point. If items share several cells, one of these yields the pair; the choice needs no list of
earlier pairs. For boxes it is the cell of the reference point, the lower corner of their
intersection (J.-P. Dittrich and B. Seeger, "Data Redundancy and Duplicate Detection in Spatial
Join Processing", 2000). Other items need not touch that cell; for them it is the first shared one.
"""

from collections.abc import Generator, Iterator

import numpy as np
from numpy.typing import NDArray

from .. import tuning
from ..arrays import (
    Flags,
    Ids,
    blocks,
    distinct,
    ends_of_runs,
    flagged,
    gather,
    radix_argsort,
    starts_of_runs,
)
from ..child_masks import POPCOUNT
from ..octree import Octree
from ..shapes import Boxes
from .sweep import (
    PRIORITIES,
    Comparisons,
    PairBatch,
    QuantizedBounds,
    comparisons,
    grid_around,
    no_pairs,
    quantize,
)

# The fraction of the work that is done before the first comparison.
_PREPARED = 0.1


def joined_cells(
    tree: Octree, own: int | None = None, owners: Ids | None = None
) -> Iterator[PairBatch]:
    """Yield pairs of entries in one cell with bounds that may overlap, each pair once.

    With `own`, yields only pairs of one of the tree's first `own` items and one of the others.
    With `owners` of the entries, (k,), yields only pairs of different owners. Pairs come in any
    order, and so do the two entries of a pair.
    """
    cells, entries = tree.cell_of_reference(), tree.references
    yield no_pairs(0.0)
    if owners is not None:
        cells, entries = _of_several_owners(cells, entries, owners)
    bounds = yield from _quantized(tree, None if owners is None else entries)
    sides = None if own is None else tree.order >= own
    join = _Join(tree, cells, entries, bounds, sides, owners)
    for some in _whole_cells(cells):
        for share, ones, others in join.batches(some):
            done = (some.start + share * (some.stop - some.start)) / len(cells)
            yield PairBatch(_PREPARED + (1 - _PREPARED) * done, ones, others)


class _Join:
    """References sorted by cell, with the bounds of all entries and their sides or owners, if any.

    Only pairs of different sides or owners count.
    """

    def __init__(
        self,
        tree: Octree,
        cells: Ids,
        entries: Ids,
        bounds: QuantizedBounds,
        sides: Flags | None,
        owners: Ids | None,
    ) -> None:
        self.cells, self.entries, self.bounds = cells, entries, bounds
        self.sides, self.classes = sides, owners if sides is None else sides
        self.rule = _RULES.get(type(tree.arranged), FirstSharedCell)(tree, cells, entries)

    def batches(self, some: slice) -> Iterator[PairBatch]:
        """Yield the pairs of entries in a slice of references; slices must come in order."""
        places, bounds, line = self._compared(some)
        places, bounds = places[line.order], bounds[line.order]
        for done, ones, others in line.batches():
            met = bounds.meeting(ones, bounds, others)
            yield PairBatch(done, *self._kept(places[ones[met]], places[others[met]]))

    def _compared(self, some: slice) -> tuple[Ids, QuantizedBounds, Comparisons]:
        """Return the references of a slice to compare, their bounds, and their comparisons."""
        priority = self.rule.enter(some)
        here = np.flatnonzero(priority < PRIORITIES)
        priority, places = priority[here], some.start + here
        entries = self.entries[places]
        if self.sides is not None:
            priority = self.sides[entries].view(np.uint8)
        bounds, sides = self.bounds[entries], 1 if self.sides is None else 2
        return places, bounds, comparisons(self.cells[places], priority, bounds, sides)

    def _kept(self, ones: Ids, others: Ids) -> tuple[Ids, Ids]:
        """Return the entries of the pairs of references that count and belong to their cell."""
        if self.classes is not None:
            owner, other = self.classes[self.entries[ones]], self.classes[self.entries[others]]
            apart = np.flatnonzero(owner != other)
            ones, others = ones[apart], others[apart]
        kept = np.flatnonzero(self.rule.meet_here(ones, others))
        return self.entries[ones[kept]], self.entries[others[kept]]


def _quantized(tree: Octree, entries: Ids | None) -> Generator[PairBatch, None, QuantizedBounds]:
    """Return quantized bounds, (k,), filled in for all entries of a tree or only for `entries`."""
    grid = grid_around(tree.arranged, tree.cell_rows[:, 0])
    bounds = QuantizedBounds(*np.empty((2, len(tree.order)), np.int64))
    ids = None if entries is None else distinct(entries)
    count = len(tree.order) if ids is None else len(ids)
    for block in blocks(count, tuning.current.sorted_references):
        some = block if ids is None else ids[block]
        bounds[some] = quantize(tree.arranged[some], grid)
        yield no_pairs(_PREPARED * block.stop / count)
    return bounds


def _of_several_owners(cells: Ids, entries: Ids, owners: Ids) -> tuple[Ids, Ids]:
    """Return the cells and entries of the references in cells with several owners."""
    begins = starts_of_runs(cells)
    first = owners[entries[begins]]
    counts = np.diff(begins, append=len(cells))
    others = np.flatnonzero(owners[entries] != np.repeat(first, counts))
    mixed = flagged(len(begins), np.searchsorted(begins, others, side="right") - 1)
    some = np.flatnonzero(np.repeat(mixed, counts))
    return cells[some], entries[some]


def _whole_cells(cells: Ids) -> Iterator[slice]:
    """Return slices of references, of whole cells each; only a large cell makes a large slice."""
    ends = ends_of_runs(cells) + 1
    together = tuning.current.sorted_references
    stops = ends[ends_of_runs((ends - 1) // together)].tolist()
    return (slice(start, stop) for start, stop in zip([0, *stops], stops, strict=False))


class ReferencePoint:
    """Rule for boxes: the cell with the lower corner of their intersection yields the pair."""

    def __init__(self, tree: Octree, cells: Ids, entries: Ids) -> None:
        self.tree, self.cells, self.entries = tree, cells, entries
        # A bit for each axis on which the lower side of the reference's box is in the cell.
        self.begun = np.empty(len(cells), np.uint8)

    def enter(self, some: slice) -> NDArray[np.uint8]:
        """Return the priorities of a slice of references: on how many axes a box begins before.

        References whose boxes begin beyond the cell get `PRIORITIES`: they yield no pair.
        """
        rows = self.tree.cell_rows
        corners = gather(self.tree.arranged.rows[:3], self.entries[some])
        walls = gather(rows, self.cells[some])
        x, y, z = (corners >= walls[:3]).view(np.uint8)
        begun = self.begun[some] = x | y << 1 | z << 2
        priority: NDArray[np.uint8] = (3 - POPCOUNT[begun]).astype(np.uint8)
        beyond = (corners >= walls[3:]) & (walls[3:] < rows[3:, :1])
        priority[beyond.any(axis=0)] = PRIORITIES
        return priority

    def meet_here(self, ones: Ids, others: Ids) -> Flags:
        """Flag the pairs of references where, on every axis, one of both boxes begins here."""
        return (self.begun[ones] | self.begun[others]) == 7


class FirstSharedCell:
    """Rule for other items: the first shared cell, in reference order, yields the pair."""

    def __init__(self, tree: Octree, cells: Ids, entries: Ids) -> None:
        self.entries, self.count = entries, len(tree.order)
        self.ranks = np.cumsum(np.diff(cells, prepend=cells[:1]) != 0)
        # For each reference: the previous reference of its entry, or -1; and how many precede it.
        # `keys` are pairs of a cell and an entry, each as one number, sorted within slices.
        self.earlier, self.places, self.keys = np.empty((3, len(cells)), np.intp)
        self.last = np.full(self.count, -1)
        self.entered = 0

    def enter(self, some: slice) -> NDArray[np.uint8]:
        """Return the priorities of a slice of references: 0 in the first cell of an entry, else 1.

        Slices must come in order, because entries are followed from cell to cell.
        """
        entries = self.entries[some]
        self.keys[some] = np.sort(self.ranks[some] * self.count + entries)
        self.entered = some.stop
        by_entry = radix_argsort(entries, self.count.bit_length())
        ordered, here = entries[by_entry], some.start + by_entry
        again = np.diff(ordered, prepend=-1) == 0
        before = self.last[ordered]
        begins = np.maximum.accumulate(np.where(again, 0, np.arange(len(entries))))
        count = np.where(before < 0, 0, self.places[before] + 1)
        self.places[here] = count + np.arange(len(entries)) - begins
        before[again] = here[np.flatnonzero(again) - 1]
        self.earlier[here] = before
        self.last[ordered] = here
        return np.minimum(self.places[some], 1).astype(np.uint8)

    def meet_here(self, ones: Ids, others: Ids) -> Flags:
        """Flag the pairs of references whose entries share no earlier cell."""
        flags = (self.places[ones] == 0) | (self.places[others] == 0)
        doubtful = np.flatnonzero(~flags)
        flags[doubtful] = ~self._met_before(ones[doubtful], others[doubtful])
        return flags

    def _met_before(self, ones: Ids, others: Ids) -> Flags:
        flags = np.zeros(len(ones), bool)
        shorter = self.places[ones] <= self.places[others]
        references = self.earlier[np.where(shorter, ones, others)]
        partners = self.entries[np.where(shorter, others, ones)]
        pairs, known = np.arange(len(ones)), self.keys[: self.entered]
        while len(pairs):
            keys = self.ranks[references] * self.count + partners
            met = known.take(np.searchsorted(known, keys), mode="clip") == keys
            flags[pairs[met]] = True
            references = self.earlier[references]
            more = np.flatnonzero(~met & (references >= 0))
            pairs, references, partners = pairs[more], references[more], partners[more]
        return flags


_RULES: dict[type, type[ReferencePoint] | type[FirstSharedCell]] = {Boxes: ReferencePoint}
