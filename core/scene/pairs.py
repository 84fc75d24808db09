"""Pairs of placed triangles: placements by their boxes, then what stands where two boxes meet.

Only triangles near what the boxes of two placements have in common are placed, and swept against
those of the other placement. Pairs within one placement are those of an octree over it, placed.
"""

from collections.abc import Iterator

import numpy as np

from ..arrays import Flags, Floats, Ids, blocks, concatenated_ranges, radix_argsort, starts_of_runs
from ..construction import build_octree
from ..pairs import overlapping_pairs
from ..pairs.api import exact_test
from ..pairs.sweep import comparisons, grid_around, quantize
from ..shapes import Boxes
from .forest import Forest
from .moment import Moment, Reached
from .volumes import candidates

# Pairs of placements that are looked at together, and triangles placed together for pairs within.
_PAIRS, _TRIANGLES = 8_192, 1_048_576
# How often the triangles of two placements tell which of the others are near them.
_ROUNDS = 2
# Pairs of triangles that are tested together, at least.
_TESTED = 65_536
# What rounding may take from bounds that are moved by a margin.
_ROUNDING = 2.0**-46


def overlapping(moment: Moment, margin: float, *, skip_neighbours: bool, within: bool) -> Ids:
    """Return placements and triangles, twice, (4, h), of triangles that touch or come near."""
    parts = [_between(moment, margin)]
    if within:
        parts += _within(moment, margin, skip_neighbours)
    found = np.concatenate(parts, axis=1)
    return found if len(parts) == 1 else found[:, np.lexsort(found[::-1])]


def _between(moment: Moment, margin: float) -> Ids:
    """Return the pairs of triangles of two placements."""
    met = moment.placements.rows_named(overlapping_pairs(moment.top, margin=margin))
    met = met[:, moment.placements.is_there[met].all(axis=0)]
    if met.shape[1] == 0:
        return np.empty((4, 0), np.intp)
    # All meshes in question have their octrees from now on: entries keep their numbers.
    forest = moment.forest(np.unique(met), np.zeros(1))
    parts = [np.empty((4, 0), np.intp)]
    for some in blocks(met.shape[1], _PAIRS):
        rows, entries, sides, bounds = _near_each_other(moment, met[:, some], margin)
        items = moment.placed(forest, entries, rows)
        names = np.stack((moment.placements.ids[rows], forest.order[entries]))
        for ones, others in _compared(sides, bounds, margin):
            (kept,) = exact_test(items, items, margin)(ones, others).nonzero()
            parts.append(np.concatenate((names[:, ones[kept]], names[:, others[kept]])))
    found = np.concatenate(parts, axis=1)
    return found[:, np.lexsort(found[[3, 2, 1, 0]])]


def _compared(sides: Ids, bounds: Floats, margin: float) -> Iterator[tuple[Ids, Ids]]:
    """Yield pairs on side 2 i and on side 2 i + 1 whose bounds (6, h) come near, by a sweep."""
    if len(sides) == 0:
        return
    reach = margin + _ROUNDING * (np.abs(bounds).max(axis=0) + margin) if margin else 0.0
    grown = Boxes.from_rows(np.concatenate((bounds[:3] - reach, bounds[3:] + reach)))
    quantized = quantize(grown, grid_around(grown))
    line = comparisons(sides >> 1, (sides & 1).astype(np.uint8), quantized, 2)
    ordered = quantized[line.order]
    waiting: list[tuple[Ids, Ids]] = []
    for _, ones, others in line.batches():
        met = ordered.meeting(ones, ordered, others)
        here, there = line.order[ones[met]], line.order[others[met]]
        (apart,) = (sides[here] != sides[there]).nonzero()
        here, there = here[apart], there[apart]
        swapped = sides[here] & 1 == 1
        waiting.append((np.where(swapped, there, here), np.where(swapped, here, there)))
        if sum(len(some) for some, _ in waiting) > _TESTED:
            yield _joined(waiting)
            waiting = []
    if waiting:
        yield _joined(waiting)


def _joined(parts: list[tuple[Ids, Ids]]) -> tuple[Ids, Ids]:
    ones, others = zip(*parts, strict=True)
    return np.concatenate(ones), np.concatenate(others)


def _near_each_other(moment: Moment, met: Ids, margin: float) -> tuple[Ids, Ids, Ids, Floats]:
    """Return what may touch triangles of the other placement: rows, entries, sides and bounds.

    Sides ascend: pair i of placements has sides 2 i and 2 i + 1.
    """
    count = met.shape[1]
    shared = Boxes.from_rows(_shared(moment.placements.boxes, met[0], met[1], margin))
    pairs = Reached(np.repeat(np.arange(count), 2), met.T.ravel(), np.zeros(2 * count, bool))
    parts = [(np.empty(0, np.intp), np.empty(0, np.intp), np.empty((6, 0)))]
    for found in candidates(moment, shared, pairs):
        numbers, entries = map(np.concatenate, zip(found.doubtful, found.certain, strict=True))
        asked = found.asked[numbers]
        limits = moment.placed(found.forest, entries, pairs.rows[asked]).limits()
        bounds, region = np.concatenate(limits), shared.rows.take(asked >> 1, axis=1)
        (some,) = _meet(bounds, region, 0.0).nonzero()
        parts.append((asked[some], entries[some], bounds[:, some]))
    asked, entries, bounds = (np.concatenate(part, axis=-1) for part in zip(*parts, strict=True))
    order = radix_argsort(asked, (2 * count).bit_length())
    asked, entries, bounds = asked[order], entries[order], bounds[:, order]
    for _ in range(_ROUNDS):
        sides = _around(asked, bounds, 2 * count)
        (some,) = _meet(bounds, sides.take(asked ^ 1, axis=1), margin).nonzero()
        asked, entries, bounds = asked[some], entries[some], bounds[:, some]
    return pairs.rows[asked], entries, asked, bounds


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


def _pairs_within(
    moment: Moment, forest: Forest, rows: Ids, entries: Ids, margin: float, skip_neighbours: bool
) -> Ids:
    """Return the pairs among these triangles that are of one placement."""
    order = np.lexsort((forest.order[entries], rows))
    rows, entries = rows[order], entries[order]
    tree = build_octree(moment.baked(forest, rows, entries))
    ones, others = overlapping_pairs(tree, margin=margin)
    same = rows[ones] == rows[others]
    ones, others = ones[same], others[same]
    if skip_neighbours:
        faces = forest.arranged.faces[entries]
        shared = faces[ones][:, :, None] == faces[others][:, None, :]
        apart = ~shared.any(axis=(1, 2))
        ones, others = ones[apart], others[apart]
    ids, triangles = moment.placements.ids[rows], forest.order[entries]
    return np.stack((ids[ones], triangles[ones], ids[others], triangles[others]))


def _within(moment: Moment, margin: float, skip: bool) -> list[Ids]:
    """Return the pairs of triangles of one placement, of some placements at a time."""
    (there,) = moment.placements.is_there.nonzero()
    parts: list[Ids] = []
    if len(there) == 0:
        return parts
    counts = moment.meshes.sizes[moment.placements.meshes[there]]
    for some in np.split(there, np.flatnonzero(np.diff(np.cumsum(counts) // _TRIANGLES)) + 1):
        meshes = moment.placements.meshes[some]
        planted = moment.meshes.planted(np.unique(meshes))
        counts = moment.meshes.sizes[meshes]
        entries = concatenated_ranges(planted.firsts[meshes], counts)
        rows, forest = np.repeat(some, counts), planted.forest
        parts.append(_pairs_within(moment, forest, rows, entries, margin, skip))
    return parts
