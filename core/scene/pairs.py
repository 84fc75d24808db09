"""Pairs of placed triangles: a broad phase of placements, then a dual walk of their nodes.

The broad phase finds pairs of placements whose boxes overlap. The dual walk then compares the
surfaces of each pair, or a surface with itself. It runs in the compiled kernel, and in NumPy for
the pairs that the kernel leaves. All work is divided into steps. A row is the position of a
placement in the snapshot, an entry is the position of a triangle in the pool.
"""

import numpy as np

from .. import tuning
from ..arrays import Flags, Ids, distinct
from ..compiled import CROSSES, crossing_surfaces, listed_touches
from ..pairs.api import exact_test
from ..pairs.broad_phase import grown_bounds, meeting_boxes
from ..passes import radix_argsort_steps, taken_steps
from ..shapes import Boxes
from ..steps import Steps, between
from .dual_walk import EVERY, BoxWalk, NodePairs, Surfaces
from .moment import Moment
from .pool import Pool

# Progress after the broad phase; after comparing placements, if pairs within single placements
# follow; and before sorting.
_MET, _HALF, _COMPARED = 0.05, 0.6, 0.95
# Progress within comparing placements: after indexing meshes, and after the compiled kernel.
_LAID, _LISTED = 0.2, 0.9


def overlapping(
    moment: Moment, margin: float, owners: Ids | None, within: bool, skip_neighbours: bool
) -> Steps[Ids]:
    """Return pairs of triangles no farther apart than `margin`, (4, h).

    A column has a placement and its triangle, then a second placement and its triangle; both
    placements are the same only if `within`. With `owners` of the rows, (n,), only pairs of
    different owners count.
    """
    met = yield from between(0.0, _MET, boxes_met(moment, margin, owners))
    stop = _HALF if within else _COMPARED
    parts = [np.empty((4, 0), np.intp)]
    if met.shape[1]:
        walk = yield from between(_MET, stop, tried(moment, met, margin, objects=False))
        parts.append(walk.named(walk.found))
    if within:
        parts += yield from between(stop, _COMPARED, pairs_within(moment, margin, skip_neighbours))
    return (yield from between(_COMPARED, 1.0, _sorted(np.concatenate(parts, axis=1))))


def overlapping_objects(moment: Moment, margin: float, owners: Ids | None) -> Steps[Ids]:
    """Return pairs of placements, (2, h), with triangles no farther apart than `margin`."""
    met = yield from between(0.0, _MET, boxes_met(moment, margin, owners))
    if met.shape[1] == 0:
        return met
    walk = yield from between(_MET, 1.0, tried(moment, met, margin, objects=True))
    return moment.placements.ids[met[:, walk.touched]]


def boxes_met(moment: Moment, margin: float, owners: Ids | None) -> Steps[Ids]:
    """Return the pairs of rows whose boxes are no farther apart than `margin`, (2, h), sorted.

    Boxes are compared axis by axis.
    """
    (rows,) = moment.placements.is_there.nonzero()
    boxes = grown_bounds(Boxes.from_rows(moment.placements.boxes[:, rows]), margin / 2)
    of_rows = None if owners is None else owners[rows]
    return rows[(yield from meeting_boxes(boxes, owners=of_rows))]


def _sorted(found: Ids) -> Steps[Ids]:
    """Return pairs (4, h) sorted by all four numbers: stable sorts, minor keys first."""
    for start, (first, second) in zip((0.0, 0.5), ((2, 3), (0, 1)), strict=True):
        width = int(found[second].max(initial=0)) + 1
        keys = found[first] * width + found[second]
        bits = int(keys.max(initial=0)).bit_length()
        order = yield from between(start, start + 0.3, radix_argsort_steps(keys, bits))
        found = yield from between(start + 0.3, start + 0.5, taken_steps(found, order))
    return found


