"""Nearest items in NumPy: branch and bound in the local spaces of placements.

Each point visits the placements near it, the nearest box first, and searches their trees in local
space. If a matrix stretches unevenly, the local search radius is enlarged. Distances are measured
in world space. A row is the position of a placement, an entry is the position of an item in its
tree.
"""

from dataclasses import dataclass

import numpy as np

from ..arrays import Flags, Floats, Ids, blocks, distinct
from ..compiled import Arrays
from ..descend import expanded, portions
from ..mailboxing import mailboxes_for, unique_pairs
from ..snapshot import IndexSnapshot, LocalPoints
from ..touch.points import closest_points, distances, lower_bounds
from .search import PIECE, Search, branch_and_bound, kth_least, seed

# Points in a batch, and pairs of point and placement in a batch that descends together.
_POINTS, _TOGETHER = 16_384, 16_384
# Amortization threshold: discs of triangles pay off if there are fewer triangles than this for
# each pair of point and placement.
_WORTH = 512
# A descent that would visit more pairs of point and cell is repeated in smaller batches.
_MOST = 1_048_576


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
        found = branch_and_bound(search, _MOST if may_stop else None)
        if found is None:
            return False
        for (some,) in portions([found], len(self.rows), PIECE):
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
