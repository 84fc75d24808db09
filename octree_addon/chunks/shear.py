"""Shear, which no location, rotation and scale of an object expresses, applied to vertices."""

import numpy as np
from numpy.typing import NDArray

from ..arrays import Flags, Floats
from ..reader import MeshLayers

# Axes count as oblique if the cosine of their angle is larger. Matrices have single precision,
# and parents multiply the errors.
_OBLIQUE = 3e-6


def are_sheared(matrices: Floats) -> Flags:
    """Flag matrices (r, 4, 4) with axes that are not at right angles, (r,)."""
    axes = matrices[:, :3, :3]
    cosines = axes.transpose(0, 2, 1) @ axes
    lengths = np.sqrt(np.einsum("rii->ri", cosines))
    full = lengths[:, :, None] * lengths[:, None]
    return (np.abs(cosines) > _OBLIQUE * full)[:, [0, 1, 2], [1, 2, 0]].any(axis=1)


def with_shear(layers: MeshLayers, matrix: Floats) -> tuple[MeshLayers, Floats]:
    """Return mesh layers transformed by the linear part of a matrix (4, 4), and a new matrix.

    The new matrix keeps the translation. If the given one mirrors, it also mirrors along x, so
    that faces keep their orientation.
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
    """Return unit normals (c, 3) under a linear map, by its cofactor matrix."""
    one, two, three = linear.T
    cofactors = np.stack((np.cross(two, three), np.cross(three, one), np.cross(one, two)))
    turned = normals @ cofactors
    lengths = np.linalg.norm(turned, axis=1, keepdims=True)
    return (turned / np.where(lengths > 0, lengths, 1.0)).astype(np.float32)
