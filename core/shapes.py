"""Shapes in batches: frozen, float64, axis first.

Every batch keeps its numbers as `rows`, (k, n): one contiguous row for each coordinate. The
attributes that carry the constructor's names are views of those rows, vectors last.

==========  ==  ==================================================================
batch       k   rows
==========  ==  ==================================================================
Boxes       6   lower x, y, z, upper x, y, z
Spheres     4   centre x, y, z, radius
Triangles   9   first corner x, y, z, second corner x, y, z, third corner x, y, z
Frusta      24  the eight corners in order, x, y, z each
==========  ==  ==================================================================
"""

from functools import cached_property
from typing import Self

import numpy as np
from numpy.typing import ArrayLike, NDArray

from . import checks
from .arrays import Flags, Floats, Ids, blocks, gather

# The two other axes, in the order that makes cross products.
AROUND = ((1, 2), (2, 0), (0, 1))
# The corners of a hexahedron: near lower-left, lower-right, upper-right, upper-left, then far.
# Its faces, each as a ring of corners: left, right, bottom, top, near, far.
FACES = np.array(
    [[0, 3, 7, 4], [1, 2, 6, 5], [0, 1, 5, 4], [3, 2, 6, 7], [0, 1, 2, 3], [4, 5, 6, 7]]
)
EDGE_STARTS = np.array([0, 1, 2, 3, 4, 5, 6, 7, 0, 1, 2, 3])
EDGE_ENDS = np.array([1, 2, 3, 0, 5, 6, 7, 4, 4, 5, 6, 7])
# Each corner is where three faces meet: left or right, bottom or top, near or far.
CORNER_PLANES = np.array(
    [[0, 2, 4], [1, 2, 4], [1, 3, 4], [0, 3, 4], [0, 2, 5], [1, 2, 5], [1, 3, 5], [0, 3, 5]]
)
CLIP_CORNERS = np.array(
    [[-1, 1, 1, -1] * 2, [-1, -1, 1, 1] * 2, [-1] * 4 + [1] * 4, [1] * 8], np.float64
)


def frozen(rows: Floats) -> Floats:
    """`rows`, contiguous and read-only."""
    rows = np.ascontiguousarray(rows)
    rows.setflags(write=False)
    return rows


class Shapes:
    """What all batches share: a length, selection by number, and bounds."""

    _rows: Floats

    def __len__(self) -> int:
        return self.rows.shape[1]

    def __getitem__(self, ids: int | slice | Ids | Flags) -> Self:
        return self._of(self.rows[:, _batch(ids)])

    def __repr__(self) -> str:
        return f"{type(self).__name__}(n={len(self)})"

    @classmethod
    def _of(cls, rows: Floats) -> Self:
        """A batch over rows that are known to be sound."""
        shapes = cls.__new__(cls)
        shapes._rows = frozen(rows)
        return shapes

    @property
    def rows(self) -> Floats:
        """The coordinates, (k, n) float64, read-only, one row for each."""
        return self._rows

    def limits(self) -> tuple[Floats, Floats]:
        """The bounds as two arrays of shape (3, n): lower and upper."""
        raise NotImplementedError

    def bounds(self) -> "Boxes":
        """The axis-aligned box around each shape.

        Returns
        -------
        Boxes
            n boxes, in the same order. NaN stays NaN.
        """
        return Boxes._of(np.concatenate(self.limits()))


class Boxes(Shapes):
    """Axis-aligned boxes.

    Parameters
    ----------
    lower, upper : array_like of float, shape (n, 3)
        Opposite corners, lower <= upper on each axis. A box may be flat. Copied.

    Raises
    ------
    ValueError
        On a wrong shape, or where lower > upper.
    """

    def __init__(self, lower: ArrayLike, upper: ArrayLike) -> None:
        low, high = checks.floats("lower", lower, 3), checks.floats("upper", upper, 3)
        checks.same_length("lower and upper", low, high)
        checks.every_row("lower", "not exceed upper", ~(low > high).any(axis=1), low)
        self._rows = frozen(np.concatenate((low.T, high.T)))

    @property
    def lower(self) -> Floats:
        """The lower corners, (n, 3)."""
        return self.rows[:3].T

    @property
    def upper(self) -> Floats:
        """The upper corners, (n, 3)."""
        return self.rows[3:].T

    def limits(self) -> tuple[Floats, Floats]:
        """The boxes themselves: lower and upper, (3, n) each."""
        return self.rows[:3], self.rows[3:]


