"""Nearest items in NumPy: branch and bound in the local spaces of placements.

Each point visits the placements near it, the nearest box first, and searches their trees in local
space. If a matrix stretches unevenly, the local search radius is enlarged. Distances are measured
in world space. A row is the position of a placement, an entry is the position of an item in its
tree.

All points of a batch descend together, level by level, as a frontier of (point, cell) pairs. The
first item of a visited cell gives an upper bound of the nearest distance, so each visited cell may
tighten the limit of its point. The first limits come from the items of one cell near each point.
"""

from dataclasses import dataclass

import numpy as np

from .. import tuning
from ..arrays import BLOCK, Flags, Floats, Ids, blocks, distinct, gather, joined
from ..compiled import Arrays
from ..descend import Found, expanded, nearest_cells, portions, squared_gaps
from ..mailboxing import Latest, mailboxes_for, unique_pairs
from ..snapshot import IndexSnapshot, LocalPoints
from ..touch.points import closest_points, distances, lower_bounds, upper_bounds
from ..walkable import Walkable

# References expanded together, a few megabytes.
_PIECE = 262_144
# A sort key has the number of a point above _LOW bits, and below a value without its last _CUT
# bits.
_LOW, _CUT = np.uint64(48), np.uint64(16)
# Points in a batch, and pairs of point and placement in a batch that descends together.
_POINTS, _TOGETHER = 16_384, 16_384
# Amortization threshold: discs of triangles pay off if there are fewer triangles than this for
# each pair of point and placement.
_WORTH = 512


@dataclass
class Search:
    """Points, (3, q), and their search limits.

    Each point needs its `count` nearest items, no farther away than its limit, (q,). `looked`
    counts the visited pairs of point and cell. The search radius is the limit times `stretch`: the
    item nearest in world space may be farther by this factor in the space of the tree.
    """

    tree: Walkable
    points: Floats
    count: int
    limits: Floats
    looked: int = 0
    stretch: Floats | float = 1.0

    @property
    def reach(self) -> Floats:
        """The search radius of each point, enlarged for rounding, (q,)."""
        return self.limits * (self.stretch * (1 + 2.0**-44)) + 2 * self.tree.slacks

    def tighten(self, queries: Ids, distances: Floats) -> None:
        """Lower limits by upper bounds of distances from points `queries` to distinct items."""
        known = np.flatnonzero(distances < np.inf)
        nearest = kth_least(queries[known], distances[known], self.count, len(self.limits))
        np.minimum(self.limits, nearest, out=self.limits)


def kth_least(queries: Ids, values: Floats, count: int, total: int) -> Floats:
    """Return the `count`-th smallest value of each of `total` queries; infinity if it has fewer.

    `queries`, ascending and below 2**16, are the queries of the values. Values are finite and not
    negative. If `count` is above 1, the result may be rounded up a little.
    """
    found = np.full(total, np.inf)
    starts = np.flatnonzero(np.diff(queries, prepend=-1))
    if count == 1 and len(starts):
        found[queries[starts]] = np.minimum.reduceat(values, starts)
    elif count > 1:
        # The bits of non-negative floats sort like their values, so one sort orders by query and
        # value.
        keys = queries.astype(np.uint64) << _LOW | values.view(np.uint64) >> _CUT
        keys.sort()
        last = starts + count - 1
        last = last[last < np.append(starts[1:], len(queries))]
        rounded_up = (keys[last] + np.uint64(1)) << _CUT
        found[queries[last]] = rounded_up.view(np.float64)
    return found


def branch_and_bound(search: Search, most: int | None) -> Found | None:
    """Descend from the root with all points, and tighten the limits of the search.

    Return the runs of references within the search radii, ascending by point; None if the walk
    visits more than `most` pairs of point and cell.
    """
    tree, everyone = search.tree, np.arange(len(search.limits))
    beyond = everyone if tree.outside else everyone[:0]
    runs = [(beyond, 0 * beyond, 0 * beyond + tree.outside, np.zeros(len(beyond)))]
    roots = tree.roots + 0 * everyone
    queries = np.flatnonzero(tree.end[roots] > tree.begin[roots])
    cells, squares = roots[queries], np.zeros(len(queries))
    while len(queries):
        _tighten(search, queries, cells)
        near = np.flatnonzero(squares <= search.reach[queries] ** 2)
        queries, cells, squares = queries[near], cells[near], squares[near]
        search.looked += len(queries)
        if most is not None and search.looked > most:
            return None
        own = np.flatnonzero(tree.begin[cells] < tree.own_end[cells])
        runs.append((queries[own], tree.begin[cells[own]], tree.own_end[cells[own]], squares[own]))
        queries, cells, squares = _children(search, queries, cells)
    queries, begin, end, squares = joined(runs)
    near = np.flatnonzero(squares <= search.reach[queries] ** 2)
    order = near[np.argsort(queries[near].astype(np.uint16), kind="stable")]
    return Found(queries[order], begin[order], end[order], certain=False)


