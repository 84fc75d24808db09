"""Initial contacts of a slide: coplanar faces that block it, and solids that share space."""

import numpy as np

from ..arrays import Flags, Ids, distinct, flagged, starts_of_runs
from ..clash.crossings import unit_normals
from ..clash.findings import DUPLICATE, OVERLAP
from ..clash.inside import inside
from ..clash.judge import judged
from ..clash.shells import shells_of
from ..gaps.known import Faces
from ..gaps.search import GapSearch
from ..gaps.shadows import facings
from ..gaps.way import Way
from ..rounds import in_rounds
from ..scene.moment import Moment
from ..scene.pairs import tried
from ..scene.pool import Pool
from ..steps import Steps, between
from .housed import BAND, FLUSH, lie_whole

# Offset of the sample points beside a face: this part of the face's size, or, if larger, this
# part of its coordinates.
_BESIDE, _ROUNDED = 2.0**-30, 2.0**-48


def closed_rows(moment: Moment, pool: Pool, rows: Ids) -> Steps[Flags]:
    """Flag the given rows that place closed meshes, (n,) for all rows; other rows are False."""
    meshes = distinct(moment.placements.meshes[rows])
    shells = yield from shells_of(pool, moment.meshes.sizes, meshes)
    flags = np.zeros(len(moment), bool)
    flags[rows] = shells.closed[moment.placements.meshes[rows]]
    return flags


def held_faces(search: GapSearch, moment: Moment, pool: Pool, way: Way) -> Steps[Faces]:
    """Return coplanar faces that block the motion at the start: the lowest of each pair."""
    lowest = search.faces
    held = yield from _holding(moment, pool, way, search.rows, lowest)
    # If the lowest two faces do not block the motion, other faces of the pair may.
    left = lowest.pairs[~np.isin(lowest.pairs, held.pairs)]
    are_sheets = yield from _have_sheets(moment, pool, search.rows[:, left])
    every = yield from search.every_face(left, are_sheets.all(axis=0))
    others = yield from _holding(moment, pool, way, search.rows, every)
    return Faces.joined([held, others])


def _have_sheets(moment: Moment, pool: Pool, rows: Ids) -> Steps[Flags]:
    """Flag the rows (2, p) whose meshes have triangles that bound no solid."""
    meshes, places = np.unique(moment.placements.meshes[rows], return_inverse=True)
    sizes = moment.meshes.sizes
    shells = yield from shells_of(pool, sizes, meshes)
    owners, entries = pool.entries(meshes, sizes[meshes])
    return flagged(len(meshes), owners[shells.is_open[entries]])[places].reshape(rows.shape)


def _holding(moment: Moment, pool: Pool, way: Way, rows: Ids, faces: Faces) -> Steps[Faces]:
    """Return the first coplanar faces of each pair of rows, (2, p), that block the motion.

    `faces` are sorted. Faces block the motion if the direction leads into the solid of either
    mesh: the obstacle's solid lies ahead of its face, or the mover's solid behind its face. If
    neither face bounds a solid, both are sheets, and also block the motion.
    """
    held, are_open = [Faces.none()], np.ones(rows.shape[1], bool)
    for early in in_rounds(faces.pairs, 1, 8, lambda of, _: are_open[of]):
        here = faces[early]
        ones, others = rows[:, here.pairs]
        sides = yield from _solids_beside(moment, pool, way, ones, here.ones)
        other_sides = yield from _solids_beside(moment, pool, way, others, here.others)
        leads_in = sides[0] | other_sides[1]
        leads_out = sides[1] | other_sides[0]
        found = here[leads_in | ~leads_out]
        held.append(found[starts_of_runs(found.pairs)])
        are_open[found.pairs] = False
    return Faces.joined(held)


def _solids_beside(moment: Moment, pool: Pool, way: Way, rows: Ids, entries: Ids) -> Steps[Flags]:
    """Flag triangles with the solid of their own mesh behind them, and with the solid ahead.

    (2, t); ahead and behind refer to the direction `way`.
    """
    count = len(pool.order)
    keys, places = np.unique(rows * count + entries, return_inverse=True)
    which, found = keys // count, keys % count
    corners = moment.placed(pool, found, which).rows.reshape(3, 3, -1)
    size = (corners.max(axis=0) - corners.min(axis=0)).max(axis=0)
    apart = np.maximum(_BESIDE * size, _ROUNDED * np.abs(corners).max(axis=(0, 1)))
    ahead = apart * facings(way, corners) * unit_normals(corners)
    middles = corners.mean(axis=0)
    points = np.concatenate((middles - ahead, middles + ahead), axis=1)
    within = yield from inside(moment, points, np.tile(which, 2))
    return within.reshape(2, -1)[:, places]


def boxes_overlap(moment: Moment, pairs: Ids) -> Flags:
    """Flag pairs of rows, (2, p), whose boxes overlap by more than `FLUSH`."""
    one, other = moment.placements.boxes_of(pairs)
    deep = np.minimum(one[3:] - other[:3], other[3:] - one[:3]) > FLUSH
    flags: Flags = deep.all(axis=0)
    return flags


def sharing_room(moment: Moment, pairs: Ids) -> Steps[Flags]:
    """Flag pairs of closed meshes, (2, p) rows, that overlap without one enclosing the other."""
    flags = np.zeros(pairs.shape[1], bool)
    if len(flags) == 0:
        return flags
    trials = yield from between(0.0, 0.3, tried(moment, pairs, 0.0, objects=True))
    (some,) = trials.touched.nonzero()
    for one, other in ((0, 1), (1, 0)):
        steps = lie_whole(moment, pairs[one, some], pairs[other, some])
        some = some[~(yield from between(0.3, 0.6, steps))]
    found = yield from between(0.6, 1.0, judged(moment, pairs[:, some], BAND, 0.0))
    deep_ones = np.isin(found.classes, (OVERLAP, DUPLICATE))
    named = moment.placements.rows_named(found.pairs[:, deep_ones])
    count = len(moment)
    keys = np.sort(named, axis=0)
    wanted = np.sort(pairs, axis=0)
    flags[np.isin(wanted[0] * count + wanted[1], keys[0] * count + keys[1])] = True
    return flags
