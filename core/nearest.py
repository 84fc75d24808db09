"""The nearest items of points: which, how far, and where on them."""

from collections.abc import Iterator
from dataclasses import dataclass
from typing import SupportsFloat, SupportsIndex

import numpy as np
from numpy.typing import ArrayLike

from . import checks
from .approach import Search, approach, kth_least
from .arrays import Floats, Ids
from .candidates import expanded, neighbours_together, portions
from .closest import at_least, at_most, closest_points, distances
from .letters import Letterboxes, letterboxes, once
from .octree import Octree
from .shapes import Boxes

# How many points go down together: at first, at most, and so many that they find this many slots,
# whose pairs take some ten megabytes.
_FIRST, _MOST, _SLOTS = 256, 65_536, 524_288
# A group that looks at more pairs of point and cell goes down again in smaller parts.
_PAIRS = 2_097_152


@dataclass(frozen=True)
class Nearest:
    """The nearest items of q points, `count` for each, the nearest first.

    Attributes
    ----------
    items : ndarray of intp, shape (q, count)
        Item numbers; -1 where there are no more. Of equally far items, the smaller number first.
    distances : ndarray of float64, shape (q, count)
        How far the item itself is, 0 where the point lies in it; infinite where there is none.
    positions : ndarray of float64, shape (q, count, 3)
        The item's closest point; the point itself where it lies in the item, NaN for no item.
    """

    items: Ids
    distances: Floats
    positions: Floats


def nearest(
    tree: Octree,
    points: ArrayLike,
    /,
    *,
    count: SupportsIndex = 1,
    max_distance: SupportsFloat = np.inf,
) -> Nearest:
    """Find the nearest items of each point.

    Parameters
    ----------
    tree : Octree
        Any octree.
    points : array_like of float, shape (q, 3)
        Where to look from; anywhere, also far outside the root.
    count : int
        How many items are wanted for each point; there may be fewer.
    max_distance : float
        Items farther away than this do not count; scene units, may be infinite.

    Returns
    -------
    Nearest
        Item numbers, distances and closest points, `count` a row, ascending by distance, then by
        item. Fewer items leave -1, infinity and NaN.

    Raises
    ------
    ValueError
        If a point is not finite, `count` is no whole number of at least 1, or `max_distance` is
        negative or no number.

    Notes
    -----
    O(log n) cells for a point near a surface; from afar, also those cells and items that are
    nearly as close as the nearest. Points that are neighbours in space go down together, and an
    item that is met in several cells is tested once. Branch and bound after Roussopoulos, Kelley
    and Vincent, "Nearest Neighbor Queries", 1995, a whole level at a time.
    """
    checks.kind("tree", tree, (Octree,))
    places = checks.floats("points", points, 3)
    checks.every_row("points", "be finite", np.isfinite(places).all(axis=1), places)
    count = checks.whole_number("count", count, 1)
    most = checks.number("max_distance", max_distance, 0.0, finite=False)
    items = np.full((len(places), count), -1)
    lengths = np.full(items.shape, np.inf)
    positions = np.full((*items.shape, 3), np.nan)
    rows = np.ascontiguousarray(places.T)
    for numbers, ranks, entries, found in _ranked(tree, rows, min(count, len(tree)), most):
        items[numbers, ranks] = tree.order[entries]
        lengths[numbers, ranks] = found
        positions[numbers, ranks] = closest_points(tree.arranged, entries, rows, numbers).T
    return Nearest(items, lengths, positions)


def _ranked(
    tree: Octree, points: Floats, count: int, max_distance: float
) -> Iterator[tuple[Ids, Ids, Ids, Floats]]:
    """Yield points, ranks, entries and distances of the nearest, group by group."""
    if count == 0:
        return
    boxes = letterboxes(len(tree.order))
    order = neighbours_together(tree, Boxes(points.T, points.T))
    first, size = 0, _FIRST
    while first < len(order):
        asked = order[first : first + size]
        limits = np.full(len(asked), max_distance)
        search = Search(tree, points[:, asked], count, limits)
        found = approach(search, _PAIRS if len(asked) > 1 else None)
        if found is None:
            size = max(1, len(asked) // 16)
            continue
        slots = 0
        for (some,) in portions([found], len(asked), _SLOTS):
            slots += some.slots
            numbers, ranks, entries, lengths = _settled(search, *expanded(tree, some), boxes)
            near = np.flatnonzero(lengths <= max_distance)
            yield asked[numbers[near]], ranks[near], entries[near], lengths[near]
        first += len(asked)
        size = max(1, min(_MOST, size * _SLOTS // max(slots, 1)))


def _settled(
    search: Search, numbers: Ids, entries: Ids, boxes: Letterboxes
) -> tuple[Ids, Ids, Ids, Floats]:
    """Return points, ranks, entries and distances of the nearest among these pairs.

    The pairs are all that come into question for their points, `numbers`, which ascend.
    """
    items, points = search.tree.arranged, search.points
    least = at_least(items, entries, points, numbers)
    some = np.flatnonzero(least <= search.reach[numbers])
    some = some[once(numbers[some], entries[some], boxes)]
    numbers, entries, least = numbers[some], entries[some], least[some]
    search.tighten(numbers, at_most(items, entries, points, numbers))
    some = np.flatnonzero(least <= search.reach[numbers])
    numbers, entries = numbers[some], entries[some]
    lengths = distances(items, entries, points, numbers, search.reach)
    farthest = kth_least(numbers, lengths, search.count, len(search.limits))
    some = np.flatnonzero((lengths <= farthest[numbers]) & (lengths < np.inf))
    numbers, entries, lengths = numbers[some], entries[some], lengths[some]
    order = np.lexsort((search.tree.order[entries], lengths, numbers))
    numbers, entries, lengths = numbers[order], entries[order], lengths[order]
    ranks = np.arange(len(numbers)) - np.searchsorted(numbers, numbers)
    some = np.flatnonzero(ranks < search.count)
    return numbers[some], ranks[some], entries[some], lengths[some]