def _tighten(search: Search, queries: Ids, cells: Ids) -> None:
    """Tighten the limits by the first item of each cell."""
    tree = search.tree
    entries = tree.entries_at(tree.begin[cells])
    if search.count > 1:
        # An item copied to several cells may be the first in each of them, and would count twice.
        single = np.flatnonzero(~tree.copied[entries])
        queries, entries = queries[single], entries[single]
    search.tighten(queries, upper_bounds(tree.arranged, entries, search.points, queries))


def _children(search: Search, queries: Ids, cells: Ids) -> tuple[Ids, Ids, Floats]:
    """Return pairs of point and occupied child cell within reach, and squared distances."""
    inner = np.flatnonzero(search.tree.child_masks[cells])
    queries, cells = queries[inner], cells[inner]
    reach = search.reach**2
    parts = [(queries[:0], cells[:0], reach[:0])]
    for some in blocks(len(queries), BLOCK):
        parts.append(_children_of_few(search, reach, queries[some], cells[some]))
    return joined(parts)


def _children_of_few(
    search: Search, reach: Floats, queries: Ids, cells: Ids
) -> tuple[Ids, Ids, Floats]:
    parents, children = search.tree.children(cells)
    asked = queries[parents]
    boxes = search.tree.boxes_for(len(search.limits))
    squares = squared_gaps(boxes, children, gather(search.points, asked))
    (near,) = (squares <= reach[asked]).nonzero()
    return asked[near], children[near], squares[near]


def seed(search: Search, mailboxes: Latest) -> None:
    """Tighten the limits by the items of one cell near each point, with enough items."""
    everyone, tree = np.arange(len(search.limits)), search.tree
    cells = nearest_cells(tree, search.points, 2 * search.count)
    found = Found(everyone, tree.begin[cells], tree.end[cells], certain=False)
    for (some,) in portions([found], len(everyone), _PIECE):
        pairs = expanded(tree, some)
        chosen = unique_pairs(*pairs, mailboxes)
        queries, entries = (each[chosen] for each in pairs)
        search.tighten(queries, upper_bounds(tree.arranged, entries, search.points, queries))


class Best:
    """The incumbents of a search: distances and numbers of the `count` nearest items so far."""

    def __init__(self, points: int, count: int, max_distance: Floats | float) -> None:
        self.count, self.most = count, max_distance
        self.lengths = np.full((points, count), np.inf)
        self.rows, self.entries, self.items = np.full((3, points, count), -1)

    @property
    def limits(self) -> Floats:
        """The search radius of each point, (q,)."""
        return np.minimum(self.lengths[:, -1], self.most)

    @property
    def are_full(self) -> Flags:
        """Flags of the points that have found `count` items, (q,)."""
        return np.isfinite(self.lengths[:, -1])

    def improve(self, points: Ids, rows: Ids, entries: Ids, items: Ids, lengths: Floats) -> None:
        """Merge new items into the incumbents, and keep the nearest; each item is given once."""
        near = np.flatnonzero(lengths <= self.limits[points])
        new = points[near], rows[near], entries[near], items[near], lengths[near]
        asked = distinct(new[0])
        held = self.rows[asked] >= 0
        known = (self.rows, self.entries, self.items, self.lengths)
        old = np.repeat(asked, held.sum(axis=1)), *(each[asked][held] for each in known)
        points, rows, entries, items, lengths = map(np.concatenate, zip(old, new, strict=True))
        order = np.lexsort((items, rows, lengths, points))
        points = points[order]
        ranks = np.arange(len(order)) - np.searchsorted(points, points)
        (kept,) = (ranks < self.count).nonzero()
        places, order = (points[kept], ranks[kept]), order[kept]
        self.lengths[places], self.rows[places] = lengths[order], rows[order]
        self.entries[places], self.items[places] = entries[order], items[order]


