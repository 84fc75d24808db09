"""Separation of groups along one axis each, past all fixed placements, by the shortest moves.

Each obstacle forbids an interval of moves along an axis. The nearest move outside all intervals
decides on which side of each obstacle a placement ends. If the placements of a group do not fit
between the obstacles, the whole group moves beyond all obstacles, at either end of the axis.
"""

from dataclasses import dataclass

import numpy as np

from ..arrays import Flags, Floats, Ids, distinct, ranks_of
from ..gaps.way import Way
from ..scene.moment import Moment
from ..steps import Steps, between
from .broad import shadows_met
from .entangled import last_exits
from .least_moves import Order


@dataclass(frozen=True)
class LoneGroups:
    """Placements that are separated together: m rows, and the group number of each, (m,).

    `slacks` (m,), in scene units, are added to the separating distances. `centers` and `ranks`,
    (a, m), are the placements' positions and their order along each axis. `room` (a, 2, m) holds
    the allowed interval of moves: backward, at most 0, and forward. Centers and room are measured
    in multiples of the axis vector.
    """

    rows: Ids
    numbers: Ids
    slacks: Floats
    centers: Floats
    ranks: Ids
    room: Floats


@dataclass(frozen=True)
class Intervals:
    """Forbidden intervals along an axis: `movers[e]` moves <= `lower[e]` or >= `upper[e]`.

    For `pairs` of movers, (2, p), `needs[0]` is the extra distance with which the second mover
    gets past the first, and `needs[1]` the extra distance of the first past the second.
    """

    movers: Ids
    lower: Floats
    upper: Floats
    pairs: Ids
    needs: Floats

    def nearest(self, room: Floats) -> Floats:
        """Return the shortest moves outside all intervals and within `room`, (m,); NaN if none."""
        low, high = np.zeros((2, room.shape[1]))
        while True:
            met = (self.lower < high[self.movers]) & (self.upper > low[self.movers])
            met |= (self.lower < 0) & (self.upper > 0)
            lower, upper = low.copy(), high.copy()
            np.minimum.at(lower, self.movers[met], self.lower[met])
            np.maximum.at(upper, self.movers[met], self.upper[met])
            if (lower == low).all() and (upper == high).all():
                break
            low, high = lower, upper
        low[low < room[0]], high[high > room[1]] = -np.inf, np.inf
        places = np.where(-low <= high, low, high)
        return np.where(np.isfinite(places), places, np.nan)

    def moves(self, places: Floats, order: Ids, room: Floats) -> tuple[Floats, Flags]:
        """Return moves on the same side of each interval as `places`, and flag infeasible movers.

        All arrays are (m,). In each pair, the mover with the lower `order` comes first.
        """
        ground, every = len(order), np.arange(len(order))
        back = places[self.movers] <= self.lower
        one, other = self.pairs
        first = order[one] < order[other]
        befores = np.concatenate(
            (np.where(back, self.movers, ground), np.where(first, one, other), every,
             np.full(ground, ground))
        )  # fmt: skip
        afters = np.concatenate(
            (np.where(back, ground, self.movers), np.where(first, other, one),
             np.full(ground, ground), every)
        )  # fmt: skip
        needs = np.concatenate(
            (np.where(back, -self.lower, self.upper), np.where(first, *self.needs), -room[1],
             room[0])
        )  # fmt: skip
        some = np.isfinite(needs)
        fixed = np.append(np.zeros(ground, bool), True)
        solved = Order(ground + 1, befores[some], afters[some], needs[some], fixed)
        moves, bad = solved.moves()
        return moves[:-1], bad[:-1]


def parted_alone(
    moment: Moment, ways: tuple[Way, ...], groups: LoneGroups, homes: Ids
) -> Steps[tuple[Floats, Flags]]:
    """Return moves that separate groups, each along the axis with the shortest moves.

    The moves, (a, m), are multiples of the axis vectors; flags, (m,), mark placements that cannot
    be separated. Pairs of `homes`, a row and the row of its container, are not separated.
    """
    count = int(groups.numbers.max()) + 1
    best, costs = np.zeros((len(ways), len(groups.rows))), np.full(count, np.inf)
    for axis, way in enumerate(ways):
        part = axis / len(ways), (axis + 1) / len(ways)
        sides = yield from between(*part, _sides(moment, way, groups, homes))
        room, ranks = groups.room[axis], groups.ranks[axis]
        near = sides.nearest(room)
        order = np.lexsort((ranks, groups.centers[axis] + near))
        in_order = ranks_of(len(order), order)
        everywhere = np.full_like(near, np.inf)
        for places, order in ((near, in_order), (-everywhere, ranks), (everywhere, ranks)):
            moves, bad = sides.moves(places, order, room)
            bad |= np.isnan(near)
            lengths = np.where(bad, np.inf, np.abs(moves) * way.length)
            cost = np.bincount(groups.numbers, lengths, minlength=count)
            better = cost < costs
            costs[better] = cost[better]
            some = better[groups.numbers]
            best[:, some], best[axis, some] = 0.0, moves[some]
    return best, ~np.isfinite(costs)[groups.numbers]


def _sides(moment: Moment, way: Way, groups: LoneGroups, homes: Ids) -> Steps[Intervals]:
    """Return the forbidden intervals of the grouped placements along a direction.

    Movers are numbered as in `groups.rows`.
    """
    rows = groups.rows
    (there,) = moment.placements.is_there.nonzero()
    ahead = yield from between(0.0, 0.1, shadows_met(moment, way, rows, there))
    back = yield from between(0.1, 0.2, shadows_met(moment, way, there, rows))
    met = np.unique(np.sort(np.concatenate((ahead, back), axis=1), axis=0), axis=1)
    names = ranks_of(len(moment), rows)
    # The grouped placement comes first in each pair with an obstacle.
    met = np.where(names[met[0]] < 0, met[::-1], met)
    ones, others = names[met]
    keys, home = met[0] * len(moment) + met[1], homes[0] * len(moment) + homes[1]
    kept = (others < 0) | (groups.numbers[ones] == groups.numbers[others])
    met = met[:, kept & ~np.isin(keys, home)]
    if met.shape[1] == 0:
        nothing = np.empty(0)
        return Intervals(met[0], nothing, nothing, met, np.empty((2, 0)))
    meshes = distinct(moment.placements.meshes[distinct(met)])
    pool = yield from between(0.2, 0.4, moment.meshes.pool(meshes))
    past = yield from between(0.4, 0.7, last_exits(moment, pool, way, met))
    behind = yield from between(0.7, 1.0, last_exits(moment, pool, way, met[::-1]))
    ones, others = names[met]
    needs = np.stack((past, behind)) + groups.slacks[ones] / way.length
    some = np.isfinite(past) & np.isfinite(behind)
    single, both = (some & (others < 0)).nonzero()[0], (some & (others >= 0)).nonzero()[0]
    return Intervals(
        ones[single], -needs[0, single], needs[1, single],
        np.stack((ones[both], others[both])), needs[:, both],
    )  # fmt: skip
