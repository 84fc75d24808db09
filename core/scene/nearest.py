"""The nearest triangles of points, branch and bound over two levels.

The nearest boxes of placements limit how far a point has to look. The search then goes on in the
space of each mesh, as in any tree; where the matrix stretches unevenly, it looks a little farther.
Distances are measured to placed triangles.
"""

from dataclasses import dataclass

import numpy as np

from ..arrays import Floats, Ids, blocks, distinct, gather
from ..boxes import box_gaps
from ..descend import expanded, portions
from ..mailboxing import mailboxes_for, unique_pairs
from ..nearest import Nearest, nearest
from ..nearest.closest import closest_points, distances, lower_bounds
from ..nearest.search import PIECE, Search, branch_and_bound, kth_least, seed
from ..rounds import in_rounds
from ..shapes import Spheres
from .images import taken_back
from .moment import Moment
from .pool import WalkedNodes

# Points that ask together, and pairs of point and placement that descend together.
_POINTS, _TOGETHER = 16_384, 16_384
# A descent that would visit more pairs of point and cell is repeated in smaller batches.
_MOST = 1_048_576
# Nearest boxes that a point tries first, and the factor for more if these are too few.
_BOXES, _MORE = 1, 8
# So few points try more boxes at once: that costs less than another look.
_ALONE = 16
# Relative error that a few roundings leave in sums of products.
_ROUNDING = 2.0**-46


class _Best:
    """The nearest triangles of each point so far, `count` a row: how far, and which."""

    def __init__(self, points: int, count: int, max_distance: Floats | float) -> None:
        self.count, self._most = count, max_distance
        self.lengths = np.full((points, count), np.inf)
        self.rows, self.entries, self.triangles = np.full((3, points, count), -1)

    @property
    def limits(self) -> Floats:
        """How far each point has to look, (q,)."""
        return np.minimum(self.lengths[:, -1], self._most)

    def improve(
        self, points: Ids, rows: Ids, entries: Ids, triangles: Ids, lengths: Floats
    ) -> None:
        """Keep triangles that are nearer than those known; each triangle comes once."""
        near = np.flatnonzero(lengths <= self.limits[points])
        points, rows, entries = points[near], rows[near], entries[near]
        triangles, lengths = triangles[near], lengths[near]
        asked = distinct(points)
        held = self.rows[asked] >= 0
        old = np.repeat(asked, held.sum(axis=1))
        points = np.concatenate((old, points))
        rows = np.concatenate((self.rows[asked][held], rows))
        entries = np.concatenate((self.entries[asked][held], entries))
        triangles = np.concatenate((self.triangles[asked][held], triangles))
        lengths = np.concatenate((self.lengths[asked][held], lengths))
        order = np.lexsort((triangles, rows, lengths, points))
        points = points[order]
        ranks = np.arange(len(order)) - np.searchsorted(points, points)
        (kept,) = (ranks < self.count).nonzero()
        places, order = (points[kept], ranks[kept]), order[kept]
        self.lengths[places], self.rows[places] = lengths[order], rows[order]
        self.entries[places], self.triangles[places] = entries[order], triangles[order]


def nearest_in(moment: Moment, points: Floats, count: int, max_distance: float) -> Nearest:
    """Return the nearest placed triangles of points (3, q)."""
    here = moment.placements.meshes[moment.placements.is_there]
    fewer = min(count, int(moment.meshes.sizes[here].sum()))
    found = [
        _nearest_of_few(moment, np.ascontiguousarray(points[:, some]), count, fewer, max_distance)
        for some in blocks(points.shape[1], _POINTS)
    ]
    if not found:
        none = np.empty((0, count), np.intp)
        return Nearest(none, none.astype(float), np.empty((0, count, 3)), placements=none)
    items, lengths, positions, ids = (np.concatenate(each) for each in zip(*found, strict=True))
    return Nearest(items, lengths, positions, placements=ids)


def _nearest_of_few(
    moment: Moment, points: Floats, count: int, fewer: int, max_distance: float
) -> tuple[Ids, Floats, Floats, Ids]:
    """Return triangles, distances, positions and placements, `count` a row."""
    places = np.zeros(points.shape[1], np.intp)
    best = _Best(points.shape[1], fewer, max_distance)
    if fewer:
        looked = _first_looks(moment, points, best)
        _rest(moment, points, best, looked)
    items, ids = np.full((2, len(places), count), -1)
    lengths, positions = np.full(items.shape, np.inf), np.full((*items.shape, 3), np.nan)
    numbers, ranks = np.nonzero(best.rows >= 0)
    if len(numbers):
        rows, entries = best.rows[numbers, ranks], best.entries[numbers, ranks]
        nodes = moment.nodes(rows, np.zeros(len(rows)))
        placed = moment.placed(nodes, entries, rows)
        items[numbers, ranks] = best.triangles[numbers, ranks]
        ids[numbers, ranks] = moment.placements.ids[rows]
        lengths[numbers, ranks] = best.lengths[numbers, ranks]
        each = np.arange(len(rows))
        positions[numbers, ranks] = closest_points(placed, each, points, numbers).T
    return items, lengths, positions, ids


def _first_looks(moment: Moment, points: Floats, best: _Best) -> Ids:
    """Look at the placements with the nearest boxes, until each point knows how far to look.

    Returns keys of the pairs of points and rows that were looked at.
    """
    count, keys = len(moment.placements), np.empty(0, np.intp)
    asking = np.arange(points.shape[1])
    boxes = _BOXES if len(asking) > _ALONE else _BOXES * _MORE
    while len(asking):
        found = nearest(moment.top, points[:, asking].T, count=boxes, max_distance=best._most)
        numbers, ranks = np.nonzero(found.items >= 0)
        rows = moment.placements.rows_named(found.items[numbers, ranks])
        numbers = asking[numbers]
        new = np.flatnonzero(
            moment.placements.is_there[rows] & ~np.isin(numbers * count + rows, keys)
        )
        _look(moment, points, numbers[new], rows[new], best)
        keys = np.concatenate((keys, numbers[new] * count + rows[new]))
        more = found.items[:, -1] >= 0  # there may be others farther away
        asking, boxes = asking[more & np.isinf(best.lengths[asking, -1])], boxes * _MORE
    return keys


