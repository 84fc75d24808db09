"""Dynamic tables: arrays that grow at their end in amortized constant time, and triangles in them.

See T. H. Cormen, C. E. Leiserson, R. L. Rivest and C. Stein, "Introduction to Algorithms", chapter
on amortized analysis.
"""

from functools import cached_property
from typing import Any

import numpy as np
from numpy.typing import NDArray

from ..arrays import Floats, Ids
from ..shapes import Triangles

# Amortization threshold of bounding spheres, which take one pass over all triangles: a use of one
# triangle pays for the spheres of this many.
_WORTH = 16
# Spare capacity of an array that grows, relative to its length.
_ROOM = 0.5


class Growing:
    """An array (..., n) that grows along its last axis, in place while its capacity lasts.

    `nothing` is the empty array to begin with.
    """

    def __init__(self, nothing: NDArray[Any]) -> None:
        self._held, self._count, self._expected = nothing, 0, 0

    def __len__(self) -> int:
        return self._count

    @property
    def rows(self) -> NDArray[Any]:
        """The array without its spare capacity, (..., n)."""
        return self._held[..., : self._count]

    def expect(self, count: int) -> None:
        """Announce `count` more columns, so that the next allocation has room for all of them.

        If the array is still empty, this allocation has no spare capacity beyond.
        """
        self._expected = self._count + count

    def until(self, count: int) -> "Growing":
        """Return the first `count` columns as an array that grows independently of this one."""
        other = Growing(self._held[..., :0])
        other.append(self.rows[..., :count])
        return other

    def put(self, places: Ids, rows: NDArray[Any]) -> None:
        """Replace the columns at some places."""
        self._held[..., places] = rows

    def append(self, rows: NDArray[Any]) -> None:
        """Append columns at the end."""
        stop = self._count + rows.shape[-1]
        if self._count == 0 and self._expected <= stop:
            self._held, self._count = rows, stop  # not copied
            return
        if stop > self._held.shape[-1]:
            room = max(self._expected, stop + int(stop * _ROOM) if self._count else stop)
            like, shape = self._held if self._count else rows, (*rows.shape[:-1], room)
            is_flat = like.flags.c_contiguous
            held = np.empty(shape if is_flat else shape[::-1], rows.dtype)
            held = held if is_flat else held.T
            held[..., : self._count] = self.rows
            self._held = held
        elif not self._held.flags.writeable:
            self._held = self._held.copy(order="K")
        self._held[..., self._count : stop] = rows
        self._count = stop


class GrownTriangles(Triangles):
    """Triangles in arrays that grow; derived tables are extended for the new triangles only."""

    def __init__(self, vertices: Floats, faces: Ids, tables: dict[str, Growing]) -> None:
        self._vertex_rows, self._face_rows, self._tables = vertices, faces, tables

    def view_of(self, some: slice) -> "GrownTriangles":
        """Return some of the triangles as views of the arrays, with empty tables."""
        tables = {name: Growing(np.empty((4, 0))) for name in self._tables}
        return GrownTriangles(self._vertex_rows, self._face_rows[:, some], tables)

    def is_worth_spheres(self, times: int) -> bool:
        """Return whether bounding spheres pay off for `times` uses, or most of them exist."""
        is_made = 2 * len(self._tables["bounding_spheres"]) >= len(self)
        return is_made or len(self) <= _WORTH * times

    @property
    def has_discs(self) -> bool:
        """True if the spheres and planes of at least half of the triangles exist."""
        return 2 * min(map(len, self._tables.values())) >= len(self)

    @cached_property
    def bounding_spheres(self) -> Floats:
        """Bounding spheres of the triangles: center x, y, z and radius, (4, n)."""
        return self._table("bounding_spheres")

    @cached_property
    def planes(self) -> Floats:
        """Planes of the triangles relative to the centers of `bounding_spheres`, (4, n)."""
        return self._table("planes")

    def _table(self, name: str) -> Floats:
        table = self._tables[name]
        if len(table) < len(self):
            table.append(getattr(self[len(table) :], name))
        return table.rows[:, : len(self)]