class Spheres(Shapes):
    """Solid spheres.

    Parameters
    ----------
    centers : array_like of float, shape (n, 3)
        Copied, like the radii.
    radii : array_like of float, shape (n,)
        Not negative; a sphere of radius 0 is a point.

    Raises
    ------
    ValueError
        On a wrong shape or a negative radius.
    """

    def __init__(self, centers: ArrayLike, radii: ArrayLike) -> None:
        middle, radius = checks.floats("centers", centers, 3), checks.floats("radii", radii)
        checks.same_length("centers and radii", middle, radius)
        checks.every_row("radii", "not be negative", ~(radius < 0), radius)
        self._rows = frozen(np.concatenate((middle.T, radius[None])))

    @property
    def centers(self) -> Floats:
        """The centres, (n, 3)."""
        return self.rows[:3].T

    @property
    def radii(self) -> Floats:
        """The radii, (n,)."""
        return self.rows[3]

    def limits(self) -> tuple[Floats, Floats]:
        """Centre minus and plus radius, (3, n) each."""
        return self.rows[:3] - self.rows[3], self.rows[:3] + self.rows[3]


class Triangles(Shapes):
    """Triangles of an indexed mesh.

    Parameters
    ----------
    vertices : array_like of float, shape (v, 3)
        Copied, like the faces. Vertices that no face uses do not matter.
    faces : array_like of int, shape (n, 3)
        Three vertex numbers each. A triangle of no area is a triangle.

    Raises
    ------
    ValueError
        On a wrong shape, or a vertex number outside 0..v-1.
    """

    def __init__(self, vertices: ArrayLike, faces: ArrayLike) -> None:
        points = checks.floats("vertices", vertices, 3)
        triples = checks.indices("faces", faces, 3, len(points))
        self._vertex_rows = frozen(points.T)
        self._face_rows: Ids = np.array(triples.T, order="C")
        self._face_rows.setflags(write=False)

    def __len__(self) -> int:
        return self._face_rows.shape[1]

    def __getitem__(self, ids: int | slice | Ids | Flags) -> "Triangles":
        some = object.__new__(Triangles)
        some._vertex_rows = self._vertex_rows
        some._face_rows = np.stack([row[_batch(ids)] for row in self._face_rows])
        some._face_rows.setflags(write=False)
        return some

    @cached_property
    def rows(self) -> Floats:  # type: ignore[override]
        """The corners' coordinates, (9, n), gathered once."""
        return frozen(self._corners(slice(None)))

    def _corners(self, some: slice) -> Floats:
        corners = [gather(self._vertex_rows, row[some]) for row in self._face_rows]
        return np.concatenate(corners)

    @property
    def vertices(self) -> Floats:
        """The vertices, (v, 3)."""
        return self._vertex_rows.T

    @property
    def faces(self) -> Ids:
        """The vertex numbers, (n, 3)."""
        return self._face_rows.T

    @cached_property
    def balls(self) -> Floats:
        """A sphere around each triangle: centre x, y, z and radius, (4, n), made once."""
        balls = np.empty((4, len(self)))
        lower, upper = self.limits()
        for some in blocks(len(self)):
            low, high = lower[:, some], upper[:, some]
            balls[:3, some] = (low + high) / 2
            # Half a diagonal, and what rounding may take of it.
            balls[3, some] = np.sqrt(((high - low) ** 2).sum(axis=0)) * (0.5 + 2.0**-40)
            balls[3, some] += np.maximum(np.abs(low), np.abs(high)).max(axis=0) * 2.0**-50
        return frozen(balls)

    def limits(self) -> tuple[Floats, Floats]:
        """Least and greatest corner on each axis, (3, n) each."""
        lower, upper = np.empty((2, 3, len(self)))
        for some in blocks(len(self)):
            first, second, third = self._corners(some).reshape(3, 3, -1)
            np.minimum(np.minimum(first, second), third, out=lower[:, some])
            np.maximum(np.maximum(first, second), third, out=upper[:, some])
        return lower, upper


