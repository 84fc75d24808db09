"""Dynamic tables: arrays that grow at their end in amortized constant time, and triangles in them.

As in T. H. Cormen, C. E. Leiserson, R. L. Rivest and C. Stein, "Introduction to Algorithms",
chapter on amortized analysis.
"""

from functools import cached_property
from typing import Any

import numpy as np
from numpy.typing import NDArray

from ..arrays import Floats, Ids
from ..shapes import Triangles

# Bounding spheres of all triangles take one pass over them; a look is worth this many of them.
_WORTH = 16
# Of their length, what room arrays get to grow.
_ROOM = 0.5


class Growing:
    """Rows (..., n) that grow at their end, in place while there is room; `nothing` at first."""

    def __init__(self, nothing: NDArray[Any]) -> None:
        self._held, self._count, self._expected = nothing, 0, 0

    def __len__(self) -> int:
        return self._count

    @property
    def rows(self) -> NDArray[Any]:
        """All that is kept."""
        return self._held[..., : self._count]

    def expect(self, count: int) -> None:
        """Make room for so many more when the next ones come, and no more if none did yet."""
        self._expected = self._count + count

    def until(self, count: int) -> "Growing":
        """Return the first rows, which grow apart from the others."""
        other = Growing(self._held[..., :0])
        other.append(self.rows[..., :count])
        return other

    def put(self, places: Ids, rows: NDArray[Any]) -> None:
        """Replace the rows at some places."""
        self._held[..., places] = rows

    def append(self, rows: NDArray[Any]) -> None:
        """Put rows behind the end."""
        stop = self._count + rows.shape[-1]
        if self._count == 0 and self._expected <= stop:
            self._held, self._count = rows, stop  # the first ones are taken as they are
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
    """Triangles whose arrays grow, and with them the tables that earlier ones have made."""

    def __init__(self, vertices: Floats, faces: Ids, tables: dict[str, Growing]) -> None:
        self._vertex_rows, self._face_rows, self._tables = vertices, faces, tables

    def view_of(self, some: slice) -> "GrownTriangles":
        """Return some of the triangles, not copied."""
        tables = {name: Growing(np.empty((4, 0))) for name in self._tables}
        return GrownTriangles(self._vertex_rows, self._face_rows[:, some], tables)

    def is_worth_spheres(self, times: int) -> bool:
        """Return whether to look at bounding spheres so often: they are there, or worth it."""
        is_made = 2 * len(self._tables["bounding_spheres"]) >= len(self)
        return is_made or len(self) <= _WORTH * times

    @property
    def has_discs(self) -> bool:
        """Whether the spheres and planes of most triangles have been made."""
        return 2 * min(map(len, self._tables.values())) >= len(self)

    @cached_property
    def bounding_spheres(self) -> Floats:
        """A sphere around each triangle: center x, y, z and radius, (4, n)."""
        return self._table("bounding_spheres")

    @cached_property
    def planes(self) -> Floats:
        """The planes as seen from the centers of `bounding_spheres`, (4, n)."""
        return self._table("planes")

    def _table(self, name: str) -> Floats:
        table = self._tables[name]
        if len(table) < len(self):
            table.append(getattr(self[len(table) :], name))
        return table.rows[:, : len(self)]
