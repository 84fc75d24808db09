"""The broad phase of what moves along a direction: pairs of placements whose shadows meet."""

import numpy as np

from ..arrays import Floats, Ids
from ..construction import build_steps
from ..gaps.way import Way
from ..pairs import overlapping_pairs_steps
from ..scene.moment import Moment
from ..shapes import Boxes
from ..steps import Steps, between

_GROWN = 2.0**-40


def bounds_along(moment: Moment, way: Way, rows: Ids) -> Floats:
    """Return bounds (6, n) of what is placed in rows as seen along the way."""
    boxes = moment.placements.boxes[:, rows]
    middle, half = (boxes[:3] + boxes[3:]) / 2, (boxes[3:] - boxes[:3]) / 2
    place = way.seen(middle[None])[0]
    i, j, k = way.axes
    share = np.abs(way.direction / way.direction[k])
    reach = np.stack((half[i] + half[k] * share[0 if i == 0 else i], half[j], half[k]))
    reach[0] = half[i] + half[k] * share[i]
    reach[1] = half[j] + half[k] * share[j]
    reach[2] = half[k] / np.abs(way.direction[k])
    reach += 4 * _GROWN * np.abs(boxes).max(axis=0)
    return np.concatenate((place - reach, place + reach))


def shadows_met(moment: Moment, way: Way, movers: Ids, others: Ids) -> Steps[Ids]:
    """Return pairs of a row that moves and another, not wholly behind it, (2, p), sorted."""
    if len(movers) == 0 or len(others) == 0:
        return np.empty((2, 0), np.intp)
    trees = []
    for number, rows in enumerate((movers, others)):
        bounds = bounds_along(moment, way, rows)
        bounds[[2, 5]] = 0.0
        steps = build_steps(Boxes.from_rows(bounds))
        trees.append((yield from between(0.3 * number, 0.3 * (number + 1), steps)))
    met = yield from between(0.6, 1.0, overlapping_pairs_steps(*trees))
    found = np.stack((movers[met[0]], others[met[1]]))
    ones, there = (bounds_along(moment, way, rows) for rows in found)
    found = found[:, (there[5] >= ones[2]) & (found[0] != found[1])]
    return found[:, np.lexsort((found[1], found[0]))]
