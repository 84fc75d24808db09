"""Few vertices against frusta: most are decided by them, and no tree has to be built."""

import numpy as np
from numpy.typing import NDArray

from ...core import Frusta

Flags = NDArray[np.bool_]
Floats = NDArray[np.float64]
# Heights computed at once: 8 MiB.
_BLOCK = 1 << 20
# Rounding of what is computed here, as a part of the coordinates: only what is farther counts.
_SLACK = 2.0**-40


def judge_vertices(vertices: Floats, frusta: Frusta) -> tuple[Flags, Flags]:
    """Tell which frusta hold a vertex, and which have all of them beyond one side, for certain.

    Parameters
    ----------
    vertices : ndarray of float64, shape (n, 3)
        Corners of triangles, or of a solid.
    frusta : Frusta
        q of them.

    Returns
    -------
    holds, misses : ndarray of bool, shape (q,)
        Neither where what is between the vertices has to decide; O(q n).
    """
    planes = frusta.plane_rows.transpose(2, 0, 1)
    holds, misses = np.zeros((2, len(planes)), np.bool_)
    step = max(1, _BLOCK // (6 * len(vertices)))
    for start in range(0, len(planes), step):
        part = slice(start, start + step)
        normals, offsets = planes[part, :, :3], planes[part, :, 3:]
        heights = normals @ vertices.T + offsets
        sizes = np.abs(normals) @ np.abs(vertices).max(axis=0)[:, None] + np.abs(offsets)
        holds[part] = (heights > _SLACK * sizes).all(axis=1).any(axis=1)
        misses[part] = (heights < -_SLACK * sizes).all(axis=2).any(axis=1)
    return holds, misses
