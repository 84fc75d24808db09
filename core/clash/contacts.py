"""Contacts: pairs of triangles of two placements at most a margin apart, with distances.

The trees of two placements are descended together, down to triangles whose bounds are near. Pairs
of triangles that touch have distance 0; other distances are measured, unless the plane of one
triangle separates the pair by more than the margin.

The gap of two placements without contact is found best first: pairs of triangles are measured in
the order of the gaps of their bounds, until these gaps exceed the least distance found.

A row is the position of a placement in the snapshot, an entry the position of a triangle in the
pool.
"""

from dataclasses import dataclass

import numpy as np

from ..arrays import Flags, Floats, Ids, cross, distinct, dot, starts_of_runs
from ..compiled import measured_pairs
from ..records import Columns
from ..scene.dual_walk import EVERY, BoxWalk, NodePairs, Surfaces
from ..scene.moment import Moment
from ..scene.placed import PlacedTriangles
from ..scene.pool import Pool
from ..steps import Steps
from ..touch.triangle_distance import distances_of
from ..touch.triangle_pairs import triangles_touch_triangles

_ROUNDING = 2.0**-44


@dataclass(frozen=True)
class Contacts(Columns):
    """Pairs of triangles: entries, (2, c), the pair of placements of each, (c,), distances, (c,).

    Contacts are sorted by pair, then by the numbers of triangles.
    """

    pairs: Ids
    entries: Ids
    distances: Floats


def _in_order(found: Contacts, pool: Pool, *keys: Floats) -> Contacts:
    """Return contacts sorted by pair, then by keys, then by the numbers of triangles."""
    one, other = pool.order[found.entries]
    return found[np.lexsort((other, one, *keys, found.pairs))]


def contacts_of(moment: Moment, pool: Pool, met: Ids, margin: float) -> Steps[Contacts]:
    """Return the contacts, at most a margin apart, of pairs of rows `met`, (2, p)."""
    search = _Contacts(Surfaces(moment, pool), met, margin)
    yield from search.walk(np.arange(met.shape[1]))
    nothing = Contacts(np.empty(0, np.intp), np.empty((2, 0), np.intp), np.empty(0))
    return _in_order(Contacts.joined([nothing, *search.found]), pool)


def gaps_of(moment: Moment, pool: Pool, met: Ids, margin: float) -> Steps[Contacts]:
    """Return the nearest two triangles of each pair of rows, if at most a margin apart."""
    search = _Gaps(Surfaces(moment, pool), met, margin)
    yield from search.walk(np.arange(met.shape[1]))
    return search.answer


def measured(moment: Moment, pool: Pool, rows: Ids, entries: Ids, margin: float) -> Floats:
    """Return the distances of placed triangles, (h,); infinite if certainly beyond the margin.

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
    """Return the distances between items i and i + h of 2 h placed triangles, (h,)."""
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


def _beyond_plane(ones: Floats, others: Floats, margin: float) -> Flags:
    """Flag `others` certainly beyond the margin on one side of the plane of `ones`, (h,)."""
    one, other = ones.reshape(3, 3, -1), others.reshape(3, 3, -1)
    normal = cross(one[1] - one[0], one[2] - one[0])
    length = np.sqrt(dot(normal, normal))
    heights = np.stack([dot(normal, corner - one[0]) for corner in other])
    size = np.abs(other - one[0]).max(axis=(0, 1)) + np.abs(one - one[0]).max(axis=(0, 1))
    reach = length * (margin + size * _ROUNDING) + size * size * size * 2.0**-48
    far: Flags = (heights.min(axis=0) > reach) | (heights.max(axis=0) < -reach)
    return far


class _Measured(BoxWalk):
    """Walk that measures the triangles of pairs of rows, up to a margin."""

    def __init__(self, side: Surfaces, met: Ids, margin: float) -> None:
        super().__init__((side, side), met, np.full(met.shape[1], margin))

    def measured(self, trials: NodePairs) -> Contacts:
        """Return the pairs of triangles within the limit of their pair of rows."""
        side, limits = self.sides[0], self.limits[trials.pairs]
        margin = float(limits.max(initial=0.0))
        rows, entries = self.rows[:, trials.pairs], trials.entries
        lengths = measured(side.moment, side.pool, rows, entries, margin)
        (near,) = (lengths <= limits).nonzero()
        return Contacts(trials.pairs[near], entries[:, near], lengths[near])


class _Contacts(_Measured):
    """Walk that finds all contacts of each pair of rows."""

    few = EVERY

    def __init__(self, side: Surfaces, met: Ids, margin: float) -> None:
        super().__init__(side, met, margin)
        self.found: list[Contacts] = []

    def look(self, trials: NodePairs) -> None:
        """Keep the pairs of triangles within the margin."""
        self.found.append(self.measured(trials))


class _Gaps(_Measured):
    """Walk that finds the nearest two triangles of each pair of rows."""

    few = 64

    def __init__(self, side: Surfaces, met: Ids, margin: float) -> None:
        super().__init__(side, met, margin)
        self._entries = np.full((2, met.shape[1]), -1)

    def look(self, trials: NodePairs) -> None:
        """Keep the nearest triangles of each pair; ties go to the lowest numbers."""
        near = self.measured(trials)
        found = Contacts.joined([self._of(distinct(near.pairs)), near])
        best = _in_order(found, self.sides[0].pool, found.distances)
        best = best[starts_of_runs(best.pairs)]
        self.limits[best.pairs], self._entries[:, best.pairs] = best.distances, best.entries

    def _of(self, pairs: Ids) -> Contacts:
        found = pairs[self._entries[0, pairs] >= 0]
        return Contacts(found, self._entries[:, found], self.limits[found])

    @property
    def answer(self) -> Contacts:
        """The nearest two triangles found for each pair, sorted by pair; pairs may have none."""
        return self._of(np.arange(len(self.limits)))
