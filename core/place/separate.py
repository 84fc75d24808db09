"""Pushing apart: small moves along a few axes after which nothing crosses.

A pair is parted along an axis for good by its last exit, which is a convex constraint, where a
first one is not. Sides follow from the order of centers, so that nobody is pushed in a circle.
What has become entangled by moving adds constraints to those there are, round by round; what does
not come to an end is parted along one axis, where one round does.
"""

from dataclasses import dataclass
from typing import SupportsIndex

import numpy as np
from numpy.typing import ArrayLike

from .. import checks
from ..arrays import Flags, Floats, Ids, distinct, dot, flagged
from ..audit.components import components
from ..audit.rules import moment_of
from ..gaps.way import Way
from ..groups import ALL_GROUPS
from ..records import Columns, Record
from ..scene import SceneOctree
from ..scene.moment import Moment
from ..scene.sheets import Sheets
from ..steps import Steps, ascending, at_once, between
from .broad import shadows_met
from .entangled import boxes_met, entangled, largest_of_each, last_exits, shifted
from .least_moves import Order
from .slide import scale_of

# Rounds along all axes, and along one; by how much more a pair is parted that was parted before,
# at least by what doubles each round: else what moves each other in a circle only comes near an
# end. And what all are apart, in a space of coordinates below one, so that no rounding makes them
# meet.
_ROUNDS, _ALONE = 24, 4
_AGAIN, _DOUBLED, _CLEAR = 1.01, 2.0**-28, 2.0**-44


@dataclass(frozen=True, eq=False)
class Separation(Record):
    """How things move apart, n in the order in which they were named.

    Attributes
    ----------
    moves : ndarray of float64, shape (n, 3)
        Scene units; zero for what need not move, or cannot be parted.
    left : ndarray of intp, shape (2, k)
        Pairs of placements that remain as they were, the smaller id first; sorted.
    """

    moves: Floats
    left: Ids


@dataclass(frozen=True)
class Parted(Columns):
    """Constraints: row `afters` moves `needs` farther along an axis than row `befores`."""

    axes: Ids
    befores: Ids
    afters: Ids
    needs: Floats


def separate_steps(
    scene: SceneOctree,
    ids: ArrayLike,
    /,
    *,
    axes: ArrayLike | None = None,
    fixed: ArrayLike | None = None,
    gap: float = 0.0,
    groups: SupportsIndex = ALL_GROUPS,
) -> Steps[Separation]:
    """Move placements apart until none crosses or lies inside another, in steps.

    Parameters
    ----------
    scene : SceneOctree
        Placed meshes; nothing of it is changed.
    ids : array_like of int, shape (n,)
        What may move, each once.
    axes : array_like of float, shape (a, 3), optional
        Along which, both ways; by default x, y and z.
    fixed : array_like of int, optional
        What stays of `ids`; whatever else is there stays, too.
    gap : float
        How far each parted pair is apart along its axis; scene units.
    groups : int
        A mask of 32 bits: placements with a mask that shares none of them are not there.

    Returns
    -------
    generator of Separation
        The moves, of a small sum of lengths; and the pairs that cannot be parted, of whose
        connected components nothing moves. No ids give none.

    Raises
    ------
    ValueError
        If this is no scene, a placement is unknown, removed or named twice among `ids`, an axis
        is zero or not finite, `gap` is negative, or `groups` is no mask.
    RuntimeError
        At a step, if the scene has changed since the call.

    Notes
    -----
    What lies whole in a closed mesh that stays, touching it or not, is at home there: of the two
    only crossing counts.
    Of two boxes the moves are the least that there are. Each round costs what meets in boxes, and
    for what is entangled one search along each axis; there are two dozens of rounds at most.
    """
    moment = moment_of(scene, groups)
    rows = moment.placements.rows_of(ids, once=True)
    ways = np.eye(3) if axes is None else checks.floats("axes", axes, 3)
    checks.every_row("axes", "be finite", np.isfinite(ways).all(axis=1), ways)
    checks.every_row("axes", "not be zero", ways.any(axis=1), ways)
    stays = np.ones(len(moment), bool)
    stays[rows] = False
    if fixed is not None:
        stays[moment.placements.rows_of(fixed, name="fixed")] = True
    asked = _Asked(rows, stays, tuple(Way.of(way) for way in ways), checks.length("gap", gap))
    return moment.as_long_as_current(ascending(_separated(moment, asked)))


