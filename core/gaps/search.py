"""Least gaps of placed meshes along a direction: branch and bound over pairs of nodes.

The gap of two boxes with overlapping shadows is a lower bound of the gaps of all triangles in
them. A few pairs with the lowest bounds are followed down to triangles first, for an upper bound.
Then all pairs go down together to nodes of some dozens of triangles, and the pairs with the
lowest bounds are searched first, in rounds of growing size, until no box can hold a nearer pair.
"""

import numpy as np

from ..arrays import Flags, Floats, Ids, blocks, concatenated_ranges
from ..boxes import boxes_meet
from ..compiled import slid_surfaces
from ..rounds import first_of_each
from ..scene.moment import Moment
from ..scene.nodes import CELL
from ..scene.pool import Pool
from ..steps import Steps
from .boxed import Boxed, each_with_each
from .known import Faces, Known
from .seen import PlacedLeaves, Seen
from .shadows import ShadowGaps, exact_gaps, places_on_movers, shadow_gaps
from .way import Way

# Pairs of placements, of nodes, of leaves and of triangles that are looked at together.
_PLACED, _SPLIT, _SMALL, _TESTED = 2_048, 131_072, 2_048, 8_192
# Pairs of nodes of each key that are followed down first, for an upper bound; pairs in the first
# round, and the factor by which each round is larger.
_BEAM, _FIRST, _MORE = 4, 4, 4


