"""Broad phase of motion along a direction: pairs of placements with overlapping projections."""

import numpy as np

from ..arrays import Floats, Ids
from ..boxes import boxes_grown, middles_and_halves
from ..gaps.way import Way
from ..pairs.broad_phase import meeting_boxes
from ..scene.moment import Moment
from ..steps import Steps

_GROWN = 2.0**-40
# Bounds of the projection: the two axes across the direction.
_ACROSS = np.array([[True], [True], [False]] * 2)


def bounds_along(moment: Moment, way: Way, rows: Ids) -> Floats:
    """Return bounds (6, n) of the placements in rows, in the coordinates of the direction."""
    boxes = moment.placements.boxes[:, rows]
    middle, half = middles_and_halves(boxes)
    place = way.seen(middle[None])[0]
    i, j, k = way.axes
    share = np.abs(way.direction / way.direction[k])
    across = half[i] + half[k] * share[i], half[j] + half[k] * share[j]
    reach = np.stack((*across, half[k] / np.abs(way.direction[k])))
    reach += 4 * _GROWN * np.abs(boxes).max(axis=0)
    return boxes_grown(place, reach)


def shadows_met(moment: Moment, way: Way, movers: Ids, others: Ids) -> Steps[Ids]:
    """Return pairs of a mover and another row whose projections overlap, (2, p), sorted.

    Rows that lie wholly behind the mover are left out.
    """
    bounds = [bounds_along(moment, way, rows) for rows in (movers, others)]
    ones, there = yield from meeting_boxes(*(np.where(_ACROSS, each, 0.0) for each in bounds))
    ahead = bounds[1][5, there] >= bounds[0][2, ones]
    found = np.stack((movers[ones], others[there]))
    found = found[:, ahead & (found[0] != found[1])]
    return found[:, np.lexsort((found[1], found[0]))]
