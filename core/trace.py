"""Trace: the state in which one query leaves each cell: outside, crossing or inside."""

import numpy as np
from numpy.typing import ArrayLike

from . import checks
from .descend import UNVISITED, States, descend
from .groups import ALL_GROUPS, in_groups
from .octree import Octree
from .query import check_question
from .rays.api import cells_on_ray
from .shapes import Shapes


def trace(tree: Octree, volume: Shapes | tuple[ArrayLike, ArrayLike, float], /) -> States:
    """Tell what one query found out of each cell: what its walk down the tree did.

    Parameters
    ----------
    tree : Octree
        Any octree.
    volume : a batch of one volume, or tuple
        The query: one volume as for `query`, or one ray as (origin, direction, max_distance),
        of which `ray_cast` looks for the closest hit.

    Returns
    -------
    ndarray of uint8, shape (m,)
        For each cell `UNVISITED` (0), `OUTSIDE` (1), `CROSSING` (2) or `INSIDE` (3). Of a cell
        that is crossed, those children that hold items are visited. What lies outside is dropped
        with all below it, what lies inside is taken with all below it; none of that is visited,
        nor what a ray had not come to when it found its hit. A cell is outside or inside only if
        that is certain; no cell is inside a ray.

    Raises
    ------
    ValueError
        If it is anything except one query, or one that `query` or `ray_cast` refuse.
    """
    checks.kind("tree", tree, (Octree,))
    tree.require_current()
    tree = in_groups(tree, ALL_GROUPS)
    if isinstance(volume, tuple):
        return _along_ray(tree, volume)
    check_question(tree, volume)
    if len(volume) != 1:
        raise ValueError(f"volume must be one volume, got {len(volume)}")
    states = np.full(len(tree.node_depth), UNVISITED)
    for _ in descend(tree, volume, states):
        pass
    return states


def _along_ray(tree: Octree, ray: tuple[ArrayLike, ArrayLike, float]) -> States:
    shapes = [np.shape(part) for part in ray]
    if shapes != [(3,), (3,), ()]:
        raise ValueError(f"volume must be a ray of shapes (3,), (3,) and (), got {shapes}")
    return cells_on_ray(tree, *ray)
