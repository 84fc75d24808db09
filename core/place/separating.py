"""Pushing apart: small moves along a few axes after which nothing crosses.

A pair is parted along an axis for good by its last exit, which is a convex constraint, where a
first one is not. Sides follow from the order of centers, so that no constraints form a circle.
"""

from dataclasses import dataclass, replace
from typing import SupportsIndex

import numpy as np
from numpy.typing import ArrayLike

from .. import checks
from ..arrays import Floats, Ids
from ..clash.rules import moment_of
from ..gaps.way import Way
from ..groups import ALL_GROUPS
from ..records import Record
from ..scene import SceneOctree
from ..scene.moment import Moment
from ..steps import Steps, ascending, at_once, between
from .parting import PartingQuestion, PartingRounds
from .sliding import scale_of


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
    A placement that lies whole in a closed mesh that stays, touching it or not, remains in it:
    of the two only crossing counts, and none moves nearer to the wall than `gap`. Along each axis,
    the order of centers decides which of a pair goes which way; where centers agree, their other
    coordinates do, then ids. A placement between two that stay goes past them where there is no
    room. More axes leave no more pairs than some of them: if any is left with all axes, all but
    one and each alone are tried.
    For two boxes the moves are the least that there are. Each round costs what meets in boxes, and
    for what is entangled one search along each axis; there are two dozens of rounds along all
    axes, then at most some for each placement.
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
    asked = PartingQuestion(
        rows, stays, tuple(Way.of(way) for way in ways), checks.length("gap", gap)
    )
    return moment.as_long_as_current(ascending(_separated(moment, asked)))


separate = at_once(separate_steps)


def _separated(moment: Moment, asked: PartingQuestion) -> Steps[Separation]:
    scale = scale_of(moment)
    moment, asked = moment.scaled(scale), replace(asked, gap=asked.gap * scale)
    best = PartingRounds(moment, asked)
    yield from between(0.0, 0.5, best.take())
    for ways in _fewer(asked.ways):
        if not best.lost:
            break
        apart = PartingRounds(moment, replace(asked, ways=ways))
        yield from between(0.5, 1.0, apart.take())
        best = min(best, apart, key=lambda each: (each.lost, each.length))
    ids = moment.placements.ids
    left = np.sort(ids[best.left], axis=0)
    left = left[:, np.lexsort((left[1], left[0]))]
    moves = best.moves[:, asked.rows].T / scale
    return Separation(np.ascontiguousarray(moves) + 0.0, left)


def _fewer(ways: tuple[Way, ...]) -> list[tuple[Way, ...]]:
    """Return axes without one of them, then one of them alone."""
    if len(ways) < 2:
        return []
    each = range(len(ways))
    without = [(*ways[:number], *ways[number + 1 :]) for number in each]
    return without + [(way,) for way in ways if len(ways) > 2]
