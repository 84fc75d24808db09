"""Placements of one frame: meshes in their own space, and a matrix for every place.

A mesh has a box, and an octree of its triangles once that is needed: a two-level hierarchy.
"""

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from functools import cached_property

import numpy as np

from ...core import Octree, Triangles, build_steps
from ..arrays import Flags, Floats, Ids
from ..reader import MeshArrays

Deferred = tuple[Floats, Ids]


class LocalMesh:
    """A mesh that any number of placements show, and the frusta still to be tested against it.

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
    deferred : list of (corners, targets)
        Corners of frusta in its space, (q, 8, 3), and what depends on each answer, (3, q).
    """

    def __init__(self, arrays: MeshArrays) -> None:
        self.arrays = arrays
        self.middle, self.half = _box(arrays)
        self.is_empty = bool(np.isnan(self.middle).any())
        self.sources: set[int] = set()
        self.deferred: list[Deferred] = []
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


def concatenated(deferred: Sequence[Deferred]) -> Deferred:
    """Return several deferred batches, at least one, as one."""
    corners, targets = zip(*deferred, strict=True)
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


# A placement squeezed, or sheared, by more than this has no inverse to rely on.
_FLAT = 2.0**-20


@dataclass(frozen=True, eq=False)
class Placements:
    """Every mesh in every place of one frame.

    Attributes
    ----------
    meshes : list of LocalMesh
        Each once.
    mesh_of : ndarray of intp, shape (p,)
        Index into `meshes`.
    object_of : ndarray of intp, shape (p,)
        Number of the object that shows it, itself or as an instance.
    face_mesh_of : ndarray of intp, shape (p,)
        Session id of the original mesh whose polygons these are, -1 if there is no way back.
    matrices : ndarray of float64, shape (p, 3, 4)
        From the space of the mesh to the world's.
    """

    meshes: list[LocalMesh]
    mesh_of: Ids
    object_of: Ids
    face_mesh_of: Ids
    matrices: Floats

    def __len__(self) -> int:
        return len(self.mesh_of)

    @cached_property
    def centers(self) -> Floats:
        """The middles of their boxes in the world, (p, 3)."""
        middles = np.array([mesh.middle for mesh in self.meshes]).reshape(-1, 3)[self.mesh_of]
        turned: Floats = np.einsum("pij,pj->pi", self.matrices[:, :, :3], middles)
        return turned + self.matrices[:, :, 3]

    @cached_property
    def half_edges(self) -> Floats:
        """Half of the edges of their boxes in the world, (p, 3, 3), one column an edge."""
        halves = np.array([mesh.half for mesh in self.meshes]).reshape(-1, 3)[self.mesh_of]
        return self.matrices[:, :, :3] * halves[:, None]

    @classmethod
    def of(
        cls,
        shown: Sequence[LocalMesh | None],
        object_of: Ids,
        face_mesh_of: Ids,
        matrices: Floats,
    ) -> "Placements":
        """Gather placements, leaving out those without a mesh.

        What a matrix flattens is baked into world space, under the identity.
        """
        meshes = [mesh for mesh in dict.fromkeys(shown) if mesh]
        numbers: dict[LocalMesh | None, int] = {mesh: n for n, mesh in enumerate(meshes)}
        mesh_of = np.array([numbers.get(mesh, -1) for mesh in shown], np.intp)
        places = np.flatnonzero(mesh_of >= 0)
        mesh_of, matrices = mesh_of[places], matrices[places]
        for place in np.flatnonzero(_is_flat(matrices[:, :, :3])):
            meshes.append(meshes[mesh_of[place]].placed(matrices[place]))
            mesh_of[place], matrices[place] = len(meshes) - 1, np.eye(3, 4)
        return cls(meshes, mesh_of, object_of[places], face_mesh_of[places], matrices)


def _is_flat(linear: Floats) -> Flags:
    """Tell which maps of (p, 3, 3) have no inverse to rely on."""
    with np.errstate(invalid="ignore"):  # a matrix that is not finite is not upright either
        lengths = np.linalg.norm(linear, axis=1)
        even = lengths.min(axis=1) > _FLAT * lengths.max(axis=1)
        upright = np.abs(np.linalg.det(linear)) > _FLAT * lengths.prod(axis=1)
    flat: Flags = ~(even & upright)
    return flat
