"""Pairs of triangles of one placement: a walk of its nodes with themselves, in C.

What that leaves, and all pairs within a margin, come from an octree over the placed triangles.
"""

import numpy as np

from .. import tuning
from ..arrays import Flags, Ids, batched, blocks, distinct
from ..compiled import listed_touches
from ..construction import build_steps
from ..pairs import overlapping_pairs_steps
from ..shapes import Triangles
from ..steps import Steps, between
from .moment import Moment
from .placements import gap_slacks
from .pool import Pool

# Triangles that are placed in a step.
_PLACED = 65_536


def pairs_within(
    moment: Moment, margin: float, skip_neighbours: bool, rows: Ids | None = None
) -> Steps[list[Ids]]:
    """Return the pairs of triangles of one placement, of some placements at a time.

    Of all that are there, or of those in some rows.
    """
    (there,) = moment.placements.is_there.nonzero() if rows is None else (rows,)
    if len(there) == 0:
        return []
    meshes = moment.placements.meshes[there]
    pool = yield from between(0.0, 0.2, moment.meshes.pool(distinct(meshes)))
    ends = np.cumsum(moment.meshes.sizes[meshes])
    parts: list[Ids] = []
    for some in batched(ends, tuning.current.meshes_together):
        start, stop = (0.2 + 0.8 * each / len(there) for each in (some.start, some.stop))
        steps = _within_some(moment, pool, there[some], margin)
        found = yield from between(start, stop, steps)
        parts += [_named(moment, pool, each, skip_neighbours) for each in found]
    return parts


def _within_some(moment: Moment, pool: Pool, rows: Ids, margin: float) -> Steps[list[Ids]]:
    """Return the row and the entries of pairs of these placements, (3, h) each, in two parts."""
    both = np.stack((rows, rows))
    slacks = gap_slacks(*moment.placements.boxes_of(both))
    steps = listed_touches(moment.side(pool), both, slacks, margin)
    listed = yield from between(0.0, 0.4, steps)
    if listed is None:
        return [(yield from between(0.4, 1.0, _joined(moment, pool, rows, margin)))]
    (pairs, *entries), left = listed
    parts = [np.stack((rows[pairs], *entries))]
    if left.any():
        parts.append((yield from between(0.4, 1.0, _joined(moment, pool, rows[left], margin))))
    return parts


def _named(moment: Moment, pool: Pool, found: Ids, skip_neighbours: bool) -> Ids:
    """Return pairs of entries, (3, h) with their rows, as ids and triangles, (4, h)."""
    rows, ones, others = found
    if skip_neighbours:
        (some,) = _strangers(pool, ones, others).nonzero()
        rows, ones, others = rows[some], ones[some], others[some]
    ids, (one, other) = moment.placements.ids[rows], pool.order[np.stack((ones, others))]
    return np.stack((ids, np.minimum(one, other), ids, np.maximum(one, other)))


def _joined(moment: Moment, pool: Pool, rows: Ids, margin: float) -> Steps[Ids]:
    """Return the row and the entries of pairs of placed triangles, (3, h), by an octree."""
    meshes = moment.placements.meshes[rows]
    owners, entries = pool.entries(meshes, moment.meshes.sizes[meshes])
    rows = rows[owners]
    corners = np.empty((9, len(rows)))
    for some in blocks(len(rows), _PLACED):
        corners[:, some] = moment.placed(pool, entries[some], rows[some]).rows
        yield 0.0
    vertices = corners.reshape(3, 3, -1).transpose(2, 0, 1).reshape(-1, 3)
    triangles = Triangles(vertices, np.arange(len(vertices)).reshape(-1, 3))
    tree = yield from between(0.0, 0.5, build_steps(triangles))
    steps = overlapping_pairs_steps(tree, margin=margin, owners=None)
    ones, others = yield from between(0.5, 1.0, steps)
    same = rows[ones] == rows[others]
    ones, others = ones[same], others[same]
    return np.stack((rows[ones], entries[ones], entries[others]))


def _strangers(pool: Pool, ones: Ids, others: Ids) -> Flags:
    """Return which pairs of entries share no vertex."""
    faces = pool.arranged.faces
    shared: Flags = faces[ones][:, :, None] == faces[others][:, None, :]
    return ~shared.any(axis=(1, 2))
