"""Rooms: fixed closed meshes that limit the moves of the placements they enclose."""

from dataclasses import replace

import numpy as np

from ..arrays import Floats, Ids
from ..gaps.search import GapSearch
from ..gaps.way import Way
from ..scene.moment import Moment
from ..scene.pool import Pool
from ..steps import Steps, between
from .sliding import held

# The length by which placements are shrunk to clear walls that they touch, if coordinates are
# below one; and the largest part of their size by which they are shrunk.
_SHRUNK, _MOST = 2.0**-43, 2.0**-8


def free_ways(moment: Moment, pool: Pool, way: Way, homes: Ids) -> Steps[Floats]:
    """Return the free distances of the first row of each pair within the second, its room.

    (2, p), backward and forward, in multiples of the direction vector. Because of rounding, a
    placement may cross a wall that it touches, or a move along a wall may lead into the wall;
    so the distances of a slightly smaller placement count if they are longer.
    """
    exact = yield from between(0.0, 0.5, _gaps(moment, pool, way, homes))
    shrunk = _shrunk(moment, homes[0])
    cleared = yield from between(0.5, 1.0, _gaps(shrunk, pool, way, homes))
    free: Floats = np.maximum(exact, cleared - 2 * _SHRUNK / way.length)
    return free


def _gaps(moment: Moment, pool: Pool, way: Way, homes: Ids) -> Steps[Floats]:
    """Return the gaps of each pair along the direction, backward and forward, (2, p)."""
    found = []
    # The gap of a placement backward is the gap of its room forward.
    for pairs in (homes[::-1], homes):
        search = GapSearch(moment, pool, way)
        keys = np.zeros(pairs.shape[1], np.intp)
        yield from search.look(pairs, keys, np.full(1, np.inf), shared=False)
        yield from held(search, pairs, moment, pool, way)
        found.append(search.gaps)
    return np.stack(found)


def _shrunk(moment: Moment, rows: Ids) -> Moment:
    """Return the snapshot with the placements in rows shrunk slightly about their centers."""
    placements = moment.placements
    matrices, boxes = placements.matrices.copy(), placements.boxes[:, rows]
    size = (boxes[3:] - boxes[:3]).max(axis=0)
    part = _SHRUNK / np.maximum(size, _SHRUNK / _MOST)
    matrices[:, rows] = placements.matrices[:, rows] * (1 - part)
    matrices[3::4, rows] += part * (boxes[:3] + boxes[3:]) / 2
    return replace(moment, placements=replace(placements, matrices=matrices))
