"""Trace: the state in which one query leaves each cell; the cells that one ray enters."""

import numpy as np
from numpy.typing import ArrayLike

from . import checks
from .arrays import Floats, Ids
from .cells import CHILDREN
from .descend import UNVISITED, States, descend
from .groups import ALL_GROUPS, in_groups
from .octree import Octree, as_octree
from .rays.api import cells_on_ray
from .shapes import Shapes
from .volumes.api import check_volumes


def trace(tree: Octree, volume: Shapes | tuple[ArrayLike, ArrayLike, float], /) -> States:
    """Tell how the walk of one query classified each cell.

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
    if isinstance(volume, tuple):
        return _along_ray(tree, volume)
    tree = in_groups(as_octree("tree", tree), ALL_GROUPS)
    check_volumes(volume, "volume")
    if len(volume) != 1:
        raise ValueError(f"volume must be one volume, got {len(volume)}")
    states = np.full(len(tree.node_depth), UNVISITED)
    for _ in descend(tree, volume, states):
        pass
    return states


def _along_ray(tree: Octree, ray: tuple[ArrayLike, ArrayLike, float]) -> States:
    shapes = [
        () if checks.is_one("volume", part) else checks.array("volume", part).shape for part in ray
    ]
    if shapes != [(3,), (3,), ()]:
        raise ValueError(f"volume must be a ray of shapes (3,), (3,) and (), got {shapes}")
    return cells_on_ray(tree, *ray)


def cells_along_ray(
    tree: Octree, origin: ArrayLike, direction: ArrayLike, /, *, enlarged: bool = False
) -> tuple[Ids, Floats]:
    """Return all cells that one ray enters, with or without items: what a pointer is over.

    By slab tests, level by level: a cell that is missed is dropped with all below it.

    Parameters
    ----------
    tree : Octree
        Any octree, even one that has changed since it was taken.
    origin, direction : array_like of float, shape (3,)
        Where the ray begins and where it goes, without end.
    enlarged : bool, default False
        Whether the enlarged cells are meant, not the tight ones.

    Returns
    -------
    cells : ndarray of intp, shape (c,)
        Cell numbers, the larger cells first, then ascending; (0,) if the ray misses the root.
    distances : ndarray of float64, shape (c,)
        How far it is to where the ray enters each, in the scene's unit; 0 if it begins inside.

    Raises
    ------
    ValueError
        If origin or direction are not three finite numbers, or the direction is zero.
    """
    checks.kind("tree", tree, (Octree,))
    enlarged = checks.flag("enlarged", enlarged)
    start = checks.vector("origin", origin)[:, None]
    towards = checks.vector("direction", direction)[:, None]
    if not towards.any():
        raise ValueError(f"direction must not be zero, got {direction!r}")
    towards = towards / np.abs(towards).max()
    towards = towards / np.sqrt((towards * towards).sum())
    rows = tree.loose_rows if enlarged else tree.cell_rows
    level, found, distances = np.zeros(1, np.intp), [], []
    while len(level):
        entries, exits = _slabs(rows[:, level], start, towards)
        met = entries <= exits
        level = level[met]
        found.append(level)
        distances.append(entries[met])
        first = tree.first_child[level]
        level = np.sort((first[first >= 0, None] + CHILDREN).ravel())
    return np.concatenate(found), np.concatenate(distances)


def _slabs(walls: Floats, start: Floats, towards: Floats) -> tuple[Floats, Floats]:
    """Return where one ray enters and leaves boxes, (6, n); it enters none later than it leaves.

    Kay and Kajiya, "Ray Tracing Complex Scenes", 1986. A ray along a slab is in it everywhere
    or nowhere.
    """
    with np.errstate(divide="ignore", invalid="ignore"):
        lower, upper = (walls[:3] - start) / towards, (walls[3:] - start) / towards
    beside = (towards == 0) & ((start < walls[:3]) | (start > walls[3:]))
    along = np.broadcast_to(towards == 0, lower.shape)
    entries = np.where(along, -np.inf, np.minimum(lower, upper))
    exits = np.where(along, np.inf, np.maximum(lower, upper))
    exits[beside] = -np.inf
    return np.maximum(entries.max(axis=0), 0.0), exits.min(axis=0)
