"""Pairs of placed triangles: a broad phase of placements, then sweep and prune of triangles.

First the boxes of placements meet. Each pair of placements then has two sides, whose triangles are
compared where they come near each other, see `near.py`. All work comes in steps.
"""

from collections.abc import Iterator
from functools import partial

import numpy as np

from .. import tuning
from ..arrays import Flags, Ids, blocks, distinct
from ..compiled import CROSSES, crossing_surfaces, listed_touches
from ..pairs import overlapping_pairs_steps
from ..pairs.api import exact_test
from ..passes import radix_argsort_steps, taken_steps
from ..rounds import in_rounds
from ..steps import Steps, between
from .moment import Moment
from .near import compared, near_each_other
from .placements import gap_slacks
from .pool import Pool
from .within import pairs_within

# If one hit is enough: the pairs of triangles that two placements test first, and the factor by
# which each further round tests more.
_FEW, _MORE = 4, 8
# The fraction of the work that is done when boxes have met; when placements are compared, if pairs
# within one placement follow; and when only sorting is left.
_MET, _HALF, _COMPARED = 0.05, 0.6, 0.95
# The fraction of comparing placements that is done when meshes are indexed, after a glance at
# each pair, and when the kernel has listed what touches.
_LAID, _GLANCED, _LISTED = 0.2, 0.4, 0.9

_NONE = np.empty(0, np.intp)


def overlapping(
    moment: Moment, margin: float, owners: Ids | None, within: bool, skip_neighbours: bool
) -> Steps[Ids]:
    """Return pairs of triangles that touch or come near, (4, h).

    Each column is a placement and its triangle, then another placement and its triangle. With
    `owners` of the rows, (n,), only pairs of different owners count.
    """
    met = yield from between(0.0, _MET, boxes_met(moment, margin, owners))
    stop = _HALF if within else _COMPARED
    parts = [np.empty((4, 0), np.intp)]
    if met.shape[1]:
        trials = yield from between(_MET, stop, tried(moment, met, margin, objects=False))
        parts.append(trials.answer)
    if within:
        parts += yield from between(stop, _COMPARED, pairs_within(moment, margin, skip_neighbours))
    return (yield from between(_COMPARED, 1.0, _sorted(np.concatenate(parts, axis=1))))


def overlapping_objects(moment: Moment, margin: float, owners: Ids | None) -> Steps[Ids]:
    """Return pairs of placements, (2, h), that have triangles which touch or come near."""
    met = yield from between(0.0, _MET, boxes_met(moment, margin, owners))
    if met.shape[1] == 0:
        return met
    trials = yield from between(_MET, 1.0, tried(moment, met, margin, objects=True))
    return trials.answer


def boxes_met(moment: Moment, margin: float, owners: Ids | None) -> Steps[Ids]:
    """Return the pairs of rows whose boxes meet, (2, h), sorted."""
    placements, top = moment.placements, moment.top
    there, rows = placements.is_there, placements.rows_named(top.named(np.arange(len(top.items))))
    if not there[rows].all():
        # Where nothing can be found, all share one owner: they are not compared with each other.
        named = np.arange(len(there)) if owners is None else np.unique(owners, False, True)[1]
        owners = np.where(there, named, len(there))
    if owners is not None:
        owners = owners[rows]
    met = yield from overlapping_pairs_steps(top, margin=margin, owners=owners)
    met = placements.rows_named(met)
    return met[:, there[met].all(axis=0)]


def _sorted(found: Ids) -> Steps[Ids]:
    """Return pairs (4, h) sorted by all four numbers, in steps: first by those that come last."""
    for start, (first, second) in zip((0.0, 0.5), ((2, 3), (0, 1)), strict=True):
        width = int(found[second].max(initial=0)) + 1
        keys = found[first] * width + found[second]
        bits = int(keys.max(initial=0)).bit_length()
        order = yield from between(start, start + 0.3, radix_argsort_steps(keys, bits))
        found = yield from between(start + 0.3, start + 0.5, taken_steps(found, order))
    return found


def tried(moment: Moment, met: Ids, margin: float, *, objects: bool) -> Steps["Trials"]:
    """Test the triangles of pairs of rows, at least one pair, and return the trials when done."""
    needed = distinct(moment.placements.meshes[distinct(met)])
    done = _LAID
    pool = yield from between(0.0, done, moment.meshes.pool(needed))
    trials = Trials(moment, pool, met, margin, objects)
    if objects and margin == 0 and (yield from between(_LAID, 1.0, _walked(moment, trials))):
        return trials
    if not objects:
        done = _LISTED
        yield from between(_LAID, done, _listed(moment, trials))
    if objects:
        done = _GLANCED
        yield from between(_LAID, done, _looked(moment, trials, glance=True))
    yield from between(done, 1.0, _looked(moment, trials))
    return trials


def _walked(moment: Moment, trials: "Trials") -> Steps[bool]:
    """Find which pairs of rows touch, by the kernel; return whether it could tell of all."""
    placements = moment.placements
    side = moment.side(trials.pool)
    slacks = gap_slacks(*placements.boxes_of(trials.met))
    states = yield from crossing_surfaces((side, side), trials.met, slacks, None, touching=True)
    if states is None:
        return False
    trials.touched |= states == CROSSES
    return not np.isnan(states).any()


