"""A scene snapshot: the top level and the triangle pool of the placed meshes.

A row is the position of a placement in the snapshot, an entry is the position of a triangle in the
pool. Local space is the space of a mesh, without the matrix of its placement.
"""

from collections.abc import Iterator
from dataclasses import dataclass, field, replace
from typing import Protocol

import numpy as np
from numpy.typing import ArrayLike

from .. import checks, compiled, lone
from ..arrays import Floats, Ids, dot, gather
from ..octree import Answer, Freshness
from ..shapes import Shapes, Triangles
from ..snapshot import Images, LocalPoints, LocalRays, RayPairs, VolumePairs
from ..steps import Steps, run
from ..touch.rays import Rays
from ..walkable import Walkable
from .images import images_of, taken_back
from .meshes import Meshes
from .packed import PackedScene
from .placed import PlacedTriangles, placed
from .pool import Pool, WalkedNodes
from .top_level import TopLevel

# Relative error that a few roundings leave in sums of products.
_ROUNDING = 2.0**-46


class Arranged(Protocol):
    """An object with the triangles of meshes, numbered by entry, in any order."""

    @property
    def arranged(self) -> Triangles:
        """The triangles, in the order of entries."""


@dataclass
class Packing:
    """A holder of the packed scene for the compiled kernel, made when a query first needs it."""

    scene: PackedScene | None = None


