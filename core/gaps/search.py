"""Smallest gaps of placed meshes along a direction: branch and bound over pairs of nodes.

The gap of two boxes with overlapping projections is a lower bound of the gaps of all triangles in
the boxes. A greedy descent of the few pairs with the lowest bounds gives an upper bound first.
Then all pairs are refined together to nodes of some dozens of triangles. The pairs of nodes with
the lowest bounds are searched first, in rounds of growing size, until no box can hold a smaller
gap. A row is the position of a placement in the snapshot, an entry is the position of a triangle
in the pool.
"""

import numpy as np

from ..arrays import Flags, Floats, Ids
from ..compiled import slid_surfaces
from ..scene.dual_walk import Bounded, DualWalk, NodePairs, Surfaces
from ..scene.moment import Moment
from ..scene.pool import Pool
from ..steps import Steps
from .known import Faces, Known
from .seen import Seen
from .shadows import exact_gaps, places_on_movers, shadow_gaps
from .way import Way


class GapSearch:
    """The smallest gap of each pair of placements, rows (2, p): a mover, then an obstacle.

    Attributes
    ----------
    gaps : ndarray of float64, shape (p,)
        Exact gaps, rounded down to multiples of `QUANTUM`; infinite if no triangle within the
        limit is ahead.
    entries : ndarray of intp, shape (2, p)
        The triangles that have the gap. Ties prefer crossing triangles, then the lowest number in
        the mover's mesh, then in the other mesh. -1 if the gap is infinite.
    corners : ndarray of intp, shape (p,)
        The corner of their projected overlap at which the gap is measured, or -1.
    crossing : ndarray of bool, shape (p,)
        Flags of the pairs with triangles that cross.
    faces : Faces
        Coplanar triangles of each pair with a positive gap: the lowest two, or all of them.
    """

    def __init__(self, moment: Moment, pool: Pool, way: Way, *, signed: bool = False) -> None:
        self._side, self._way = Surfaces(moment, pool), way
        self._signed = signed

    def look(
        self, rows: Ids, keys: Ids, limits: Floats, *, shared: bool, every: bool = False
    ) -> Steps[None]:
        """Find the gaps of pairs of rows; if `every`, list all of their coplanar triangles.

        A gap above the limit of its key does not count. If `shared`, each gap found lowers the
        limit of its key.
        """
        count = rows.shape[1]
        known = Known(
            self._side.pool, self._way, keys, limits,
            signed=self._signed, shared=shared, every=every,
        )  # fmt: skip
        self.rows, self._known, left = rows, known, np.arange(count)
        slid = yield from slid_surfaces(
            self._side.walked, self._way.told, rows, keys,
            limits, signed=self._signed, shared=shared, wants_faces=every,
        )  # fmt: skip
        if slid is not None:
            (left,) = np.isnan(slid.gaps).nonzero()
            known.gaps, known.entries, known.corners = slid.gaps, slid.entries, slid.corners
            known.crossing, known.gaps[left] = slid.crossing, np.inf
            known.keep_faces(Faces(*slid.faces))
        if len(left):
            walk = _GapWalk(self._side, self._way, rows, known, signed=self._signed)
            # Sort pairs by key, so that a gap found prunes the other pairs of its key.
            yield from walk.walk(left[np.argsort(keys[left], kind="stable")])
        self.gaps, self.entries, self.corners = known.gaps, known.entries, known.corners
        self.crossing, self.faces, far = known.crossing, known.faces, known.gaps > limits[keys]
        self.gaps[far], self.entries[:, far], self.corners[far] = np.inf, -1, -1

    def every_face(self, pairs: Ids, are_sheets: Flags) -> Steps[Faces]:
        """Return all coplanar triangles of some pairs, (n,), sorted by pair and numbers.

        Pairs whose first surface lies wholly ahead of the second are left out: no solid is behind
        the first surface or ahead of the second. `are_sheets` flags the pairs to keep all the
        same, because triangles of both surfaces bound no solid.
        """
        if len(pairs):
            seen = Seen(self._side, self._way, self.rows[:, pairs])
            pairs = pairs[~seen.are_past() | are_sheets]
        if len(pairs) == 0:
            return Faces.none()
        search = GapSearch(self._side.moment, self._side.pool, self._way)
        keys, at_once = np.zeros(len(pairs), np.intp), np.zeros(1)
        yield from search.look(self.rows[:, pairs], keys, at_once, shared=False, every=True)
        return Faces(pairs[search.faces.pairs], search.faces.ones, search.faces.others)

    def places(self, pairs: Ids) -> Floats:
        """Return the points on the mover from which the gaps of pairs are measured, (3, n).

        NaN for a pair without a gap, or whose triangles touch or cross at the start.
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
            self._side.corners(entries, rows)
            for entries, rows in zip(known, self.rows[:, pairs], strict=True)
        ]
        return np.concatenate(sides).reshape(6, 3, -1)


class _GapWalk(DualWalk):
    """A dual walk in NumPy, over pairs of rows (2, p) that the compiled kernel has left."""

    def __init__(self, side: Surfaces, way: Way, rows: Ids, known: Known, *, signed: bool) -> None:
        super().__init__((side, side), rows)
        self._pool, self._way, self._known, self._signed = side.pool, way, known, signed
        self._seen = Seen(side, way, rows)

    def box_of(self, side: int, nodes: Ids, rows: Ids) -> Floats:
        """Return the projected bounds of nodes placed in rows, (8, h)."""
        return self._seen.nodes(nodes, rows)

    def around(self, side: int, entries: Ids, rows: Ids) -> Floats:
        """Return the projected bounds of entries placed in rows, (8, h)."""
        return self._seen.triangles(self.sides[side].corners(entries, rows).reshape(3, 3, -1))

    def owners(self, pairs: Ids) -> Ids:
        """Return the group with which each pair shares its upper bound, (n,)."""
        return self._known.rank(pairs)

    def rank_of(self, front: NodePairs) -> tuple[Floats | Ids, ...]:
        """Return sort keys: lower bounds, then flags of slight overlaps, then lowest triangles."""
        low, high = front.boxes[:, :2], front.boxes[:, 4:6]
        one, other = self._items(front)
        # If neither projection contains the middle of the other, they may touch at a border only.
        apart = np.abs((low[0] + high[0]) - (low[1] + high[1]))
        are_beside = (apart > np.maximum(*(high - low))).any(axis=0)
        return other, one, are_beside, front.least

    def _items(self, front: NodePairs) -> Ids:
        """Return the numbers of pairs of triangles, of pairs of nodes the lowest ones, (2, f)."""
        items: Ids = self._pool.nodes.lowest_item.take(front.nodes)
        return np.where(front.entries < 0, items, self._pool.order.take(front.entries))

    def near(self, pairs: Ids, ones: Bounded, others: Bounded) -> tuple[Ids, Floats]:
        """Return the pairs with overlapping projections and gaps that may count; lower bounds."""
        (one, here), (other, there) = ones, others
        least = other[2].take(there) - one[6].take(here)
        flags = self._known.is_ahead(pairs, least, one[2].take(here), other[6].take(there))
        (some,) = flags.nonzero()
        for axis in range(2):
            at, by = here.take(some), there.take(some)
            met = one[axis].take(at) <= other[4 + axis].take(by)
            met &= one[4 + axis].take(at) >= other[axis].take(by)
            some = some[met]
        return some, least.take(some)

    def may_count(self, front: NodePairs) -> Flags:
        """Flag the pairs of boxes that may improve the incumbent.

        If projected bounds are exact, boxes whose projections only touch cannot improve it. The
        exception are boxes that may hold degenerate triangles: these may be projected to points,
        which coincide without an overlap of positive area.
        """
        pairs, (one, other) = front.pairs, front.boxes
        flags = self._known.are_open(pairs, front.least)
        flat = (one[3] == one[7]) & (other[3] == one[7]) & (other[7] == one[7])
        touch = (one[:2] == other[4:6]) | (one[4:6] == other[:2])
        (some,) = (flags & (flat | touch.any(axis=0))).nonzero()
        thin = [
            self._seen.are_thin(number, pairs[some], each[some])
            for number, each in enumerate(front.nodes)
        ]
        grazes = (touch[:, some] & self._seen.exact[:, pairs[some]]).any(axis=0)
        flags[some] = ~grazes | (thin[0] & thin[1])
        flat[some] &= ~(thin[0] | thin[1])
        return flags & self._known.may_change(pairs, one, other, self._items(front), flat)

    def look(self, trials: NodePairs) -> None:
        """Measure the gaps of pairs of triangles, and keep improvements of the incumbent."""
        known, (one, other) = self._known, self.placed(trials)
        corners = np.concatenate((one.rows, other.rows)).reshape(6, 3, -1)
        pairs, entries = trials.pairs, trials.entries
        found = shadow_gaps(self._way, corners, signed=self._signed)
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