def pairs_within(
    moment: Moment, margin: float, skip_neighbours: bool, rows: Ids | None = None
) -> Steps[list[Ids]]:
    """Return pairs of triangles within single placements, in batches of placements, (4, h) each.

    The placements are those in `rows`, or all that can be found.
    """
    (there,) = moment.placements.is_there.nonzero() if rows is None else (rows,)
    ends = np.cumsum(moment.meshes.sizes[moment.placements.meshes[there]])
    cuts = np.flatnonzero(np.diff(ends // tuning.current.meshes_together)) + 1
    parts: list[Ids] = []
    for number, some in enumerate(np.split(there, cuts)):
        start, stop = (each / (len(cuts) + 1) for each in (number, number + 1))
        if len(some):
            steps = tried(moment, np.stack((some, some)), margin, objects=False)
            walk = yield from between(start, stop, steps)
            found = walk.found
            if skip_neighbours:
                found = found[:, _strangers(walk.sides[0].pool, *found[1:])]
            parts.append(walk.named(found))
    return parts


def _strangers(pool: Pool, ones: Ids, others: Ids) -> Flags:
    """Flag the pairs of entries that share no vertex."""
    faces = pool.arranged.faces
    shared: Flags = faces[ones][:, :, None] == faces[others][:, None, :]
    return ~shared.any(axis=(1, 2))


def tried(moment: Moment, met: Ids, margin: float, *, objects: bool) -> Steps["Touching"]:
    """Test the triangles of pairs of rows, (2, p), p > 0; return the finished search."""
    needed = distinct(moment.placements.meshes[distinct(met)])
    pool = yield from between(0.0, _LAID, moment.meshes.pool(needed))
    search = Touching(Surfaces(moment, pool), met, margin, objects)
    left = yield from between(_LAID, _LISTED, search.by_kernel())
    yield from between(_LISTED if len(left) < met.shape[1] else _LAID, 1.0, search.walk(left))
    return search


class Touching(BoxWalk):
    """A search for triangles of surfaces in rows (2, p) that are no farther apart than `margin`.

    With `objects`, it only flags the pairs of surfaces in `touched`, and the search of a pair ends
    with its first two such triangles. Otherwise `found` lists all pairs of triangles.
    """

    def __init__(self, side: Surfaces, rows: Ids, margin: float, objects: bool) -> None:
        super().__init__((side, side), rows, np.full(rows.shape[1], margin))
        self._margin, self._objects = margin, objects
        self._found = [np.empty((3, 0), np.intp)]
        self.touched = np.zeros(rows.shape[1], bool)
        if not objects:
            self.few = EVERY

    def by_kernel(self) -> Steps[Ids]:
        """Search with the compiled kernel; return the pairs that it leaves to NumPy."""
        side = self.sides[0].walked
        if not self._objects:
            listed = yield from listed_touches(side, self.rows, self.slacks, self._margin)
            if listed is not None:
                self._found.append(listed[0])
                return listed[1].nonzero()[0]
        elif self._margin == 0:
            steps = crossing_surfaces((side, side), self.rows, self.slacks, None, touching=True)
            states = yield from steps
            if states is not None:
                self.touched |= states == CROSSES
                return np.isnan(states).nonzero()[0]
        return np.arange(self.rows.shape[1])

    def may_count(self, front: NodePairs) -> Flags:
        """Flag pairs within the margin; within one surface, only pairs of entries e < f count."""
        flags = super().may_count(front)
        nodes, are_nodes = self.sides[0].pool.nodes, front.entries < 0
        first = np.where(are_nodes[0], nodes.begin.take(front.nodes[0]), front.entries[0])
        last = np.where(are_nodes[1], nodes.end.take(front.nodes[1]), front.entries[1])
        rows = self.rows[:, front.pairs]
        flags &= (rows[0] != rows[1]) | (first < last)
        return flags

    def look(self, trials: NodePairs) -> None:
        """Test pairs of triangles, and record those within the margin, or their surfaces."""
        each = np.arange(len(trials))
        flags = exact_test(*self.placed(trials), self._margin)(each, each)
        found = np.stack((trials.pairs, *trials.entries))[:, flags]
        if self._objects:
            self.touched[found[0]], self.limits[found[0]] = True, -1.0
        else:
            self._found.append(found)

    @property
    def found(self) -> Ids:
        """Pairs of surfaces, and the entries of both sides within the margin, (3, h)."""
        return np.concatenate(self._found, axis=1)

    def named(self, found: Ids) -> Ids:
        """Return found pairs as placements and triangles, (4, h).

        In a pair within one placement, the lower triangle comes first.
        """
        pairs, *entries = found
        one, other = self.sides[0].pool.order[np.stack(entries)]
        first, second = self.sides[0].moment.placements.ids[self.rows[:, pairs]]
        swapped = (first == second) & (one > other)
        return np.stack(
            (first, np.where(swapped, other, one), second, np.where(swapped, one, other))
        )
