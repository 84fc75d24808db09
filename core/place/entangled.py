"""Placements that initially overlap or contain one another, and their separating distances."""

from dataclasses import replace

import numpy as np

from ..arrays import Flags, Floats, Ids, distinct, gather, starts_of_runs
from ..clash.findings import CONTAINED, DUPLICATE, OVERLAP
from ..clash.inside import inside
from ..clash.judge import judged
from ..gaps.search import GapSearch
from ..gaps.way import Way
from ..pairs.broad_phase import meeting_boxes
from ..scene.moment import Moment
from ..scene.pairs import tried
from ..scene.placements import Placements
from ..scene.pool import Pool
from ..steps import Steps, between
from .holds import boxes_overlap, closed_rows
from .housed import BAND, lie_whole

# Moved boxes are enlarged by this part of their coordinates, which covers rounding errors.
_GROWN = 2.0**-45
# Crossing surfaces are found along any direction; this one is arbitrary.
_UP = np.array([0.0, 0.0, 1.0])


def shifted(moment: Moment, rows: Ids, moves: Floats) -> Moment:
    """Return a snapshot in which the placements in rows are translated by `moves`, (3, n)."""
    placements = moment.placements
    matrices, boxes = placements.matrices.copy(), placements.boxes.copy()
    matrices[3::4, rows] += moves
    for part, grown in ((boxes[:3], -_GROWN), (boxes[3:], _GROWN)):
        part[:, rows] += moves + grown * (np.abs(part[:, rows]) + np.abs(moves))
    made: Placements = replace(placements, matrices=matrices, boxes=boxes)
    return replace(moment, placements=made)


def boxes_met(moment: Moment, movers: Ids) -> Steps[Ids]:
    """Return pairs of a mover and any other row whose boxes overlap, (2, p), each pair once."""
    boxes, is_there = moment.placements.boxes, moment.placements.is_there
    (there,), movers = is_there.nonzero(), movers[is_there[movers]]
    met = yield from meeting_boxes(gather(boxes, movers), gather(boxes, there))
    pairs = np.sort(np.stack((movers[met[0]], there[met[1]])), axis=0)
    pairs = np.unique(pairs[:, pairs[0] != pairs[1]], axis=1)
    return pairs[:, boxes_overlap(moment, pairs)]


def entangled(moment: Moment, pool: Pool, pairs: Ids, stays: Flags) -> Steps[tuple[Flags, Ids]]:
    """Flag the pairs of rows, (2, p), that overlap, and return their enclosed side, (p,).

    The enclosed side is 0 or 1 if that row lies entirely in a closed mesh that stays, else -1.
    Pairs with an enclosed side are not flagged.
    """
    found, inner = np.zeros(pairs.shape[1], bool), np.full(pairs.shape[1], -1)
    if len(found) == 0:
        return found, inner
    search = GapSearch(moment, pool, Way.of(_UP))
    looking = search.look(pairs, np.zeros(len(found), np.intp), np.zeros(1), shared=False)
    yield from between(0.0, 0.5, looking)
    found |= search.crossing
    closed = yield from between(0.5, 0.55, closed_rows(moment, pool, distinct(pairs)))
    (rest,) = (~found & closed[pairs].any(axis=0)).nonzero()
    # Closed surfaces that only touch may seem to cross because of rounding.
    (some,) = (found & closed[pairs].all(axis=0) & stays[pairs].any(axis=0)).nonzero()
    if len(rest):
        trials = yield from between(0.55, 0.7, tried(moment, pairs[:, rest], 0.0, objects=True))
        some, rest = np.append(some, rest[trials.touched]), rest[~trials.touched]
    for one, other in ((0, 1), (1, 0)):
        in_other = closed[pairs[other]] & stays[pairs[other]]
        held = rest[closed[pairs[other, rest]]]
        steps = _starts_inside(moment, pool, pairs[one, held], pairs[other, held])
        held = held[(yield from between(0.7, 0.8, steps))]
        found[held], inner[held[in_other[held]]] = True, one
        held = some[in_other[some]]
        steps = lie_whole(moment, pairs[one, held], pairs[other, held])
        inner[held[(yield from between(0.8, 0.85, steps))]] = one
        some = some[inner[some] < 0]
    found &= inner < 0
    some = some[~found[some]]
    found[some] = yield from between(0.85, 1.0, _are_deep(moment, pairs[:, some], stays))
    return found, inner


def _starts_inside(moment: Moment, pool: Pool, rows: Ids, others: Ids) -> Steps[Flags]:
    """Flag rows with the first pooled vertex inside the closed mesh in `others`, (p,)."""
    meshes, which = np.unique(moment.placements.meshes[rows], return_inverse=True)
    owners, entries = pool.entries(meshes, moment.meshes.sizes[meshes])
    first = entries[starts_of_runs(owners)[which]]
    points = moment.placed(pool, first, rows).rows[:3]
    return (yield from inside(moment, points, others))


def _are_deep(moment: Moment, pairs: Ids, stays: Flags) -> Steps[Flags]:
    """Flag pairs of rows, (2, p), that penetrate each other deeper than `BAND`."""
    verdict = yield from judged(moment, pairs, BAND, 0.0)
    rows = moment.placements.rows_named(verdict.pairs)
    outer = np.where(verdict.inner == 0, rows[1], rows[0])
    is_deep = np.isin(verdict.classes, (OVERLAP, DUPLICATE))
    is_deep |= (verdict.classes == CONTAINED) & ~stays[outer]
    keys = np.sort(rows[:, is_deep], axis=0)
    flags: Flags = np.isin(pairs[0] * len(moment) + pairs[1], keys[0] * len(moment) + keys[1])
    return flags


def last_exits(moment: Moment, pool: Pool, way: Way, pairs: Ids) -> Steps[Floats]:
    """Return the move along a direction that takes the second of each pair of rows past the first.

    (p,), in multiples of the direction vector. From this move on, the second row never meets the
    first one again. Minus infinity for pairs that never meet along the direction.
    """
    search = GapSearch(moment, pool, way, signed=True)
    keys = np.zeros(pairs.shape[1], np.intp)
    yield from search.look(pairs, keys, np.full(1, np.inf), shared=False)
    exits: Floats = -search.gaps
    return exits


def largest_of_each(numbers: Ids, values: Floats) -> tuple[Ids, Floats]:
    """Return the distinct numbers, ascending, and the largest value of each."""
    order = np.lexsort((values, numbers))
    starts = starts_of_runs(numbers[order])
    last = np.append(starts[1:], len(order)) - 1
    return numbers[order[starts]], values[order[last[: len(starts)]]]
