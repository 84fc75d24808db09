"""Builds in C: bounds, Morton codes, a radix sort, child masks and references, in pieces."""

from collections.abc import Iterator
from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray

from .. import tuning
from ..arrays import Flags, Floats, Ids, address, blocks
from ..cells import Cells, Slices
from ..child_masks import ChildMasks
from ..grid import Depths, Grid, Words
from ..shapes import Shapes, Triangles
from ..steps import Steps
from .door import Caller, found

# Bits of a digit of a sort, as `DIGITS` in the kernel.
_DIGIT = 11
# Entries are numbered by 32 bits.
_MOST = 2**31
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

    def sliced(self, cells: Cells, own: Ids, outside: int) -> Slices:
        """Return what `slices` of the cells does, of their own items (m,)."""
        ends, slices = np.empty(len(cells) + 1, np.intp), np.empty((3, len(cells)), np.intp)
        masks, (*_, parent, _, place, span) = np.empty(len(cells), np.uint8), cells.addresses
        self._call("slices", parent, place, span, len(cells), own, outside, ends, slices, masks)
        return Slices(ends, *slices, masks)

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


class Judged(NamedTuple):
    """Of divided cells (c,), whether that is worth it, and whether it separates items.

    `starts` (c, 8) are where the copies of each child will begin, of `room` in all; `rows` and
    `allowance` are those of `CellsAsked`, of all children there will be; `copies` counts what
    divisions that are allowed would make.
    """

    worth: Flags
    separated: Flags
    starts: Ids
    rows: Ids
    allowance: Floats
    copies: int
    room: int


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
        self._kept: dict[str, NDArray[Any]] = {**arrays, "depths": depths}
        if isinstance(items, Triangles):
            self._kept |= {"vertices": items.vertices.T, "faces": items.faces.T}
        self._entries = self._package.Entries(
            **{name: address(array) for name, array in self._kept.items()},
            vertex_count=self._kept["vertices"].shape[1] if "vertices" in self._kept else 0,
            face_count=len(items),
            entry_count=len(depths),
            grid_depth=grid.depth,
            lower=tuple(grid.lower),
            step=tuple((grid.upper - grid.lower) / 2**grid.depth),
            scale=tuple(grid.scale),
        )
        self._all = self._package.byref(self._entries)

    @staticmethod
    def takes(count: int) -> bool:
        """Tell whether so many entries can be numbered."""
        return count < _MOST

    def classify(
        self, cells: "CellsAsked", which: Ids, counts: Ids, room: int
    ) -> Steps[tuple[Numbers, ChildMasks, Ids, Ids, Ids, Ids]]:
        """Find what these cells, of so many entries, hand down; yields the fraction done.

        Returns, where there is `room`, entries and the children that take them, where those of
        each cell end (c,), bounds of the children's slices (c, 9), and how many each child is
        handed, and holds, (c, 8).
        """
        count, reached = len(counts), 0
        pairs, masks = np.empty(room, np.int32), np.empty(room, np.uint8)
        ends, bounds = np.empty(count, np.int64), np.empty((count, 9), np.int64)
        copied, held = np.empty((2, count, 8), np.int64)
        for some in _pieces(np.cumsum(counts)):
            given = cells.level, which, some.start, some.stop, reached, pairs, masks, room
            found = ends, bounds, copied, held, self.strays
            reached = self._call("classify", self._all, *given, *found)
            yield some.stop / count
        return pairs[:reached], masks[:reached], ends, bounds, copied, held

    def judged(
        self, cells: "CellsAsked", which: Ids, bounds: Ids, copied: Ids, held: Ids, most: int
    ) -> "Judged":
        """Judge divisions of these cells, of which `classify` has found the rest."""
        count, found = len(which), np.empty(2, np.intp)
        verdicts, starts = np.empty((2, count), bool), np.empty((count, 8), np.intp)
        rows, allowance = np.empty(72 * count, np.intp), np.empty(8 * count)
        given = which, count, bounds, copied, held, most
        into = verdicts, starts, rows, allowance, found
        room = self._call("judge", cells.level, *given, *into)
        kept, copies = found.tolist()
        rows, allowance = rows[: 72 * kept].reshape(9, 8 * kept), allowance[: 8 * kept]
        return Judged(*verdicts, starts, rows, allowance, copies, room)

    def hand_down(
        self, pairs: Numbers, masks: ChildMasks, ends: Ids, starts: Ids, kept: Flags, room: int
    ) -> Steps[Numbers]:
        """Hand entries down to the children of cells that are kept; yields the fraction done.

        Returns the `room` copies; those of each child begin where `starts` (c, 8) tells.
        """
        copies = np.empty(room, np.int32)
        for some in _pieces(ends):
            given = pairs, masks, len(pairs), ends, starts, kept, some.start, some.stop
            self._call("hand_down", *given, copies, room)
            yield some.stop / len(ends)
        return copies

    def file(
        self, cells: "CellsAsked", counts: Ids, is_leaf: Flags, begin: Ids, references: Ids
    ) -> Steps[None]:
        """Write what leaves hold where it begins in the references; yields the fraction done."""
        for some in _pieces(np.cumsum(counts)):
            given = is_leaf, some.start, some.stop, begin, references, len(references)
            self._call("file", self._all, cells.level, *given, self.times)
            yield some.stop / len(counts)


class CellsAsked:
    """Cells of one depth as the kernel takes them.

    Rows (9, c): their numbers on the grid, slices of the entries and of `copies`, two rows each,
    how many each holds, and its spread; and its allowance (c,), as of a `Level`.
    """

    def __init__(self, rows: Ids, allowance: Floats, copies: Numbers, depth: int) -> None:
        self._kept, count = (np.ascontiguousarray(rows), allowance, copies), rows.shape[1]
        place, *others = map(address, self._kept)
        places = (place + 8 * count * row for row in (0, 3, 5, 7, 8))
        package = found()[1]
        self._level = package.Level(*places, *others, count, len(copies), depth)
        self.level = package.byref(self._level)


def _whole(rows: NDArray[Any]) -> NDArray[Any]:
    return np.ascontiguousarray(rows, dtype=np.int64)


def _pieces(ends: Ids) -> Iterator[slice]:
    """Return slices of cells of some ten thousand entries, or of one, given where those end."""
    size = tuning.current.piece // 4
    if len(ends) == 0 or ends[-1] <= size:
        return map(slice, [0], [len(ends)])
    cuts = np.flatnonzero(np.diff(ends // size)) + 1
    return map(slice, [0, *cuts.tolist()], [*cuts.tolist(), len(ends)])
