"""Pairs of triangles of one placement: those of an octree over it, placed."""

from itertools import pairwise

import numpy as np

from .. import tuning
from ..arrays import Flags, Ids, blocks, concatenated_ranges
from ..construction import build_steps
from ..pairs import overlapping_pairs_steps
from ..shapes import Triangles
from ..steps import Steps, between
from .moment import Moment
from .sheets import Sheets

# Triangles that are placed in a step.
_PLACED = 65_536


def pairs_within(
    moment: Moment, margin: float, skip_neighbours: bool, rows: Ids | None = None
) -> Steps[list[Ids]]:
    """Return the pairs of triangles of one placement, of some placements at a time.

    Of all that are there, or of those in some rows.
    """
    (there,) = moment.placements.is_there.nonzero() if rows is None else (rows,)
    parts: list[Ids] = []
    if len(there) == 0:
        return parts
    counts = moment.meshes.sizes[moment.placements.meshes[there]]
    ends = np.flatnonzero(np.diff(np.cumsum(counts) // tuning.current.meshes_together)) + 1
    cuts = [0, *ends.tolist(), len(there)]
    for start, stop in pairwise(cuts):
        steps = _within_some(moment, there[start:stop], margin, skip_neighbours)
        found = yield from between(start / len(there), stop / len(there), steps)
        parts.append(found)
    return parts


def _within_some(moment: Moment, rows: Ids, margin: float, skip_neighbours: bool) -> Steps[Ids]:
    """Return the pairs of triangles of one placement, of these placements."""
    meshes = moment.placements.meshes[rows]
    sheets = yield from between(0.0, 0.0, moment.meshes.sheets(np.unique(meshes)))
    counts = moment.meshes.sizes[meshes]
    entries = concatenated_ranges(sheets.firsts[meshes], counts)
    rows = np.repeat(rows, counts)
    order = np.lexsort((sheets.order[entries], rows))
    rows, entries = rows[order], entries[order]
    corners = np.empty((9, len(rows)))
    for some in blocks(len(rows), _PLACED):
        corners[:, some] = moment.placed(sheets, entries[some], rows[some]).rows
        yield 0.0
    vertices = corners.reshape(3, 3, -1).transpose(2, 0, 1).reshape(-1, 3)
    triangles = Triangles(vertices, np.arange(len(vertices)).reshape(-1, 3))
    tree = yield from between(0.0, 0.5, build_steps(triangles))
    steps = overlapping_pairs_steps(tree, margin=margin, owners=None)
    ones, others = yield from between(0.5, 1.0, steps)
    same = rows[ones] == rows[others]
    if skip_neighbours:
        same &= _strangers(sheets, entries[ones], entries[others])
    pairs = (ones[same], others[same])
    ids, numbers = moment.placements.ids[rows], sheets.order[entries]
    return np.concatenate([(ids[one], numbers[one]) for one in pairs])


def _strangers(sheets: Sheets, ones: Ids, others: Ids) -> Flags:
    """Return which pairs of entries share no vertex."""
    faces = sheets.arranged.faces
    shared: Flags = faces[ones][:, :, None] == faces[others][:, None, :]
    return ~shared.any(axis=(1, 2))
