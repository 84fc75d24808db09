"""Packed scenes for the compiled kernel; each mesh is packed when a query first comes to it."""

from collections.abc import Callable
from typing import Any
from weakref import WeakKeyDictionary

import numpy as np

from .. import compiled
from ..arrays import Floats, Ids
from ..compiled import NOT_PACKED, Arrays, Confirm, Crossed, Questions, VolumesAsked, repaired
from ..steps import run
from .meshes import Meshes
from .placements import Placements
from .pool import Layout, Pool
from .store import Mesh


class PackedScene(compiled.Placed):
    """The packed boxes of placements, and the packed triangles of meshes that queries came to.

    The methods extend those of `compiled.Walked`: if a query comes to a mesh that is not packed,
    the mesh is packed and the query repeated.
    """

    def __init__(self, placements: Placements, meshes: Meshes) -> None:
        self._meshes = meshes
        rows = (placements.meshes, placements.matrices.T, placements.inverses.T, placements.slacks)
        (there,) = placements.is_there.nonzero()
        super().__init__(*rows, placements.boxes, there, meshes.born)

    def cast(self, rays: Questions, *, any_hit: bool) -> Arrays | None:
        """Find the items that rays hit, as `Walked.cast`; None if packing fails."""
        cast = super().cast
        return self._packed(
            cast(rays, any_hit=any_hit), lambda left: cast(rays[left], any_hit=any_hit)
        )

    def nearest(
        self, points: Floats, turns: Ids, count: int, limit: float, threads: int = 1
    ) -> Arrays | None:
        """Find the nearest items of points, as `Walked.nearest`; None if packing fails."""
        nearest = super().nearest
        return self._packed(
            nearest(points, turns, count, limit, threads),
            lambda left: nearest(
                np.ascontiguousarray(points[left]), np.arange(len(left)), count, limit
            ),
        )

    def cast_all(self, rays: Questions) -> tuple[Crossed, Ids] | None:
        """Find all items that rays cross, as `Walked.cast_all`; None if packing fails."""
        while True:
            found = super().cast_all(rays)
            if found is None or not (found[1] == NOT_PACKED).any():
                return found
            if not self._pack_wanted():
                return None

    def touched(
        self,
        asked: VolumesAsked,
        turns: Ids,
        *,
        any_hit: bool = False,
        confirm: Confirm | None = None,
    ) -> tuple[Ids, Ids, Ids] | None:
        """Find the items that touch volumes, as `Walked.touched`; None if packing fails."""
        while True:
            found = super().touched(asked, turns, any_hit=any_hit, confirm=confirm)
            if found is None or not (found[0] == NOT_PACKED).any():
                return found
            if not self._pack_wanted():
                return None

    def wound(self, rays: Questions, rows: Ids, codes: Ids, starts: Ids) -> Arrays | None:
        """Flag the rays that begin inside meshes, as `Walked.wound`; None if packing fails."""
        wound = super().wound
        return self._packed(
            wound(rays, rows, codes, starts),
            lambda left: wound(rays[left], rows[left], codes, starts),
        )

    def nearest_of(self, points: Floats, rows: Ids, limits: Floats) -> Arrays | None:
        """Find nearest triangles in given rows, as `Walked.nearest_of`; None if packing fails."""
        nearest = super().nearest_of
        return self._packed(
            nearest(points, rows, limits),
            lambda left: nearest(points[:, left], rows[left], limits[left]),
        )

    def _packed(self, found: Arrays | None, ask: Callable[[Ids], Any]) -> Arrays | None:
        """Repeat the questions that came to a mesh that was not packed; None if packing fails.

        The first array of `found` has NOT_PACKED for these questions.
        """
        while found is not None:
            are_left = np.atleast_2d(found[0].T)[0] == NOT_PACKED
            if not are_left.any():
                return found
            if not self._pack_wanted():
                return None
            found = repaired(found, are_left, ask)
        return None

    def _pack_wanted(self) -> bool:
        """Pack the meshes that questions have come to; return False if one cannot be packed."""
        (numbers,) = self.wanted.nonzero()
        self.wanted[numbers] = 0
        pool = run(self._meshes.pool(numbers))
        trees = _TREES.setdefault(pool.layout, WeakKeyDictionary())
        for number in numbers.tolist():
            mesh = self._meshes[number]
            if mesh not in trees:
                trees[mesh] = _packed_mesh(pool, number)
            self.put(number, trees[mesh])
        return len(numbers) > 0 and self.is_sound


# Cache of packed triangles, by layout of the pool and by mesh; weak keys drop outdated ones.
_TREES: WeakKeyDictionary[Layout, WeakKeyDictionary[Mesh, compiled.Packed]] = WeakKeyDictionary()


def _packed_mesh(pool: Pool, number: int) -> compiled.Packed:
    """Return the packed triangles of a mesh; they reference the arrays of the pool."""
    nodes, root = pool.nodes, int(pool.nodes.roots[number])
    start, stop = (int(nodes.begin[root]), int(nodes.end[root])) if root >= 0 else (0, 0)
    arrays = {
        "vertices": pool.arranged.vertices.T,
        "faces": pool.arranged.faces.T[:, start:stop],
        "order": pool.order[start:stop],
    }
    cells = {name: getattr(nodes, name) for name in ("first_child", "child_count", "begin", "end")}
    return compiled.Packed(arrays, cells, root=root, start=start, stop=stop)