class GapSearch:
    """The least gap of each pair of placements, (2, p) rows, of which the first moves.

    Attributes
    ----------
    gaps : ndarray of float64, shape (p,)
        Infinite if nothing is ahead that is looked for; a multiple of `QUANTUM`, below the exact
        one by less.
    entries : ndarray of intp, shape (2, p)
        The triangles that have it: of equals those that cross, of these the smallest numbers in
        their meshes, first of those that move; -1 if nothing is ahead.
    corners : ndarray of intp, shape (p,)
        At which corner of their shared shadow.
    crossing : ndarray of bool, shape (p,)
        Which have triangles that cross.
    faces : Faces
        The lowest two triangles in one plane of each pair that has no gap of 0, or all of them.
    """

    def __init__(self, moment: Moment, pool: Pool, way: Way, *, signed: bool = False) -> None:
        self._moment, self._pool, self._way = moment, pool, way
        self._signed = signed

    def look(
        self, rows: Ids, keys: Ids, limits: Floats, *, shared: bool, every: bool = False
    ) -> Steps[None]:
        """Find the gaps of pairs of rows; if `every`, for all of their triangles in one plane.

        None above the limit of its key is looked for; if `shared`, these fall with what is found.
        """
        count = rows.shape[1]
        known = Known(
            self._pool, self._way, keys, limits, signed=self._signed, shared=shared, every=every
        )
        self.rows, self._known, left = rows, known, np.arange(count)
        slid = yield from slid_surfaces(
            self._moment.side(self._pool), self._way.told, rows, keys,
            limits, signed=self._signed, shared=shared, wants_faces=every,
        )  # fmt: skip
        if slid is not None:
            (left,) = np.isnan(slid.gaps).nonzero()
            known.gaps, known.entries, known.corners = slid.gaps, slid.entries, slid.corners
            known.crossing, known.gaps[left] = slid.crossing, np.inf
            known.keep_faces(Faces(*slid.faces))
        if len(left):
            self._seen = Seen(self._moment, self._pool, self._way, rows)
            yield from self._look_without_kernel(left)
        self.gaps, self.entries, self.corners = known.gaps, known.entries, known.corners
        self.crossing, self.faces, far = known.crossing, known.faces, known.gaps > limits[keys]
        self.gaps[far], self.entries[:, far], self.corners[far] = np.inf, -1, -1

    def every_face(self, pairs: Ids, are_sheets: Flags) -> Steps[Faces]:
        """Return all triangles in one plane of some pairs, (n,), not the lowest alone; sorted.

        Unless both surfaces have sheets, none of a pair whose first lies wholly ahead of its
        second: no solid is behind the one or ahead of the other.
        """
        if len(pairs):
            seen = Seen(self._moment, self._pool, self._way, self.rows[:, pairs])
            pairs = pairs[~seen.are_past() | are_sheets]
        if len(pairs) == 0:
            return Faces.none()
        search = GapSearch(self._moment, self._pool, self._way)
        keys, at_once = np.zeros(len(pairs), np.intp), np.zeros(1)
        yield from search.look(self.rows[:, pairs], keys, at_once, shared=False, every=True)
        return Faces(pairs[search.faces.pairs], search.faces.ones, search.faces.others)

    def _look_without_kernel(self, left: Ids) -> Steps[None]:
        nodes = self._pool.nodes
        self._is_low = nodes.end - nodes.begin <= CELL
        # Pairs of one key together, so that its limit is known when the next ones are looked at.
        left = left[self._known.in_order(left)]
        for some in blocks(len(left), _PLACED):
            for done in self._some(np.sort(left[some])):
                yield (some.start + done * (some.stop - some.start)) / len(left)

    def places(self, pairs: Ids) -> Floats:
        """Return where on the mover the gaps of some pairs are measured from, (3, n).

        NaN where there is none, or where two triangles touch or cross at the start.
        """
        places, which = np.full((3, len(pairs)), np.nan), self.corners[pairs]
        (some,) = (which >= 0).nonzero()
        corners = self.triangles(pairs[some])
        places[:, some] = places_on_movers(self._way, corners, which[some])
        return places

    def triangles(self, pairs: Ids) -> Floats:
        """Return the corners of the triangles that have the gaps, (6 corners, 3 axes, n)."""
        known = self._known.entries[:, pairs]
        sides = [
            self._moment.placed(self._pool, entries, rows).rows
            for entries, rows in zip(known, self.rows[:, pairs], strict=True)
        ]
        return np.concatenate(sides).reshape(6, 3, -1)

    def _some(self, pairs: Ids) -> Steps[None]:
        boxed, is_low = self._roots(pairs), self._is_low
        self._descend(boxed, _BEAM)
        yield 0.1
        while True:
            boxed = self._kept(boxed)
            high = ~(is_low[boxed.ones] & is_low[boxed.others])
            if not high.any():
                break
            boxed = Boxed.joined([boxed[~high], self._split(boxed[high], is_low)])
            yield 0.4
        few, total = _FIRST, max(len(boxed), 1)
        while len(boxed := self._kept(boxed)):
            boxed, early = self._lowest_first(boxed, few)
            for part in blocks(int(early.sum()), _SPLIT // 4):
                self._descend(boxed[early.nonzero()[0][part]])
                yield 1 - 0.6 * len(boxed) / total
            boxed, few = boxed[~early], few * _MORE

    def _lowest_first(self, boxed: Boxed, few: int) -> tuple[Boxed, Flags]:
        """Sort pairs of boxes by key and lower bound; flag the first few of each key."""
        ranks, (ones, others) = self._known.rank(boxed.pairs), self._lowest_items(boxed)
        order = np.lexsort((others, ones, boxed.are_beside, boxed.least, ranks))
        return boxed[order], first_of_each(ranks[order], few)

    def _lowest_items(self, boxed: Boxed) -> list[Ids]:
        """Return the smallest numbers of triangles in both nodes."""
        lowest = self._pool.nodes.lowest_item
        return [lowest.take(each) for each in (boxed.ones, boxed.others)]

    def _roots(self, pairs: Ids) -> Boxed:
        """Return the pairs of roots of pairs of rows, as far as their boxes meet."""
        ones, others = (self._seen.roots(side, pairs) for side in (0, 1))
        here, there = self._seen.nodes(0, ones, pairs), self._seen.nodes(1, others, pairs)
        (met,) = boxes_meet(here[:6], there[:6], axes=2).nonzero()
        return Boxed.of(pairs[met], ones[met], others[met], here[:, met], there[:, met])

    def _kept(self, boxed: Boxed) -> Boxed:
        """Return the pairs of boxes in which anything may be that counts."""
        one, other = boxed.one_bounds, boxed.other_bounds
        flags = self._known.is_ahead(boxed.pairs, boxed.least, one[2], other[5])
        flags &= boxes_meet(one[:6], other[:6], axes=2)
        boxed = boxed if flags.all() else boxed[flags.nonzero()[0]]
        bounds, nodes = (boxed.one_bounds, boxed.other_bounds), (boxed.ones, boxed.others)
        flags = self._may_change(boxed.pairs, nodes, *bounds, self._lowest_items(boxed))
        return boxed if flags.all() else boxed[flags.nonzero()[0]]

    def _may_change(
        self, pairs: Ids, nodes: tuple[Ids, Ids], one: Floats, other: Floats, items: list[Ids]
    ) -> Flags:
        """Return in which boxes, (8, t), of nodes, something may be that changes what is known.

        Where shadows are known without rounding, what only grazes changes nothing; but for
        triangles whose shadows are points: these meet though they have no inside.
        """
        height, flags = one[6], np.ones(len(pairs), bool)
        flat = (one[7] == height) & (other[6] == height) & (other[7] == height)
        touch = (one[:2] == other[3:5]) | (one[3:5] == other[:2])
        (some,) = (flat | touch.any(axis=0)).nonzero()
        thin = [
            self._seen.are_thin(number, pairs[some], each[some])
            for number, each in enumerate(nodes)
        ]
        grazes = (touch[:, some] & self._seen.exact[:, pairs[some]]).any(axis=0)
        flags[some] = ~grazes | (thin[0] & thin[1])
        flat[some] &= ~(thin[0] | thin[1])
        return flags & self._known.may_change(pairs, one, other, items, flat)

    def _meeting(
        self, pairs: Ids, ones: tuple[Floats, Ids], others: tuple[Floats, Ids]
    ) -> tuple[Ids, Floats]:
        """Return which pairs of boxes count, and their least gaps.

        Either side is a table of boxes, (8, b), and places in it; both have one for each of
        `pairs`.
        """
        (one, here), (other, there) = ones, others
        low, high = other[2].take(there), one[5].take(here)
        least = low - high
        flags = self._known.is_ahead(pairs, least, one[2].take(here), other[5].take(there))
        (some,) = flags.nonzero()
        for axis in range(2):
            at, by = here.take(some), there.take(some)
            met = one[axis].take(at) <= other[3 + axis].take(by)
            met &= one[3 + axis].take(at) >= other[axis].take(by)
            some = some[met]
        return some, least.take(some)

    def _split(self, boxed: Boxed, whole: Flags) -> Boxed:
        """Return the pairs with the larger of two nodes divided, unless it is to stay whole."""
        sizes = [
            (each[3:6] - each[:3]).sum(axis=0) for each in (boxed.one_bounds, boxed.other_bounds)
        ]
        first = ~whole[boxed.ones] & ((sizes[0] >= sizes[1]) | whole[boxed.others])
        parts = []
        for flags, name in ((first, "one"), (~first, "other")):
            (some,) = flags.nonzero()
            for part in blocks(len(some), _SPLIT):
                parts.append(self._divided(boxed[some[part]], name))
        return Boxed.joined(parts) if parts else boxed

    def _divided(self, boxed: Boxed, name: str) -> Boxed:
        """Return the pairs with one of the nodes, or the other, divided into its children.

        Only those that count.
        """
        number = 0 if name == "one" else 1
        nodes = (boxed.ones, boxed.others)[number]
        used, places = self._seen.each_once(boxed.pairs, nodes)
        owners, children = self._pool.nodes.children(nodes[used])
        whose = boxed.pairs[used[owners]]
        bounds = self._seen.nodes(number, children, whose)
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

    def _descend(self, boxed: Boxed, beam: int = 0) -> None:
        """Look at all triangles in pairs of boxes, as far as they may count.

        With a beam, keep only that number of pairs of each key in each level, the lowest ones.
        """
        is_leaf = self._pool.nodes.is_leaf
        while len(boxed):
            if beam:
                boxed, early = self._lowest_first(boxed, beam)
                boxed = boxed[early]
            large = ~(is_leaf[boxed.ones] & is_leaf[boxed.others])
            self._triangles(boxed[~large])
            if not large.any():
                break
            boxed = self._split(self._kept(boxed[large]), is_leaf)

    def _triangles(self, boxed: Boxed) -> None:
        """Look at the triangles of pairs of leaves."""
        ranks, (ones, others) = self._known.rank(boxed.pairs), self._lowest_items(boxed)
        order = np.lexsort((others, ones, boxed.least, ranks))
        ranks = ranks[order]
        places = np.arange(len(order)) - np.searchsorted(ranks, ranks)
        boxed = boxed[order[np.argsort(places, kind="stable")]]
        if len(boxed) == 0:
            return
        tables = [
            self._seen.placed(number, boxed.pairs, nodes)
            for number, nodes in enumerate((boxed.ones, boxed.others))
        ]
        # Around triangles, boxes are tighter than around what they are placed from.
        one, other = ((table.around, table.which) for table in tables)
        some, _ = self._meeting(boxed.pairs, one, other)
        for part in blocks(len(some), _SMALL):
            near = boxed[some[part]]
            which = [table.which[some[part]] for table in tables]
            bounds = one[0].take(which[0], axis=1), other[0].take(which[1], axis=1)
            nodes, items = (near.ones, near.others), self._lowest_items(near)
            (left,) = self._may_change(near.pairs, nodes, *bounds, items).nonzero()
            if len(left):
                self._compared(near[left], tables, [each[left] for each in which])

    def _compared(self, boxed: Boxed, tables: list[PlacedLeaves], which: list[Ids]) -> None:
        """Look at the triangles of pairs of leaves, `which` of either table."""
        sides, pairs = [], boxed.pairs
        for number, table in enumerate(tables):
            counts = table.counts[which[number]]
            owners = np.repeat(np.arange(len(pairs)), counts)
            places = concatenated_ranges(table.firsts[which[number]], counts)
            boxes = (table.bounds, places), (tables[1 - number].around, which[1 - number][owners])
            met, _ = self._meeting(pairs[owners], *(boxes if number == 0 else boxes[::-1]))
            sides.append((owners[met], places[met]))
        ones, others = each_with_each(sides[0][0], sides[1][0], len(pairs))
        owners, ones, others = sides[0][0][ones], sides[0][1][ones], sides[1][1][others]
        ends = (tables[0].bounds, ones), (tables[1].bounds, others)
        made, _ = self._meeting(pairs[owners], *ends)
        for part in blocks(len(made), _TESTED):
            here, there, owner = ones[made[part]], others[made[part]], owners[made[part]]
            entries = np.stack((tables[0].entries[here], tables[1].entries[there]))
            nodes = boxed.ones[owner], boxed.others[owner]
            bounds = tables[0].bounds[:, here], tables[1].bounds[:, there]
            items = [*self._pool.order[entries]]
            (left,) = self._may_change(pairs[owner], nodes, *bounds, items).nonzero()
            if len(left) == 0:
                continue
            here, there = here[left], there[left]
            corners = np.concatenate((tables[0].corners[..., here], tables[1].corners[..., there]))
            found = shadow_gaps(self._way, corners, signed=self._signed)
            self._improve(pairs[owner[left]], entries[:, left], corners, found)

    def _improve(self, pairs: Ids, entries: Ids, corners: Floats, found: ShadowGaps) -> None:
        known = self._known
        held = np.concatenate((found.crossing, found.flat[~found.faces]))
        crossing = np.arange(len(held)) < len(found.crossing)
        faces = found.flat[found.faces]
        known.keep_faces(Faces(pairs[faces], *entries[:, faces]))
        nowhere = np.full(len(held), -1)
        known.take(pairs[held], np.zeros(len(held)), entries[:, held], nowhere, crossing)
        owners = pairs[found.pairs]
        (near,) = known.are_near(owners, found.least, found.most).nonzero()
        which, places = found.corners[near], found.pairs[near]
        values, _ = exact_gaps(self._way, corners[..., places], which)
        known.take(owners[near], values, entries[:, places], which, np.zeros(len(near), bool))
