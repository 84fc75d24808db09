"""Builds in C: bounds, Morton codes, a radix sort, child masks and references, in pieces."""

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

# Bits of a digit of a sort, as `DIGITS` in the kernel.
_DIGIT = 11
Numbers = NDArray[np.int32]


class Tallies(NamedTuple):
    """What is known of cells after items have moved.

    `outside` counts the items that the root does not hold, `crowd` the most in a leaf that one of
    those moved has left or come to, `fewest` the fewest below a divided cell, `fullest` the most
    below a child of the root.
    """

    outside: int
    crowd: int
    fewest: int
    fullest: int


class Builder(Caller):
    """What the kernel does of a build, and of items that move."""

    def limits(self, triangles: Triangles, some: slice, lower: Floats, upper: Floats) -> None:
        """Fill in the bounds (3, n) of some triangles; there is a vertex."""
        vertices, faces = triangles.vertices.T, triangles.faces.T
        given = vertices, vertices.shape[1], faces, faces.shape[1], some.start, some.stop
        self._call("bounds", *given, lower, upper)

    def enter(
        self,
        limits: tuple[Floats, Floats],
        some: slice,
        grid: Grid,
        words: tuple[Words, Words, Words],
        depths: Depths,
    ) -> None:
        """Fill in the first and last cells, codes and depths (n,) of some items; see `Grid`."""
        starts = np.concatenate((grid.lower + grid.rounding, grid.lower - grid.rounding))
        given = *limits, len(depths), some.start, some.stop, starts, grid.scale, grid.depth
        self._call("enter", *given, *words, depths)

    def sorted_steps(
        self, keys: Words, numbers: Ids | None, bits: int
    ) -> Steps[tuple[Words, Ids]]:
        """Sort keys below 2**bits, and their numbers or places, stably; yields fractions."""
        count, piece = len(keys), tuning.current.piece
        spare = [np.empty((2, count), np.int64), np.empty((2, count), np.int64)]
        digits = range(0, max(bits, 1), _DIGIT)
        for done, shift in enumerate(digits):
            counts, (found, order) = np.zeros(2**_DIGIT, np.int64), spare[done % 2]
            for some in blocks(count, piece):
                self._call("count", keys, some.start, some.stop, shift, counts)
                yield done / len(digits)
            places = np.cumsum(counts) - counts
            for some in blocks(count, piece):
                given = keys, numbers, some.start, some.stop, shift, places
                self._call("sort", *given, found, order, count)
                yield (done + some.stop / count) / len(digits)
            keys, numbers = found, order
        assert numbers is not None
        return keys, numbers

    def moved(
        self, cells: Cells, rows: Floats, moved: Ids, before: Ids, own: Ids
    ) -> tuple[Tallies, Ids, Ids, Ids, Slices]:
        """Return where items, of rows (7, n), stand after some of them have moved: up, then down.

        `before` (n,) are the cells that they were in, or -1, of which each held `own` (m,); what
        cells keep they hold whole. Returns tallies, which items have gone to other cells, where
        all stand (n,), what cells hold (m,), and slices.
        """
        count, most, size = rows.shape[1], len(moved), len(cells)
        given = map(np.ascontiguousarray, (rows, moved, before, own))
        # What is found stands in one array, of which one address is wanted.
        found, masks = np.empty(5 + count + 5 * size + most, np.intp), np.empty(size, np.uint8)
        where = *cells.addresses, size, cells.factor
        gone = self._call("move", *where, *given, count, most, found, masks)
        stop = 4 + count
        held, stop = found[stop : stop + size], stop + size
        ends, stop = found[stop : stop + size + 1], stop + size + 1
        begin, own_end, end = found[stop : stop + 3 * size].reshape(3, size)
        stop += 3 * size
        slices = Slices(ends, begin, own_end, end, masks)
        tallies = Tallies(*found[:4].tolist())
        return tallies, found[stop : stop + gone], found[4 : 4 + count], held, slices

    def preorder(self, cells: Cells) -> tuple[Ids, Ids]:
        """Return the places of cells, and their spans."""
        place, span = np.empty((2, len(cells)), np.intp)
        self._call("preorder", cells.parent, cells.first_child, len(cells), place, span)
        return place, span

    def sliced(self, cells: Cells, own: Ids, outside: int) -> Slices:
        """Return what `slices` of the cells does, of their own items (m,)."""
        ends, slices = np.empty(len(cells) + 1, np.intp), np.empty((3, len(cells)), np.intp)
        masks, (*_, parent, _, place, span) = np.empty(len(cells), np.uint8), cells.addresses
        self._call("slices", parent, place, span, len(cells), own, outside, ends, slices, masks)
        begin, own_end, end = slices
        return Slices(ends, begin, own_end, end, masks)

    def referred(self, references: Ids, moved: Ids, stands: Ids, cells: Cells, ends: Ids) -> Ids:
        """Return the references (n,) after items have moved to other cells: the last in these.

        All items stand where `stands` (n,) tells; `ends` (m + 1,) are those of the places.
        """
        count, place = len(stands), cells.addresses[-2]
        found, waiting = np.empty(count, np.intp), np.zeros(len(ends) + count // 8 + 1, np.intp)
        of_cells = place, ends, len(cells), waiting
        self._call("refer", references, count, moved, len(moved), stands, *of_cells, found)
        return found


def builder() -> Builder | None:
    """Return what builds in C, if the kernel is there."""
    return None if found()[0] is None else Builder()


class Divider(Builder):
    """Divides cells of a grid among entries: triangles, or boxes, sorted by code.

    `codes`, `first` and `last` cells and `depths` (e,) are those of `Entries`, which `items`
    begin with. `strays` (e,) is 1 where an entry has touched nothing, by a rounding; `times` (e,)
    is how often it has been filed, up to two.
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
        """Return the walls (6, c) of cells of these depths."""
        rows, given = np.empty((6, len(depths))), (_whole(cells), depths, len(depths))
        self._call("walls", self.all, *given, rows)
        return rows

    def file(
        self, levels: Sequence["CellsAsked"], own: Ids, is_leaf: Flags, begin: Ids, references: Ids
    ) -> Steps[None]:
        """Write what leaves hold where it begins in the references; yields the fraction done."""
        (leaf, place, into), start = map(address, (is_leaf, begin, references)), 0
        for cells in levels:
            for some in pieces(own[start : start + cells.count].cumsum()):
                given = leaf + start, some.start, some.stop, place + 8 * start, into
                self._call("file", self.all, cells.level, *given, len(references))
                yield (start + some.stop) / len(own)
            start += cells.count


class CellsAsked:
    """Cells of one depth as the kernel takes them.

    Their numbers on the grid (3, c), rows (7, c) and allowance (c,) are those of `Leaves`, their
    copies those of a `Level`, in `core/construction/levels.py`.
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
    """Cells of one depth, `which` (c,) of those asked, of so many entries, while they are divided.

    There is `room` for pairs of an entry and the children that take it. What is worth it, and
    `separates` items, is known once they are judged, of each of them, (c,).
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
        # As `Children` in the kernel.
        self.children = np.empty(26 * len(which), np.intp)
        self._kept = which, self.pairs, self.masks, self.children
        self._which, *self._places = map(address, self._kept)

    def classify(self) -> Steps[None]:
        """Find what the cells hand down, and to which children; yields the fraction done."""
        pairs, masks, children = self._places
        reached, count = 0, self._count
        for some in pieces(self._stops):
            given = self._which, some.start, some.stop, reached, pairs, masks, self._room
            cells = self._all, self._cells.level
            reached = self._call("classify", *cells, *given, children, count)
            yield some.stop / count

    def judge(self, most: int) -> tuple[Ids, Floats, int]:
        """Judge the divisions.

        Returns numbers and rows (10, c), and allowance (c,) of the children that there will be, as
        `CellsAsked` takes them, and how many copies the divisions make that are allowed.
        """
        count, children = self._count, self._places[-1]
        verdicts, found = np.empty((2, count), bool), np.empty(2 + 96 * count, np.intp)
        self._verdicts, self._found = (verdicts, address(verdicts)), (found, address(found))
        given = self._which, count, children, most, self._verdicts[1], self._found[1]
        self._copies = self._call("judge", self._cells.level, *given)
        self.worth, self.separates = verdicts
        kept, copies = found[:2].tolist()
        start = 2 + 8 * count
        rows = found[start : start + 80 * kept].reshape(10, 8 * kept)
        return rows, found[2 + 88 * count :].view(np.float64)[: 8 * kept], copies

    def hand_down(self) -> Steps[Numbers]:
        """Return what children are handed, child after child; yields the fraction done."""
        copies, (pairs, masks, ends) = np.empty(self._copies, np.int32), self._places
        given = pairs, masks, self._room, ends, self._found[1] + 16, self._verdicts[1]
        for some in pieces(self.children[: self._count]):
            self._call("hand_down", *given, some.start, some.stop, copies, len(copies))
            yield some.stop / self._count
        return copies


def _whole(rows: NDArray[Any]) -> NDArray[Any]:
    return np.ascontiguousarray(rows, dtype=np.int64)
