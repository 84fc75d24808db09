"""Affine placement: triangles transformed by matrices, computed pair by pair when needed."""

from functools import cached_property
from typing import Any

import numpy as np
from numpy.typing import ArrayLike

from .. import checks
from ..arrays import Flags, Floats, Ids, blocks, gather
from ..shapes import Triangles
from ..shapes.boxes import as_batch
from .growing import GrownTriangles

LAST_ROW = (0.0, 0.0, 0.0, 1.0)


def matrix_rows(matrices: ArrayLike) -> Floats:
    """Return the first three rows of matrices, (12, n), or raise a ValueError."""
    array = checks.floats("matrices", matrices, 4, 4)
    finite = np.isfinite(array).all(axis=(1, 2))
    affine = (array[:, 3] == LAST_ROW).all(axis=1)
    checks.every_row("matrices", "end in the row 0, 0, 0, 1", affine | ~finite, array[:, 3])
    array[~finite & np.isfinite(array[:, :3]).all(axis=(1, 2))] = np.nan
    return np.ascontiguousarray(array[:, :3].reshape(-1, 12).T)


def placed(points: Floats, matrices: Floats) -> Floats:
    """Return points transformed by matrices, always in the same order of operations.

    Parameters
    ----------
    points : ndarray of float64, shape (3 k, ...)
        x, y, z of k points.
    matrices : ndarray of float64, shape (12, ...)
        Three rows of four elements; the other axes are broadcast to those of the points.

    Returns
    -------
    ndarray of float64, shape (3 k, ...)
    """
    found, other = np.empty_like(points), np.empty(points.shape[1:])
    for first in range(0, len(points), 3):
        x, y, z = points[first : first + 3]
        for axis in range(3):
            one, two, three, shift = matrices[4 * axis : 4 * axis + 4]
            row = found[first + axis]
            np.multiply(x, one, out=row)
            np.multiply(y, two, out=other)
            row += other
            np.multiply(z, three, out=other)
            row += other
            row += shift
    return found


class PlacedTriangles(Triangles):
    """Pairs of a triangle and a matrix, as a batch of triangles for exact tests.

    Item i is triangle `entries[i]` of `triangles`, transformed by column `places[i]` of `matrices`
    (12, p). This matrix stretches lengths by a factor of at most `stretches[places[i]]`.
    """

    def __init__(
        self, triangles: Triangles, matrices: Floats, stretches: Floats, entries: Ids, places: Ids
    ) -> None:
        self._triangles, self._matrices, self._stretches = triangles, matrices, stretches
        self._entries, self._places = entries, places

    def __len__(self) -> int:
        return len(self._entries)

    def __getitem__(self, ids: int | slice | Ids | Flags) -> "PlacedTriangles":
        some: Any = as_batch(ids)
        return PlacedTriangles(
            self._triangles,
            self._matrices,
            self._stretches,
            self._entries[some],
            self._places[some],
        )

    @property
    def rows(self) -> Floats:
        """The coordinates of the corners, (9, n), computed at each access."""
        return self.take_rows(np.arange(len(self)))

    @property
    def placing(self) -> tuple[Triangles, Ids, Ids, Floats]:
        """The triangles, the entry and the matrix column of each item, and the matrices."""
        return self._triangles, self._entries, self._places, self._matrices

    def _take(self, ids: Ids) -> Floats:
        corners = self._triangles.take_rows(self._entries.take(ids))
        return placed(corners, gather(self._matrices, self._places.take(ids)))

    def _limits(self) -> tuple[Floats, Floats]:
        """Return the bounds of each triangle.

        Returns
        -------
        lower, upper : ndarray of float64, shape (3, n)
            The smallest and the largest coordinate of the corners on each axis.
        """
        lower, upper = np.empty((3, len(self))), np.empty((3, len(self)))
        for some in blocks(len(self)):
            corners = self.take_rows(np.arange(some.start, some.stop)).reshape(3, 3, -1)
            lower[:, some], upper[:, some] = corners.min(axis=0), corners.max(axis=0)
        return lower, upper

    @cached_property
    def bounding_spheres(self) -> Floats:
        """Bounding spheres of the triangles: center x, y, z and radius, (4, n).

        If the bounding spheres of the meshes exist or pay off, they are transformed; otherwise the
        spheres circumscribe the bounding boxes of the placed triangles.
        """
        triangles = self._triangles
        if not (isinstance(triangles, GrownTriangles) and triangles.is_worth_spheres(len(self))):
            lower, upper = self.limits()
            return _around(lower, upper)
        spheres = gather(triangles.bounding_spheres, self._entries)
        stretch = self._stretches.take(self._places)
        matrices = gather(self._matrices, self._places)
        size = np.abs(spheres[:3]).max(axis=0) * stretch + np.abs(matrices[3::4]).max(axis=0)
        centers = placed(spheres[:3], matrices)
        return np.concatenate((centers, (spheres[3] * stretch + size * 2.0**-46)[None]))


def _around(lower: Floats, upper: Floats) -> Floats:
    """Return spheres around boxes, (4, n), with radii enlarged against rounding."""
    radii = np.sqrt(((upper - lower) ** 2).sum(axis=0)) * (0.5 + 2.0**-40)
    radii += np.maximum(np.abs(lower), np.abs(upper)).max(axis=0) * 2.0**-50
    return np.concatenate(((lower + upper) / 2, radii[None]))
