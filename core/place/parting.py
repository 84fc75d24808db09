"""Rounds of moves that separate overlapping pairs along a few axes.

Each round adds a constraint for each overlapping pair, along the axis with the shortest separating
move, and solves all constraints so far. Groups with contradictory constraints, and groups that
overlap after the last round, are separated along one axis each (module `alone`). A placement
that is enclosed in a closed mesh that stays, its room, moves no farther than to the walls. Pairs
that cannot be separated stay in place.
"""

from dataclasses import dataclass

import numpy as np

from ..arrays import Flags, Floats, Ids, distinct, dot, flagged, ranks_of
from ..clash.components import components
from ..gaps.way import Way
from ..records import Columns
from ..scene.moment import Moment
from ..scene.pool import Pool
from ..steps import Steps, between
from .alone import LoneGroups, parted_alone
from .entangled import boxes_met, entangled, largest_of_each, last_exits, shifted
from .least_moves import Order
from .rooms import free_ways

# Largest numbers of rounds along all axes, and of rounds along one axis of a group that does not
# grow.
_ROUNDS, _ALONE = 24, 4
# A pair that is separated again moves farther by the factor `_AGAIN`, and by at least an amount
# that doubles each round: otherwise placements that push each other in a cycle would converge
# without an end. Placements that are `_CLEAR` apart do not meet because of rounding, if all
# coordinates are below one; along one axis, each further round multiplies this distance by
# `_CLEARER`.
_AGAIN, _DOUBLED, _CLEAR, _CLEARER = 1.01, 2.0**-28, 2.0**-44, 16.0


@dataclass(frozen=True)
class PartingQuestion:
    """Arguments of a separation: the given rows, flags of fixed rows, the axes, and the gap."""

    rows: Ids
    stays: Flags
    ways: tuple[Way, ...]
    gap: float


@dataclass(frozen=True)
class Parted(Columns):
    """Constraints: row `afters` moves `needs` farther along an axis than row `befores`."""

    axes: Ids
    befores: Ids
    afters: Ids
    needs: Floats