separate = at_once(separate_steps)


@dataclass(frozen=True)
class _Asked:
    """The question: rows that were named, which of all rows stay, the axes, and the gap."""

    rows: Ids
    stays: Flags
    ways: tuple[Way, ...]
    gap: float


def _separated(moment: Moment, asked: _Asked) -> Steps[Separation]:
    scale = scale_of(moment)
    moment = moment.scaled(scale)
    movers = asked.rows[~asked.stays[asked.rows]]
    apart = _Apart(moment, asked, movers, asked.gap * scale)
    yield from between(0.0, 1.0, apart.take())
    ids = moment.placements.ids
    left = np.sort(ids[apart.left], axis=0)
    left = left[:, np.lexsort((left[1], left[0]))]
    moves = apart.moves[:, asked.rows].T / scale
    return Separation(np.ascontiguousarray(moves) + 0.0, left)


class _Apart:
    """Rounds of moves: what has been asked of pairs so far, and how far rows moved, (3, n).

    `left` are pairs that cannot be parted: what hangs together with them stays like all that is
    fixed.
    """

    def __init__(self, moment: Moment, asked: _Asked, movers: Ids, gap: float) -> None:
        self._moment, self._asked, self._movers, self._gap = moment, asked, movers, gap
        self.moves, self._stays = np.zeros((3, len(moment))), asked.stays.copy()
        # How far rows are moved along each axis, in directions.
        self._along = np.zeros((len(asked.ways), len(moment)))
        nothing = np.empty(0, np.intp)
        self._parted = Parted(nothing, nothing, nothing, np.empty(0))
        self._first, self._used, self._stuck = np.empty((3, 2, 0), np.intp)

    @property
    def left(self) -> Ids:
        """The pairs of rows that were entangled at first and still are."""
        lost = self._stays & ~self._asked.stays
        parts = (self._first[:, lost[self._first].any(axis=0)], self._stuck)
        return np.concatenate(parts, axis=1)

    def take(self) -> Steps[None]:
        """Take rounds until nothing is entangled, or is left."""
        axes, number = len(self._asked.ways), 0
        while True:
            now, pairs, sheets = yield from self._look(
                self._movers if number else self._asked.rows
            )
            if number == 0:
                are_stuck = self._stays[pairs].all(axis=0)
                self._stuck, pairs = pairs[:, are_stuck], pairs[:, ~are_stuck]
            yield 1 - 0.9 ** (number + 1)
            if pairs.shape[1] == 0 or sheets is None:
                return
            self._first = self._first if number else pairs
            self._used = np.unique(np.concatenate((self._used, pairs), axis=1), axis=1)
            if axes and number < _ROUNDS:
                yield from self._part(now, sheets, pairs, number)
            elif axes and number < _ROUNDS + _ALONE * axes:
                yield from self._part_along_one(pairs, number % axes)
            else:
                self._give_up(flagged(len(self._moment), pairs.ravel()))
                self._solve()
            number += 1

    def _look(self, rows: Ids) -> Steps[tuple[Moment, Ids, Sheets | None]]:
        """Return the scene as it is now, the pairs of rows that are entangled, and the sheets."""
        now = shifted(self._moment, self._movers, self.moves[:, self._movers])
        met = yield from between(0.0, 0.0, boxes_met(now, rows))
        if rows is self._movers:
            met = met[:, ~self._stays[met].all(axis=0)]
        meshes = distinct(now.placements.meshes[distinct(met)])
        if len(meshes) == 0:
            return now, met, None
        sheets = yield from between(0.0, 0.0, now.meshes.sheets(meshes))
        flags = yield from between(0.0, 0.0, entangled(now, sheets, met, self._asked.stays))
        return now, met[:, flags], sheets

    def _in_order(self, pairs: Ids, way: Way) -> Ids:
        """Return pairs with the one first whose center, at the start, is first along a way."""
        boxes = self._moment.placements.boxes
        centers = dot(way.direction, boxes[:3] + boxes[3:])
        one, other = centers[pairs]
        return np.where(
            (one > other) | ((one == other) & (pairs[0] > pairs[1])), pairs[::-1], pairs
        )

    def _part(self, now: Moment, sheets: Sheets, pairs: Ids, number: int) -> Steps[None]:
        """Ask each entangled pair to part along the axis on which it costs least."""
        costs, ordered, needs = [], [], []
        for axis, way in enumerate(self._asked.ways):
            pair = self._in_order(pairs, way)
            exits = yield from between(0.0, 0.0, last_exits(now, sheets, way, pair))
            needed = exits + (self._gap + _CLEAR) / way.length
            costs.append(needed * way.length)
            # From where they stood at first.
            along = self._along[axis]
            needs.append(np.maximum(needed, 0.0) + along[pair[1]] - along[pair[0]])
            ordered.append(pair)
        axes = np.argmin(costs, axis=0)
        each = np.arange(len(axes))
        befores, afters = np.stack(ordered)[axes, :, each].T
        made = np.stack(needs)[axes, each]
        key = befores * len(self._moment) + afters
        old = self._parted.befores * len(self._moment) + self._parted.afters
        again = np.isin(key, old)
        more = np.abs(np.stack(costs)[axes, each]) * (_AGAIN - 1)
        made += np.where(again, np.maximum(more, np.ldexp(_DOUBLED, number)), 0.0)
        self._add(Parted(axes, befores, afters, made))
        self._solve()

    def _add(self, more: Parted) -> None:
        """Keep constraints, of equal pairs and axes the strictest."""
        every = Parted.joined([self._parted, more])
        count = len(self._moment)
        keys = (every.axes * count + every.befores) * count + every.afters
        numbers, needs = largest_of_each(keys, every.needs)
        axes, rest = np.divmod(numbers, count * count)
        self._parted = Parted(axes, *np.divmod(rest, count), needs)

    def _solve(self) -> None:
        """Move all as the constraints ask, and give up the components of which some cannot."""
        count, ways = len(self._moment), self._asked.ways
        while True:
            moved, bad = np.zeros((len(ways), count)), np.zeros(count, bool)
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
            self._give_up(bad)
        self._along[:] = moved
        self.moves[:] = sum(
            np.outer(way.direction, row) for way, row in zip(ways, moved, strict=True)
        )

    def _part_along_one(self, pairs: Ids, axis: int) -> Steps[None]:
        """Part whole components along one axis, whatever is above each other there included."""
        way, count = self._asked.ways[axis], len(self._moment)
        here = self._component(flagged(count, pairs.ravel()))
        (rows,) = here.nonzero()
        (there,) = self._moment.placements.is_there.nonzero()
        met = yield from between(0.0, 0.0, shadows_met(self._moment, way, rows, there))
        back = yield from between(0.0, 0.0, shadows_met(self._moment, way, there, rows))
        met = np.unique(np.sort(np.concatenate((met, back), axis=1), axis=0), axis=1)
        met = self._in_order(met[:, here[met].any(axis=0)], way)
        meshes = distinct(self._moment.placements.meshes[distinct(met)])
        sheets = yield from between(0.0, 0.0, self._moment.meshes.sheets(meshes))
        exits = yield from between(0.0, 0.0, last_exits(self._moment, sheets, way, met))
        (some,) = np.isfinite(exits).nonzero()
        needs = exits[some] + (self._gap + _CLEAR) / way.length
        kept = ~here[self._parted.befores] & ~here[self._parted.afters]
        self._parted = self._parted[kept.nonzero()[0]]
        befores, afters = met[:, some]
        self._add(Parted(np.full(len(some), axis), befores, afters, needs))
        self._solve()

    def _component(self, some: Flags) -> Flags:
        """Return which rows hang together with some by pairs that were entangled.

        None that stay.
        """
        free = self._used[:, ~self._stays[self._used].any(axis=0)]
        labels = components(len(self._moment), free[0], free[1])
        flags: Flags = np.isin(labels, labels[some & ~self._stays]) & ~self._stays
        return flags

    def _give_up(self, some: Flags) -> None:
        """Let components stay as they were, and what was asked of them be forgotten."""
        rows = self._component(some)
        self._stays |= rows
        self._parted = self._parted[
            (~rows[self._parted.befores] & ~rows[self._parted.afters]).nonzero()[0]
        ]
