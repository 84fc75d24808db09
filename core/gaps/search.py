"""Least gaps of placed meshes along a direction: branch and bound over pairs of patches.

The gap of two boxes with shadows that overlap bounds that of all they hold. First a few of the
most promising pairs of boxes are followed down to triangles, which bounds the answer; then all
pairs go down together as far as patches of some dozens of triangles; then the most promising ones
are looked at first, ever more at a time, until no box can hold anything nearer.

Heights are taken above a plane that is tilted as the two surfaces are where they are nearest so
far. The gap of two points over each other is the same above any plane, and boxes that lie along a
slope are flat there: a hundred times fewer of them come near each other.
"""

from dataclasses import dataclass

import numpy as np

from ..arrays import (
    Flags,
    Floats,
    Ids,
    blocks,
    concatenated_ranges,
    gather,
    starts_of_runs,
)
from ..records import Columns
from ..scene.moment import Moment, first_of_each
from ..scene.sheets import Sheets
from ..steps import Steps
from ..touch.triangle_distance import nearest_points
from .shadows import ShadowGaps, exact_gaps, places_on_movers, shadow_gaps, slopes_at
from .way import Way

# Pairs of placements, of patches, of small patches and of triangles that are looked at together.
_PLACED, _SPLIT, _SMALL, _TESTED = 2_048, 131_072, 2_048, 8_192
# How many of the most promising pairs of boxes are followed first, and then, by what factor more.
_BEAMS, _FIRST, _MORE = (6, 24), 4, 4
# By how much boxes are larger than they have to be, as a part of the terms of their coordinates.
_GROWN = 2.0**-40
# How far planes are tilted at most, and what rounding does to heights above them.
_STEEP, _TILTED = 8.0, 2.0**-47


@dataclass(frozen=True)
class Boxed(Columns):
    """Pairs of patches of pairs of placements, what bounds them as seen along the way, (6, t).

    `least` are what no gap in them is below.
    """

    pairs: Ids
    ones: Ids
    others: Ids
    one_bounds: Floats
    other_bounds: Floats
    least: Floats


@dataclass(frozen=True)
class Faces(Columns):
    """Pairs of triangles that lie in one plane: the pair of placements, and two entries."""

    pairs: Ids
    ones: Ids
    others: Ids