def _listed(moment: Moment, trials: "Trials") -> Steps[None]:
    """List the triangles that touch, by the kernel; the pairs that are left to NumPy stay open."""
    placements = moment.placements
    side = moment.side(trials.pool)
    slacks = gap_slacks(*placements.boxes_of(trials.met))
    listed = yield from listed_touches(side, trials.met, slacks, trials.margin)
    if listed is not None:
        trials.take(*listed)


def _looked(moment: Moment, trials: "Trials", glance: bool = False) -> Steps[None]:
    """Compare all pairs of rows that are not known to touch; a glance compares a part of each."""
    (open_still,) = (~trials.touched).nonzero()
    met, count = trials.met[:, open_still], len(open_still)
    sizes = moment.meshes.sizes[moment.placements.meshes[met]].sum(axis=0)
    before = np.append(0, np.cumsum(sizes))
    used = tuning.current
    first, size, share = 0, used.placements_at_first, 0.0
    while first < count:
        last = int(np.searchsorted(before, before[first] + used.placements_meshes, "right")) - 1
        stop = max(first + 1, min(first + size, last))
        half, pairs = (first + stop) / 2 / count, open_still[first:stop]
        steps = near_each_other(
            moment, trials.pool, met[:, first:stop], trials.margin, glance=glance
        )
        near = yield from between(first / count, half, steps)
        share = half
        has_touched = partial(trials.has_touched, pairs)
        for done, ones, others in compared(near, trials.margin, has_touched):
            trials.add(pairs[near.sides[ones] >> 1], near.entries[ones], near.entries[others])
            for _ in trials.settled():
                yield share
            share = half + done * (stop / count - half)
            yield share
        factor = min(used.placements_found / max(near.found, 1), 4.0)
        first, size = stop, min(max(1, int((stop - first) * factor)), used.placements_most)
    for _ in trials.settled(is_last=True):
        yield 1.0


class Trials:
    """Pairs of triangles that wait to be tested, many at a time.

    With `objects`, a pair of placements is tested only until two of its triangles touch; `touched`
    says which pairs of placements do.
    """

    def __init__(self, moment: Moment, pool: Pool, met: Ids, margin: float, objects: bool) -> None:
        self._moment, self.pool, self.met, self.margin = moment, pool, met, margin
        self._objects = objects
        self._waiting: list[Ids] = []
        self._count = 0
        self._found = [np.empty((3, 0), np.intp)]
        self.touched = np.zeros(met.shape[1], bool)

    def has_touched(self, pairs: Ids, which: int) -> bool:
        """Tell whether a pair of placements, one of some, is known to touch."""
        return bool(self.touched[pairs[which]])

    def add(self, pairs: Ids, ones: Ids, others: Ids) -> None:
        """Add pairs of entries, one on each side of a pair of placements."""
        if len(pairs):
            self._waiting.append(np.stack((pairs, ones, others)))
            self._count += len(pairs)

    def take(self, found: Ids, left: Flags) -> None:
        """Take the pairs of triangles that touch, (3, h), of all pairs but those that are left."""
        self._found.append(found)
        self.touched = ~left

    def settled(self, is_last: bool = False) -> Iterator[None]:
        """Test the waiting pairs, in steps, once there are enough or the last ones have come."""
        used = tuning.current
        most = used.triangles_waiting if self._objects else used.triangles_tested
        if self._count == 0 or (self._count < most and not is_last):
            return
        waiting = np.concatenate(self._waiting, axis=1)
        self._waiting, self._count = [], 0
        yield from self._few_first(waiting) if self._objects else self._every(waiting)

    def _every(self, waiting: Ids) -> Iterator[None]:
        for some in blocks(waiting.shape[1], tuning.current.triangles_tested):
            self._found.append(self._test(waiting[:, some]))
            yield

    def _few_first(self, waiting: Ids) -> Iterator[None]:
        waiting = waiting[:, np.argsort(waiting[0], kind="stable")]
        for early in in_rounds(waiting[0], _FEW, _MORE, lambda of, _: ~self.touched[of]):
            for _ in self._every(waiting[:, early]):
                self.touched[self._found.pop()[0]] = True
                yield

    def _test(self, pairs: Ids) -> Ids:
        """Return the pairs that touch or come near."""
        rows, entries = self.met[:, pairs[0]], pairs[1:]
        items = self._moment.placed(self.pool, entries.ravel(), rows.ravel())
        places = np.arange(pairs.shape[1])
        test = exact_test(items, items, self.margin)
        return pairs[:, test(places, len(places) + places)]

    @property
    def answer(self) -> Ids:
        """The pairs found: (2, h) of placements with `objects`, else (4, h) of triangles."""
        ids = self._moment.placements.ids
        if self._objects:
            return ids[self.met[:, self.touched]]
        pairs, ones, others = np.concatenate(self._found, axis=1)
        if len(pairs) == 0:
            return np.empty((4, 0), np.intp)
        first, second = ids[self.met[:, pairs]]
        order = self.pool.order
        return np.stack((first, order[ones], second, order[others]))
