"""One mesh in its own space: its box, and an octree of its triangles when that is asked for."""

from collections.abc import Iterator, Sequence
from functools import cached_property

import numpy as np
from numpy.typing import NDArray

from ...core import Octree, Triangles, build_steps
from ..reader import MeshArrays

Floats = NDArray[np.float64]
Ids = NDArray[np.intp]
Question = tuple[Floats, Ids]


class LocalMesh:
    """A mesh that any number of placements show, and what is still to be asked of it.

    Parameters
    ----------
    arrays : MeshArrays
        Its triangles.

    Attributes
    ----------
    middle, half : ndarray of float64, shape (3,)
        Its box; NaN if it has no triangle with finite coordinates.
    is_empty : bool
        Whether that is so.
    sources : set of int
        Session ids of the objects that show it.
    questions : list of (corners, targets)
        Corners of frusta in its space, (q, 8, 3), and what depends on each answer, (3, q).
    """

    def __init__(self, arrays: MeshArrays) -> None:
        self.arrays = arrays
        self.middle, self.half = _box(arrays)
        self.is_empty = bool(np.isnan(self.middle).any())
        self.sources: set[int] = set()
        self.questions: list[Question] = []
        self._octree: Octree | None = None

    @cached_property
    def corners(self) -> Floats:
        """The vertices that are corners of triangles, (n, 3)."""
        used = np.unique(self.arrays.triangles)
        return self.arrays.positions[used].astype(np.float64)

    @property
    def polygon_count(self) -> int:
        """How many polygons its triangles are parts of."""
        return int(self.arrays.polygons[-1]) + 1

    @property
    def octree(self) -> Octree:
        """The octree of its triangles, once `build` has made it."""
        assert self._octree is not None
        return self._octree

    def build(self) -> Iterator[float]:
        """Make the octree step by step, unless it is there."""
        if self._octree is None:
            items = Triangles(self.arrays.positions, self.arrays.triangles)
            self._octree = yield from build_steps(items)

    def placed(self, matrix: Floats) -> "LocalMesh":
        """Return the same mesh where a matrix of (3, 4) puts it."""
        with np.errstate(invalid="ignore", over="ignore"):  # the core sets such triangles aside
            positions = self.arrays.positions @ matrix[:, :3].T + matrix[:, 3]
        return LocalMesh(self.arrays._replace(positions=positions))


def joined(questions: Sequence[Question]) -> Question:
    """Return several questions, of which there is at least one, as one."""
    corners, targets = zip(*questions, strict=True)
    return np.concatenate(corners), np.concatenate(targets, axis=1)


def _box(arrays: MeshArrays) -> tuple[Floats, Floats]:
    """Return the middle of the box around all vertices of triangles, and half its size."""
    positions = arrays.positions
    if not np.isfinite(positions).all():
        corners = positions[arrays.triangles]
        positions = corners[np.isfinite(corners).all(axis=(1, 2))].reshape(-1, 3)
    if not len(arrays.triangles) or not len(positions):
        return np.full(3, np.nan), np.full(3, np.nan)
    lower, upper = (f(axis=0).astype(np.float64) for f in (positions.min, positions.max))
    return (lower + upper) / 2, (upper - lower) / 2
