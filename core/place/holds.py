"""Contacts at the start: faces in one plane that hold, and solids that share room."""

import numpy as np

from ..arrays import Flags, Ids, distinct
from ..audit.crossings import unit_normals
from ..audit.findings import DUPLICATE, OVERLAP
from ..audit.inside import inside
from ..audit.judge import judged
from ..audit.shells import shells_of
from ..gaps.known import Faces
from ..gaps.shadows import facings
from ..gaps.way import Way
from ..scene.moment import Moment
from ..scene.pairs import tried
from ..scene.sheets import Sheets
from ..steps import Steps, between
from .housed import BAND, FLUSH, lie_whole

# How far from a face a solid is looked for: a part of its size, at least of its coordinates.
_BESIDE, _ROUNDED = 2.0**-30, 2.0**-48


def closed_rows(moment: Moment, sheets: Sheets, rows: Ids) -> Steps[Flags]:
    """Return in which rows closed meshes are placed, (n,) of all rows; False where not asked."""
    meshes = distinct(moment.placements.meshes[rows])
    shells = yield from shells_of(sheets, moment.meshes.sizes, meshes)
    flags = np.zeros(len(moment), bool)
    flags[rows] = shells.closed[moment.placements.meshes[rows]]
    return flags


def holding_faces(
    moment: Moment, sheets: Sheets, way: Way, rows: Ids, faces: Faces, closed: Flags
) -> Steps[Flags]:
    """Return which pairs of rows, (p,), have faces of one plane that hold each other.

    Such hold if the way leads into the solid behind either: that of the other lies ahead of its
    face, or that of the one that moves behind its own. Where neither face bounds a solid, both are
    sheets, and hold, too.
    """
    holds = np.zeros(rows.shape[1], bool)
    few = 1
    while len(faces):
        order = np.argsort(faces.pairs, kind="stable")
        faces = faces[order]
        early = np.arange(len(faces)) - np.searchsorted(faces.pairs, faces.pairs) < few
        here = faces[early.nonzero()[0]]
        ones, others = rows[:, here.pairs]
        sides = yield from _solids_beside(moment, sheets, way, ones, here.ones, closed)
        other_sides = yield from _solids_beside(moment, sheets, way, others, here.others, closed)
        leads_in = sides[0] | other_sides[1]
        leads_out = sides[1] | other_sides[0]
        holds[here.pairs[leads_in | ~leads_out]] = True
        faces, few = faces[(~early & ~holds[faces.pairs]).nonzero()[0]], few * 8
    return holds


def _solids_beside(
    moment: Moment, sheets: Sheets, way: Way, rows: Ids, entries: Ids, closed: Flags
) -> Steps[Flags]:
    """Return which triangles have the solid of their own mesh behind them, and which ahead.

    (2, t), as seen along the way.
    """
    flags = np.zeros((2, len(rows)), bool)
    (some,) = closed[rows].nonzero()
    keys, places = np.unique(rows[some] * len(sheets.order) + entries[some], return_inverse=True)
    which, found = keys // len(sheets.order), keys % len(sheets.order)
    corners = moment.placed(sheets, found, which).rows.reshape(3, 3, -1)
    size = (corners.max(axis=0) - corners.min(axis=0)).max(axis=0)
    apart = np.maximum(_BESIDE * size, _ROUNDED * np.abs(corners).max(axis=(0, 1)))
    ahead = apart * facings(way, corners) * unit_normals(corners)
    middles = corners.mean(axis=0)
    points = np.concatenate((middles - ahead, middles + ahead), axis=1)
    within = yield from inside(moment, points, np.tile(which, 2))
    flags[:, some] = within.reshape(2, -1)[:, places]
    return flags


def boxes_overlap(moment: Moment, pairs: Ids) -> Flags:
    """Return which pairs of rows, (2, p), have boxes that are more than flush."""
    one, other = (moment.placements.boxes[:, rows] for rows in pairs)
    deep = np.minimum(one[3:] - other[:3], other[3:] - one[:3]) > FLUSH
    flags: Flags = deep.all(axis=0)
    return flags


def sharing_room(moment: Moment, pairs: Ids) -> Steps[Flags]:
    """Return which pairs of closed meshes, (2, p) rows, share room, neither whole in the other."""
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