class Frusta(Shapes):
    """Camera frusta, or any other convex solids with six flat faces and eight corners.

    Parameters
    ----------
    corners : array_like of float, shape (n, 8, 3)
        Near lower-left, lower-right, upper-right, upper-left, then far likewise; mirrored is
        fine. That the solid is convex and its faces are flat is the caller's word. Copied.

    Raises
    ------
    ValueError
        On a wrong shape.
    """

    def __init__(self, corners: ArrayLike) -> None:
        self._rows = frozen(checks.floats("corners", corners, 8, 3).reshape(-1, 24).T)

    @classmethod
    def from_planes(cls, planes: ArrayLike) -> "Frusta":
        """Frusta between six planes each.

        Parameters
        ----------
        planes : array_like of float, shape (n, 6, 4)
            Left, right, bottom, top, near, far: a, b, c, d with ax + by + cz + d >= 0 inside.

        Returns
        -------
        Frusta
            n frusta, with the corners where three planes meet.

        Raises
        ------
        ValueError
            On a wrong shape, or where three planes that should meet do not meet in one point.
        """
        array = checks.floats("planes", planes, 6, 4)
        normals, offsets = array[:, CORNER_PLANES, :3], array[:, CORNER_PLANES, 3]
        try:
            return cls(np.linalg.solve(normals, -offsets[..., None])[..., 0])
        except np.linalg.LinAlgError:
            raise ValueError("planes must meet in eight corners, got parallel planes") from None

    @classmethod
    def from_matrices(cls, view_projection: ArrayLike) -> "Frusta":
        """Frusta that these matrices project to the cube from -1 to 1.

        Parameters
        ----------
        view_projection : array_like of float, shape (n, 4, 4)
            Projection @ view, OpenGL clip space, for column vectors.

        Returns
        -------
        Frusta
            n frusta, in world space.

        Raises
        ------
        ValueError
            On a wrong shape or a matrix that has no inverse.
        """
        matrices = checks.floats("view_projection", view_projection, 4, 4)
        try:
            corners = np.linalg.inv(matrices) @ CLIP_CORNERS
        except np.linalg.LinAlgError:
            raise ValueError("view_projection must have an inverse, got a singular one") from None
        return cls((corners[:, :3] / corners[:, 3:]).swapaxes(1, 2))

    @property
    def corners(self) -> Floats:
        """The corners, (n, 8, 3)."""
        return self.rows.reshape(8, 3, -1).transpose(2, 0, 1)

    @cached_property
    def plane_rows(self) -> Floats:
        """The planes a, b, c, d through the six faces, (6, 4, n), positive inside.

        Their normals are not unit, so that whole numbers stay whole. Every corner lies inside all
        six. A face without area, like the tip of a pyramid, has the plane 0, 0, 0, 0.
        """
        corners = self.rows.reshape(8, 3, -1)
        rings = corners[FACES]
        normals = np.cross(rings[:, 2] - rings[:, 0], rings[:, 3] - rings[:, 1], axis=1)
        inward = corners.mean(axis=0) - rings.mean(axis=1)
        normals *= np.where((normals * inward).sum(axis=1) < 0, -1.0, 1.0)[:, None]
        offsets = -np.einsum("fan,can->fcn", normals, corners).min(axis=1)
        return frozen(np.concatenate((normals, offsets[:, None]), axis=1))

    @cached_property
    def edge_axes(self) -> tuple[Floats, Floats, Floats]:
        """The cross products of the axes with all edges, and how far the frustum reaches on them.

        Returns
        -------
        axes : ndarray of float64, shape (36, 3, n)
        least, greatest : ndarray of float64, shape (36, n)
        """
        corners = self.rows.reshape(8, 3, -1)
        edges = corners[EDGE_ENDS] - corners[EDGE_STARTS]
        axes = np.cross(np.eye(3)[:, None, :, None], edges[None], axis=2).reshape(36, 3, -1)
        along = np.einsum("aqn,cqn->acn", axes, corners)
        return axes, along.min(axis=1), along.max(axis=1)

    @cached_property
    def face_triangles(self) -> Triangles:
        """The faces in two halves each: twelve triangles for every frustum."""
        halves = FACES[:, [[0, 1, 2], [0, 2, 3]]].reshape(1, 12, 3)
        faces = halves + 8 * np.arange(len(self))[:, None, None]
        return Triangles(self.corners.reshape(-1, 3), faces.reshape(-1, 3))

    def limits(self) -> tuple[Floats, Floats]:
        """Least and greatest corner on each axis, (3, n) each."""
        corners = self.rows.reshape(8, 3, -1)
        return corners.min(axis=0), corners.max(axis=0)


def _batch(ids: int | slice | Ids | Flags) -> slice | NDArray[np.generic]:
    """A selection that keeps the batch a batch: one number selects a batch of one."""
    return ids if isinstance(ids, slice) else np.atleast_1d(ids)
