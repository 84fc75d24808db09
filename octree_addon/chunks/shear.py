"""Shear: a linear map that no place, turn and scale of an object can be goes into the vertices."""

import numpy as np
from numpy.typing import NDArray

from ..arrays import Flags, Floats
from ..reader import MeshLayers

# The cosine of an angle between axes from which on they count as oblique: matrices have single
# precision, and parents multiply its errors.
_OBLIQUE = 3e-6


def are_sheared(matrices: Floats) -> Flags:
    """Tell which matrices (r, 4, 4) turn right angles between axes into others, (r,)."""
    axes = matrices[:, :3, :3]
    cosines = axes.transpose(0, 2, 1) @ axes
    lengths = np.sqrt(np.einsum("rii->ri", cosines))
    full = lengths[:, :, None] * lengths[:, None]
    return (np.abs(cosines) > _OBLIQUE * full)[:, [0, 1, 2], [1, 2, 0]].any(axis=1)


def with_shear(layers: MeshLayers, matrix: Floats) -> tuple[MeshLayers, Floats]:
    """Return layers of a mesh under the linear part of a matrix (4, 4), and what is left of it.

    That is the place, and where the matrix mirrors, a mirror: faces keep their direction.
    """
    left = np.eye(4)
    left[0, 0] = -1.0 if np.linalg.det(matrix[:3, :3]) < 0 else 1.0
    linear = left[:3, :3] @ matrix[:3, :3]
    left[:3, 3] = matrix[:3, 3]
    keys = tuple(each._replace(positions=_mapped(each.positions, linear)) for each in layers.keys)
    positions, normals = _mapped(layers.positions, linear), _turned(layers.normals, linear)
    return layers._replace(positions=positions, normals=normals, keys=keys), left


def _mapped(points: NDArray[np.float32], linear: Floats) -> NDArray[np.float32]:
    return (points @ linear.T).astype(np.float32)


def _turned(normals: NDArray[np.float32], linear: Floats) -> NDArray[np.float32]:
    """Return normals (c, 3) as a map turns them, one long: by its cofactors."""
    one, two, three = linear.T
    cofactors = np.stack((np.cross(two, three), np.cross(three, one), np.cross(one, two)))
    turned = normals @ cofactors
    lengths = np.linalg.norm(turned, axis=1, keepdims=True)
    return (turned / np.where(lengths > 0, lengths, 1.0)).astype(np.float32)
