"""The nearest items of points: which, how far, and where on them."""

from collections.abc import Iterator
from dataclasses import dataclass
from typing import SupportsFloat, SupportsIndex

import numpy as np
from numpy.typing import ArrayLike

from .. import checks
from ..arrays import Floats, Ids
from ..groups import ALL_GROUPS, in_groups
from ..octree import Octree
from ..query.candidates import expanded, neighbours_together, portions
from ..query.mailboxing import Mailboxes, mailboxes_for, once
from ..shapes import Boxes
from ..two_levels import TwoLevels
from .closest import closest_points, distances, lower_bounds
from .search import PIECE, Search, approach, kth_least, seed

# How many points go down together: at first, at most, and so many that they find this many slots
# and look at this many pairs of point and cell. A group that looks at twice as many goes down
# again in smaller parts.
_FIRST, _MOST, _SLOTS, _PAIRS = 256, 65_536, 1_048_576, 524_288
# Discs around triangles cost a look at all of them, once. Each point is worth so many.
_WORTH = 512


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
    placements : ndarray of intp, shape (q, count), or None
        Of a `SceneOctree`, the placements whose triangles `items` are, -1 for no item.
    """

    items: Ids
    distances: Floats
    positions: Floats
    placements: Ids | None = None


def nearest(
    tree: Octree | TwoLevels,
    points: ArrayLike,
    /,
    *,
    count: SupportsIndex = 1,
    max_distance: SupportsFloat = np.inf,
    groups: SupportsIndex = ALL_GROUPS,
) -> Nearest:
    """Find the nearest items of each point.

    Parameters
    ----------
    tree : Octree or SceneOctree
        Any octree.
    points : array_like of float, shape (q, 3)
        Where to look from; anywhere, also far outside the root.
    count : int
        How many items are wanted for each point; there may be fewer.
    max_distance : float
        Items farther away than this do not count; scene units, may be infinite.
    groups : int
        A mask of 32 bits: items whose own mask has none of these are not there. Those without a
        mask, as all of `build_octree`, are in every group.

    Returns
    -------
    Nearest
        Item numbers, distances and closest points, `count` a row, ascending by distance, then by
        item. Fewer items leave -1, infinity and NaN.

    Raises
    ------
    ValueError
        If a point is not finite, `count` is no whole number of at least 1, `max_distance` is
        negative or no number, or `groups` is no mask.

    Notes
    -----
    O(log n) cells for a point near a surface; from afar, also those cells and items that are
    nearly as close as the nearest. Points that are neighbours in space go down together, and an
    item that is met in several cells is tested once. Branch and bound after Roussopoulos, Kelley
    and Vincent, "Nearest Neighbor Queries", 1995, a whole level at a time.
    """
    if isinstance(tree, TwoLevels):
        answer: Nearest = tree._answer(
            "nearest", points, count=count, max_distance=max_distance, groups=groups
        )
        return answer
    checks.kind("tree", tree, (Octree,))
    tree.require_current()
    places = checks.floats("points", points, 3)
    checks.every_row("points", "be finite", np.isfinite(places).all(axis=1), places)
    count = checks.whole_number("count", count, 1)
    most = checks.number("max_distance", max_distance, 0.0, finite=False)
    tree = in_groups(tree, groups)
    rows = np.ascontiguousarray(places.T)
    entries = np.full((len(places), count), -1)
    lengths = np.full(entries.shape, np.inf)
    for numbers, ranks, found, apart in _ranked(tree, rows, min(count, len(tree)), most):
        entries[numbers, ranks], lengths[numbers, ranks] = found, apart
    return _located(tree, rows, entries, lengths)


def _located(tree: Octree, points: Floats, entries: Ids, lengths: Floats) -> Nearest:
    """Return the answer, given which entries are nearest and how far they are."""
    numbers, ranks = np.nonzero(entries >= 0)
    found = entries[numbers, ranks]
    items, positions = np.full_like(entries, -1), np.full((*entries.shape, 3), np.nan)
    items[numbers, ranks] = tree.named(tree.order[found])
    positions[numbers, ranks] = closest_points(tree.arranged, found, points, numbers).T
    return Nearest(items, lengths, positions)


def _ranked(
    tree: Octree, points: Floats, count: int, max_distance: float
) -> Iterator[tuple[Ids, Ids, Ids, Floats]]:
    """Yield points, ranks, entries and distances of the nearest, some points at a time."""
    if count == 0:
        return
    boxes = mailboxes_for(len(tree.order))
    order = neighbours_together(tree, Boxes(points.T, points.T))
    quickly = len(tree) < _WORTH * len(order)
    first, size = 0, _FIRST
    while first < len(order):
        asked = order[first : first + size]
        search = Search(tree, points[:, asked], count, np.full(len(asked), max_distance))
        seed(search, boxes)
        found = approach(search, 2 * _PAIRS if len(asked) > 1 else None)
        if found is None:
            size = max(1, len(asked) // 16)
            continue
        slots = 1
        for (some,) in portions([found], len(asked), PIECE):
            slots += some.references
            pairs = _in_question(search, *expanded(tree, some), boxes, quickly)
            ranks, numbers, entries, lengths = _nearest_of(search, *pairs)
            near = np.flatnonzero(lengths <= max_distance)
            yield asked[numbers[near]], ranks[near], entries[near], lengths[near]
        first += len(asked)
        share = min(_SLOTS / slots, _PAIRS / max(search.looked, 1))
        size = max(1, min(_MOST, int(size * share)))


def _in_question(
    search: Search, numbers: Ids, entries: Ids, boxes: Mailboxes, quickly: bool
) -> tuple[Ids, Ids, Floats]:
    """Return the pairs within reach, each once, and what their distances are no less than."""
    least = np.zeros(len(entries))
    if quickly:
        least = lower_bounds(search.tree.arranged, entries, search.points, numbers)
    near = np.flatnonzero(least <= search.reach[numbers])
    near = near[once(numbers[near], entries[near], boxes)]
    return numbers[near], entries[near], least[near]


def _nearest_of(
    search: Search, numbers: Ids, entries: Ids, least: Floats
) -> tuple[Ids, Ids, Ids, Floats]:
    """Return ranks, points, entries and distances of the nearest among these pairs.

    The pairs are all that are in question for their points, `numbers`, which ascend.
    """
    lengths = _measured(search, numbers, entries, least)
    near = np.flatnonzero(lengths <= search.limits[numbers])
    numbers, entries, lengths = numbers[near], entries[near], lengths[near]
    order = np.lexsort((search.tree.order[entries], lengths, numbers))
    ranks = np.arange(len(order)) - np.searchsorted(numbers, numbers)
    ranked = np.flatnonzero(ranks < search.count)
    order = order[ranked]
    return ranks[ranked], numbers[order], entries[order], lengths[order]


def _measured(search: Search, numbers: Ids, entries: Ids, least: Floats) -> Floats:
    """Return the distances of all pairs within reach; tightens the limits by them.

    First come those that promise most: they tell which of the others are needed.
    """
    lengths = np.full(len(numbers), np.inf)
    promised = kth_least(numbers, least, search.count, len(search.limits))
    first = least <= promised[numbers]
    for chosen in (first, ~first):
        some = np.flatnonzero(chosen & (least <= search.reach[numbers]))
        lengths[some] = distances(
            search.tree.arranged, entries[some], search.points, numbers[some], search.reach
        )
        search.tighten(numbers[some], lengths[some])
    return lengths
