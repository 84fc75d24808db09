"""Nearest-item queries (k nearest neighbors): which items, how far, and where on them."""

from abc import abstractmethod
from collections.abc import Iterator
from dataclasses import dataclass
from typing import SupportsFloat, SupportsIndex

import numpy as np
from numpy.typing import ArrayLike

from .. import checks, compiled, lone, tuning
from ..any_octree import AnyOctree
from ..arrays import Floats, Ids
from ..descend import expanded, morton_order, portions
from ..groups import ALL_GROUPS, in_groups
from ..mailboxing import Latest, mailboxes_for, unique_pairs
from ..octree import Octree, as_octree
from ..records import Record
from ..shapes import Boxes
from .closest import closest_points, distances, lower_bounds
from .search import PIECE, Search, branch_and_bound, kth_least, seed

# Points that descend together at first, and at most; the references that a group should find.
_FIRST, _MOST, _REFERENCES = 256, 65_536, 1_048_576
# Triangles whose discs are worth making, once, for each point.
_WORTH = 512


@dataclass(frozen=True, eq=False)
class Nearest(Record):
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


class NearestQuestions(AnyOctree):
    """An index that answers `nearest` with octrees of its own."""

    @abstractmethod
    def _nearest(
        self,
        points: ArrayLike,
        count: SupportsIndex,
        max_distance: SupportsFloat,
        groups: SupportsIndex,
        threads: SupportsIndex | None,
    ) -> Nearest:
        """Answer `nearest`."""


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
        Any octree.
    points : array_like of float, shape (q, 3)
        Where to look from; anywhere, also far outside the root.
    count : int
        How many items are wanted for each point; there may be fewer.
    max_distance : float
        Items farther away than this do not count; scene units, may be infinite.
    groups : int
        A mask of 32 bits: items with a mask that shares none of them are not there.
    threads : int or None
        Across how many threads the compiled kernel may walk; None as `use_threads` tells. The
        same bits for any number.

    Returns
    -------
    Nearest
        Item numbers, distances and closest points, `count` a row, ascending by distance, then by
        item. Fewer items leave -1, infinity and NaN.

    Raises
    ------
    ValueError
        If a point is not finite, `count` is no whole number of at least 1, `max_distance` is
        negative or no number, `groups` is no mask, or `threads` are fewer than 1.

    Notes
    -----
    O(log n) cells for a point near a surface; from afar, also those cells and items that are
    nearly as close as the nearest. Points that are neighbors in space descend together, and an
    item that is met in several cells is tested once. Branch and bound after Roussopoulos, Kelley
    and Vincent, "Nearest Neighbor Queries", 1995, a whole level at a time.
    """
    alone = lone.nearest(tree, points, count, max_distance, groups, threads)
    if alone is not None:
        return Nearest(*alone)
    if isinstance(tree, NearestQuestions):
        return tree._nearest(points, count, max_distance, groups, threads)
    octree = as_octree("tree", tree)
    places = checks.plain_floats("points", points, 3)
    count = checks.whole_number("count", count, 1)
    most = checks.number("max_distance", max_distance, 0.0, finite=False)
    checks.room("count", count, len(places), count, 3)
    there = in_groups(octree, groups)
    alone = lone.nearest(there, places, count, most, ALL_GROUPS, threads)
    if alone is not None:
        return Nearest(*alone)
    packed = compiled.packed(there, len(places), boxes=True) if count <= compiled.MOST else None
    several = compiled.threads_of(threads)
    found = packed and packed.nearest(places, _turns(there, places), count, most, several)
    if not found:
        return _nearest(there, places, count, most)
    items, _, distances, positions = found
    answer = Nearest(compiled.named(there, items), distances, positions)
    are_left = items[:, 0] == compiled.NOT_TAKEN
    return compiled.repaired(
        answer, are_left, lambda left: _nearest(there, places[left], count, most)
    )


def _turns(tree: Octree, places: Floats) -> Ids:
    """Return the order in which points are asked: neighbors in space share what they look at."""
    with np.errstate(invalid="ignore"):  # whoever asks finds out what is not finite
        return morton_order(tree, Boxes(np.nan_to_num(places), np.nan_to_num(places)))


def _nearest(tree: Octree, places: Floats, count: int, max_distance: float) -> Nearest:
    checks.every_row("points", "be finite", np.isfinite(places).all(axis=1), places)
    rows = np.ascontiguousarray(places.T)
    entries = np.full((len(places), count), -1)
    lengths = np.full(entries.shape, np.inf)
    for queries, ranks, found, apart in _ranked(tree, rows, min(count, len(tree)), max_distance):
        entries[queries, ranks], lengths[queries, ranks] = found, apart
    return _located(tree, rows, entries, lengths)


def _located(tree: Octree, points: Floats, entries: Ids, lengths: Floats) -> Nearest:
    """Return the answer, given which entries are nearest and how far they are."""
    queries, ranks = np.nonzero(entries >= 0)
    found = entries[queries, ranks]
    items, positions = np.full_like(entries, -1), np.full((*entries.shape, 3), np.nan)
    items[queries, ranks] = tree.named(tree.order[found])
    positions[queries, ranks] = closest_points(tree.arranged, found, points, queries).T
    return Nearest(items, lengths, positions)


def _ranked(
    tree: Octree, points: Floats, count: int, max_distance: float
) -> Iterator[tuple[Ids, Ids, Ids, Floats]]:
    """Yield points, ranks, entries and distances of the nearest, some points at a time."""
    if count == 0:
        return
    mailboxes = mailboxes_for(len(tree.order))
    order = morton_order(tree, Boxes(points.T, points.T))
    quickly = len(tree) < _WORTH * len(order)
    first, size, most_pairs = 0, _FIRST, tuning.current.nearest_pairs
    while first < len(order):
        asked = order[first : first + size]
        search = Search(tree, points[:, asked], count, np.full(len(asked), max_distance))
        seed(search, mailboxes)
        found = branch_and_bound(search, 2 * most_pairs if len(asked) > 1 else None)
        if found is None:
            size = max(1, len(asked) // 16)
            continue
        references = 1
        for (some,) in portions([found], len(asked), PIECE):
            references += some.references
            pairs = _in_question(search, *expanded(tree, some), mailboxes, quickly)
            ranks, queries, entries, lengths = _nearest_of(search, *pairs)
            near = np.flatnonzero(lengths <= max_distance)
            yield asked[queries[near]], ranks[near], entries[near], lengths[near]
        first += len(asked)
        share = min(_REFERENCES / references, most_pairs / max(search.looked, 1))
        size = max(1, min(_MOST, int(size * share)))


def _in_question(
    search: Search, queries: Ids, entries: Ids, mailboxes: Latest, quickly: bool
) -> tuple[Ids, Ids, Floats]:
    """Return the pairs within reach, each once, and what their distances are no less than."""
    least = np.zeros(len(entries))
    if quickly:
        least = lower_bounds(search.tree.arranged, entries, search.points, queries)
    near = np.flatnonzero(least <= search.reach[queries])
    near = near[unique_pairs(queries[near], entries[near], mailboxes)]
    return queries[near], entries[near], least[near]


def _nearest_of(
    search: Search, queries: Ids, entries: Ids, least: Floats
) -> tuple[Ids, Ids, Ids, Floats]:
    """Return ranks, points, entries and distances of the nearest among these pairs.

    The pairs are all that are in question for their points, `queries`, which ascend.
    """
    lengths = _measured(search, queries, entries, least)
    near = np.flatnonzero(lengths <= search.limits[queries])
    queries, entries, lengths = queries[near], entries[near], lengths[near]
    order = np.lexsort((search.tree.order[entries], lengths, queries))
    ranks = np.arange(len(order)) - np.searchsorted(queries, queries)
    ranked = np.flatnonzero(ranks < search.count)
    order = order[ranked]
    return ranks[ranked], queries[order], entries[order], lengths[order]


def _measured(search: Search, queries: Ids, entries: Ids, least: Floats) -> Floats:
    """Return the distances of all pairs within reach; tightens the limits by them.

    First come those that promise most: they tell which of the others are needed.
    """
    lengths = np.full(len(queries), np.inf)
    promised = kth_least(queries, least, search.count, len(search.limits))
    first = least <= promised[queries]
    for chosen in (first, ~first):
        some = np.flatnonzero(chosen & (least <= search.reach[queries]))
        lengths[some] = distances(
            search.tree.arranged, entries[some], search.points, queries[some], search.reach
        )
        search.tighten(queries[some], lengths[some])
    return lengths
