"""Trace: the state in which one query leaves each cell; the cells that one ray enters."""

import numpy as np
from numpy.typing import ArrayLike

from . import checks
from .arrays import Floats, Ids
from .cells import CHILDREN
from .checks import ALL_GROUPS
from .descend import UNVISITED, States, descend
from .octree import Octree, as_octree
from .rays.api import cells_on_ray
from .shapes import Shapes
from .snapshot import in_groups
from .volumes.api import check_volumes


def trace(tree: Octree, volume: Shapes | tuple[ArrayLike, ArrayLike, float], /) -> States:
    """Return the state of each cell after the traversal of one query.

    Parameters
    ----------
    tree : Octree
        Any octree.
    volume : a batch of one volume, or tuple
        The query: one volume as for `query`, or one ray as (origin, direction, max_distance),
        traced as by `ray_cast`, which looks for the closest hit.

    Returns
    -------
    ndarray of uint8, shape (m,)
        For each cell `UNVISITED` (0), `OUTSIDE` (1), `CROSSING` (2) or `INSIDE` (3). The children
        of a crossing cell are visited if they hold items. Below an outside cell, all cells are
        dropped, and below an inside cell, all are accepted: these cells remain unvisited, as do
        the cells that a ray had not reached when it found its hit. A cell is outside or inside
        only if that is certain; no cell is inside a ray.

    Raises
    ------
    ValueError
        If `volume` is not one query, or is a query that `query` or `ray_cast` refuses.
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
    """Return all cells that one ray enters, with or without items: the cells under a pointer.

    Slab tests, level by level: a missed cell is dropped with all cells below it.

    Parameters
    ----------
    tree : Octree
        Any octree, even one that has changed since it was taken.
    origin, direction : array_like of float, shape (3,)
        The origin and the direction of the ray, which has no end.
    enlarged : bool, default False
        If true, test the enlarged cells instead of the tight ones.

    Returns
    -------
    cells : ndarray of intp, shape (c,)
        Cell numbers, the larger cells first, then ascending; (0,) if the ray misses the root.
    distances : ndarray of float64, shape (c,)
        Distance from the origin to the entry into each cell, in the scene's unit; 0 if the ray
        begins inside.

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
    """Return the distances at which one ray enters and leaves boxes, (6, n).

    The ray hits a box if it enters no later than it leaves. Kay and Kajiya, "Ray Tracing Complex
    Scenes", 1986. A ray parallel to a slab is inside it everywhere or never.
    """
    with np.errstate(divide="ignore", invalid="ignore"):
        lower, upper = (walls[:3] - start) / towards, (walls[3:] - start) / towards
    beside = (towards == 0) & ((start < walls[:3]) | (start > walls[3:]))
    along = np.broadcast_to(towards == 0, lower.shape)
    entries = np.where(along, -np.inf, np.minimum(lower, upper))
    exits = np.where(along, np.inf, np.maximum(lower, upper))
    exits[beside] = -np.inf
    return np.maximum(entries.max(axis=0), 0.0), exits.min(axis=0)
