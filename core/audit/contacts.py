"""Contacts: pairs of triangles of two placements no farther apart than a margin, with distances.

Two placements are followed down to triangles whose bounds come near each other: nodes, then
sweep and prune. What touches has distance 0; the distance of others is measured if no plane keeps
them apart. The gap of two placements that have no contact is found best first: pairs of triangles
in the order of the gaps of their bounds, until these exceed the least distance found.
"""

from collections.abc import Generator
from dataclasses import dataclass
from functools import partial

import numpy as np

from .. import tuning
from ..arrays import Flags, Floats, Ids, blocks, cross, distinct, dot, starts_of_runs
from ..boxes import box_gaps
from ..compiled import measured_pairs
from ..records import Columns
from ..rounds import in_rounds
from ..scene.moment import Moment
from ..scene.near import Near, compared, near_each_other
from ..scene.placed import PlacedTriangles
from ..scene.pool import Pool
from ..steps import Steps, repeated
from ..touch.triangle_distance import distances_of
from ..touch.triangle_pairs import triangles_touch_triangles

# Pairs of triangles that are tested in a step.
_TESTED = 8_192
# Pairs of triangles of two placements that are measured first, and the factor for the next round.
_FEW, _MORE = 4, 4
_ROUNDING = 2.0**-44


@dataclass(frozen=True)
class Contacts(Columns):
    """Pairs of entries, (2, c), of pairs of placements `pairs` (c,), and their distances (c,).

    Sorted by pair, then by the numbers of triangles.
    """

    pairs: Ids
    entries: Ids
    distances: Floats


def _in_order(parts: list[Contacts], pool: Pool) -> Contacts:
    """Return all contacts, sorted by pair, then by the numbers of triangles."""
    nothing = Contacts(np.empty(0, np.intp), np.empty((2, 0), np.intp), np.empty(0))
    found = Contacts.joined([nothing, *parts])
    one, other = pool.order[found.entries]
    return found[np.lexsort((other, one, found.pairs))]


def contacts_of(moment: Moment, pool: Pool, met: Ids, margin: float) -> Steps[Contacts]:
    """Return the contacts of pairs of rows `met`, (2, p), at most a margin apart."""
    parts: list[Contacts] = []
    for share, first, near, ones, others in _candidates(moment, pool, met, margin):
        yield share
        for some in blocks(len(ones), _TESTED):
            pairs = first + (near.sides[ones[some]] >> 1)
            entries = np.stack((near.entries[ones[some]], near.entries[others[some]]))
            lengths = measured(moment, pool, met[:, pairs], entries, margin)
            (kept,) = (lengths <= margin).nonzero()
            parts.append(Contacts(pairs[kept], entries[:, kept], lengths[kept]))
            yield share
    return _in_order(parts, pool)


def gaps_of(moment: Moment, pool: Pool, met: Ids, margin: float) -> Steps[Contacts]:
    """Return for each pair of rows the nearest two triangles, if no farther than a margin."""
    best = _Gaps(moment, pool, met, margin)
    for share, first, near, ones, others in _candidates(moment, pool, met, margin):
        yield share
        for _ in best.improve(first, near, ones, others):
            yield share
    return best.answer


def corners_of(moment: Moment, pool: Pool, entries: Ids, rows: Ids) -> Floats:
    """Return the corners of entries placed in these rows, (9, h)."""
    return moment.placed(pool, entries, rows).rows


def measured(moment: Moment, pool: Pool, rows: Ids, entries: Ids, margin: float) -> Floats:
    """Return how far pairs of placed triangles are apart, infinite if surely beyond the margin.

    Rows and entries are (2, h).
    """
    items, count = moment.placed(pool, entries.ravel(), rows.ravel()), rows.shape[1]
    lengths = measured_pairs(items, margin)
    if lengths is None:
        return _measured(items, margin)
    (left,) = np.isnan(lengths).nonzero()
    if len(left):
        lengths[left] = _measured(items[np.concatenate((left, count + left))], margin)
    return lengths


def _measured(items: PlacedTriangles, margin: float) -> Floats:
    """Return how far items i and i + h of 2 h placed triangles are apart, (h,)."""
    corners, count = items.rows, len(items) // 2
    ones, others = corners[:, :count], corners[:, count:]
    lengths = np.full(count, np.inf)
    near = ~(_beyond_plane(ones, others, margin) | _beyond_plane(others, ones, margin))
    (left,) = near.nonzero()
    touching = triangles_touch_triangles(items, left, items, count + left)
    lengths[left[touching]] = 0.0
    apart = left[~touching]
    lengths[apart] = distances_of(ones[:, apart], others[:, apart])
    return lengths


