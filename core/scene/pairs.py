"""Pairs of placed triangles: a broad phase of placements, then sweep and prune of triangles.

Only triangles near what the boxes of two placements have in common are placed, and swept against
those of the other placement; of two large meshes, those that remain are sorted into cells. Pairs
within one placement are those of an octree over it, placed. All of it comes in steps.
"""

from collections.abc import Callable, Generator, Iterator
from dataclasses import dataclass
from itertools import pairwise

import numpy as np

from ..arrays import Flags, Floats, Ids, blocks, concatenated_ranges, radix_argsort, starts_of_runs
from ..construction import build_steps
from ..construction.levels import between
from ..pairs import overlapping_pairs_steps
from ..pairs.api import exact_test
from ..pairs.broad_phase import pairs_in_cells
from ..pairs.sweep import comparisons, grid_around, quantize
from ..shapes import Boxes, Triangles
from .forest import Forest
from .moment import Moment, Reached, first_of_each
from .volumes import candidates

# Pairs of placements that are looked at together at first, and at most; about how many triangles
# should be found near others then; how many triangles their meshes have together, at most.
_FIRST, _PAIRS, _FOUND, _MESHES = 128, 8_192, 65_536, 1_048_576
# Triangles that are placed in a step; those that are paired with others of their placement.
_PLACED, _TRIANGLES = 65_536, 131_072
# How often the triangles of two placements tell which of the others are near them.
_ROUNDS = 2
# Two placements with more triangles near each other than this have these sorted into cells.
_MANY = 65_536
# Pairs of triangles that are tested together, at least.
_TESTED = 16_384
# Pairs that two placements test first if one hit is enough, and the factor for the next round.
_FEW, _MORE = 8, 8
# What rounding may take from bounds that are moved by a margin.
_ROUNDING = 2.0**-46
# The fractions of the work that are done when boxes have met, and when octrees are built; when
# pairs of placements are compared if pairs within them follow; before all is sorted.
_MET, _BUILT, _HALF, _COMPARED = 0.05, 0.3, 0.6, 0.95

_NONE = np.empty(0, np.intp)
# The pairs of triangles (h,), (h,) that a test holds for.
Test = Callable[[Ids, Ids], Flags]
# The share of the work that is done, and pairs of places.
Batch = tuple[float, Ids, Ids]


def overlapping(
    moment: Moment,
    margin: float,
    owners: Ids | None,
    *,
    skip_neighbours: bool,
    within: bool,
    objects: bool,
) -> Generator[float, None, Ids]:
    """Return placements and triangles, twice, (4, h), of triangles that touch or come near.

    Or of `objects` placements, twice, (2, h). With `owners` of the rows, (n,), pairs of different
    owners only. Yields the fraction done.
    """
    met = yield from between(0.0, _MET, _boxes_met(moment, margin, owners))
    rows = moment.placements.is_there.nonzero()[0] if within else np.unique(met)
    meshes = np.unique(moment.placements.meshes[rows])
    yield from between(_MET, _BUILT, moment.meshes.prepare(meshes))
    stop = _HALF if within else _COMPARED
    parts = yield from between(_BUILT, stop, _of_all(moment, met, margin, objects))
    if within:
        parts += yield from between(stop, _COMPARED, _within(moment, margin, skip_neighbours))
    if objects:
        return np.concatenate([np.empty((2, 0), np.intp), *parts], axis=1)
    found = np.concatenate([np.empty((4, 0), np.intp), *parts], axis=1)
    return (yield from between(_COMPARED, 1.0, _sorted(found)))


def _boxes_met(moment: Moment, margin: float, owners: Ids | None) -> Generator[float, None, Ids]:
    """Return the pairs of rows whose boxes meet, (2, h), sorted."""
    placements, top = moment.placements, moment.top
    there = placements.is_there
    if not there.all():
        # Where nothing can be found, nothing is compared.
        named = np.arange(len(there)) if owners is None else np.unique(owners, False, True)[1]
        owners = np.where(there, named, len(there))
    if owners is not None:
        owners = owners[placements.rows_named(top.named(np.arange(len(top.items))))]
    met = yield from overlapping_pairs_steps(top, margin=margin, owners=owners)
    met = placements.rows_named(met)
    return met[:, there[met].all(axis=0)]


