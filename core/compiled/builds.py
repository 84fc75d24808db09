"""Octree builds in C, in pieces: bounds, Morton codes, radix sort, child masks, references."""

from collections.abc import Sequence
from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray

from .. import tuning
from ..arrays import Flags, Floats, Ids, address, blocks
from ..cells import Cells, Slices
from ..grid import Depths, Grid, Words
from ..passes import pieces
from ..shapes import Shapes, Triangles
from ..steps import Steps
from .door import Caller, found

# Bits in a digit of the radix sort: `DIGITS` in the kernel is 2**_DIGIT.
_DIGIT = 11
Numbers = NDArray[np.int32]


class Tallies(NamedTuple):
    """Counts of items in cells after some items have moved.

    `outside` is the number of items that the root does not hold. `crowd` is the largest number of
    items in a leaf that a moved item was in before or is in now. `fewest` is the smallest number
    of items in the subtree of a divided cell, `fullest` the largest below a child of the root.
    """

    outside: int
    crowd: int
    fewest: int
    fullest: int


class Builder(Caller):
    """Kernel functions that build an octree, or update it after items have moved."""

    def limits(self, triangles: Triangles, some: slice, lower: Floats, upper: Floats) -> None:
        """Fill in the bounds (3, n) of the triangles in a slice; there is at least one vertex."""
        vertices, faces = triangles.vertices.T, triangles.faces.T
        given = vertices, vertices.shape[1], faces, faces.shape[1], some.start, some.stop
        self.call("bounds", *given, lower, upper)

    def enter(
        self,
        limits: tuple[Floats, Floats],
        some: slice,
        grid: Grid,
        words: tuple[Words, Words, Words],
        depths: Depths,
    ) -> None:
        """Fill in the cells, codes and depths (n,) of the items in a slice, given bounds (3, n).

        `words` are the first and the last finest cell that each item touches, packed, and the
        Morton code of the first. `depths` are those of the smallest cells that hold items whole.
        """
        starts = np.concatenate((grid.lower + grid.rounding, grid.lower - grid.rounding))
        given = *limits, len(depths), some.start, some.stop, starts, grid.scale, grid.depth
        self.call("enter", *given, *words, depths)

    def sorted_steps(
        self, keys: Words, numbers: Ids | None, bits: int
    ) -> Steps[tuple[Words, Ids]]:
        """Sort keys below 2**bits, and their numbers, stably, in steps.

        Positions of the keys replace missing numbers. Yields the fraction done; returns sorted
        keys and numbers.
        """
        count, piece = len(keys), tuning.current.piece
        spare = [np.empty((2, count), np.int64), np.empty((2, count), np.int64)]
        digits = range(0, max(bits, 1), _DIGIT)
        for done, shift in enumerate(digits):
            counts, (found, order) = np.zeros(2**_DIGIT, np.int64), spare[done % 2]
            for some in blocks(count, piece):
                self.call("count", keys, some.start, some.stop, shift, counts)
                yield done / len(digits)
            places = np.cumsum(counts) - counts
            for some in blocks(count, piece):
                given = keys, numbers, some.start, some.stop, shift, places
                self.call("sort", *given, found, order, count)
                yield (done + some.stop / count) / len(digits)
            keys, numbers = found, order
        assert numbers is not None
        return keys, numbers

    def moved(
        self, cells: Cells, rows: Floats, moved: Ids, before: Ids, own: Ids
    ) -> tuple[Tallies, Ids, Ids, Ids, Slices]:
        """Return the cells of all items, of rows (7, n), after some of them have moved.

        An item is in one cell, which holds it whole. The search for a moved item goes up from its
        former cell to one that holds it, then down while a child does. `before` (n,) are the
        former cells, -1 for none; `own` (m,) are the former numbers of items in each cell.

        Returns tallies, the items that are in other cells than before, the cell of each item
        (n,), the number of items in each cell (m,), and slices of the references.
        """
        count, most, size = rows.shape[1], len(moved), len(cells)
        given = map(np.ascontiguousarray, (rows, moved, before, own))
        # One array for all results: looking up an address takes time.
        found, masks = np.empty(5 + count + 5 * size + most, np.intp), np.empty(size, np.uint8)
        where = *cells.addresses, size, cells.factor
        gone = self.call("move", *where, *given, count, most, found, masks)
        stop = 4 + count
        held, stop = found[stop : stop + size], stop + size
        ends, stop = found[stop : stop + size + 1], stop + size + 1
        begin, own_end, end = found[stop : stop + 3 * size].reshape(3, size)
        stop += 3 * size
        slices = Slices(ends, begin, own_end, end, masks)
        tallies = Tallies(*found[:4].tolist())
        return tallies, found[stop : stop + gone], found[4 : 4 + count], held, slices

    def preorder(self, cells: Cells) -> tuple[Ids, Ids]:
        """Return the positions of cells in preorder, and how many cells each subtree has."""
        place, span = np.empty((2, len(cells)), np.intp)
        self.call("preorder", cells.parent, cells.first_child, len(cells), place, span)
        return place, span

    def sliced(self, cells: Cells, own: Ids, outside: int) -> Slices:
        """Return the slices of references, given the number of items in each cell, `own` (m,).

        The first `outside` references are in no cell. Equal to the result of `Cells.slices`.
        """
        ends, slices = np.empty(len(cells) + 1, np.intp), np.empty((3, len(cells)), np.intp)
        masks, (*_, parent, _, place, span) = np.empty(len(cells), np.uint8), cells.addresses
        self.call("slices", parent, place, span, len(cells), own, outside, ends, slices, masks)
        begin, own_end, end = slices
        return Slices(ends, begin, own_end, end, masks)

    def referred(self, references: Ids, moved: Ids, stands: Ids, cells: Cells, ends: Ids) -> Ids:
        """Return the references (n,) after items have moved to other cells.

        The moved items come last in their cells, ascending; others keep their order. `stands`
        (n,) is the cell of each item, -1 for none; `ends` (m + 1,) are those of `Slices`.
        """
        count, place = len(stands), cells.addresses[-2]
        found, waiting = np.empty(count, np.intp), np.zeros(len(ends) + count // 8 + 1, np.intp)
        of_cells = place, ends, len(cells), waiting
        self.call("refer", references, count, moved, len(moved), stands, *of_cells, found)
        return found


def builder() -> Builder | None:
    """Return the kernel functions for builds; None without the compiled kernel."""
    return None if found()[0] is None else Builder()


class Divider(Builder):
    """Division of the cells of a grid among entries: triangles, or boxes, sorted by code.

    The first e of `items` are the entries. Their `codes`, `first` and `last` cells and `depths`
    (e,) are those of `Entries` in `core/construction/entries.py`. `strays` (e,) is 1 for entries
    that, by a rounding, touch no child of a cell they were in. `times` (e,) is the number of
    leaves in which an entry has been listed, up to two.
    """

    def __init__(
        self, items: Shapes, words: tuple[Words, Words, Words], depths: Depths, grid: Grid
    ) -> None:
        super().__init__()
        self.strays, self.times = np.zeros((2, len(depths)), np.uint8)
        arrays = dict(zip(("codes", "first", "last"), map(_whole, words), strict=True))
        self._kept: dict[str, NDArray[Any]] = {
            **arrays, "depths": depths, "strays": self.strays, "times": self.times,
        }  # fmt: skip
        if isinstance(items, Triangles):
            self._kept |= {"vertices": items.vertices.T, "faces": items.faces.T}
        self._entries = self._package.Entries(
            **{name: address(array) for name, array in self._kept.items()},
            vertex_count=self._kept["vertices"].shape[1] if "vertices" in self._kept else 0,
            face_count=len(items),
            entry_count=len(depths),
            grid_depth=grid.depth,
            lower=tuple(grid.lower),
            upper=tuple(grid.upper),
            step=tuple((grid.upper - grid.lower) / 2**grid.depth),
            scale=tuple(grid.scale),
        )
        self.all = self._package.byref(self._entries)

    def walls(self, cells: Words, depths: Ids) -> Floats:
        """Return the bounds (6, c) of cells, given their grid numbers (3, c) and depths (c,)."""
        rows, given = np.empty((6, len(depths))), (_whole(cells), depths, len(depths))
        self.call("walls", self.all, *given, rows)
        return rows

    def file(
        self, levels: Sequence["CellsAsked"], own: Ids, is_leaf: Flags, begin: Ids, references: Ids
    ) -> Steps[None]:
        """Write the entries of all leaves into the references; yields the fraction done.

        `own`, `is_leaf` and `begin` have a number for each cell of all levels: how many entries
        it has itself, whether it is a leaf, and where its references begin.
        """
        (leaf, place, into), start = map(address, (is_leaf, begin, references)), 0
        for cells in levels:
            for some in pieces(own[start : start + cells.count].cumsum()):
                given = leaf + start, some.start, some.stop, place + 8 * start, into
                self.call("file", self.all, cells.level, *given, len(references))
                yield (start + some.stop) / len(own)
            start += cells.count


class CellsAsked:
    """Cells of one depth as the kernel takes them.

    Their grid numbers (3, c), rows (7, c) and allowance (c,) are those of `Leaves`, their copies
    those of a `Level`, both in `core/construction/levels.py`.
    """

    def __init__(
        self, numbers: Words, rows: Ids, allowance: Floats, copies: Numbers, depth: int
    ) -> None:
        self._kept = tuple(map(np.ascontiguousarray, (numbers, rows, allowance, copies)))
        where, place, *others = map(address, self._kept)
        count = rows.shape[1]
        places = (place + 8 * count * row for row in (0, 2, 4, 5))
        package = found()[1]
        self._level = package.Level(where, *places, *others, count, len(copies), depth)
        self.level, self.count = package.byref(self._level), count


class CellsDivided(Caller):
    """Division of some cells of one depth: the cells `which` (c,), of `counts` (c,) entries.

    There is `room` for pairs of an entry and the mask of the children that take it. `judge` sets
    `worth` and `separates` (c,), flags of divisions that pay and of divisions that separate items.
    """

    worth: Flags
    separates: Flags

    def __init__(
        self, divider: Divider, cells: CellsAsked, which: Ids, counts: Ids, room: int
    ) -> None:
        super().__init__()
        self._all, self._cells, self._count, self._room = divider.all, cells, len(which), room
        self._stops = counts.cumsum()
        self.pairs, self.masks = np.empty(room, np.int32), np.empty(room, np.uint8)
        # The kernel's `Children`: 26 numbers for each cell.
        self.children = np.empty(26 * len(which), np.intp)
        self._kept = which, self.pairs, self.masks, self.children
        self._which, *self._places = map(address, self._kept)

    def classify(self) -> Steps[None]:
        """Find the entries that cells hand down, and their children; yields the fraction done."""
        pairs, masks, children = self._places
        reached, count = 0, self._count
        for some in pieces(self._stops):
            given = self._which, some.start, some.stop, reached, pairs, masks, self._room
            cells = self._all, self._cells.level
            reached = self.call("classify", *cells, *given, children, count)
            yield some.stop / count

    def judge(self, most: int) -> tuple[Ids, Floats, int]:
        """Decide which divisions pay; `most` is the factor `MOST_COPIES`.

        Returns grid numbers and rows (10, k), and allowance (k,), of the children that divisions
        make if they pay, as `CellsAsked` takes them. The last result is how many copies divisions
        make in all if their allowance is 1 or more, whether or not they pay.
        """
        count, children = self._count, self._places[-1]
        verdicts, found = np.empty((2, count), bool), np.empty(2 + 96 * count, np.intp)
        self._verdicts, self._found = (verdicts, address(verdicts)), (found, address(found))
        given = self._which, count, children, most, self._verdicts[1], self._found[1]
        self._copies = self.call("judge", self._cells.level, *given)
        self.worth, self.separates = verdicts
        kept, copies = found[:2].tolist()
        start = 2 + 8 * count
        rows = found[start : start + 80 * kept].reshape(10, 8 * kept)
        return rows, found[2 + 88 * count :].view(np.float64)[: 8 * kept], copies

    def hand_down(self) -> Steps[Numbers]:
        """Return the entries handed down, child after child; yields the fraction done."""
        copies, (pairs, masks, ends) = np.empty(self._copies, np.int32), self._places
        given = pairs, masks, self._room, ends, self._found[1] + 16, self._verdicts[1]
        for some in pieces(self.children[: self._count]):
            self.call("hand_down", *given, some.start, some.stop, copies, len(copies))
            yield some.stop / self._count
        return copies


def _whole(rows: NDArray[Any]) -> NDArray[Any]:
    return np.ascontiguousarray(rows, dtype=np.int64)
