"""A scene at the moment of a question: both levels, and the pairs of volumes and placements."""

from collections.abc import Iterator
from dataclasses import dataclass, field, replace
from typing import Any, Protocol

import numpy as np

from ..arrays import Flags, Floats, Ids, flagged
from ..octree import Answer, Freshness, Octree
from ..query import query
from ..records import Columns
from ..shapes import Shapes, Triangles
from ..steps import Steps, run
from ..touch import lying_inside
from .meshes import Meshes
from .placed import PlacedTriangles
from .placements import Placements
from .pool import Pool, WalkedNodes

# Volumes that ask the top level together at first; later batches should find this many pairs.
_FIRST, _PAIRS = 4_096, 262_144


@dataclass(frozen=True)
class Reached(Columns):
    """Pairs of volumes and rows of placements, ascending; `whole` ones lie in their volume."""

    volumes: Ids
    rows: Ids
    whole: Flags


class Arranged(Protocol):
    """Triangles of meshes by entry, in any order."""

    @property
    def arranged(self) -> Triangles:
        """The triangle of each entry."""


@dataclass
class Packing:
    """What the compiled kernel has packed of a moment."""

    scene: Any = None


@dataclass(frozen=True)
class Moment:
    """A scene that does not change: placements, the octree of their boxes, and the meshes.

    What is in none of the groups of the question is not in `top`, and no placement `is_there`. A
    moment made from another, scaled or shifted, has a `packing` of its own.
    """

    placements: Placements
    top: Octree
    meshes: Meshes
    freshness: Freshness
    packing: Packing = field(default_factory=Packing, init=False, compare=False)

    def __len__(self) -> int:
        return len(self.placements)

    def as_long_as_current(self, steps: Steps[Answer]) -> Steps[Answer]:
        """Repeat the steps; raise a RuntimeError at the first after the scene has changed."""
        return self.freshness.guarded(
            steps, "the scene has changed since this question: ask again"
        )

    @property
    def in_groups(self) -> Flags:
        """Which placements are in the groups of the question, (n,)."""
        assert self.top.ids is not None
        return flagged(len(self.placements), self.placements.rows_named(self.top.ids))

    def scaled(self, scale: float) -> "Moment":
        """Return the same, except `top`, in a space scaled by a power of two."""
        if scale == 1:
            return self
        return replace(self, placements=self.placements.scaled(scale))

    def rows_touching(self, volumes: Shapes) -> tuple[Ids, Ids]:
        """Return pairs of a volume and the row of a placement whose box it touches, sorted."""
        found, ids = query(self.top, volumes)
        rows = self.placements.rows_named(ids)
        (there,) = self.placements.is_there[rows].nonzero()
        return found[there], rows[there]

    def reached(self, volumes: Shapes) -> Iterator[Reached]:
        """Yield pairs of a volume and a placement with a box that it touches, some at a time."""
        first, size = 0, _FIRST
        while first < len(volumes):
            asked = np.arange(first, min(first + size, len(volumes)))
            part = volumes if len(asked) == len(volumes) else volumes[asked]
            found, rows = self.rows_touching(part)
            whole = lying_inside(self.top.items, self._tops(rows), part, found)
            yield Reached(asked[found], rows, whole)
            first += len(asked)
            size = max(1, min(4 * len(asked), len(asked) * _PAIRS // max(len(rows), 1)))

    def _tops(self, rows: Ids) -> Ids:
        """Return the numbers of placements among the items of the top level."""
        if len(self.top.items) == len(self.placements):
            return rows
        assert self.top.ids is not None
        return np.searchsorted(self.top.ids, self.placements.ids[rows])

    def nodes(self, rows: Ids, slacks: Floats) -> WalkedNodes:
        """Return the nodes for questions about the meshes placed in these rows."""
        meshes = self.placements.meshes[rows]
        pool = run(self.meshes.pool(np.flatnonzero(np.bincount(meshes))))
        return pool.asked(meshes, slacks)

    def side(self, pool: Pool) -> tuple[Pool, Ids, Floats]:
        """Return the pool, and the mesh and the matrix of each row, as the kernel walks them."""
        return pool, self.placements.meshes, self.placements.matrices

    def placed(self, found: Arranged, entries: Ids, rows: Ids) -> PlacedTriangles:
        """Return triangles, placed in the world: entry i by the placement in row i."""
        placements = self.placements
        return PlacedTriangles(found.arranged, placements.matrices, placements.most, entries, rows)
