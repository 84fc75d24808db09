"""View frustum culling of one mesh: by vertices, by outcodes of triangles, by its octree.

Triangles are made of polygons only where vertices cannot tell. A few frusta are answered by the
few triangles that planes leave undecided; for many, an octree of all is built, and kept.
"""

from collections.abc import Generator, Sequence
from dataclasses import dataclass
from functools import cached_property

import numpy as np
from numpy.typing import NDArray

from ...core import Frusta, Octree, Triangles, build_octree, build_steps, query, query_any
from ..arrays import Flags, Floats, Ids
from ..reader import ReadMesh
from . import kept_octrees
from .vertices import Positions, UsedVertices, VertexBlocks

Deferred = tuple[Floats, Ids]

# A mesh of at most this many triangles is sooner compared by its vertices than sorted into a tree,
# and sooner sorted than looked up.
_FEW_TRIANGLES = 2000
# An octree pays for itself after a mesh was compared with frusta as a whole so many times.
_MOST_WORK = 32
# Triangles looked at in one go, and before Blender may draw.
_BLOCK, _PATIENCE = 1 << 14, 1 << 20


@dataclass(eq=False)
class MeshFaces:
    """The faces of a mesh, wherever its vertices are; their triangles may come later.

    Attributes
    ----------
    corners : ndarray of int32, shape (c,)
        The vertex of each corner.
    polygon_count : int
        How many polygons there are.
    triangles : ndarray of int32, shape (t, 3), optional
        The vertices of each triangle; None until they are read.
    polygons : ndarray of int32, shape (t,), optional
        The polygon that each triangle is a part of; None if all polygons are triangles.
    """

    corners: NDArray[np.int32]
    polygon_count: int
    triangles: NDArray[np.int32] | None = None
    polygons: NDArray[np.int32] | None = None

    @classmethod
    def of(cls, arrays: ReadMesh) -> "MeshFaces":
        """Return the faces of a mesh whose triangles were read at once."""
        count = int(arrays.polygons[-1]) + 1 if len(arrays.polygons) else 0
        return cls(arrays.triangles.ravel(), count, arrays.triangles, arrays.polygons)

    @property
    def is_read(self) -> bool:
        """Whether the triangles are there."""
        return self.triangles is not None


