"""Bounds of a branch and bound so far: the least gap of each pair, and what may change it."""

from dataclasses import dataclass

import numpy as np

from ..arrays import Flags, Floats, Ids, starts_of_runs, two_difference_error, two_product_error
from ..records import Columns
from ..scene.pool import Pool
from .shadows import QUANTUM
from .way import Way

# What is no farther beyond a gap may have an equal one, which is rounded down.
_TIE = 2 * QUANTUM


@dataclass(frozen=True)
class Faces(Columns):
    """Pairs of triangles that lie in one plane: the pair of placements, and two entries."""

    pairs: Ids
    ones: Ids
    others: Ids

    @classmethod
    def none(cls) -> "Faces":
        """Return no faces."""
        return cls(*np.empty((3, 0), np.intp))


class Known:
    """The least gaps of p pairs so far: see `GapSearch`, and `limits` of their `keys`.

    `face` (2, p) are the lowest triangles in one plane, -1 of none. If `every`, all of them are
    kept, and nothing is settled by what is known.
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
        """Return what the bound on pairs is shared by."""
        return self._keys[pairs] if self._shared else pairs

    @property
    def faces(self) -> Faces:
        """Triangles in one plane, of pairs without a gap of 0 or less; each once.

        Sorted by pair, then by the numbers of triangles.
        """
        (some,) = (self._face[0] >= 0).nonzero()
        found = Faces.joined([*self._faces, Faces(some, *self._face[:, some])])
        found = found[self.gaps[found.pairs] > 0]
        found = Faces(*np.unique((found.pairs, found.ones, found.others), axis=1))
        return found[self._in_order(found)]

    def _in_order(self, faces: Faces) -> Ids:
        """Return places of faces, sorted by pair, then by the numbers of triangles."""
        order = self._pool.order
        return np.lexsort((order[faces.others], order[faces.ones], faces.pairs))

    def _bounds(self, pairs: Ids) -> Floats:
        """Return up to where pairs may have a gap that counts."""
        limits = self._limits.take(self._keys.take(pairs))
        bounds: Floats = np.minimum(self.gaps.take(pairs), limits) + _TIE
        return bounds

    def are_near(self, pairs: Ids, least: Floats, most: Floats) -> Flags:
        """Return which gaps, between two bounds, may be the least of their pairs, or equal it."""
        best = np.full(len(self.gaps), np.inf)
        np.minimum.at(best, pairs, most + _TIE)
        flags: Flags = least < np.minimum(best[pairs], self._bounds(pairs))
        return flags

    def is_ahead(self, pairs: Ids, least: Floats, low: Floats, high: Floats) -> Flags:
        """Return what is no farther than is looked for, nor wholly behind."""
        flags = self.are_open(pairs, least)
        if not self._signed:
            flags &= high >= low
        return flags

    def are_open(self, pairs: Ids, least: Floats) -> Flags:
        """Return what is no farther than is looked for."""
        flags: Flags = least < self._bounds(pairs)
        return flags

    def may_change(self, pairs: Ids, one: Floats, other: Floats, items: Ids, flat: Flags) -> Flags:
        """Return in which pairs of boxes, (8, t), something may be that is not known.

        Nearer than what is known, or as near and of lower numbers: those of triangles in a box are
        at least `items`. What is `flat`, two boxes in one plane in which no triangle is without an
        area, has faces in one plane alone.
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
        """Return where heights are no nearer than gaps along the way, without any rounding.

        Heights are those along the axis that is nearest to the way.
        """
        apart = low - high
        lost = two_difference_error(low, high)
        part = np.full_like(gaps, np.abs(self._way.direction).max())
        far, error = gaps * part, two_product_error(gaps, part)
        doubt = np.where(error == 0, 0.0, (np.abs(lost) + np.abs(error)) * 2.0**-50)
        flags: Flags = (apart - far) + (lost - error) >= doubt
        return flags

    def keep_faces(self, faces: Faces) -> None:
        """Keep the lowest triangles in one plane, or all."""
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
        """Keep smaller gaps than those known; of equals, crossing triangles, then the lowest."""
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
        """Return which of some numbers are lower than those of known entries, (2, p), of pairs."""
        ones, others = self._pool.items(known[:, pairs[some]])
        one, other = items[:, some]
        flags: Flags = (one < ones) | ((one == ones) & (other < others))
        return flags
