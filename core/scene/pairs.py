"""Pairs of placed triangles: placements by their boxes, then what stands where two boxes meet.

Only triangles near what the boxes of two placements have in common are placed. An octree is built
over these, which finds the pairs among them.
"""

import numpy as np

from ..arrays import Flags, Floats, Ids, blocks, concatenated_ranges, radix_argsort, starts_of_runs
from ..construction import build_octree
from ..pairs import overlapping_pairs
from ..shapes import Boxes
from .forest import Forest
from .moment import Moment, Reached
from .volumes import candidates

# Pairs of placements that are looked at together, and triangles placed together for pairs within.
_PAIRS, _TRIANGLES = 8_192, 1_048_576
# How often the triangles of two placements tell which of the others are near them.
_ROUNDS = 2
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
    keys = np.empty(0, np.intp)
    for some in blocks(met.shape[1], _PAIRS):
        both = np.sort(np.concatenate((keys, _near_each_other(moment, met[:, some], margin))))
        keys = both[starts_of_runs(both)]
    rows, entries = np.divmod(keys, len(forest.order))
    return _pairs(moment, forest, rows, entries, margin, between=True)


def _near_each_other(moment: Moment, met: Ids, margin: float) -> Ids:
    """Return keys of rows and entries that may touch what is placed in the other row."""
    count = met.shape[1]
    shared = Boxes.from_rows(_shared(moment.placements.boxes, met[0], met[1], margin))
    # Pairs 2 i and 2 i + 1 are the two sides of region i.
    pairs = Reached(np.repeat(np.arange(count), 2), met.T.ravel(), np.zeros(2 * count, bool))
    parts = [(np.empty(0, np.intp), np.empty(0, np.intp), np.empty((6, 0)))]
    size = 1
    for found in candidates(moment, shared, pairs):
        numbers, entries = map(np.concatenate, zip(found.doubtful, found.certain, strict=True))
        asked, size = found.asked[numbers], len(found.forest.order)
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
    return pairs.rows[asked] * size + entries


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


def _pairs(
    moment: Moment,
    forest: Forest,
    rows: Ids,
    entries: Ids,
    margin: float,
    *,
    between: bool,
    skip_neighbours: bool = False,
) -> Ids:
    """Return the pairs among these triangles, those of one placement or those of two."""
    order = np.lexsort((forest.order[entries], rows))
    rows, entries = rows[order], entries[order]
    tree = build_octree(moment.baked(forest, rows, entries))
    if between:
        ones, others = overlapping_pairs(tree, margin=margin, owners=rows)
    else:
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
        parts.append(
            _pairs(moment, forest, rows, entries, margin, between=False, skip_neighbours=skip)
        )
    return parts
