"""Nearest-item queries (k nearest neighbors): items, distances, and closest points."""

from dataclasses import dataclass
from typing import SupportsFloat, SupportsIndex

import numpy as np
from numpy.typing import ArrayLike

from .. import checks, compiled, lone
from ..arrays import Floats, Ids
from ..checks import ALL_GROUPS
from ..descend import morton_order
from ..records import Record
from ..shapes import Boxes
from ..snapshot import IndexSnapshot, snapshot_of
from ..walkable import AnyOctree
from .walked import nearest_of


@dataclass(frozen=True, eq=False)
class Nearest(Record):
    """The nearest items of q points, `count` for each, the nearest first.

    Attributes
    ----------
    items : ndarray of intp, shape (q, count)
        Item numbers, -1 for no item. Items at the same distance are sorted by number.
    distances : ndarray of float64, shape (q, count)
        Distances in scene units, 0 for a point inside its item, infinity for no item.
    positions : ndarray of float64, shape (q, count, 3)
        Closest points of the items; the query point itself if it is inside, NaN for no item.
    placements : ndarray of intp, shape (q, count), or None
        For a `SceneOctree`, the placements of the triangles `items`, -1 for no item.
    """

    items: Ids
    distances: Floats
    positions: Floats
    placements: Ids | None = None


def nearest(
    tree: AnyOctree,
    points: ArrayLike,
    /,
    *,
    count: SupportsIndex = 1,
    max_distance: SupportsFloat = np.inf,
    groups: SupportsIndex = ALL_GROUPS,
    threads: SupportsIndex | None = None,
) -> Nearest:
    """Find the nearest items of each point.

    Parameters
    ----------
    tree : Octree or SceneOctree
        The octree to query.
    points : array_like of float, shape (q, 3)
        Query points; they may be far outside the root.
    count : int
        The number of items for each point.
    max_distance : float
        The largest distance of an item, in scene units; it may be infinite.
    groups : int
        A mask of 32 bits: items whose masks have no bit in common with it are ignored.
    threads : int or None
        The number of threads that the compiled kernel may use; None for the number set by
        `use_threads`. The result is the same, bit by bit, for any number.

    Returns
    -------
    Nearest
        Item numbers, distances and closest points, `count` a row, ascending by distance, then by
        item. Missing items have number -1, distance infinity and position NaN.

    Raises
    ------
    ValueError
        If a point is not finite, `count` is not a whole number of at least 1, `max_distance` is
        negative or not a number, `groups` is not a mask, or `threads` is less than 1.

    Notes
    -----
    O(log n) cells for a point near a surface; for a point far away, also all cells and items that
    are nearly as close as the nearest. Points that are neighbors in space descend together, and an
    item in several visited cells is tested once. Branch and bound after Roussopoulos, Kelley and
    Vincent, "Nearest Neighbor Queries", 1995, one level at a time.
    """
    alone = lone.nearest(tree, points, count, max_distance, groups, threads)
    if alone is not None:
        return Nearest(*alone)
    snapshot = snapshot_of(tree, groups)
    places = checks.plain_floats("points", points, 3)
    count = checks.whole_number("count", count, 1)
    most = checks.number("max_distance", max_distance, 0.0, finite=False)
    checks.room("count", count, len(places), count, 3)
    several = compiled.threads_of(threads)
    few = snapshot.fast_path(len(places), several=count > 1)
    found: compiled.Arrays | None = None if few is None else few.nearest(places, count, most)
    if found is None:
        walked = snapshot.packed(len(places)) if count <= compiled.MOST else None
        if walked is not None:
            turns = _turns(snapshot, places)
            found = walked.nearest(places, turns, count, most, several)
    if found is None:
        return _nearest(snapshot, places, count, most)
    answer = _named(snapshot, found)
    return compiled.repaired(
        answer, answer.items[:, 0] == compiled.NOT_TAKEN,
        lambda left: _nearest(snapshot, places[left], count, most),
    )  # fmt: skip


def _turns(snapshot: IndexSnapshot, places: Floats) -> Ids:
    """Return the query order of points: neighbors in space follow each other and share cells."""
    with np.errstate(invalid="ignore"):  # the walk reports points that are not finite
        return morton_order(snapshot.top, Boxes(np.nan_to_num(places), np.nan_to_num(places)))


def _nearest(snapshot: IndexSnapshot, places: Floats, count: int, max_distance: float) -> Nearest:
    """Return the nearest items of checked points, computed by NumPy."""
    checks.every_row("points", "be finite", np.isfinite(places).all(axis=1), places)
    points, turns = np.ascontiguousarray(places.T), _turns(snapshot, places)
    return _named(snapshot, nearest_of(snapshot, points, turns, count, max_distance))


def _named(snapshot: IndexSnapshot, found: compiled.Arrays) -> Nearest:
    """Return a record of items, distances, positions and rows, with the ids of the index."""
    items, distances, positions, rows = found
    *placements, items = snapshot.ids_of(rows, items)
    return Nearest(items, distances, positions, *placements)
