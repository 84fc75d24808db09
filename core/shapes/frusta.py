"""Volumes bounded by planes: half-spaces (4, n), and camera frusta or other hexahedra (24, n)."""

from functools import cached_property

import numpy as np
from numpy.typing import ArrayLike

from .. import checks
from ..arrays import Flags, Floats, power_of_two_scale
from .boxes import Shapes, frozen
from .triangles import Triangles

# The corners of a hexahedron: near lower-left, lower-right, upper-right, upper-left, then far.
# Its faces, each as a ring of corners: left, right, bottom, top, near, far.
FACES = np.array(
    [[0, 3, 7, 4], [1, 2, 6, 5], [0, 1, 5, 4], [3, 2, 6, 7], [0, 1, 2, 3], [4, 5, 6, 7]]
)
EDGE_STARTS = np.array([0, 1, 2, 3, 4, 5, 6, 7, 0, 1, 2, 3])
EDGE_ENDS = np.array([1, 2, 3, 0, 5, 6, 7, 4, 4, 5, 6, 7])
# The three faces at each corner: left or right, bottom or top, near or far.
CORNER_PLANES = np.array(
    [[0, 2, 4], [1, 2, 4], [1, 3, 4], [0, 3, 4], [0, 2, 5], [1, 2, 5], [1, 3, 5], [0, 3, 5]]
)
# A frustum thinner than this part of its extent counts as flat.
_FLAT = 2.0**-40
CLIP_CORNERS = np.array(
    [[-1, 1, 1, -1] * 2, [-1, -1, 1, 1] * 2, [-1] * 4 + [1] * 4, [1] * 8], np.float64
)


class Frusta(Shapes):
    """Camera frusta, or any other convex solids with six flat faces and eight corners.

    Parameters
    ----------
    corners : array_like of float, shape (n, 8, 3)
        Near lower-left, lower-right, upper-right, upper-left, then the four far corners alike;
        the order may be mirrored. The solid must be convex with flat faces, which is not checked.
        Copied.

    Raises
    ------
    ValueError
        On a wrong shape.
    """

    def __init__(self, corners: ArrayLike) -> None:
        self._rows = frozen(checks.floats("corners", corners, 8, 3).reshape(-1, 24).T)

    @classmethod
    def from_planes(cls, planes: ArrayLike) -> "Frusta":
        """Make frusta between six planes each.

        Parameters
        ----------
        planes : array_like of float, shape (n, 6, 4)
            Left, right, bottom, top, near, far: a, b, c, d with ax + by + cz + d >= 0 inside.

        Returns
        -------
        Frusta
            n frusta, whose corners are common points of three planes.

        Raises
        ------
        ValueError
            On a wrong shape, or if three planes of a corner have no single common point.
        """
        array = checks.floats("planes", planes, 6, 4)
        normals, offsets = array[:, CORNER_PLANES, :3], array[:, CORNER_PLANES, 3]
        try:
            return cls(np.linalg.solve(normals, -offsets[..., None])[..., 0])
        except np.linalg.LinAlgError:
            raise ValueError("planes must meet in eight corners, got parallel planes") from None

    @classmethod
    def from_matrices(cls, view_projection: ArrayLike) -> "Frusta":
        """Make frusta that matrices project to the cube from -1 to 1.

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
        with np.errstate(divide="ignore", invalid="ignore"):  # far plane at infinity
            return cls((corners[:, :3] / corners[:, 3:]).swapaxes(1, 2))

    @property
    def corners(self) -> Floats:
        """The corners, (n, 8, 3)."""
        return self.rows.reshape(8, 3, -1).transpose(2, 0, 1)

    @cached_property
    def plane_rows(self) -> Floats:
        """The planes a, b, c, d through the six faces, (6, 4, n), positive inside.

        Normals are scaled to about one by powers of two, so that whole numbers stay exact. All
        corners lie inside all six planes. A face without area, such as a tip, has the plane
        0, 0, 0, 0.
        """
        corners = self.rows.reshape(8, 3, -1)
        rings = corners[FACES]
        normals = np.cross(rings[:, 2] - rings[:, 0], rings[:, 3] - rings[:, 1], axis=1)
        # Each normal has its own scale: near faces are often a millionth as wide as far faces.
        normals *= power_of_two_scale(normals.swapaxes(0, 1).reshape(3, -1)).reshape(6, 1, -1)
        inward = corners.mean(axis=0) - rings.mean(axis=1)
        normals *= np.where((normals * inward).sum(axis=1) < 0, -1.0, 1.0)[:, None]
        offsets = -np.einsum("fan,can->fcn", normals, corners).min(axis=1)
        return frozen(np.concatenate((normals, offsets[:, None]), axis=1))

    @property
    def is_solid(self) -> Flags:
        """Flags of frusta with a volume, (n,); faces may be tips, but flat solids have none."""
        planes, corners = self.plane_rows, self.rows.reshape(8, 3, -1)
        middle, extent = corners.mean(axis=0), np.ptp(corners, axis=0).max(axis=0)
        depth = np.einsum("fan,an->fn", planes[:, :3], middle) + planes[:, 3]
        has_area = planes[:, :3].any(axis=1)
        deep = (depth > _FLAT * extent) | ~has_area
        return deep.all(axis=0) & (has_area.sum(axis=0) >= 4)

    @cached_property
    def edge_axes(self) -> tuple[Floats, Floats, Floats]:
        """Products of axes and edges, (36, 3, n); least and greatest projections, (36, n)."""
        corners = self.rows.reshape(8, 3, -1)
        edges = corners[EDGE_ENDS] - corners[EDGE_STARTS]
        edges *= power_of_two_scale(edges)
        axes = np.cross(np.eye(3)[:, None, :, None], edges[None], axis=2).reshape(36, 3, -1)
        along = np.einsum("aqn,cqn->acn", axes, corners)
        return frozen(axes), frozen(along.min(axis=1)), frozen(along.max(axis=1))

    @cached_property
    def face_triangles(self) -> Triangles:
        """Two triangles for each face: twelve for every frustum, in order."""
        halves = FACES[:, [[0, 1, 2], [0, 2, 3]]].reshape(1, 12, 3)
        faces = halves + 8 * np.arange(len(self))[:, None, None]
        return Triangles(self.corners.reshape(-1, 3), faces.reshape(-1, 3))

    def _limits(self) -> tuple[Floats, Floats]:
        corners = self.rows.reshape(8, 3, -1)
        return corners.min(axis=0), corners.max(axis=0)


class HalfSpaces(Shapes):
    """Half-spaces: all points on the positive side of a plane, the plane included.

    Parameters
    ----------
    planes : array_like of float, shape (n, 4)
        a, b, c, d: inside if ax + by + cz + d >= 0. The normal a, b, c points inside and may
        have any length but 0. Copied.

    Raises
    ------
    ValueError
        On a wrong shape or a normal of 0, 0, 0.
    """

    def __init__(self, planes: ArrayLike) -> None:
        array = checks.floats("planes", planes, 4)
        directed = (array[:, :3] != 0).any(axis=1)
        checks.every_row("planes", "have a normal that is not zero", directed, array)
        self._rows = frozen(array.T)

    @property
    def planes(self) -> Floats:
        """The planes a, b, c, d, (n, 4)."""
        return self.rows.T

    @cached_property
    def plane_rows(self) -> Floats:
        """The planes, (4, n), with normals scaled to about one by powers of two."""
        return frozen(self.rows * power_of_two_scale(self.rows[:3]))

    def _limits(self) -> tuple[Floats, Floats]:
        upper = np.full((3, len(self)), np.inf)
        return -upper, upper