@dataclass(frozen=True)
class Moment(TopLevel):
    """A snapshot of a scene: placements, the octree of their boxes, and the meshes.

    A snapshot derived from another, as by `scaled`, has a `packing` of its own.
    """

    meshes: Meshes
    freshness: Freshness
    packing: Packing = field(default_factory=Packing, init=False, compare=False)

    def __len__(self) -> int:
        return len(self.placements)

    @property
    def item_count(self) -> int:
        """The number of placed finite triangles."""
        return int(self.item_counts(np.flatnonzero(self.placements.is_there)).sum())

    @property
    def item_limit(self) -> int:
        """The number of triangles of the largest mesh."""
        return self.meshes.largest

    @property
    def has_triangles(self) -> bool:
        """True: all items are triangles."""
        return True

    def as_long_as_current(self, steps: Steps[Answer]) -> Steps[Answer]:
        """Yield the same steps; raise a RuntimeError at the first step after a scene change."""
        return self.freshness.guarded(
            steps, "the scene has changed since this question: ask again"
        )

    def checked_owners(self, owners: ArrayLike | None) -> Ids | None:
        """Return the checked owners, one for each placement, or None."""
        return None if owners is None else checks.one_each("owners", owners, len(self))

    def scaled(self, scale: float) -> "Moment":
        """Return the snapshot in a space scaled by a power of two; `top` is not scaled."""
        if scale == 1:
            return self
        return replace(self, placements=self.placements.scaled(scale))

    def ids_of(self, rows: Ids, items: Ids) -> tuple[Ids, ...]:
        """Return the ids of placements in these rows, -1 for row -1, and the items unchanged."""
        return np.append(self.placements.ids, -1)[rows], items

    def answer_of(self, reached: VolumePairs, pairs: Ids) -> Ids:
        """Return volume numbers, placement ids and triangle numbers, (3, h).

        `pairs` (2, h) are positions in `reached`, and triangle numbers.
        """
        rows = reached.rows[pairs[0]]
        return np.stack((reached.volumes[pairs[0]], self.placements.ids[rows], pairs[1]))

    def fast_path(self, count: int, *, several: bool = False) -> compiled.Few | None:
        """Return the kernel's entry for few questions; None if the batch path has to answer."""
        packed = self.packed(count) if 0 < count <= lone.MOST else None
        return None if packed is None else packed.few

    def packed(self, count: int = 0) -> PackedScene | None:
        """Return the scene packed for the compiled kernel, or None.

        It is None without the kernel, without placements that queries find, or if packing failed.
        """
        if compiled.why_not():
            return None
        if self.packing.scene is None:
            if not self.placements.is_there.any():
                return None
            self.packing.scene = PackedScene(self.placements, self.meshes)
        scene = self.packing.scene
        return scene if scene.is_sound else None

    def nodes(self, rows: Ids, slacks: Floats) -> WalkedNodes:
        """Return the nodes, with one root and one slack for each of these rows."""
        meshes = self.placements.meshes[rows]
        pool = run(self.meshes.pool(np.flatnonzero(np.bincount(meshes))))
        return pool.asked(meshes, slacks)

    def trees_at(self, rows: Ids) -> WalkedNodes:
        """Return the nodes, with one root for each of these rows and no slack."""
        return self.nodes(rows, np.zeros(len(rows)))

    def side(self, pool: Pool) -> tuple[Pool, Ids, Floats]:
        """Return the pool, and the mesh and the matrix of each row: arguments of the kernel."""
        return pool, self.placements.meshes, self.placements.matrices

    def placed(self, found: Arranged, entries: Ids, rows: Ids) -> PlacedTriangles:
        """Return triangles in world space: `entries[i]` under the placement in `rows[i]`."""
        placements = self.placements
        return PlacedTriangles(found.arranged, placements.matrices, placements.most, entries, rows)

    def entry_items(self, tree: Walkable, entries: Ids, rows: Ids) -> tuple[Shapes, Ids]:
        """Return triangles in world space, pair by pair, and their numbers in the batch."""
        assert isinstance(tree, WalkedNodes)
        return self.placed(tree, entries, rows), np.arange(len(entries))

    def numbered_items(self, rows: Ids, items: Ids) -> tuple[Shapes, Ids]:
        """Return triangles in world space, by their numbers in meshes, and their batch numbers."""
        meshes, corners = self.placements.meshes[rows], np.empty((9, len(rows)))
        order = np.argsort(meshes, kind="stable")
        starts = np.flatnonzero(np.diff(meshes[order], prepend=-1))
        for some in np.split(order, starts[1:]) if len(rows) else ():
            corners[:, some] = self.meshes[int(meshes[some[0]])].triangles.take_rows(items[some])
        corners = placed(corners, gather(self.placements.matrices, rows))
        numbers = np.arange(3 * len(rows)).reshape(-1, 3)
        return Triangles(corners.T.reshape(-1, 3), numbers), np.arange(len(rows))

    def local_rays(self, rays: Rays, pairs: RayPairs, closest: Floats) -> LocalRays:
        """Return nodes, and rays in local space, which end at the closest hits so far.

        If a matrix has no inverse, its slack is infinite, and all triangles are tested.
        """
        placements = self.placements
        inverses = gather(placements.inverses, pairs.rows)
        shifts = gather(placements.matrices[3::4], pairs.rows)
        origins, directions = gather(rays.origins, pairs.rays), gather(rays.directions, pairs.rays)
        known = np.isfinite(placements.slacks[pairs.rows])
        starts = np.where(known, taken_back(inverses, origins - shifts), 0.0)
        ways = np.where(known, taken_back(inverses, directions), 1.0)
        size = np.abs(inverses)
        wrong = taken_back(size, np.abs(origins) + np.abs(shifts)).max(axis=0)
        turned = taken_back(size, np.abs(directions)).max(axis=0) / np.abs(ways).max(axis=0)
        bounds = self.meshes.table.bounds[:, placements.meshes[pairs.rows]]
        far = np.abs(starts).max(axis=0) + np.abs(bounds).max(axis=0)
        slacks = placements.slacks[pairs.rows] + _ROUNDING * (wrong + turned * far)
        slacks = np.where(known, slacks, np.inf)
        factors = np.sqrt(dot(ways, ways)) / rays.lengths[pairs.rays] * (1 + 2.0**-40)
        limits = closest[pairs.rays] * factors + slacks
        seen = Rays.of(starts, ways, limits)
        return LocalRays(self.nodes(pairs.rows, slacks), seen, factors, slacks)

    def local_points(self, points: Floats, numbers: Ids, rows: Ids) -> LocalPoints:
        """Return nodes, and points in local space.

        If a matrix has no inverse, its slack is infinite, and all triangles are tested.
        """
        placements = self.placements
        known = np.isfinite(placements.slacks[rows]) & (placements.least[rows] > 0)
        inverses = gather(placements.inverses, rows)
        shifts, there = gather(placements.matrices[3::4], rows), gather(points, numbers)
        seen = np.where(known, taken_back(inverses, there - shifts), 0.0)
        wrong = taken_back(np.abs(inverses), np.abs(there) + np.abs(shifts)).max(axis=0)
        slacks = np.where(known, placements.slacks[rows] + _ROUNDING * wrong, np.inf)
        most = np.where(known, placements.most[rows], 1.0)
        stretch = np.divide(most, placements.least[rows], out=np.ones(len(rows)), where=known)
        return LocalPoints(self.nodes(rows, slacks), seen, most, stretch)

    def local_volumes(
        self, volumes: Shapes, pairs: VolumePairs
    ) -> Iterator[tuple[Walkable, Images]]:
        """Yield nodes, and images of volumes in local space."""
        for images in images_of(volumes, pairs.volumes, self.placements, pairs.rows):
            yield self.nodes(pairs.rows[images.pairs], images.slacks), images

    def first_items(self, rows: Ids, counts: Ids) -> Ids:
        """Return the first `counts` finite triangles of the mesh in each row, row after row."""
        return self.meshes.table.valid_triangles(self.placements.meshes[rows], counts)

    def item_counts(self, rows: Ids) -> Ids:
        """Return the number of finite triangles of the mesh in each row."""
        return self.meshes.sizes[self.placements.meshes[rows]]