def _sorted(found: Ids) -> Generator[float, None, Ids]:
    """Return pairs sorted by all their numbers, some placements after the others."""
    found = found[:, np.argsort(found[0], kind="stable")]
    yield 0.2
    begins = np.append(starts_of_runs(found[0]), found.shape[1])
    cuts = begins[starts_of_runs(begins // _TESTED)]
    for start, stop in pairwise(cuts):
        part = found[:, start:stop]
        found[:, start:stop] = part[:, np.lexsort(part[[3, 2, 1, 0]])]
        yield 0.2 + 0.8 * stop / found.shape[1]
    part = found[:, cuts[-1] :]
    found[:, cuts[-1] :] = part[:, np.lexsort(part[[3, 2, 1, 0]])]
    return found


def _of_all(
    moment: Moment, met: Ids, margin: float, objects: bool
) -> Generator[float, None, list[Ids]]:
    """Return the pairs of triangles, or those of placements, some pairs of rows at a time."""
    parts: list[Ids] = []
    sizes = moment.meshes.sizes[moment.placements.meshes[met]].sum(axis=0)
    before = np.append(0, np.cumsum(sizes))
    first, size, count = 0, _FIRST, met.shape[1]
    while first < count:
        last = int(np.searchsorted(before, before[first] + _MESHES, side="right")) - 1
        stop = max(first + 1, min(first + size, last))
        some = met[:, first:stop]
        near = yield from between(
            first / count, (first + stop) / 2 / count, _near_each_other(moment, some, margin)
        )
        steps = _touching(moment, some, near, margin, objects)
        parts.append((yield from between((first + stop) / 2 / count, stop / count, steps)))
        factor = min(_FOUND / max(near.found, 1), 4.0)
        first, size = stop, min(max(1, int((stop - first) * factor)), _PAIRS)
    return parts


@dataclass(frozen=True)
class _Near:
    """Triangles that may touch one of another placement: rows, entries, sides and bounds.

    Sides ascend: pair i of placements has sides 2 i and 2 i + 1. `found` were looked at.
    """

    rows: Ids
    entries: Ids
    sides: Ids
    bounds: Floats
    found: int


def _near_each_other(moment: Moment, met: Ids, margin: float) -> Generator[float, None, _Near]:
    """Return what may touch triangles of the other placement."""
    count = met.shape[1]
    shared = Boxes.from_rows(_shared(moment.placements.boxes, met[0], met[1], margin))
    pairs = Reached(np.repeat(np.arange(count), 2), met.T.ravel(), np.zeros(2 * count, bool))
    parts, looked = [(_NONE, _NONE, np.empty((6, 0)))], 0
    for found in candidates(moment, shared, pairs, as_hulls=True):
        numbers, entries = map(np.concatenate, zip(found.doubtful, found.certain, strict=True))
        looked += len(entries)
        for some in blocks(len(numbers), _PLACED):
            asked, few = found.asked[numbers[some]], entries[some]
            limits = moment.placed(found.forest, few, pairs.rows[asked]).limits()
            bounds, region = np.concatenate(limits), shared.rows.take(asked >> 1, axis=1)
            (kept,) = _meet(bounds, region, 0.0).nonzero()
            parts.append((asked[kept], few[kept], bounds[:, kept]))
            yield 0.0
    asked, entries, bounds = (np.concatenate(part, axis=-1) for part in zip(*parts, strict=True))
    order = radix_argsort(asked, (2 * count).bit_length())
    asked, entries, bounds = asked[order], entries[order], bounds[:, order]
    for _ in range(_ROUNDS):
        yield 0.9
        sides = _around(asked, bounds, 2 * count)
        (near,) = _meet(bounds, sides.take(asked ^ 1, axis=1), margin).nonzero()
        asked, entries, bounds = asked[near], entries[near], bounds[:, near]
    return _Near(pairs.rows[asked], entries, asked, bounds, looked)


def _touching(
    moment: Moment, met: Ids, near: _Near, margin: float, objects: bool
) -> Generator[float, None, Ids]:
    """Return the pairs of triangles that touch, (4, h), or those of placements, (2, k)."""
    forest = moment.forest(met[0], np.zeros(met.shape[1]))
    items = moment.placed(forest, near.entries, near.rows)
    test = exact_test(items, items, margin)
    parts, touched = [np.empty((2, 0), np.intp)], np.zeros(met.shape[1], bool)
    for done, ones, others in _gathered(_compared(near, margin, touched)):
        if objects:
            _try_few(test, near.sides >> 1, ones, others, touched)
        else:
            (kept,) = test(ones, others).nonzero()
            parts.append(np.stack((ones[kept], others[kept])))
        yield done
    if objects:
        return moment.placements.ids[met[:, touched]]
    pairs = np.concatenate(parts, axis=1)
    ids, triangles = moment.placements.ids[near.rows], forest.order[near.entries]
    return np.concatenate([(ids[one], triangles[one]) for one in pairs])


def _try_few(test: Test, pairs: Ids, ones: Ids, others: Ids, touched: Flags) -> None:
    """Test pairs of triangles until one of each pair of placements touches; sets its flag."""
    order = np.argsort(pairs[ones], kind="stable")
    ones, others, few = ones[order], others[order], _FEW
    while len(ones):
        (left,) = (~touched[pairs[ones]]).nonzero()
        ones, others = ones[left], others[left]
        early = first_of_each(pairs[ones], few)
        some = ones[early]
        touched[pairs[some[test(some, others[early])]]] = True
        ones, others, few = ones[~early], others[~early], few * _MORE


def _gathered(batches: Iterator[Batch]) -> Iterator[Batch]:
    """Yield batches of many pairs instead of few, and empty ones in between."""
    waiting: list[tuple[Ids, Ids]] = []
    done = 0.0
    for done, *pairs in batches:
        waiting.append((pairs[0], pairs[1]))
        if sum(len(ones) for ones, _ in waiting) >= _TESTED:
            yield done, *_joined(waiting)
            waiting = []
        else:
            yield done, _NONE, _NONE
    if waiting:
        yield 1.0, *_joined(waiting)


def _joined(parts: list[tuple[Ids, Ids]]) -> tuple[Ids, Ids]:
    ones, others = zip(*parts, strict=True)
    return np.concatenate(ones), np.concatenate(others)


def _compared(near: _Near, margin: float, touched: Flags) -> Iterator[Batch]:
    """Yield pairs of places on side 2 i and on side 2 i + 1 whose bounds come near.

    Of two placements that have touched already nothing more need come.
    """
    if len(near.sides) == 0:
        return
    bounds = near.bounds
    reach = margin + _ROUNDING * (np.abs(bounds).max(axis=0) + margin) if margin else 0.0
    grown = np.concatenate((bounds[:3] - reach, bounds[3:] + reach))
    pairs = near.sides >> 1
    (large,) = (np.bincount(pairs) > _MANY).nonzero()
    places = np.arange(len(pairs)) if len(large) == 0 else (~np.isin(pairs, large)).nonzero()[0]
    for done, ones, others in _swept(near.sides[places], grown[:, places]):
        yield done / (1 + len(large)), places[ones], places[others]
    for number, pair in enumerate(large.tolist(), 1):
        start, own, stop = np.searchsorted(near.sides, [2 * pair, 2 * pair + 1, 2 * pair + 2])
        for share, ones, others in pairs_in_cells(grown[:, start:stop], own=int(own - start)):
            done = (number + share) / (1 + len(large))
            yield done, start + np.minimum(ones, others), start + np.maximum(ones, others)
            if touched[pair]:
                break


def _swept(sides: Ids, bounds: Floats) -> Iterator[Batch]:
    """Yield pairs of places as `_compared` does, by a sweep of each pair of placements."""
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


def _around(numbers: Ids, bounds: Floats, count: int) -> Floats:
    """Return the bounds of all bounds of each number, (6, count), which ascend."""
    around = np.repeat([[np.inf], [-np.inf]], 3, axis=0) * np.ones(count)
    starts = starts_of_runs(numbers)
    if len(starts):
        around[:3, numbers[starts]] = np.minimum.reduceat(bounds[:3], starts, axis=1)
        around[3:, numbers[starts]] = np.maximum.reduceat(bounds[3:], starts, axis=1)
    return around


def _meet(ones: Floats, others: Floats, margin: float) -> Flags:
    """Return which bounds (6, h) are no farther apart than the margin on any axis."""
    reach = margin + _ROUNDING * (np.abs(ones).max(axis=0) + margin) if margin else 0.0
    flags = (ones[:3] - reach <= others[3:]) & (ones[3:] + reach >= others[:3])
    return flags[0] & flags[1] & flags[2]


def _shared(boxes: Floats, ones: Ids, others: Ids, margin: float) -> Floats:
    """Return what pairs of boxes have in common, with a margin around it, (6, h)."""
    ours, theirs = boxes[:, ones], boxes[:, others]
    lower, upper = np.maximum(ours[:3], theirs[:3]), np.minimum(ours[3:], theirs[3:])
    # Boxes that are only near each other have nothing in common but the gap between them.
    lower, upper = np.minimum(lower, upper), np.maximum(lower, upper)
    if margin:
        reach = margin + _ROUNDING * (np.maximum(np.abs(lower), np.abs(upper)) + margin)
        lower, upper = lower - reach, upper + reach
    return np.concatenate((lower, upper))


def _within(
    moment: Moment, margin: float, skip_neighbours: bool
) -> Generator[float, None, list[Ids]]:
    """Return the pairs of triangles of one placement, of some placements at a time."""
    (there,) = moment.placements.is_there.nonzero()
    parts: list[Ids] = []
    if len(there) == 0:
        return parts
    counts = moment.meshes.sizes[moment.placements.meshes[there]]
    ends = np.flatnonzero(np.diff(np.cumsum(counts) // _TRIANGLES)) + 1
    cuts = [0, *ends.tolist(), len(there)]
    for start, stop in pairwise(cuts):
        steps = _within_some(moment, there[start:stop], margin, skip_neighbours)
        found = yield from between(start / len(there), stop / len(there), steps)
        parts.append(found)
    return parts


def _within_some(
    moment: Moment, rows: Ids, margin: float, skip_neighbours: bool
) -> Generator[float, None, Ids]:
    """Return the pairs of triangles of one placement, of these placements."""
    meshes = moment.placements.meshes[rows]
    planted = moment.meshes.planted(np.unique(meshes))
    counts = moment.meshes.sizes[meshes]
    entries = concatenated_ranges(planted.firsts[meshes], counts)
    rows, forest = np.repeat(rows, counts), planted.forest
    order = np.lexsort((forest.order[entries], rows))
    rows, entries = rows[order], entries[order]
    corners = np.empty((9, len(rows)))
    for some in blocks(len(rows), _PLACED):
        corners[:, some] = moment.placed(forest, entries[some], rows[some]).rows
        yield 0.0
    vertices = corners.reshape(3, 3, -1).transpose(2, 0, 1).reshape(-1, 3)
    triangles = Triangles(vertices, np.arange(len(vertices)).reshape(-1, 3))
    tree = yield from between(0.0, 0.5, build_steps(triangles))
    steps = overlapping_pairs_steps(tree, margin=margin, owners=None)
    ones, others = yield from between(0.5, 1.0, steps)
    same = rows[ones] == rows[others]
    if skip_neighbours:
        same &= _strangers(forest, entries[ones], entries[others])
    pairs = (ones[same], others[same])
    ids, numbers = moment.placements.ids[rows], forest.order[entries]
    return np.concatenate([(ids[one], numbers[one]) for one in pairs])


def _strangers(forest: Forest, ones: Ids, others: Ids) -> Flags:
    """Return which pairs of entries share no vertex."""
    faces = forest.arranged.faces
    shared: Flags = faces[ones][:, :, None] == faces[others][:, None, :]
    return ~shared.any(axis=(1, 2))
