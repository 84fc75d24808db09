"""The boxes of cells: corners (c, 8, 3), edges (12 c, 2)."""

import numpy as np
from numpy.typing import NDArray

from ...core import Octree
from ...core.wireframe import CORNERS, EDGES

_EDGES = EDGES.astype(np.uint32)


def cell_corners(octree: Octree, cells: NDArray[np.intp], boxes: str) -> NDArray[np.float32]:
    """Return the corners of the cells' boxes, ready for the graphics card.

    Parameters
    ----------
    octree : Octree
        The tree.
    cells : ndarray of intp, shape (c,)
        Cell numbers.
    boxes : str
        "TIGHT" or "LOOSE".

    Returns
    -------
    ndarray of float32, shape (c, 8, 3)
        World space. Corner k lies at the upper wall of axis a where bit a of k is set.
    """
    if boxes == "LOOSE":
        return box_corners(octree.loose_lower, octree.loose_upper, cells)
    return box_corners(octree.node_lower, octree.node_upper, cells)


def box_corners(
    lower: NDArray[np.float64], upper: NDArray[np.float64], numbers: NDArray[np.intp]
) -> NDArray[np.float32]:
    """Return the corners of some boxes, (c, 8, 3), in the order of `cell_corners`."""
    walls = np.empty((2, 3, len(numbers)), np.float32)
    for axis in range(3):
        walls[0, axis] = lower[numbers, axis]
        walls[1, axis] = upper[numbers, axis]
    corners = np.empty((len(numbers), 8, 3), np.float32)
    for corner, axis in np.ndindex(8, 3):
        corners[:, corner, axis] = walls[CORNERS[corner, axis], axis]
    return corners


def box_edges(count: int) -> NDArray[np.uint32]:
    """Return the edges of so many boxes, (12 count, 2), as rows of their flattened corners."""
    first_corners = np.arange(count, dtype=np.uint32) * 8
    return np.add(first_corners[:, None, None], _EDGES).reshape(-1, 2)
