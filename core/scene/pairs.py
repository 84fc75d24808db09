"""Pairs of placed triangles: placements by their boxes, then what stands where two boxes meet.

Only triangles near what the boxes of two placements have in common are placed. An octree is built
over these, which finds the pairs among them.
"""

import numpy as np

from ..arrays import Floats, Ids, blocks, concatenated_ranges, starts_of_runs
from ..construction import build_octree
from ..pairs import overlapping_pairs
from ..shapes import Boxes
from .forest import Forest
from .moment import Moment, Reached
from .volumes import candidates, confirmed

# Pairs of placements that are looked at together, and triangles placed together for pairs within.
_PAIRS, _TRIANGLES = 65_536, 1_048_576
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
    """Return keys of rows and entries near what the boxes of two placements have in common."""
    ones, others = met
    shared = Boxes.from_rows(_shared(moment.placements.boxes, ones, others, margin))
    regions = np.repeat(np.arange(len(ones)), 2)
    pairs = Reached(regions, met.T.ravel(), np.zeros(len(regions), bool))
    keys = [np.empty(0, np.intp)]
    for found in candidates(moment, shared, pairs):
        numbers, entries = confirmed(moment, shared, pairs, found, "touching")
        keys.append(pairs.rows[found.asked[numbers]] * len(found.forest.order) + entries)
    return np.concatenate(keys)


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