def nearest_of(
    snapshot: IndexSnapshot, points: Floats, turns: Ids, count: int, max_distance: float
) -> Arrays:
    """Return the nearest items of points (3, q), processed in the order `turns` (q,).

    Returns items and distances (q, count), positions (q, count, 3), and rows of placements
    (q, count).
    """
    rows, items = np.full((2, points.shape[1], count), -1)
    lengths, positions = np.full(rows.shape, np.inf), np.full((*rows.shape, 3), np.nan)
    fewer = min(count, snapshot.item_count)
    for some in blocks(len(turns), _POINTS) if fewer else ():
        asked = turns[some]
        here, best = points[:, asked], Best(len(asked), fewer, max_distance)
        for numbers, near in snapshot.point_pairs(here, best):
            look(snapshot, here, numbers, near, best)
        rows[asked, :fewer], items[asked, :fewer] = best.rows, best.items
        lengths[asked, :fewer] = best.lengths
        numbers, ranks = np.nonzero(best.rows >= 0)
        found = best.rows[numbers, ranks]
        where = snapshot.entry_items(snapshot.trees_at(found), best.entries[numbers, ranks], found)
        positions[asked[numbers], ranks] = closest_points(*where, here, numbers).T
    return items, lengths, positions, rows


def look(snapshot: IndexSnapshot, points: Floats, numbers: Ids, rows: Ids, best: Best) -> None:
    """Improve `best` by the items of placements, for pairs of point and row; `numbers` ascend."""
    first, size = 0, _TOGETHER
    while first < len(numbers):
        some = slice(first, first + size)
        if _Look(snapshot, points, numbers[some], rows[some], best).is_done(size > 1):
            first += size
        else:
            size = max(1, size // 16)


@dataclass(frozen=True)
class _Look:
    """A search batch: pairs of points and rows of placements."""

    snapshot: IndexSnapshot
    points: Floats
    numbers: Ids
    rows: Ids
    best: Best

    def is_done(self, may_stop: bool) -> bool:
        """Search all pairs; if `may_stop`, return False for a batch with too many visits."""
        seen = self.snapshot.local_points(self.points, self.numbers, self.rows)
        limits = self.best.limits[self.numbers] / seen.most
        search = Search(seen.tree, seen.points, self.best.count, limits, stretch=seen.stretch)
        boxes = mailboxes_for(len(seen.tree.order))
        seed(search, boxes)
        found = branch_and_bound(search, tuning.current.nearest_pairs if may_stop else None)
        if found is None:
            return False
        for (some,) in portions([found], len(self.rows), _PIECE):
            pairs, entries = expanded(seen.tree, some)
            least = np.zeros(len(entries))
            if len(seen.tree.order) < _WORTH * len(self.rows):
                least = lower_bounds(seen.tree.arranged, entries, seen.points, pairs)
            near = np.flatnonzero(least <= search.reach[pairs])
            near = near[unique_pairs(pairs[near], entries[near], boxes)]
            self._measure(seen, search, pairs[near], entries[near], least[near])
        return True

    def _measure(
        self, seen: LocalPoints, search: Search, pairs: Ids, entries: Ids, least: Floats
    ) -> None:
        """Measure distances to placed items; items with small lower bounds come first."""
        numbers, best = self.numbers, self.best
        promised = kth_least(pairs, least, best.count, len(numbers))
        first = least <= promised[pairs]
        for chosen in (first, ~first):
            some = np.flatnonzero(chosen & (least <= search.reach[pairs]))
            asked, found = pairs[some], entries[some]
            items = self.snapshot.entry_items(seen.tree, found, self.rows[asked])
            lengths = distances(*items, self.points, numbers[asked], best.limits)
            near = np.flatnonzero(np.isfinite(lengths))
            asked, found, lengths = asked[near], found[near], lengths[near]
            rows, order = self.rows[asked], seen.tree.order
            best.improve(numbers[asked], rows, found, order[found], lengths)
            search.limits = np.minimum(search.limits, best.limits[numbers] / seen.most)
