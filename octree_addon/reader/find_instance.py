"""Lookup of an instance in the depsgraph by its instancer and persistent id."""

from collections.abc import Sequence
from typing import NamedTuple

import bpy
import numpy as np

from ..arrays import UNUSED, Floats
from .meshes import ReadMesh, evaluated_mesh, mesh_arrays


class PlacedMesh(NamedTuple):
    """The mesh and the matrix of an instance.

    Attributes
    ----------
    matrix : ndarray of float64, shape (4, 4)
        From local space to world space.
    mesh : ReadMesh
        The triangles in local space.
    """

    matrix: Floats
    mesh: ReadMesh

    @property
    def bounds(self) -> Floats:
        """Lower and upper corner of the bounding box in local space, (2, 3)."""
        positions = self.mesh.positions.astype(np.float64)
        return np.stack((positions.min(axis=0), positions.max(axis=0)))

    @property
    def corners(self) -> Floats:
        """The corners of the local bounding box in world space, (8, 3)."""
        places = np.array([(x, y, z) for x in (0, 1) for y in (0, 1) for z in (0, 1)])
        corners = self.bounds[places, np.arange(3)]
        placed: Floats = corners @ self.matrix[:3, :3].T + self.matrix[:3, 3]
        return placed


def find_instance(
    depsgraph: bpy.types.Depsgraph, owner: int, numbers: Sequence[int]
) -> PlacedMesh | None:
    """Return the instance with this persistent id of an instancer; O(instances).

    `owner` is the session id of the instancer, `numbers` the used part of the persistent id.
    Returns None if there is no such instance, or if the instance has no triangles.
    """
    wanted = (*numbers, *[UNUSED] * (8 - len(numbers)))
    for instance in depsgraph.object_instances:
        if (
            instance.is_instance
            and instance.persistent_id[0] == wanted[0]
            and instance.object.type == "MESH"
            and tuple(instance.persistent_id) == wanted
            and instance.show_self
            and instance.parent.original.session_uid == owner
        ):
            matrix = np.array(instance.matrix_world, np.float64)
            with evaluated_mesh(instance.object) as mesh:
                arrays = mesh_arrays(mesh)
            return PlacedMesh(matrix, arrays) if len(arrays.triangles) else None
    return None
