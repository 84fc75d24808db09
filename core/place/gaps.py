"""Shortest distances of pairs of surfaces that share no point, and their closest triangles."""

from dataclasses import dataclass

import numpy as np

from ..arrays import Floats, Ids, dot, starts_of_runs, unit_vectors
from ..compiled import shortest_ways
from ..records import Columns
from ..scene.dual_walk import BoxWalk, NodePairs, Surfaces
from ..scene.placements import GAP_ROUNDING, gap_slacks
from ..steps import Steps
from ..touch.triangle_distance import distances_of, nearest_points

# Distances that differ by less than this part of the triangles' extent count as equal, because a
# distance is rounded a few times.
_EQUAL = 2.0**-46


@dataclass(frozen=True)
class _Ways(Columns):
    """Triangles (2, h) of pairs of placements, their distances, and the rounding tolerances."""

    pairs: Ids
    entries: Ids
    lengths: Floats
    slacks: Floats


class _Nearest(BoxWalk):
    """The least distance of each pair so far, and the triangles at about this distance.

    Most triangles are farther apart than this least distance already along its direction; their
    own distance is not measured (a separating direction; E. G. Gilbert, D. W. Johnson and S. S.
    Keerthi, "A Fast Procedure for Computing the Distance between Complex Objects", 1988).
    """

    def __init__(self, sides: tuple[Surfaces, Surfaces], rows: Ids, limits: Floats) -> None:
        super().__init__(sides, rows, limits + 0.0)
        self.lengths = np.full(rows.shape[1], np.inf)
        self._directions = np.zeros((3, rows.shape[1]))
        nothing = np.empty(0)
        self._ways = [_Ways(np.empty(0, np.intp), np.empty((2, 0), np.intp), nothing, nothing)]

    def look(self, trials: NodePairs) -> None:
        """Measure pairs of triangles, and keep the pairs that may be the closest."""
        corners = [each.rows for each in self.placed(trials)]
        (near,) = (self._along(trials.pairs, *corners) <= self.limits[trials.pairs]).nonzero()
        if len(near) == 0:
            return
        pairs, entries = trials.pairs[near], trials.entries[:, near]
        ones, others = (each[:, near] for each in corners)
        lengths = distances_of(ones, others)
        points = np.stack((ones, others)).reshape(6, 3, -1)
        slacks = (points.max(axis=0) - points.min(axis=0)).max(axis=0) * _EQUAL
        order = np.lexsort((lengths, pairs))
        best = order[starts_of_runs(pairs[order])]
        best = best[lengths[best] < self.lengths[pairs[best]]]
        here = pairs[best]
        self.lengths[here] = lengths[best]
        ends = nearest_points(ones[:, best], others[:, best])
        self._directions[:, here] = unit_vectors(ends[1] - ends[0])
        # Equally close triangles may be farther apart by a rounding error.
        self.limits[here] = np.minimum(self.limits[here], self.lengths[here] + self.slacks[here])
        (kept,) = (lengths <= self.limits[pairs]).nonzero()
        self._ways.append(_Ways(pairs[kept], entries[:, kept], lengths[kept], slacks[kept]))

    def _along(self, pairs: Ids, ones: Floats, others: Floats) -> Floats:
        """Return lower bounds of the distances of triangles (9, h), (h,)."""
        directions = self._directions.take(pairs, axis=1)
        here = np.stack([dot(directions, corner) for corner in ones.reshape(3, 3, -1)])
        there = np.stack([dot(directions, corner) for corner in others.reshape(3, 3, -1)])
        apart: Floats = there.min(axis=0) - here.max(axis=0) - self.slacks[pairs]
        return apart * (1 - GAP_ROUNDING)

    def ways(self) -> _Ways:
        """Return the closest triangles of each pair, equally close ones included."""
        found = _Ways.joined(self._ways)
        return found[found.lengths <= self.lengths[found.pairs] + found.slacks]


@dataclass(frozen=True)
class NearestWays:
    """Distances of pairs, (p,), and their closest triangles, (2, p).

    Pairs beyond the limit of the search have an infinite distance and triangles -1.
    """

    lengths: Floats
    items: Ids
    entries: Ids


def gaps_between(
    side: Surfaces, rows: Ids, limits: Floats, turned: Ids | None = None
) -> Steps[NearestWays]:
    """Return the distances of surfaces in rows, (2, p), that share no point, up to limits, (p,).

    Among equally close triangles, the smallest numbers win: first on side 0, or on side 1 if the
    pair is swapped (`turned`, (p,) of 0 and 1).
    """
    turned = np.zeros(rows.shape[1], np.intp) if turned is None else turned
    slacks = gap_slacks(*map(side.boxes, rows))
    walked = yield from shortest_ways(side.walked, rows, limits, slacks, turned)
    if walked is None:
        return (yield from _descended(side, rows, limits, turned))
    lengths, entries = walked
    items = side.pool.items(entries)
    (left,) = np.isnan(lengths).nonzero()
    if len(left):
        rest = yield from _descended(side, rows[:, left], limits[left], turned[left])
        lengths[left], items[:, left], entries[:, left] = rest.lengths, rest.items, rest.entries
    return NearestWays(lengths, items, entries)


def _descended(side: Surfaces, rows: Ids, limits: Floats, turned: Ids) -> Steps[NearestWays]:
    search = _Nearest((side, side), rows, limits)
    yield from search.walk(np.arange(rows.shape[1]))
    search.lengths[search.lengths > limits] = np.inf
    ways = search.ways()
    items = side.pool.order[ways.entries]
    first, each = turned[ways.pairs], np.arange(len(ways))
    order = np.lexsort((items[1 - first, each], items[first, each], ways.pairs))
    best = order[starts_of_runs(ways.pairs[order])]
    found = np.full((2, 2, rows.shape[1]), -1)
    found[0][:, ways.pairs[best]] = items[:, best]
    found[1][:, ways.pairs[best]] = ways.entries[:, best]
    return NearestWays(search.lengths, found[0], found[1])