def _candidates(
    moment: Moment, pool: Pool, met: Ids, margin: float
) -> Generator[tuple[float, int, Near, Ids, Ids], None, None]:
    """Yield the share done, the first pair, and places of two sides whose bounds come near."""
    used = tuning.current
    first, size, count = 0, used.audited_at_first, met.shape[1]
    while first < count:
        some = met[:, first : first + size]
        steps = near_each_other(moment, pool, some, margin)
        near = yield from repeated(steps, partial(_still_finding, first / count, first))
        for done, ones, others in compared(near, margin, lambda _: False):
            yield (first + done * some.shape[1]) / count, first, near, ones, others
        factor = min(used.placements_found / max(near.found, 1), 4.0)
        first += some.shape[1]
        size = min(max(1, int(some.shape[1] * factor)), used.audited)


def _still_finding(done: float, first: int, _: float) -> tuple[float, int, Near, Ids, Ids]:
    """Return no candidates yet."""
    nothing = np.empty(0, np.intp)
    return done, first, _NOTHING, nothing, nothing


_NOTHING = Near(np.empty(0, np.intp), np.empty(0, np.intp), np.empty((6, 0)), 0)


def _beyond_plane(ones: Floats, others: Floats, margin: float) -> Flags:
    """Return which `others` surely lie beyond the margin on one side of a plane of `ones`."""
    one, other = ones.reshape(3, 3, -1), others.reshape(3, 3, -1)
    normal = cross(one[1] - one[0], one[2] - one[0])
    length = np.sqrt(dot(normal, normal))
    heights = np.stack([dot(normal, corner - one[0]) for corner in other])
    size = np.abs(other - one[0]).max(axis=(0, 1)) + np.abs(one - one[0]).max(axis=(0, 1))
    reach = length * (margin + size * _ROUNDING) + size * size * size * 2.0**-48
    far: Flags = (heights.min(axis=0) > reach) | (heights.max(axis=0) < -reach)
    return far


class _Gaps:
    """The nearest two triangles of each pair of rows so far."""

    def __init__(self, moment: Moment, pool: Pool, met: Ids, margin: float) -> None:
        self._moment, self._pool, self._met = moment, pool, met
        self._lengths = np.full(met.shape[1], margin)
        self._entries = np.full((2, met.shape[1]), -1)

    def improve(
        self, first: int, near: Near, ones: Ids, others: Ids
    ) -> Generator[None, None, None]:
        """Measure these pairs of places, those of the smallest gaps first."""
        pairs = first + (near.sides[ones] >> 1)
        beside = box_gaps(near.bounds[:, ones], near.bounds[:, others])
        gaps = np.sqrt(dot(beside, beside)) * (1 - _ROUNDING)
        entries = np.stack((near.entries[ones], near.entries[others]))
        order = np.lexsort((gaps, pairs))
        pairs, gaps, entries = pairs[order], gaps[order], entries[:, order]

        def are_open(owners: Ids, left: Ids) -> Flags:
            return gaps[left] <= self._lengths[owners]

        for early in in_rounds(pairs, _FEW, _MORE, are_open):
            for some in np.array_split(early, 1 + len(early) // _TESTED):
                self._measure(pairs[some], entries[:, some])
                yield

    def _measure(self, pairs: Ids, entries: Ids) -> None:
        margin = float(self._lengths[pairs].max(initial=0.0))
        lengths = measured(self._moment, self._pool, self._met[:, pairs], entries, margin)
        (some,) = ((lengths <= self._lengths[pairs]) & np.isfinite(lengths)).nonzero()
        old = distinct(pairs[some])
        old = old[self._entries[0, old] >= 0]
        pairs = np.concatenate((old, pairs[some]))
        entries = np.concatenate((self._entries[:, old], entries[:, some]), axis=1)
        lengths = np.concatenate((self._lengths[old], lengths[some]))
        one, other = self._pool.order[entries]
        order = np.lexsort((other, one, lengths, pairs))
        best = order[starts_of_runs(pairs[order])]
        self._lengths[pairs[best]], self._entries[:, pairs[best]] = lengths[best], entries[:, best]

    @property
    def answer(self) -> Contacts:
        """The nearest two triangles of each pair that has any, sorted by pair."""
        (found,) = (self._entries[0] >= 0).nonzero()
        return Contacts(found, self._entries[:, found], self._lengths[found])
