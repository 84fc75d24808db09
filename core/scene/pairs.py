"""Pairs of placed triangles: a broad phase of placements, then sweep and prune of triangles.

First the boxes of placements meet. Each pair of placements then has two sides. A loop keeps the
patches of each side that come near the other side, and replaces them by their children, until
triangles are left. These are placed in the world and swept against the other side; two large sides
are sorted into cells instead. A coarse grid over the common region tells what is near: each patch
has a bit for each cell that it stands in, and is dropped if the other side stands in none of these
cells. All work comes in steps.
"""

from collections.abc import Callable, Iterator
from dataclasses import dataclass
from functools import partial
from itertools import pairwise

import numpy as np
from numpy.typing import NDArray

from .. import tuning
from ..arrays import Floats, Ids, blocks, concatenated_ranges, starts_of_runs
from ..compiled import CROSSES, crossing_surfaces
from ..pairs import overlapping_pairs_steps
from ..pairs.api import exact_test
from ..pairs.broad_phase import pairs_in_cells
from ..pairs.sweep import comparisons, grid_around, quantize
from ..shapes import Boxes
from ..steps import Steps, between
from .moment import Moment, first_of_each
from .placements import gap_slacks
from .sheets import Sheets
from .within import pairs_within

# How often triangles are dropped that stand in no cell of the other side.
_ROUNDS = 2
# If one hit is enough: the pairs of triangles that two placements test first, and the factor by
# which each further round tests more.
_FEW, _MORE = 4, 8
# What rounding may take from bounds that are moved by a margin.
_ROUNDING = 2.0**-46
# The fraction of the work that is done when boxes have met; when placements are compared, if pairs
# within one placement follow; and when only sorting is left.
_MET, _HALF, _COMPARED = 0.05, 0.6, 0.95
# The fraction of comparing placements that is done when meshes are laid out, and after a glance at
# each pair.
_LAID, _GLANCED = 0.2, 0.4

_NONE = np.empty(0, np.intp)
# The grid over the region that two placements have in common: cells along each axis, and a bit for
# each cell; all bits; and the bits of its two halves.
_GRID = 4
_ALL = np.uint64(2**64 - 1)
_HALVES = np.array([2**32 - 1, 2**64 - 2**32], np.uint64)
# The fraction of the work that is done, and pairs of places.
Batch = tuple[float, Ids, Ids]


def _spans() -> NDArray[np.uint64]:
    """Return for each axis the cells from a first to a last one along it, as bits, (3, 16)."""
    places = np.indices((_GRID,) * 3).reshape(3, 1, 1, -1)
    ends = np.arange(_GRID)
    inside = (places >= ends[:, None, None]) & (places <= ends[:, None])
    bits = np.uint64(1) << np.arange(_GRID**3, dtype=np.uint64)
    return np.where(inside, bits, np.uint64(0)).sum(axis=-1).reshape(3, -1)


