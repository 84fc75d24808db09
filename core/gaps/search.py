"""Least gaps of placed meshes along a direction: branch and bound over pairs of patches.

The gap of two boxes with shadows that overlap bounds that of all they hold. First a few of the
most promising pairs of boxes are followed down to triangles, which bounds the answer; then all
pairs go down together as far as patches of some dozens of triangles; then the most promising ones
are looked at first, ever more at a time, until no box can hold anything nearer.

Heights are taken above a plane that is tilted as the two surfaces are where they are nearest so
far. The gap of two points over each other is the same above any plane, and boxes that lie along a
slope are flat there: a hundred times fewer of them come near each other.
"""

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np

from ..arrays import Flags, Floats, Ids, blocks, concatenated_ranges, starts_of_runs
from ..compiled import slid_surfaces
from ..records import Columns
from ..scene.moment import Moment, first_of_each
from ..scene.sheets import Sheets
from ..steps import Steps
from ..touch.triangle_distance import nearest_points
from .seen import PlacedPatches, Seen
from .shadows import QUANTUM, ShadowGaps, exact_gaps, places_on_movers, shadow_gaps, slopes_at
from .way import Way

# Pairs of placements, of patches, of small patches and of triangles that are looked at together.
_PLACED, _SPLIT, _SMALL, _TESTED = 2_048, 131_072, 2_048, 8_192
# How many of the most promising pairs of boxes are followed first, and then, by what factor more.
_BEAMS, _FIRST, _MORE = (6, 24), 4, 4
# How far planes are tilted at most.
_STEEP = 8.0
# What is no farther beyond a gap may have an equal one, which is rounded down.
_TIE = 2 * QUANTUM


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
        Infinite if nothing is ahead that is looked for; a multiple of `QUANTUM`, below the exact
        one by less.
    entries : ndarray of intp, shape (2, p)
        The triangles that have it, of equals the lowest entries, first of those that move; -1 if
        nothing is ahead.
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

    def look(self, rows: Ids, keys: Ids, limits: Floats, *, shared: bool) -> Steps[None]:
        """Find the gaps of pairs of rows.

        None above the limit of its key is looked for; if `shared`, these fall with what is found.
        """
        self.rows, self._keys, self._limits, self._shared = rows, keys, limits, shared
        count, placements = rows.shape[1], self._moment.placements
        left, self._faces = np.arange(count), []
        slid = yield from slid_surfaces(
            (self._sheets, placements.meshes, placements.matrices),
            self._way.told, rows, keys, limits, signed=self._signed, shared=shared,
        )  # fmt: skip
        if slid is None:
            self.gaps, self.crossing = np.full(count, np.inf), np.zeros(count, bool)
            self.entries, self.corners = np.full((2, count), -1), np.full(count, -1)
        else:
            (left,) = np.isnan(slid.gaps).nonzero()
            self.gaps, self.entries, self.corners = slid.gaps, slid.entries, slid.corners
            self.crossing, self.gaps[left] = slid.crossing, np.inf
            self._faces.append(Faces(*slid.faces))
        if len(left):
            self._seen = Seen(self._moment, self._sheets, self._way, rows)
            yield from self._look_without_kernel(left)
        far = self.gaps > limits[keys]
        self.gaps[far], self.entries[:, far], self.corners[far] = np.inf, -1, -1

    def _look_without_kernel(self, left: Ids) -> Steps[None]:
        # Pairs of one key together, so that its limit is known when the next ones are looked at.
        left = left[np.argsort(self._keys[left], kind="stable")]
        for some in blocks(len(left), _PLACED):
            for done in self._some(np.sort(left[some])):
                yield (some.start + done * (some.stop - some.start)) / len(left)

    @property
    def faces(self) -> Faces:
        """Triangles in one plane, of pairs that nothing else holds; sorted, each two once."""
        nothing = np.empty(0, np.intp)
        found = Faces.joined([Faces(nothing, nothing, nothing), *self._faces])
        found = found[self.gaps[found.pairs] > 0]
        return Faces(*np.unique((found.pairs, found.ones, found.others), axis=1))

    def places(self, pairs: Ids) -> Floats:
        """Return where on the mover the gaps of some pairs are measured from, (3, n).

        NaN where there is no gap.
        """
        places, which = np.full((3, len(pairs)), np.nan), self.corners[pairs]
        (some,) = (which >= 0).nonzero()
        corners = self._corners(pairs[some])
        places[:, some] = places_on_movers(self._way, corners, which[some])
        (some,) = ((which < 0) & (self.entries[0, pairs] >= 0)).nonzero()
        if len(some):
            ones, others = self._corners(pairs[some]).reshape(2, 9, -1)
            places[:, some] = nearest_points(ones, others)[0]
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
        self._seen.slopes[:, some] = slopes

    def _tops(self, pairs: Ids) -> Boxed:
        """Return the pairs of largest patches of pairs of rows, as far as their boxes meet."""
        patches, sides = self._sheets.patches, []
        for side, rows in enumerate(self.rows[:, pairs]):
            meshes = self._moment.placements.meshes[rows]
            counts = patches.top_counts[meshes]
            owners = np.repeat(np.arange(len(pairs)), counts)
            tops = concatenated_ranges(patches.tops[meshes], counts)
            sides.append((owners, tops, self._seen.patches(side, tops, pairs[owners])))
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
        return flags & self._is_ahead(boxed.pairs, boxed.least, one[2], other[5])

    def _is_ahead(self, pairs: Ids, least: Floats, low: Floats, high: Floats) -> Flags:
        """Return what is no farther than is looked for, nor wholly behind."""
        flags: Flags = self._is_near(pairs, least)
        if not self._signed:
            flags &= high >= low
        return flags

    def _is_near(self, pairs: Ids, least: Floats) -> Flags:
        """Return what may be as near as what is known, and no farther than is looked for."""
        bounds = np.minimum(self.gaps.take(pairs), self._limits.take(self._keys.take(pairs)))
        flags: Flags = least < bounds + _TIE
        return flags

    def _may_win(
        self, pairs: Ids, least: Floats, ends: tuple[Floats, Floats], entries: Sequence[Ids]
    ) -> Flags:
        """Return what may be nearer than what is known, or as near and of lower entries.

        Of what lies between two ends, no gap is below `least`, and no entries are lower.
        """
        flags, gaps = self._is_near(pairs, least), self.gaps.take(pairs)
        (even,) = (flags & (least >= gaps)).nonzero()
        # What is rounded up may be nearer by less than that.
        (high, low), near = (each[even] for each in ends), least[even]
        back = near - low
        lost = (low - (near - back)) + (-high - back)
        nearer = (near == gaps[even]) & (lost < 0)
        flags[even] = nearer | self._are_lower(pairs[even], [each[even] for each in entries])
        return flags

    def _are_lower(self, pairs: Ids, entries: Sequence[Ids]) -> Flags:
        """Return which entries are lower than those that are known."""
        ones, others = self.entries[:, pairs]
        flags: Flags = (entries[0] < ones) | ((entries[0] == ones) & (entries[1] < others))
        return flags

    def _meeting(
        self, pairs: Ids, ones: tuple[Floats, Ids], others: tuple[Floats, Ids]
    ) -> tuple[Ids, Floats]:
        """Return which pairs of boxes count, and their least gaps.

        Either side is a table of boxes, (6, b), and places in it; both have one for each of
        `pairs`.
        """
        (one, here), (other, there) = ones, others
        low, high = other[2].take(there), one[5].take(here)
        least = low - high
        flags = self._is_ahead(pairs, least, one[2].take(here), other[5].take(there))
        (some,) = flags.nonzero()
        for axis in range(2):
            at, by = here.take(some), there.take(some)
            met = one[axis].take(at) <= other[3 + axis].take(by)
            met &= one[3 + axis].take(at) >= other[axis].take(by)
            some = some[met]
        return some, least.take(some)

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
                parts.append(self._divided(boxed[some[part]], name))
        return Boxed.joined(parts) if parts else boxed

    def _divided(self, boxed: Boxed, name: str) -> Boxed:
        """Return the pairs with one of the patches, or the other, divided into its children.

        Only those that count.
        """
        number = 0 if name == "one" else 1
        patches = (boxed.ones, boxed.others)[number]
        used, places = self._seen.each_once(boxed.pairs, patches)
        owners, children = self._sheets.patches.children(patches[used])
        whose = boxed.pairs[used[owners]]
        bounds = self._seen.patches(number, children, whose)
        counts = np.bincount(owners, minlength=len(used))
        of_which = np.repeat(np.arange(len(boxed)), counts[places])
        made = concatenated_ranges((np.cumsum(counts) - counts)[places], counts[places])
        pairs = boxed.pairs.take(of_which)
        if number == 0:
            some, least = self._meeting(pairs, (bounds, made), (boxed.other_bounds, of_which))
        else:
            some, least = self._meeting(pairs, (boxed.one_bounds, of_which), (bounds, made))
        made, left = made[some], of_which[some]
        children, bounds = children[made], bounds.take(made, axis=1)
        if number == 0:
            others, there = boxed.others[left], boxed.other_bounds.take(left, axis=1)
            return Boxed(pairs[some], children, others, bounds, there, least)
        ones, here = boxed.ones[left], boxed.one_bounds.take(left, axis=1)
        return Boxed(pairs[some], ones, children, here, bounds, least)

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
        if len(boxed) == 0:
            return
        tables = [
            self._seen.placed(number, boxed.pairs, patches)
            for number, patches in enumerate((boxed.ones, boxed.others))
        ]
        # Around triangles, boxes are tighter than around what they are placed from.
        one, other = ((table.around, table.which) for table in tables)
        pairs = boxed.pairs
        some, least = self._meeting(pairs, one, other)
        for part in blocks(len(some), _SMALL):
            here = some[part]
            entries = [table.entries[table.firsts[table.which[here]]] for table in tables]
            ends = one[0][5, one[1][here]], other[0][2, other[1][here]]
            left = here[self._may_win(pairs[here], least[part], ends, entries)]
            if len(left):
                self._compared(pairs[left], tables, [one[1][left], other[1][left]])

    def _compared(self, pairs: Ids, tables: list[PlacedPatches], which: list[Ids]) -> None:
        """Look at the triangles of pairs of small patches, `which` of either table."""
        sides = []
        for number, table in enumerate(tables):
            counts = table.counts[which[number]]
            owners = np.repeat(np.arange(len(pairs)), counts)
            places = concatenated_ranges(table.firsts[which[number]], counts)
            boxes = (table.bounds, places), (tables[1 - number].around, which[1 - number][owners])
            met, _ = self._meeting(pairs[owners], *(boxes if number == 0 else boxes[::-1]))
            sides.append((owners[met], places[met]))
        ones, others = _each_with_each(sides[0][0], sides[1][0], len(pairs))
        pairs = pairs[sides[0][0][ones]]
        ones, others = sides[0][1][ones], sides[1][1][others]
        made, least = self._meeting(pairs, (tables[0].bounds, ones), (tables[1].bounds, others))
        pairs, ones, others = pairs[made], ones[made], others[made]
        for part in blocks(len(made), _TESTED):
            here, there = ones[part], others[part]
            entries = np.stack((tables[0].entries[here], tables[1].entries[there]))
            ends = tables[0].bounds[5, here], tables[1].bounds[2, there]
            (left,) = self._may_win(pairs[part], least[part], ends, entries).nonzero()
            if len(left) == 0:
                continue
            here, there = here[left], there[left]
            corners = np.concatenate((tables[0].corners[..., here], tables[1].corners[..., there]))
            found = shadow_gaps(self._way, corners, signed=self._signed)
            self._improve(pairs[part][left], entries[:, left], corners, found)

    def _improve(self, pairs: Ids, entries: Ids, corners: Floats, found: ShadowGaps) -> None:
        self.crossing[pairs[found.crossing]] = True
        held = np.concatenate((found.crossing, found.flat[~found.faces]))
        faces = found.flat[found.faces]
        self._faces.append(Faces(pairs[faces], *entries[:, faces]))
        self._take(pairs[held], np.zeros(len(held)), entries[:, held], np.full(len(held), -1))
        owners = pairs[found.pairs]
        best = np.minimum(self.gaps, self._limits[self._keys])
        np.minimum.at(best, owners, found.most)
        (some,) = (found.least < best[owners] + _TIE).nonzero()
        which, places = found.corners[some], found.pairs[some]
        values, _ = exact_gaps(self._way, corners[..., places], which)
        self._take(owners[some], values, entries[:, places], which)

    def _take(self, pairs: Ids, values: Floats, entries: Ids, which: Ids) -> None:
        """Keep what is less than what is known, of equals the lowest triangles."""
        order = np.lexsort((entries[1], entries[0], values, pairs))
        order = order[starts_of_runs(pairs[order])]
        gaps = self.gaps[pairs[order]]
        is_lower = (values[order] == gaps) & self._are_lower(pairs[order], list(entries[:, order]))
        order = order[(values[order] < gaps) | is_lower]
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
