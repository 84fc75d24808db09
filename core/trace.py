"""Which cells a question rejects, crosses and takes whole."""

import numpy as np

from .cells import UNVISITED, States
from .descend import descend
from .octree import Octree
from .query import check_question
from .shapes import Shapes


def trace(tree: Octree, volume: Shapes, /) -> States:
    """Tell what a question takes each cell for: what one walk down the tree did, cell by cell.

    Parameters
    ----------
    tree : Octree
        Any octree.
    volume : Spheres, Boxes, Regions, OrientedBoxes, Capsules, HalfSpaces or Frusta
        One volume.

    Returns
    -------
    ndarray of uint8, shape (m,)
        For each cell `UNVISITED` (0), `OUTSIDE` (1), `CROSSING` (2) or `INSIDE` (3). Of a cell
        that the volume crosses, those parts that hold items are visited. What lies outside is
        dropped with all below it, what lies inside is taken with all below it; none of that is
        visited. A cell is outside or inside only if that is certain.

    Raises
    ------
    ValueError
        If there is not just one volume, or it is not finite, or a frustum that is flat.
    """
    check_question(tree, volume)
    if len(volume) != 1:
        raise ValueError(f"volume must be one volume, got {len(volume)}")
    states = np.full(len(tree.node_depth), UNVISITED)
    for _ in descend(tree, volume, states=states):
        pass
    return states