_SPANS = _spans()


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
    """Return pairs sorted by all four numbers, in steps: a run of placements at a time."""
    found = found[:, np.argsort(found[0], kind="stable")]
    yield 0.2
    begins = np.append(starts_of_runs(found[0]), found.shape[1])
    cuts = begins[starts_of_runs(begins // tuning.current.triangles_tested)]
    for start, stop in pairwise(cuts):
        part = found[:, start:stop]
        found[:, start:stop] = part[:, np.lexsort(part[[3, 2, 1, 0]])]
        yield 0.2 + 0.8 * stop / found.shape[1]
    part = found[:, cuts[-1] :]
    found[:, cuts[-1] :] = part[:, np.lexsort(part[[3, 2, 1, 0]])]
    return found


def tried(moment: Moment, met: Ids, margin: float, *, objects: bool) -> Steps["Trials"]:
    """Test the triangles of pairs of rows, at least one pair, and return the trials when done."""
    needed = np.unique(moment.placements.meshes[np.unique(met)])
    done = _LAID
    sheets = yield from between(0.0, done, moment.meshes.sheets(needed))
    trials = Trials(moment, sheets, met, margin, objects)
    if objects and margin == 0 and (yield from between(_LAID, 1.0, _walked(moment, trials))):
        return trials
    if objects:
        done = _GLANCED
        yield from between(_LAID, done, _looked(moment, trials, glance=True))
    yield from between(done, 1.0, _looked(moment, trials))
    return trials


def _walked(moment: Moment, trials: "Trials") -> Steps[bool]:
    """Find which pairs of rows touch, by the kernel; return whether it could tell of all."""
    placements = moment.placements
    side = trials.sheets, placements.meshes, placements.matrices
    slacks = gap_slacks(*(placements.boxes[:, rows] for rows in trials.met))
    states = yield from crossing_surfaces((side, side), trials.met, slacks, None, touching=True)
    if states is None:
        return False
    trials.touched |= states == CROSSES
    return not np.isnan(states).any()


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
            moment, trials.sheets, met[:, first:stop], trials.margin, glance=glance
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

    def __init__(
        self, moment: Moment, sheets: Sheets, met: Ids, margin: float, objects: bool
    ) -> None:
        self._moment, self.sheets, self.met, self.margin = moment, sheets, met, margin
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
        waiting, few = waiting[:, np.argsort(waiting[0], kind="stable")], _FEW
        while waiting.shape[1]:
            yield
            waiting = waiting[:, ~self.touched[waiting[0]]]
            early = first_of_each(waiting[0], few)
            for _ in self._every(waiting[:, early]):
                self.touched[self._found.pop()[0]] = True
                yield
            waiting, few = waiting[:, ~early], few * _MORE

    def _test(self, pairs: Ids) -> Ids:
        """Return the pairs that touch or come near."""
        rows, entries = self.met[:, pairs[0]], pairs[1:]
        items = self._moment.placed(self.sheets, entries.ravel(), rows.ravel())
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
        order = self.sheets.order
        return np.stack((first, order[ones], second, order[others]))


@dataclass(frozen=True)
class Near:
    """Triangles that may touch a triangle of the other side.

    Attributes
    ----------
    entries : ndarray of intp, shape (t,)
        The triangles, as entries of the sheets.
    sides : ndarray of intp, shape (t,)
        The side that each is on, ascending. Pair i of placements has the sides 2 i and 2 i + 1.
    bounds : ndarray of float64, shape (6, t)
        Their boxes in the world.
    found : int
        How many triangles were placed to find them.
    """

    entries: Ids
    sides: Ids
    bounds: Floats
    found: int


def near_each_other(
    moment: Moment, sheets: Sheets, met: Ids, margin: float, *, glance: bool = False
) -> Steps[Near]:
    """Return the triangles that may touch the other side: by patches first, then one by one.

    A glance looks at two of the cells that each pair of placements shares, no others.
    """
    count, rows, patches = met.shape[1], met.T.ravel(), sheets.patches
    meshes = moment.placements.meshes[rows]
    sides = np.repeat(np.arange(2 * count), patches.top_counts[meshes])
    found = concatenated_ranges(patches.tops[meshes], patches.top_counts[meshes])
    while True:
        bounds = np.empty((6, len(found)))
        for some in blocks(len(found), tuning.current.triangles_placed):
            here = patches.rows.take(found[some], axis=1)
            bounds[:, some] = moment.placements.boxes_around(rows[sides[some]], here)
            yield 0.0
        cells, shared = _cells(sides, bounds, count, margin)
        is_last = bool(patches.are_small[found].all())
        if is_last and glance:
            shared = _one_of_each_half(shared)
        (left,) = (cells & shared[sides >> 1]).nonzero()
        sides, found = sides[left], found[left]
        if is_last:
            break
        of_which, found = patches.children(found)
        sides = sides[of_which]
    of_which, entries = patches.entries(found)
    sides = sides[of_which]
    bounds, looked = np.empty((6, len(entries))), len(entries)
    for some in blocks(len(entries), tuning.current.triangles_placed):
        limits = moment.placed(sheets, entries[some], rows[sides[some]]).limits()
        bounds[:3, some], bounds[3:, some] = limits
        yield 0.5
    for _ in range(_ROUNDS):
        cells, shared = _cells(sides, bounds, count, margin)
        (left,) = (cells & shared[sides >> 1]).nonzero()
        sides, entries, bounds = sides[left], entries[left], bounds[:, left]
        yield 0.9
    return Near(entries, sides, bounds, looked)


def compared(near: Near, margin: float, touched: Callable[[int], bool]) -> Iterator[Batch]:
    """Yield pairs of places with bounds that come near: one on side 2 i, one on side 2 i + 1.

    A large pair of placements is left as soon as it is known to touch.
    """
    if len(near.sides) == 0:
        return
    bounds = near.bounds
    reach = _reach(bounds, margin)
    grown = np.concatenate((bounds[:3] - reach, bounds[3:] + reach))
    pairs = near.sides >> 1
    (large,) = (np.bincount(pairs) > tuning.current.triangles_in_cells).nonzero()
    places = np.arange(len(pairs)) if len(large) == 0 else (~np.isin(pairs, large)).nonzero()[0]
    for done, ones, others in _swept(near.sides[places], grown[:, places]):
        yield done / (1 + len(large)), places[ones], places[others]
    for number, pair in enumerate(large.tolist(), 1):
        start, own, stop = np.searchsorted(near.sides, [2 * pair, 2 * pair + 1, 2 * pair + 2])
        for share, ones, others in pairs_in_cells(grown[:, start:stop], own=int(own - start)):
            done = (number + share) / (1 + len(large))
            yield done, start + np.minimum(ones, others), start + np.maximum(ones, others)
            if touched(pair):
                break


def _swept(sides: Ids, bounds: Floats) -> Iterator[Batch]:
    """Yield such pairs of places by sweep and prune, all pairs of placements in one sweep."""
    if len(sides) == 0:
        return
    boxes = Boxes.from_rows(bounds)
    quantized = quantize(boxes, grid_around(boxes))
    line = comparisons(sides >> 1, (sides & 1).astype(np.uint8), quantized, 2)
    ordered = quantized[line.order]
    for done, ones, others in line.batches():
        met = ordered.meeting(ones, ordered, others)
        here, there = line.order[ones[met]], line.order[others[met]]
        (apart,) = (sides[here] != sides[there]).nonzero()
        here, there = here[apart], there[apart]
        swapped = sides[here] & 1 == 1
        yield done, np.where(swapped, there, here), np.where(swapped, here, there)


def _one_of_each_half(cells: NDArray[np.uint64]) -> NDArray[np.uint64]:
    """Return the first cell in each half of the grid, as bits."""
    halves = cells & _HALVES[:, None]
    first: NDArray[np.uint64] = np.bitwise_or.reduce(halves & (~halves + np.uint64(1)), axis=0)
    return first


def _cells(
    sides: Ids, bounds: Floats, count: int, margin: float
) -> tuple[NDArray[np.uint64], NDArray[np.uint64]]:
    """Return the cells that bounds stand in, and the cells that both sides of a pair stand in.

    Both as bits. The grid covers the region that the two sides have in common. `sides` ascend.
    """
    reach = _reach(bounds, margin)
    lower, upper = bounds[:3] - reach, bounds[3:] + reach
    starts = starts_of_runs(sides)
    # The region of each pair: its lower corner, and the negative of its upper corner.
    region = np.full((6, 2 * count), np.inf)
    if len(starts):
        region[:3, sides[starts]] = np.minimum.reduceat(lower, starts, axis=1)
        region[3:, sides[starts]] = -np.maximum.reduceat(upper, starts, axis=1)
    region = region.reshape(6, count, 2).max(axis=2)
    size = -region[3:] - region[:3]
    is_shared = (size >= 0).all(axis=0)
    region, size = np.where(is_shared, region, 0.0), np.where(is_shared, size, 0.0)
    scale = np.divide(_GRID, size, out=np.zeros((3, count)), where=size > 0)
    cells = np.full(len(sides), _ALL)
    pairs = sides >> 1
    flags = is_shared[pairs]
    for axis in range(3):
        low, factor = region[axis].take(pairs), scale[axis].take(pairs)
        first, last = ((side[axis] - low) * factor for side in (lower, upper))
        flags &= (last >= 0) & (first <= _GRID)
        first, last = first.clip(0, _GRID - 1), last.clip(0, _GRID - 1)
        cells &= _SPANS[axis].take(first.astype(np.uint8) * _GRID + last.astype(np.uint8))
    cells[~flags] = 0
    held = np.zeros(2 * count, np.uint64)
    if len(starts):
        held[sides[starts]] = np.bitwise_or.reduceat(cells, starts)
    return cells, held[::2] & held[1::2]


def _reach(bounds: Floats, margin: float) -> Floats | float:
    """Return by how much bounds grow for a margin, rounding included."""
    return margin + _ROUNDING * (np.abs(bounds).max(axis=0) + margin) if margin else 0.0