class LocalMesh:
    """A mesh that any number of placements show, and the frusta still to be tested against it.

    Parameters
    ----------
    positions : ndarray of float32 or float64, shape (v, 3)
        Its vertices.
    faces : MeshFaces
        Its faces. Without triangles all coordinates of vertices are finite, or none.
    is_large : bool, default False
        Whether its vertices are asked first, as its triangles may not have to be read.

    Attributes
    ----------
    middle, half : ndarray of float64, shape (3,)
        Its box; NaN if it has no triangle with finite coordinates.
    is_empty : bool
        Whether it has no such triangle.
    sources : set of int
        Session ids of the objects that show it.
    new, deferred : list of (corners, targets)
        Corners of frusta in its space, (q, 8, 3), and what depends on each answer, (3, q): those
        that no vertices were asked about, and all others.
    """

    def __init__(self, positions: Positions, faces: MeshFaces, *, is_large: bool = False) -> None:
        self.positions, self.faces, self.is_large = positions, faces, is_large
        self.blocks = VertexBlocks(positions)
        self.middle, self.half = self._box()
        self.is_empty = bool(np.isnan(self.middle).any())
        self.sources: set[int] = set()
        self.new: list[Deferred] = []
        self.deferred: list[Deferred] = []
        self._octree: Octree | None = None

    @property
    def is_small(self) -> bool:
        """Whether its octree takes no time; the triangles are read."""
        return len(self.triangles) <= _FEW_TRIANGLES

    @cached_property
    def corners(self) -> Floats:
        """The vertices that are corners of triangles, (n, 3)."""
        return self.positions[np.unique(self.faces.corners)].astype(np.float64)

    @cached_property
    def used(self) -> UsedVertices:
        """Which vertices are corners of polygons."""
        return UsedVertices(self.faces.corners, len(self.positions))

    @property
    def triangles(self) -> NDArray[np.int32]:
        """Its triangles, (t, 3), once they are read."""
        assert self.faces.triangles is not None
        return self.faces.triangles

    def polygons_of(self, triangles: Ids) -> Ids | NDArray[np.int32]:
        """Return the polygons that triangles are parts of, once they are read."""
        return triangles if self.faces.polygons is None else self.faces.polygons[triangles]

    def placed(self, matrix: Floats) -> "LocalMesh":
        """Return the same mesh where a matrix of (3, 4) puts it."""
        with np.errstate(invalid="ignore", over="ignore"):  # the core sets such triangles aside
            positions = self.positions @ matrix[:, :3].T + matrix[:, 3]
        return LocalMesh(positions, self.faces, is_large=self.is_large)

    def compare(self, frusta: Frusta) -> Generator[float, None, tuple[Flags, Flags]]:
        """Tell which frusta certainly hold a used vertex, and which certainly miss all triangles.

        Neither, without a look, once vertices have cost more than an octree would.
        """
        holds, misses = np.zeros((2, len(frusta)), np.bool_)
        for number, planes in enumerate(frusta.plane_rows.transpose(2, 0, 1)):
            if self.blocks.work > _MOST_WORK:
                break
            found = yield from self.blocks.compare(planes, self.used)
            holds[number], misses[number] = found is True, found is False
        return holds, misses

    def touched(self, frusta: Frusta) -> Generator[float, None, Flags]:
        """Tell which frusta touch a triangle; the triangles are read."""
        octree = self._known_octree()
        if octree is None and self._are_few(frusta):
            return (yield from self._touched_by_clipping(frusta))
        octree = octree or (yield from self._build())
        touched: Flags = query_any(octree, frusta)
        if not self.is_small:
            kept_octrees.keep(octree)
        return touched

    def in_view(self, frusta: Frusta) -> Generator[float, None, tuple[Ids, Ids]]:
        """Return pairs of frusta and the triangles that they touch; the triangles are read."""
        octree = self._known_octree()
        if octree is None and self._are_few(frusta):
            return (yield from self._in_view_by_clipping(frusta))
        octree = octree or (yield from self._build())
        numbers, triangles = query(octree, frusta)
        if not self.is_small:
            kept_octrees.keep(octree)
        return numbers, triangles

    def _touched_by_clipping(self, frusta: Frusta) -> Generator[float, None, Flags]:
        touched = np.zeros(len(frusta), np.bool_)
        for number, planes in enumerate(frusta.plane_rows.transpose(2, 0, 1)):
            sure, partly = yield from self._clip(planes)
            touched[number] = len(sure) or query_any(self._part(partly), frusta[number])[0]
        return touched

    def _in_view_by_clipping(self, frusta: Frusta) -> Generator[float, None, tuple[Ids, Ids]]:
        found = []
        for number, planes in enumerate(frusta.plane_rows.transpose(2, 0, 1)):
            sure, partly = yield from self._clip(planes)
            _, some = query(self._part(partly), frusta[number])
            found.append(np.concatenate((sure, partly[some])))
        numbers = np.repeat(np.arange(len(found)), [len(each) for each in found])
        return numbers, np.concatenate(found)

    def _clip(self, planes: Floats) -> Generator[float, None, tuple[Ids, Ids]]:
        """Return the triangles certainly in view, by a corner, and those that may be.

        All others are certainly beyond one of the six planes.
        """
        outcodes = yield from self.blocks.outcodes(planes)
        sure, partly = [np.empty(0, np.intp)], [np.empty(0, np.intp)]
        for start in range(0, len(self.triangles), _BLOCK):
            some = self.triangles[start : start + _BLOCK]
            for found, flags in zip((sure, partly), outcodes.clip(some), strict=True):
                found.append(start + np.flatnonzero(flags))
            if start % _PATIENCE == 0:
                yield 0.0
        return np.concatenate(sure), np.concatenate(partly)

    def _part(self, chosen: Ids) -> Octree:
        """Return an octree of some triangles alone."""
        used, triangles = np.unique(self.triangles[chosen], return_inverse=True)
        return build_octree(Triangles(self.positions[used], triangles.reshape(-1, 3)))

    def _are_few(self, frusta: Frusta) -> bool:
        """Tell whether comparing every frustum with all vertices is sooner done than an octree."""
        work = self.blocks.work + len(frusta)
        return self.blocks.is_finite and not self.is_small and work <= _MOST_WORK

    def _known_octree(self) -> Octree | None:
        if self._octree is None and not self.is_small:
            self._octree = kept_octrees.find(self.positions, self.triangles)
        return self._octree

    def _build(self) -> Generator[float, None, Octree]:
        items = Triangles(self.positions, self.triangles)
        yield 0.0
        self._octree = yield from build_steps(items)
        yield 0.0
        return self._octree

    def _box(self) -> tuple[Floats, Floats]:
        """Return the middle of the box around all vertices of triangles, and half its size."""
        lower, upper = self.blocks.lower, self.blocks.upper
        if not self.blocks.is_finite:
            corners = self._finite_corners()
            lower = upper = corners.astype(np.float64)
        if not len(self.faces.corners) or not len(lower):
            return np.full(3, np.nan), np.full(3, np.nan)
        lower, upper = lower.min(axis=0), upper.max(axis=0)
        return (lower + upper) / 2, (upper - lower) / 2

    def _finite_corners(self) -> Positions:
        """Return the corners of the triangles that are finite."""
        if not self.faces.is_read:
            return self.positions[:0]
        corners = self.positions[self.triangles]
        return corners[np.isfinite(corners).all(axis=(1, 2))].reshape(-1, 3)


def concatenated(deferred: Sequence[Deferred]) -> Deferred:
    """Return several deferred batches, at least one, as one."""
    corners, targets = zip(*deferred, strict=True)
    return np.concatenate(corners), np.concatenate(targets, axis=1)