class GapSearch:
    """The least gap of each pair of placements, (2, p) rows, of which the first moves.

    Attributes
    ----------
    gaps : ndarray of float64, shape (p,)
        Infinite if nothing is ahead; a multiple of `QUANTUM`, below the exact one by less.
    entries : ndarray of intp, shape (2, p)
        The triangles that have it; -1 if nothing is ahead.
    corners : ndarray of intp, shape (p,)
        At which corner of their shared shadow.
    crossing : ndarray of bool, shape (p,)
        Which have triangles that cross.
    faces : Faces
        Triangles in one plane, of pairs without a smaller gap than 0.
    """

    def __init__(self, moment: Moment, sheets: Sheets, way: Way, *, signed: bool = False) -> None:
        self._moment, self._sheets, self._way = moment, sheets, way
        self._signed = signed
        self._matrices, self._terms = way.turned(moment.placements.matrices)

    def look(self, rows: Ids, keys: Ids, limits: Floats, *, shared: bool) -> Steps[None]:
        """Find the gaps of pairs of rows.

        None above the limit of its key is looked for; if `shared`, these fall with what is found.
        """
        self.rows, self._keys, self._limits, self._shared = rows, keys, limits, shared
        count = rows.shape[1]
        self.gaps, self.crossing = np.full(count, np.inf), np.zeros(count, bool)
        self.entries, self.corners = np.full((2, count), -1), np.full(count, -1)
        self._faces: list[Faces] = []
        self._slopes = np.zeros((2, count))
        # Pairs of one key together, so that its limit is known when the next ones are looked at.
        order = np.argsort(keys, kind="stable")
        for some in blocks(count, _PLACED):
            for done in self._some(np.sort(order[some])):
                yield (some.start + done * (some.stop - some.start)) / max(count, 1)

    @property
    def faces(self) -> Faces:
        """Triangles in one plane, of pairs that nothing else holds."""
        nothing = np.empty(0, np.intp)
        found = Faces.joined([Faces(nothing, nothing, nothing), *self._faces])
        return found[self.gaps[found.pairs] > 0]

    def places(self, pairs: Ids) -> Floats:
        """Return where on the mover the gaps of some pairs are measured from, (3, n).

        NaN where there is no gap.
        """
        places = np.full((3, len(pairs)), np.nan)
        (some,) = (self.entries[0, pairs] >= 0).nonzero()
        corners, which = self._corners(pairs[some]), self.corners[pairs[some]]
        shown = places_on_movers(self._way, corners, np.maximum(which, 0))
        ones, others = (side.reshape(9, -1) for side in (corners[:3], corners[3:]))
        places[:, some] = np.where(which >= 0, shown, nearest_points(ones, others)[0])
        return places

    def _corners(self, pairs: Ids) -> Floats:
        """Return the corners of the triangles that have the gaps, (6 corners, 3 axes, n)."""
        sides = [
            self._moment.placed(self._sheets, entries, rows).rows
            for entries, rows in zip(self.entries[:, pairs], self.rows[:, pairs], strict=True)
        ]
        return np.concatenate(sides).reshape(6, 3, -1)

    def _some(self, pairs: Ids) -> Steps[None]:
        for beam in _BEAMS:
            self._dive(self._tops(pairs), beam)
            self._aim(pairs)
            yield 0.1
        boxed = self._tops(pairs)
        is_low = self._is_low
        while True:
            boxed = self._kept(boxed)
            high = ~(is_low[boxed.ones] & is_low[boxed.others])
            if not high.any():
                break
            boxed = Boxed.joined([boxed[~high], self._split(boxed[high], is_low)])
            yield 0.4
        few, total = _FIRST, max(len(boxed), 1)
        while len(boxed := self._kept(boxed)):
            order = np.lexsort((boxed.least, self._rank(boxed)))
            boxed = boxed[order]
            early = first_of_each(self._rank(boxed), few)
            for part in blocks(int(early.sum()), _SPLIT // 4):
                self._descend(boxed[early.nonzero()[0][part]])
                yield 1 - 0.6 * len(boxed) / total
            boxed, few = boxed[~early], few * _MORE

    def _rank(self, boxed: Boxed) -> Ids:
        """Return what the bound on a pair is shared by."""
        return self._keys[boxed.pairs] if self._shared else boxed.pairs

    @property
    def _is_low(self) -> Flags:
        patches = self._sheets.patches
        firsts = np.where(patches.are_small, 0, patches.firsts)
        flags: Flags = patches.are_small | patches.are_small[firsts]
        return flags

    def _aim(self, pairs: Ids) -> None:
        """Tilt the planes above which heights are taken as surfaces are where they are nearest."""
        some = pairs[self.corners[pairs] >= 0]
        slopes = slopes_at(self._way, self._corners(some), self.corners[some])
        flat = ~(np.abs(slopes) <= _STEEP).all(axis=0)
        slopes[:, flat] = 0.0
        self._slopes[:, some] = slopes

    def _bounds(self, rows: Ids, patches: Ids, pairs: Ids) -> Floats:
        """Return the bounds of patches placed in rows, as seen along the way, (6, t)."""
        boxes = gather(self._sheets.patches.rows, patches)
        middle, half = (boxes[:3] + boxes[3:]) / 2, (boxes[3:] - boxes[:3]) / 2
        size = np.maximum(np.abs(boxes[:3]), np.abs(boxes[3:]))
        found = np.empty((6, len(rows)))
        tilt = self._slopes[:, pairs]
        is_tilted = bool(tilt.any())
        for axis in range(3):
            x, y, z, shift = (self._matrices[4 * axis + i].take(rows) for i in range(4))
            if axis == 2 and is_tilted:
                x, y, z, shift = (
                    each
                    - tilt[0] * self._matrices[i].take(rows)
                    - tilt[1] * self._matrices[4 + i].take(rows)
                    for i, each in enumerate((x, y, z, shift))
                )
            center = x * middle[0] + y * middle[1] + z * middle[2] + shift
            extent = np.abs(x) * half[0] + np.abs(y) * half[1] + np.abs(z) * half[2]
            a, b, c, d = (self._terms[4 * axis + i].take(rows) for i in range(4))
            if axis == 2 and is_tilted:
                a, b, c, d = (
                    each
                    + np.abs(tilt[0]) * self._terms[i].take(rows)
                    + np.abs(tilt[1]) * self._terms[4 + i].take(rows)
                    for i, each in enumerate((a, b, c, d))
                )
            extent += (a * size[0] + b * size[1] + c * size[2] + d) * _GROWN
            found[axis], found[3 + axis] = center - extent, center + extent
        return found

    def _tops(self, pairs: Ids) -> Boxed:
        """Return the pairs of largest patches of pairs of rows, as far as their boxes meet."""
        patches, sides = self._sheets.patches, []
        for rows in self.rows[:, pairs]:
            meshes = self._moment.placements.meshes[rows]
            counts = patches.top_counts[meshes]
            owners = np.repeat(np.arange(len(pairs)), counts)
            tops = concatenated_ranges(patches.tops[meshes], counts)
            sides.append((owners, tops, self._bounds(rows[owners], tops, pairs[owners])))
        whole = []
        for owners, _, bounds in sides:
            around = np.concatenate(
                (np.full((3, len(pairs)), np.inf), np.full((3, len(pairs)), -np.inf))
            )
            if len(owners):
                starts = starts_of_runs(owners)
                around[:3, owners[starts]] = np.minimum.reduceat(bounds[:3], starts, axis=1)
                around[3:, owners[starts]] = np.maximum.reduceat(bounds[3:], starts, axis=1)
            whole.append(around)
        kept = []
        for number, (owners, tops, bounds) in enumerate(sides):
            there = whole[1 - number][:, owners]
            met = ((bounds[:2] <= there[3:5]) & (bounds[3:5] >= there[:2])).all(axis=0)
            kept.append((owners[met], tops[met], bounds[:, met]))
        ones, others = _each_with_each(kept[0][0], kept[1][0], len(pairs))
        return _boxed(
            pairs[kept[0][0][ones]],
            kept[0][1][ones],
            kept[1][1][others],
            kept[0][2][:, ones],
            kept[1][2][:, others],
        )

    def _kept(self, boxed: Boxed) -> Boxed:
        """Return the pairs of boxes in which anything may be that counts."""
        flags = self._counts(boxed)
        return boxed if flags.all() else boxed[flags.nonzero()[0]]

    def _counts(self, boxed: Boxed) -> Flags:
        one, other = boxed.one_bounds, boxed.other_bounds
        flags: Flags = ((one[:2] <= other[3:5]) & (one[3:5] >= other[:2])).all(axis=0)
        flags &= boxed.least < self.gaps[boxed.pairs]
        flags &= boxed.least <= self._limits[self._keys[boxed.pairs]]
        if not self._signed:
            flags &= other[5] >= one[2]
        return flags

    def _split(self, boxed: Boxed, whole: Flags) -> Boxed:
        """Return the pairs with the larger of two patches divided, unless it is to stay whole."""
        sizes = [
            (each[3:] - each[:3]).sum(axis=0) for each in (boxed.one_bounds, boxed.other_bounds)
        ]
        first = ~whole[boxed.ones] & ((sizes[0] >= sizes[1]) | whole[boxed.others])
        parts = []
        for flags, name in ((first, "one"), (~first, "other")):
            (some,) = flags.nonzero()
            for part in blocks(len(some), _SPLIT):
                parts.append(self._kept(self._divided(boxed[some[part]], name)))
        return Boxed.joined(parts) if parts else boxed

    def _divided(self, boxed: Boxed, name: str) -> Boxed:
        """Return the pairs with one of the patches, or the other, divided into its children."""
        is_one = name == "one"
        of_which, children = self._sheets.patches.children(boxed.ones if is_one else boxed.others)
        made = boxed[of_which]
        rows = self.rows[0 if is_one else 1, made.pairs]
        bounds = self._bounds(rows, children, made.pairs)
        if is_one:
            return _boxed(made.pairs, children, made.others, bounds, made.other_bounds)
        return _boxed(made.pairs, made.ones, children, made.one_bounds, bounds)

    def _dive(self, boxed: Boxed, beam: int) -> None:
        """Follow the most promising pairs of boxes down to their triangles."""
        are_small = self._sheets.patches.are_small
        while len(boxed):
            order = np.lexsort((*_promise(boxed), self._rank(boxed)))
            boxed = boxed[order[first_of_each(self._rank(boxed)[order], beam)]]
            large = ~(are_small[boxed.ones] & are_small[boxed.others])
            if not large.any():
                break
            boxed = Boxed.joined([boxed[~large], self._split(boxed[large], are_small)])
        self._triangles(boxed)

    def _descend(self, boxed: Boxed) -> None:
        """Look at all triangles in pairs of boxes, as far as they may count."""
        are_small = self._sheets.patches.are_small
        while len(boxed):
            large = ~(are_small[boxed.ones] & are_small[boxed.others])
            self._triangles(boxed[~large])
            if not large.any():
                break
            boxed = self._split(self._kept(boxed[large]), are_small)

    def _triangles(self, boxed: Boxed) -> None:
        """Look at the triangles of pairs of small patches."""
        order = np.lexsort((boxed.least, self._rank(boxed)))
        ranks = self._rank(boxed)[order]
        places = np.arange(len(order)) - np.searchsorted(ranks, ranks)
        boxed = boxed[order[np.argsort(places, kind="stable")]]
        for some in blocks(len(boxed), _SMALL):
            left = self._kept(boxed[np.arange(some.start, some.stop)])
            if len(left):
                self._compared(left)

    def _compared(self, boxed: Boxed) -> None:
        sides = []
        for number, patches in enumerate((boxed.ones, boxed.others)):
            owners, entries = self._sheets.patches.entries(patches)
            rows = self.rows[number, boxed.pairs[owners]]
            corners = self._moment.placed(self._sheets, entries, rows).rows.reshape(3, 3, -1)
            bounds = self._bounds_of(corners, boxed.pairs[owners])
            there = (boxed.other_bounds, boxed.one_bounds)[number][:, owners]
            made = _boxed(
                boxed.pairs[owners],
                owners,
                entries,
                *((bounds, there) if number == 0 else (there, bounds)),
            )
            (met,) = self._counts(made).nonzero()
            sides.append((owners[met], entries[met], corners[..., met], bounds[:, met]))
        ones, others = _each_with_each(sides[0][0], sides[1][0], len(boxed))
        one, other = sides[0][3][:, ones], sides[1][3][:, others]
        made = _boxed(boxed.pairs[sides[0][0][ones]], ones, others, one, other)
        made = self._kept(made)
        for some in blocks(len(made), _TESTED):
            part = self._kept(made[np.arange(some.start, some.stop)])
            if len(part) == 0:
                continue
            corners = np.concatenate((sides[0][2][..., part.ones], sides[1][2][..., part.others]))
            found = shadow_gaps(self._way, corners, signed=self._signed)
            entries = np.stack((sides[0][1][part.ones], sides[1][1][part.others]))
            self._improve(part.pairs, entries, corners, found)

    def _bounds_of(self, corners: Floats, pairs: Ids) -> Floats:
        """Return the bounds of triangles (3 corners, 3 axes, t), as seen along the way, (6, t)."""
        seen, tilt = self._way.seen(corners), self._slopes[:, pairs]
        seen[:, 2] -= tilt[0] * seen[:, 0] + tilt[1] * seen[:, 1]
        moved = np.full((3, len(pairs)), self._way.error)
        moved[2] += np.abs(tilt).sum(axis=0) * (_TILTED + self._way.error)
        return np.concatenate((seen.min(axis=0) - moved, seen.max(axis=0) + moved))

    def _improve(self, pairs: Ids, entries: Ids, corners: Floats, found: ShadowGaps) -> None:
        self.crossing[pairs[found.crossing]] = True
        held = np.concatenate((found.crossing, found.flat[~found.faces]))
        faces = found.flat[found.faces]
        self._faces.append(Faces(pairs[faces], *entries[:, faces]))
        self._take(pairs[held], np.zeros(len(held)), entries[:, held], np.full(len(held), -1))
        owners = pairs[found.pairs]
        best = np.minimum(self.gaps, np.inf)
        np.minimum.at(best, owners, found.most)
        some = (found.least <= best[owners]) & (found.least < self.gaps[owners])
        some &= found.least <= self._limits[self._keys[owners]]
        (some,) = some.nonzero()
        which, places = found.corners[some], found.pairs[some]
        values, _ = exact_gaps(self._way, corners[..., places], which)
        self._take(owners[some], values, entries[:, places], which)

    def _take(self, pairs: Ids, values: Floats, entries: Ids, which: Ids) -> None:
        """Keep what is less than what is known, of equals the smallest triangles."""
        items = self._sheets.order[entries]
        order = np.lexsort((items[1], items[0], values, pairs))
        order = order[starts_of_runs(pairs[order])]
        order = order[values[order] < self.gaps[pairs[order]]]
        better = pairs[order]
        self.gaps[better] = values[order]
        self.entries[:, better], self.corners[better] = entries[:, order], which[order]
        if self._shared:
            np.minimum.at(self._limits, self._keys[better], values[order])


def _promise(boxed: Boxed) -> tuple[Floats, Flags]:
    """Return how far boxes are apart at their middles, and which may only graze each other."""
    (one, half), (other, other_half) = (
        ((each[:3] + each[3:]) / 2, (each[3:] - each[:3]) / 2)
        for each in (boxed.one_bounds, boxed.other_bounds)
    )
    beside = np.abs(one[:2] - other[:2]) > np.maximum(half, other_half)[:2]
    return other[2] - one[2], beside.any(axis=0)


def _each_with_each(ones: Ids, others: Ids, count: int) -> tuple[Ids, Ids]:
    """Return the places of each of `ones` with each of `others` of the same number, ascending."""
    counts = np.bincount(others, minlength=count)
    firsts = np.cumsum(counts) - counts
    mine = counts[ones]
    return np.repeat(np.arange(len(ones)), mine), concatenated_ranges(firsts[ones], mine)


def _boxed(pairs: Ids, ones: Ids, others: Ids, one: Floats, other: Floats) -> Boxed:
    return Boxed(pairs, ones, others, one, other, other[2] - one[5])
