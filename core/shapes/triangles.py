"""Triangles of an indexed mesh: vertices (3, v), faces (3, n), and corners (9, k) on demand."""

from functools import cached_property
from typing import Any

import numpy as np
from numpy.typing import ArrayLike, NDArray

from .. import checks, tuning
from ..arrays import (
    Flags,
    Floats,
    Ids,
    blocks,
    column_major,
    cross,
    dot,
    gather,
    power_of_two_scale,
)
from ..passes import taken_steps
from ..steps import Steps
from .boxes import Shapes, as_batch, frozen

# Placing of a mesh without matrices.
_NOTHING, _NO_MATRICES = np.empty(0, np.intp), np.empty((12, 0))


class Triangles(Shapes):
    """Triangles of an indexed mesh.

    Parameters
    ----------
    vertices : array_like of float, shape (v, 3)
        Copied, like the faces. Vertices that no face uses do not matter.
    faces : array_like of int, shape (n, 3)
        Three vertex numbers each. Triangles without area are valid.

    Raises
    ------
    ValueError
        On a wrong shape, or a vertex number outside 0..v-1.
    """

    def __init__(self, vertices: ArrayLike, faces: ArrayLike) -> None:
        points = checks.floats("vertices", vertices, 3)
        triples = checks.indices("faces", faces, 3, len(points), "vertices")
        self._vertex_rows = frozen(points.T)
        self._face_rows: Ids = np.array(triples.T, order="C")
        self._face_rows.setflags(write=False)

    @classmethod
    def steps(cls, vertices: NDArray[Any], faces: NDArray[Any]) -> Steps["Triangles"]:
        """Make triangles of an indexed mesh in steps, so that the caller is not blocked.

        Parameters
        ----------
        vertices : ndarray of float, shape (v, 3)
            As for the class; must not change before the last step.
        faces : ndarray of int, shape (n, 3)
            As for the class; must not change, either. Shared instead of copied if read-only and
            laid out in memory as `Triangles.faces`.

        Returns
        -------
        generator
            Yields the fraction done, but nothing for few triangles; its StopIteration carries the
            Triangles as `value`.

        Raises
        ------
        ValueError
            At a step, under the conditions of the class.
        """
        vertices, faces = checks.array("vertices", vertices), checks.array("faces", faces)
        piece = tuning.current.piece
        if max(vertices.size, faces.size) <= 3 * piece:
            return cls(vertices, faces)
        points, is_kept = np.empty((3, len(vertices))), _is_frozen(faces)
        rows = faces.T if is_kept else np.empty((3, len(faces)), np.intp)
        triples: Ids = np.asarray(rows, np.intp)  # `rows` itself, not a copy
        for some in blocks(len(vertices), piece):
            part = vertices[some]
            if not (part.dtype in (np.float32, np.float64) and part.shape[1:] == (3,)):
                part = checks.floats("vertices", part, 3)
            points[:, some] = part.T  # converted by the assignment, without a temporary
            yield 0.3 * some.stop / len(vertices)
        for some in blocks(len(faces), piece):
            part = faces[some]
            is_good = part.dtype.kind in "iu" and part.shape[1:] == (3,)
            if not (is_good and part.min() >= 0 and part.max() < len(vertices)):
                part = checks.indices("faces", part, 3, len(vertices), "vertices")
            if not is_kept:
                triples[:, some] = part.T
            yield 0.3 + 0.7 * some.stop / len(faces)
        triangles = object.__new__(cls)
        triangles._vertex_rows = frozen(points)
        return triangles._with_faces(triples)

    def __len__(self) -> int:
        return self._face_rows.shape[1]

    def __getitem__(self, ids: int | slice | Ids | Flags) -> "Triangles":
        return self._with_faces(np.stack([row[as_batch(ids)] for row in self._face_rows]))

    def _take_steps(self, ids: Ids) -> Steps["Triangles"]:
        return self._with_faces((yield from taken_steps(self._face_rows, ids)))

    def _with_faces(self, faces: Ids) -> "Triangles":
        """Return triangles with other faces, (3, n), and the same vertices."""
        some = object.__new__(Triangles)
        some._vertex_rows, some._face_rows = self._vertex_rows, faces
        some._face_rows.setflags(write=False)
        return some

    @property
    def rows(self) -> Floats:
        """The corners' coordinates, (9, n), gathered anew each time."""
        return frozen(self._corners(self._face_rows))

    @property
    def placing(self) -> tuple["Triangles", Ids, Ids, Floats]:
        """The mesh, each triangle's number there and column of matrices, and matrices (12, p).

        For a mesh without placements: the mesh itself, and empty arrays.
        """
        return self, _NOTHING, _NOTHING, _NO_MATRICES

    def _take(self, ids: Ids) -> Floats:
        return self._corners(gather(self._face_rows, ids))

    def _corners(self, faces: Ids) -> Floats:
        """Return the corners of these faces, (9, k)."""
        corners = np.empty((9, faces.shape[1]))
        for first, vertices in zip((0, 3, 6), faces, strict=True):
            for axis, row in enumerate(self._vertex_rows):
                np.take(row, vertices, out=corners[first + axis], mode="clip")
        return corners

    @property
    def vertices(self) -> Floats:
        """The vertices, (v, 3)."""
        return self._vertex_rows.T

    @property
    def faces(self) -> Ids:
        """The vertex numbers, (n, 3)."""
        return self._face_rows.T

    @property
    def has_discs(self) -> bool:
        """True if the spheres and planes of all triangles are cached."""
        return "bounding_spheres" in vars(self) and "planes" in vars(self)

    @cached_property
    def bounding_spheres(self) -> Floats:
        """Bounding spheres of the triangles: center x, y, z and radius, (4, n); cached."""
        spheres = np.empty((4, len(self)))
        lower, upper = self.limits()
        for some in blocks(len(self)):
            low, high = lower[:, some], upper[:, some]
            spheres[:3, some] = (low + high) / 2
            # Half a diagonal, plus a bound of rounding errors.
            spheres[3, some] = np.sqrt(((high - low) ** 2).sum(axis=0)) * (0.5 + 2.0**-40)
            spheres[3, some] += np.maximum(np.abs(low), np.abs(high)).max(axis=0) * 2.0**-50
        return column_major(spheres)

    @cached_property
    def planes(self) -> Floats:
        """The planes relative to the centers of `bounding_spheres`, (4, n); cached.

        Unit normals and heights; zero if rounding may turn the normal by more than 2**-30.
        """
        planes = np.empty((4, len(self)))
        for some in blocks(len(self)):
            corners = self._corners(self._face_rows[:, some]).reshape(3, 3, -1)
            edges = corners[1:] - corners[0]
            edges *= power_of_two_scale(edges)
            normal = cross(edges[0], edges[1])
            length = np.sqrt(dot(normal, normal))
            known = length > 2.0**-20  # for edges with a length of about one
            normal = np.divide(normal, length, out=np.zeros_like(normal), where=known)
            planes[:3, some] = normal
            planes[3, some] = dot(normal, corners[0] - self.bounding_spheres[:3, some])
        return column_major(planes)

    def _limits(self) -> tuple[Floats, Floats]:
        lower, upper = np.empty((3, len(self))), np.empty((3, len(self)))
        for some in blocks(len(self)):
            first, second, third = self._corners(self._face_rows[:, some]).reshape(3, 3, -1)
            np.minimum(np.minimum(first, second), third, out=lower[:, some])
            np.maximum(np.maximum(first, second), third, out=upper[:, some])
        return lower, upper


def _is_frozen(faces: NDArray[Any]) -> bool:
    """Return whether faces (n, 3) are read-only, and laid out in memory as in `Triangles`."""
    rows, owner = faces.T, faces.base
    if not isinstance(owner, np.ndarray) or not owner.flags.owndata or owner.flags.writeable:
        return False
    return rows.dtype == np.intp and rows.flags.c_contiguous and owner.nbytes == rows.nbytes


def first_corners(triangles: Triangles, ids: Ids) -> Floats:
    """Return one corner of some triangles, (3, k)."""
    return gather(triangles._vertex_rows, triangles._face_rows[0].take(ids, mode="clip"))
