"""Two-level hierarchy of one frame: meshes in their own space, and their placements."""

from collections.abc import Sequence
from dataclasses import dataclass
from functools import cached_property

import numpy as np

from ..arrays import Flags, Floats, Ids
from .local_mesh import LocalMesh

# A placement squeezed, or sheared, by more than this has no inverse to rely on.
_FLAT = 2.0**-20


@dataclass(frozen=True, eq=False)
class FramePlacements:
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
    ) -> "FramePlacements":
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
