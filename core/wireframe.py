"""Wireframe: the edges of cells as line segments, for drawing."""

import numpy as np
from numpy.typing import ArrayLike

from . import checks
from .arrays import Floats
from .octree import Octree

# Corner i is upper in x where bit 0 of i is set, in y where bit 1 is, in z where bit 2 is; an
# edge joins two corners that differ in one bit.
CORNERS = np.arange(8)[:, None] >> np.arange(3) & 1
EDGES = np.array([(i, i | 1 << axis) for axis in range(3) for i in range(8) if not i >> axis & 1])


def cell_segments(tree: Octree, cells: ArrayLike, /) -> Floats:
    """Return the twelve edges of each of these cells.

    Parameters
    ----------
    tree : Octree
        Any octree.
    cells : array_like of int, shape (c,)
        Cell numbers.

    Returns
    -------
    ndarray of float64, shape (12 c, 2, 3)
        Both ends of every edge, cell by cell; the tight cells, not the enlarged ones.

    Raises
    ------
    ValueError
        If a cell number is out of range.
    """
    checks.kind("tree", tree, (Octree,))
    numbers = checks.numbers("cells", cells, len(tree.node_depth))
    bounds = tree.cell_rows[:, numbers]
    corners = bounds[3 * CORNERS + np.arange(3)]
    return corners[EDGES].transpose(3, 0, 1, 2).reshape(-1, 2, 3)