class PartingRounds:
    """State of the rounds: the constraints so far, and the moves of all rows, (3, n).

    Groups that cannot be separated stay in place, like fixed placements.
    """

    def __init__(self, moment: Moment, asked: PartingQuestion) -> None:
        count, axes = len(moment), len(asked.ways)
        self._moment, self._asked, self._stays = moment, asked, asked.stays.copy()
        self._movers = asked.rows[~asked.stays[asked.rows]]
        self.moves = np.zeros((3, count))
        # Moves of rows along each axis, in multiples of the axis vector.
        self._along = np.zeros((axes, count))
        nothing = np.empty(0, np.intp)
        self._parted = Parted(nothing, nothing, nothing, np.empty(0))
        self._first, self._used, self._stuck, self._homes = np.empty((4, 2, 0), np.intp)
        # Rows separated along one axis, the number of such rounds since their group grew, and the
        # size of the group.
        self._alone, self._tries = np.zeros(count, bool), np.zeros(count, np.intp)
        self._sizes = np.zeros(count, np.intp)
        # Backward and forward limits of moves within the rooms, valid for rows in `_has_room`.
        self._room, self._has_room = np.full((axes, 2, count), np.inf), np.zeros(count, bool)
        self._room[:, 0] = -np.inf
        boxes = moment.placements.boxes
        centers = (boxes[:3] + boxes[3:]) / 2
        along = [
            dot(way.direction, centers) / dot(way.direction, way.direction) for way in asked.ways
        ]
        self._centers = np.array(along).reshape(axes, count)
        # If centers agree along an axis, their other coordinates decide.
        orders = [ranks_of(count, np.lexsort((*centers[::-1], row))) for row in along]
        self._ranks = np.array(orders, np.intp).reshape(axes, count)

    @property
    def left(self) -> Ids:
        """The pairs of rows that overlapped at first and cannot be separated."""
        parts = (self._first[:, self._are_lost[self._first].any(axis=0)], self._stuck)
        return np.concatenate(parts, axis=1)

    @property
    def _are_lost(self) -> Flags:
        return self._stays & ~self._asked.stays

    @property
    def lost(self) -> int:
        """The number of unseparated pairs, without the pairs of two fixed placements."""
        return int(self._are_lost[self._first].any(axis=0).sum())

    @property
    def length(self) -> float:
        """The sum of the moves' lengths."""
        return float(np.sqrt(dot(self.moves, self.moves)).sum())

    def take(self) -> Steps[None]:
        """Take rounds until no pair overlaps, except pairs that cannot be separated."""
        number = 0
        while True:
            now, pairs, pool = yield from self._look(is_first=number == 0)
            yield 1 - 0.9 ** (number + 1)
            if pairs.shape[1] == 0 or pool is None:
                return
            self._used = np.unique(np.concatenate((self._used, pairs), axis=1), axis=1)
            some = flagged(len(self._moment), pairs.ravel()) & ~self._stays
            alone = self._component(some & self._alone)
            if len(self._asked.ways) == 0:
                self._give_up(some)
            elif number < _ROUNDS:
                yield from self._make_room(distinct(pairs))
                here = pairs[:, ~alone[pairs].any(axis=0)]
                alone |= yield from self._part(now, pool, here, number)
            else:
                alone |= self._component(some)
            if alone.any():
                yield from self._part_alone(alone)
            number += 1

    def _look(self, *, is_first: bool) -> Steps[tuple[Moment, Ids, Pool | None]]:
        """Return the snapshot after the moves so far, its overlapping pairs, and the pool."""
        now = shifted(self._moment, self._movers, self.moves[:, self._movers])
        rows = self._asked.rows if is_first else self._movers
        met = yield from between(0.0, 0.0, boxes_met(now, rows))
        if not is_first:
            met = met[:, ~self._stays[met].all(axis=0)]
            away = self._homes[:, self.moves[:, self._homes[0]].any(axis=0)]
            met = np.unique(np.concatenate((met, np.sort(away, axis=0)), axis=1), axis=1)
        meshes = distinct(now.placements.meshes[distinct(met)])
        if len(meshes) == 0:
            return now, met, None
        pool = yield from between(0.0, 0.0, now.meshes.pool(meshes))
        steps = entangled(now, pool, met, self._asked.stays)
        are_entangled, inner = yield from between(0.0, 0.0, steps)
        turned = np.where(inner == 1, met[::-1], met)
        if is_first:
            self._homes = turned[:, inner >= 0]
            pairs = met[:, are_entangled]
            are_stuck = self._stays[pairs].all(axis=0)
            self._stuck, self._first = pairs[:, are_stuck], pairs[:, ~are_stuck]
            return now, self._first, pool
        is_home = self._are_homes(met) | self._are_homes(met[::-1])
        wrong = are_entangled | ((inner >= 0) != is_home)
        return now, met[:, wrong], pool

    def _are_homes(self, pairs: Ids) -> Flags:
        """Flag pairs whose first row was enclosed in the second row, its room, at the start."""
        keys, homes = (each[0] * len(self._moment) + each[1] for each in (pairs, self._homes))
        flags: Flags = np.isin(keys, homes)
        return flags

    def _in_order(self, pairs: Ids, axis: int) -> Ids:
        """Sort each pair of rows by their initial centers along an axis."""
        one, other = self._ranks[axis][pairs]
        return np.where(one > other, pairs[::-1], pairs)

    def _slack(self, way: Way) -> float:
        """Return the distance to keep along an axis, in multiples of the axis vector."""
        return (self._asked.gap + _CLEAR) / way.length

    def _make_room(self, rows: Ids) -> Steps[None]:
        """Limit the moves of rows without known limits by the walls of their rooms."""
        new = flagged(len(self._moment), rows) & ~self._stays & ~self._has_room
        self._has_room |= new
        homes = self._homes[:, new[self._homes[0]]]
        if homes.shape[1] == 0:
            return
        meshes = distinct(self._moment.placements.meshes[distinct(homes)])
        pool = yield from between(0.0, 0.0, self._moment.meshes.pool(meshes))
        for axis, way in enumerate(self._asked.ways):
            free = yield from between(0.0, 0.0, free_ways(self._moment, pool, way, homes))
            free = np.maximum(free - self._slack(way), 0.0)
            np.maximum.at(self._room[axis, 0], homes[0], -free[0])
            np.minimum.at(self._room[axis, 1], homes[0], free[1])
            self._keep(axis, homes, free)

    def _keep(self, axis: int, homes: Ids, free: Floats) -> None:
        """Limit the moves of the first rows of pairs to `free`, (2, p), backward and forward."""
        befores, afters = np.concatenate((homes[::-1], homes), axis=1)
        (some,) = np.isfinite(free.ravel()).nonzero()
        axes = np.full(len(some), axis)
        self._add(Parted(axes, befores[some], afters[some], -free.ravel()[some]))

    def _part(self, now: Moment, pool: Pool, pairs: Ids, number: int) -> Steps[Flags]:
        """Separate each overlapping pair along the axis with the shortest move.

        Flag the rows of groups with contradictory constraints.
        """
        first, second = self._are_homes(pairs), self._are_homes(pairs[::-1])
        homes = np.concatenate((pairs[:, first], pairs[::-1, second]), axis=1)
        yield from self._keep_home(pool, homes)
        pairs = pairs[:, ~first & ~second]
        costs, ordered, needs, possible = [], [], [], []
        for axis, way in enumerate(self._asked.ways):
            pair = self._in_order(pairs, axis)
            exits = yield from between(0.0, 0.0, last_exits(now, pool, way, pair))
            needed = exits + self._slack(way)
            costs.append(needed * way.length)
            # Constraints count from the initial positions.
            along, room = self._along[axis], np.where(self._stays, 0.0, self._room[axis])
            needs.append(np.maximum(needed, 0.0) + along[pair[1]] - along[pair[0]])
            fits = needs[-1] <= room[1, pair[1]] - room[0, pair[0]]
            possible.append(np.where(fits, costs[-1], np.inf))
            ordered.append(pair)
        axes = np.argmin(possible, axis=0)
        each = np.arange(len(axes))
        befores, afters = np.stack(ordered)[axes, :, each].T
        made = np.stack(needs)[axes, each]
        key = befores * len(self._moment) + afters
        old = self._parted.befores * len(self._moment) + self._parted.afters
        again = np.isin(key, old)
        more = np.abs(np.stack(costs)[axes, each]) * (_AGAIN - 1)
        made += np.where(again, np.maximum(more, np.ldexp(_DOUBLED, number)), 0.0)
        self._add(Parted(axes, befores, afters, made))
        return self._solve()

    def _keep_home(self, pool: Pool, homes: Ids) -> Steps[None]:
        """Limit the moves that led the first row of each pair out of the second, axis by axis."""
        rows, moved = distinct(homes[0]), np.zeros((3, len(self._moment)))
        for axis, way in enumerate(self._asked.ways):
            if len(rows) == 0:
                break
            now = shifted(self._moment, rows, moved[:, rows])
            free = yield from between(0.0, 0.0, free_ways(now, pool, way, homes))
            free = np.maximum(free - self._slack(way), 0.0)
            along = self._along[axis]
            # Only the side to which the row moved led out of the room.
            free[0, along[homes[0]] >= 0], free[1, along[homes[0]] <= 0] = np.inf, np.inf
            self._keep(axis, homes, free)
            most = along.copy()
            np.maximum.at(most, homes[0], -free[0])
            np.minimum.at(most, homes[0], free[1])
            moved += np.outer(way.direction, most)

    def _add(self, more: Parted) -> None:
        """Add constraints; of constraints with equal pairs and axes, keep the strictest."""
        every = Parted.joined([self._parted, more])
        count = len(self._moment)
        keys = (every.axes * count + every.befores) * count + every.afters
        numbers, needs = largest_of_each(keys, every.needs)
        axes, rest = np.divmod(numbers, count * count)
        self._parted = Parted(axes, *np.divmod(rest, count), needs)

    def _solve(self) -> Flags:
        """Move rows to fulfill all constraints, and flag groups with contradictory constraints."""
        count, ways = len(self._moment), self._asked.ways
        lost = np.zeros(count, bool)
        while True:
            moved, bad = np.where(self._alone, self._along, 0.0), np.zeros(count, bool)
            for axis in range(len(ways)):
                some = self._parted[(self._parted.axes == axis).nonzero()[0]]
                used = distinct(np.concatenate((some.befores, some.afters)))
                befores, afters = (
                    np.searchsorted(used, each) for each in (some.befores, some.afters)
                )
                order = Order(len(used), befores, afters, some.needs, self._stays[used])
                found, wrong = order.moves()
                moved[axis, used] = found
                bad[used[wrong]] = True
            if not bad.any():
                break
            rows = self._component(bad)
            self._forget(rows)
            lost |= rows
        self._move(moved)
        return lost

    def _move(self, along: Floats) -> None:
        """Set the moves of rows along the axes, in multiples of the axis vectors."""
        self._along = along
        directions = [way.direction for way in self._asked.ways]
        self.moves = np.zeros_like(self.moves)
        for direction, row in zip(directions, along, strict=True):
            self.moves += np.outer(direction, row)

    def _part_alone(self, here: Flags) -> Steps[None]:
        """Separate whole groups along one axis each, past all obstacles, or give them up."""
        labels = self._labels()
        sizes = np.bincount(labels, minlength=len(labels))[labels]
        self._tries = np.where(sizes == self._sizes, self._tries + here, 0)
        self._sizes, self._alone = np.where(here, sizes, self._sizes), self._alone | here
        (rows,) = here.nonzero()
        yield from self._make_room(rows)
        self._forget(here)
        along = np.where(here, 0.0, self._along)
        self._move(along)
        now = shifted(self._moment, self._movers, self.moves[:, self._movers])
        slacks = self._asked.gap + _CLEAR * _CLEARER ** self._tries[rows]
        _, numbers = np.unique(labels[rows], return_inverse=True)
        places = self._centers[:, rows], self._ranks[:, rows], self._room[..., rows]
        groups = LoneGroups(rows, numbers, slacks, *places)
        steps = parted_alone(now, self._asked.ways, groups, self._homes)
        along[:, rows], cannot = yield from between(0.0, 0.0, steps)
        self._move(along)
        self._give_up(flagged(len(here), rows[cannot]) | (here & (self._tries > _ALONE)))

    def _labels(self) -> Ids:
        """Return the group of each row: a component of the graph of all overlaps so far."""
        free = self._used[:, ~self._stays[self._used].any(axis=0)]
        return components(len(self._moment), free[0], free[1])

    def _component(self, some: Flags) -> Flags:
        """Flag all rows in the groups of some rows, without the rows that stay."""
        labels = self._labels()
        flags: Flags = np.isin(labels, labels[some & ~self._stays]) & ~self._stays
        return flags

    def _forget(self, rows: Flags) -> None:
        """Drop the constraints of rows."""
        kept = ~rows[self._parted.befores] & ~rows[self._parted.afters]
        self._parted = self._parted[kept.nonzero()[0]]

    def _give_up(self, some: Flags) -> None:
        """Move the groups of some rows back to their initial positions, and fix them."""
        rows = self._component(some)
        self._stays |= rows
        self._alone &= ~rows
        self._forget(rows)
        self._move(np.where(rows, 0.0, self._along))