def _rest(moment: Moment, points: Floats, best: _Best, looked: Ids) -> None:
    """Look at all other placements that may have something nearer, the nearest first."""
    limits = best.limits
    (asking,) = np.isfinite(limits).nonzero()
    size = limits[asking] + np.abs(points[:, asking]).max(axis=0)
    spheres = np.concatenate((points[:, asking], (limits[asking] + size * _ROUNDING)[None]))
    numbers, rows = moment.rows_touching(Spheres.from_rows(spheres))
    numbers = asking[numbers]
    new = np.flatnonzero(~np.isin(numbers * len(moment.placements) + rows, looked))
    numbers, rows = numbers[new], rows[new]
    gaps = box_gaps(moment.placements.boxes[:, rows], points[:, numbers])
    away = np.sqrt((gaps * gaps).sum(axis=0)) * (1 - _ROUNDING)
    order = np.lexsort((away, numbers))
    numbers, rows, away = numbers[order], rows[order], away[order]
    for early in in_rounds(numbers, 1, 4, lambda of, left: away[left] <= best.limits[of]):
        _look(moment, points, numbers[early], rows[early], best)


def _look(moment: Moment, points: Floats, numbers: Ids, rows: Ids, best: _Best) -> None:
    """Look for what is nearer to points in placements, pair by pair; numbers ascend."""
    first, size = 0, _TOGETHER
    while first < len(numbers):
        some = slice(first, first + size)
        if _looked(moment, points, numbers[some], rows[some], best, size > 1):
            first += size
        else:
            size = max(1, size // 16)


def _looked(
    moment: Moment, points: Floats, numbers: Ids, rows: Ids, best: _Best, may_stop: bool
) -> bool:
    """Look at some pairs, unless that is too much at a time."""
    placements = moment.placements
    limits, most = best.limits[numbers], placements.most[rows]
    known = np.isfinite(placements.slacks[rows]) & (placements.least[rows] > 0)
    inverses = gather(placements.inverses, rows)
    there = gather(points, numbers)
    seen = taken_back(inverses, there - gather(placements.matrices[3::4], rows))
    sizes = np.abs(there) + np.abs(placements.matrices[3::4][:, rows])
    wrong = taken_back(np.abs(inverses), sizes).max(axis=0)
    # Of a mesh whose matrix has no inverse, all triangles are tested.
    slacks = np.where(known, placements.slacks[rows] + _ROUNDING * wrong, np.inf)
    seen[:, ~known] = 0.0
    nodes = moment.nodes(rows, slacks)
    most = np.where(known, most, 1.0)
    stretch = np.divide(most, placements.least[rows], out=np.ones(len(rows)), where=known)
    search = Search(nodes, seen, best.count, limits / most, stretch=stretch)
    boxes = mailboxes_for(len(nodes.order))
    seed(search, boxes)
    found = branch_and_bound(search, _MOST if may_stop else None)
    if found is None:
        return False
    for (some,) in portions([found], len(rows), PIECE):
        pairs, entries = expanded(nodes, some)
        least = lower_bounds(nodes.arranged, entries, seen, pairs)
        near = np.flatnonzero(least <= search.reach[pairs])
        near = near[unique_pairs(pairs[near], entries[near], boxes)]
        inner = _Inner(search, nodes, numbers, rows, most)
        _measure(moment, points, best, inner, pairs[near], entries[near], least[near])
    return True


@dataclass(frozen=True)
class _Inner:
    """A search in the spaces of meshes, by pairs of points and rows of placements."""

    search: Search
    nodes: WalkedNodes
    points: Ids
    rows: Ids
    most: Floats


def _measure(
    moment: Moment,
    points: Floats,
    best: _Best,
    inner: _Inner,
    pairs: Ids,
    entries: Ids,
    least: Floats,
) -> None:
    """Measure distances to placed triangles, those that promise most first."""
    search, numbers, rows = inner.search, inner.points, inner.rows
    nodes = inner.nodes
    promised = kth_least(pairs, least, best.count, len(rows))
    first = least <= promised[pairs]
    for chosen in (first, ~first):
        some = np.flatnonzero(chosen & (least <= search.reach[pairs]))
        asked, found = pairs[some], entries[some]
        items = moment.placed(nodes, found, rows[asked])
        lengths = distances(items, np.arange(len(some)), points, numbers[asked], best.limits)
        near = np.flatnonzero(np.isfinite(lengths))
        asked, found, lengths = asked[near], found[near], lengths[near]
        best.improve(numbers[asked], rows[asked], found, nodes.order[found], lengths)
        search.limits = np.minimum(search.limits, best.limits[numbers] / inner.most)


def nearest_in_rows(
    moment: Moment, points: Floats, rows: Ids, limits: Floats
) -> tuple[Floats, Floats]:
    """Return how far points (3, q) are from the meshes placed in these rows, and their triangles.

    (q,), and the placed corners of the nearest triangle of each, (9, q). None is farther away
    than its limit, (q,).
    """
    numbers = np.arange(len(rows))
    best = _Best(len(rows), 1, limits)
    _look(moment, points, numbers, rows, best)
    nodes = moment.nodes(rows, np.zeros(len(rows)))
    return best.lengths[:, 0], moment.placed(nodes, best.entries[:, 0], rows).rows
