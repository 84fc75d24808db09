"""Rooms: closed meshes that stay, and how far the placements that lie whole in them may move."""

from dataclasses import replace

import numpy as np

from ..arrays import Floats, Ids
from ..gaps.search import GapSearch
from ..gaps.way import Way
from ..scene.moment import Moment
from ..scene.pool import Pool
from ..steps import Steps, between
from .sliding import held

# The length by which placements are made smaller to clear walls that they touch, in a space of
# coordinates below one; and the largest part of their size that this may be.
_SHRUNK, _MOST = 2.0**-43, 2.0**-8


def free_ways(moment: Moment, pool: Pool, way: Way, homes: Ids) -> Steps[Floats]:
    """Return how far the first of each pair of rows may move back and ahead in the second.

    (2, p), in directions. By rounding, a placement may cross a wall that it touches, or a way
    along a wall may lead into it: a placement that is a little smaller is free to move there.
    """
    exact = yield from between(0.0, 0.5, _gaps(moment, pool, way, homes))
    shrunk = _shrunk(moment, homes[0])
    cleared = yield from between(0.5, 1.0, _gaps(shrunk, pool, way, homes))
    free: Floats = np.maximum(exact, cleared - 2 * _SHRUNK / way.length)
    return free


def _gaps(moment: Moment, pool: Pool, way: Way, homes: Ids) -> Steps[Floats]:
    """Return the gaps between the two of each pair along a way, back and ahead, (2, p)."""
    found = []
    # A placement moves back as far as its room could move ahead.
    for pairs in (homes[::-1], homes):
        search = GapSearch(moment, pool, way)
        keys = np.zeros(pairs.shape[1], np.intp)
        yield from search.look(pairs, keys, np.full(1, np.inf), shared=False)
        yield from held(search, pairs, moment, pool, way)
        found.append(search.gaps)
    return np.stack(found)


def _shrunk(moment: Moment, rows: Ids) -> Moment:
    """Return the scene with the placements in rows a little smaller, about their centers."""
    placements = moment.placements
    matrices, boxes = placements.matrices.copy(), placements.boxes[:, rows]
    size = (boxes[3:] - boxes[:3]).max(axis=0)
    part = _SHRUNK / np.maximum(size, _SHRUNK / _MOST)
    matrices[:, rows] = placements.matrices[:, rows] * (1 - part)
    matrices[3::4, rows] += part * (boxes[:3] + boxes[3:]) / 2
    return replace(moment, placements=replace(placements, matrices=matrices))
