"""Incumbents of a branch and bound: the smallest gap found for each pair, and pruning tests.

A pair is a pair of placements; an entry is the position of a triangle in the pool.
"""

from dataclasses import dataclass

import numpy as np

from ..arrays import Flags, Floats, Ids, starts_of_runs, two_difference_error, two_product_error
from ..records import Columns
from ..scene.pool import Pool
from .shadows import QUANTUM
from .way import Way

# Gaps are rounded down: a lower bound larger than a gap by less than this may belong to an equal
# gap.
_TIE = 2 * QUANTUM


@dataclass(frozen=True)
class Faces(Columns):
    """Pairs of coplanar triangles: the pair of placements, and one entry of each side."""

    pairs: Ids
    ones: Ids
    others: Ids

    @classmethod
    def none(cls) -> "Faces":
        """Return an empty batch."""
        return cls(*np.empty((3, 0), np.intp))


class Known:
    """The smallest gaps of p pairs so far, with the attributes of `GapSearch`.

    `keys` (p,) give each pair its place in `limits`: a gap above this limit does not count. If
    `shared`, each gap found lowers the limit of its key. If `every`, all pairs of coplanar
    triangles are kept, and no pair of boxes is pruned by a gap found.
    """

    def __init__(
        self,
        pool: Pool,
        way: Way,
        keys: Ids,
        limits: Floats,
        *,
        signed: bool,
        shared: bool,
        every: bool,
    ) -> None:
        self._pool, self._way, self._keys, self._limits = pool, way, keys, limits
        self._signed, self._shared, self._every = signed, shared, every
        count = len(keys)
        self.gaps, self.crossing = np.full(count, np.inf), np.zeros(count, bool)
        self.entries, self.corners = np.full((2, count), -1), np.full(count, -1)
        self._face, self._faces = np.full((2, count), -1), [Faces.none()]

    def rank(self, pairs: Ids) -> Ids:
        """Return the group with which each pair shares its upper bound: its key, or itself."""
        return self._keys[pairs] if self._shared else pairs

    @property
    def faces(self) -> Faces:
        """Pairs of coplanar triangles, each once, of placement pairs whose gap is positive.

        They are sorted by pair, then by the numbers of their triangles.
        """
        (some,) = (self._face[0] >= 0).nonzero()
        found = Faces.joined([*self._faces, Faces(some, *self._face[:, some])])
        found = found[self.gaps[found.pairs] > 0]
        found = Faces(*np.unique((found.pairs, found.ones, found.others), axis=1))
        return found[self._in_order(found)]

    def _in_order(self, faces: Faces) -> Ids:
        """Return the order that sorts faces by pair, then by the numbers of their triangles."""
        order = self._pool.order
        return np.lexsort((order[faces.others], order[faces.ones], faces.pairs))

    def _bounds(self, pairs: Ids) -> Floats:
        """Return upper bounds, (n,): a gap counts if it is below the bound of its pair."""
        limits = self._limits.take(self._keys.take(pairs))
        bounds: Floats = np.minimum(self.gaps.take(pairs), limits) + _TIE
        return bounds

    def are_near(self, pairs: Ids, least: Floats, most: Floats) -> Flags:
        """Flag gaps, between the bounds `least` and `most`, that may be the smallest of a pair."""
        best = np.full(len(self.gaps), np.inf)
        np.minimum.at(best, pairs, most + _TIE)
        flags: Flags = least < np.minimum(best[pairs], self._bounds(pairs))
        return flags

    def is_ahead(self, pairs: Ids, least: Floats, low: Floats, high: Floats) -> Flags:
        """Flag lower bounds of gaps that may count, unless the second box lies wholly behind.

        `low` is where the first box begins along the direction, `high` where the second one ends.
        """
        flags = self.are_open(pairs, least)
        if not self._signed:
            flags &= high >= low
        return flags

    def are_open(self, pairs: Ids, least: Floats) -> Flags:
        """Flag lower bounds of gaps that are below the upper bounds of their pairs."""
        flags: Flags = least < self._bounds(pairs)
        return flags

    def may_change(self, pairs: Ids, one: Floats, other: Floats, items: Ids, flat: Flags) -> Flags:
        """Flag the pairs of boxes, (8, t) each, that may hold an improvement.

        An improvement is a smaller gap than the incumbent, or an equal gap of triangles with lower
        numbers; the numbers of triangles in the boxes are at least `items`. `flat` flags two boxes
        in one plane without degenerate triangles: such boxes only hold coplanar faces, which count
        if the gap is positive and no lower face is known.
        """
        flags = np.ones(len(pairs), bool)
        if self._every:
            return flags
        gaps = self.gaps.take(pairs)
        (some,) = (gaps < np.inf).nonzero()
        settled = other[2].take(some) - one[6].take(some) > gaps[some]
        settled |= self._is_no_nearer(gaps[some], other[3].take(some), one[7].take(some))
        if not self._signed:
            settled |= self.crossing[pairs[some]] & (gaps[some] <= 0)
        some = some[settled]
        flags[some] = self._are_lower(items, self.entries, pairs, some)
        if self._signed:
            return flags
        (some,) = (flags & flat).nonzero()
        is_known = self._face[0].take(pairs[some]) >= 0
        is_lower = self._are_lower(items, self._face, pairs, some)
        flags[some] = (gaps[some] > 0) & (~is_known | is_lower)
        return flags

    def _is_no_nearer(self, gaps: Floats, low: Floats, high: Floats) -> Flags:
        """Flag the pairs whose heights surely are at least `gaps` apart along the direction.

        `low` are lower bounds of the second boxes and `high` upper bounds of the first ones, along
        the axis nearest to the direction. The rounding errors of the comparison are included.
        """
        apart = low - high
        lost = two_difference_error(low, high)
        part = np.full_like(gaps, np.abs(self._way.direction).max())
        far, error = gaps * part, two_product_error(gaps, part)
        doubt = np.where(error == 0, 0.0, (np.abs(lost) + np.abs(error)) * 2.0**-50)
        flags: Flags = (apart - far) + (lost - error) >= doubt
        return flags

    def keep_faces(self, faces: Faces) -> None:
        """Keep the coplanar triangles with the lowest numbers of each pair, or all if `every`."""
        if self._every:
            self._faces.append(faces)
            return
        faces = faces[self._in_order(faces)]
        faces = faces[starts_of_runs(faces.pairs)]
        each, order = np.arange(len(faces)), self._pool.order
        items = np.stack((order[faces.ones], order[faces.others]))
        is_lower = self._are_lower(items, self._face, faces.pairs, each)
        faces = faces[(is_lower | (self._face[0, faces.pairs] < 0)).nonzero()[0]]
        self._face[:, faces.pairs] = faces.ones, faces.others

    def take(self, pairs: Ids, values: Floats, entries: Ids, which: Ids, crossing: Flags) -> None:
        """Replace incumbents by smaller gaps; ties prefer crossing triangles, then low numbers."""
        apart, items = ~crossing, self._pool.order[entries]
        order = np.lexsort((items[1], items[0], apart, values, pairs))
        order = order[starts_of_runs(pairs[order])]
        gaps, is_apart = self.gaps[pairs[order]], ~self.crossing[pairs[order]]
        is_lower = self._are_lower(items, self.entries, pairs, order)
        is_lower = np.where(apart[order] == is_apart, is_lower, apart[order] < is_apart)
        order = order[(values[order] < gaps) | ((values[order] == gaps) & is_lower)]
        better = pairs[order]
        self.gaps[better], self.crossing[better] = values[order], crossing[order]
        self.entries[:, better], self.corners[better] = entries[:, order], which[order]
        if self._shared:
            np.minimum.at(self._limits, self._keys[better], values[order])

    def _are_lower(self, items: Ids, known: Ids, pairs: Ids, some: Ids) -> Flags:
        """Flag the columns `some` of `items` that are lower than the `known` entries of `pairs`.

        `items` (2, n) are numbers of triangles, `known` (2, p) are entries. The first row decides,
        then the second.
        """
        ones, others = self._pool.items(known[:, pairs[some]])
        one, other = items[:, some]
        flags: Flags = (one < ones) | ((one == ones) & (other < others))
        return flags
