"""Separation: small moves along a few axes after which nothing overlaps.

A pair is separated along an axis by its last exit: any longer move keeps the pair apart, so the
constraint is convex, unlike the constraint of a first exit. The order of centers decides the side
of each pair, so that constraints form no cycle.
"""

from dataclasses import dataclass, replace
from typing import SupportsIndex

import numpy as np
from numpy.typing import ArrayLike

from .. import checks
from ..arrays import Floats, Ids
from ..checks import ALL_GROUPS
from ..clash.rules import moment_of
from ..gaps.way import Way
from ..records import Record
from ..scene import SceneOctree
from ..scene.moment import Moment
from ..steps import Steps, ascending, at_once, between
from .parting import PartingQuestion, PartingRounds
from .sliding import scale_of


@dataclass(frozen=True, eq=False)
class Separation(Record):
    """Separating moves of n placements, in the order of `ids`.

    Attributes
    ----------
    moves : ndarray of float64, shape (n, 3)
        Scene units; zero for placements that need not move or cannot be separated.
    left : ndarray of intp, shape (2, k)
        Pairs of placements that still overlap, the smaller id first; sorted.
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
        The placements that may move, without duplicates.
    axes : array_like of float, shape (a, 3), optional
        The axes of the moves, in both senses; by default x, y and z.
    fixed : array_like of int, optional
        The placements of `ids` that stay; all placements outside `ids` stay, too.
    gap : float
        Distance of each separated pair along its axis; scene units.
    groups : int
        A 32-bit mask; placements whose own mask shares no bit with it are ignored.

    Returns
    -------
    generator of Separation
        Moves with a small sum of lengths, and the pairs that cannot be separated; no placement in
        the connected components of these pairs moves. No ids give no moves.

    Raises
    ------
    ValueError
        If this is no scene, a placement is unknown, removed or named twice among `ids`, an axis
        is zero or not finite, `gap` is negative, or `groups` is no mask.
    RuntimeError
        At a step, if the scene has changed since the call.

    Notes
    -----
    A placement that is enclosed in a fixed closed mesh, with or without contact, remains inside:
    only crossing counts for this pair, and no move leads nearer to the wall than `gap`.

    Along each axis, the order of centers decides the side of each placement of a pair; if centers
    agree, their other coordinates decide, then ids. A placement between two fixed ones moves past
    them if there is no space between them. More axes never leave more pairs: if pairs are left
    with all axes, the search is repeated with all axes but one, and with each axis alone.

    For two boxes the moves are the shortest possible. Each round tests the pairs with overlapping
    boxes, and searches along each axis for the overlapping pairs. There are at most two dozen
    rounds along all axes, then some for each placement.
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
    """Return the sets of all axes but one, then the sets of a single axis."""
    if len(ways) < 2:
        return []
    each = range(len(ways))
    without = [(*ways[:number], *ways[number + 1 :]) for number in each]
    return without + [(way,) for way in ways if len(ways) > 2]
