"""Contacts as a graph: connected components that no ground carries, and how far they would fall.

What falls is followed straight down, by the gaps along this way (`gaps`) of what is below it.
"""

from dataclasses import dataclass
from typing import SupportsIndex

import numpy as np
from numpy.typing import ArrayLike

from .. import checks
from ..arrays import Flags, Floats, Ids, distinct, power_of_two_scale, starts_of_runs
from ..gaps.search import GapSearch
from ..gaps.way import Way
from ..groups import ALL_GROUPS
from ..query import query
from ..records import Record
from ..scene import SceneOctree
from ..scene.moment import Moment
from ..shapes import Boxes
from ..steps import Steps, ascending, at_once, between
from . import findings as of
from .bands import resolutions
from .components import component_steps
from .crossings import places_met
from .rules import moment_of

_HOLDS = (
    of.OVERLAP,
    of.CONTAINED,
    of.DUPLICATE,
    of.COPLANAR_SAME,
    of.COPLANAR_OPPOSITE,
    of.TOUCHING,
)


@dataclass(frozen=True, eq=False)
class Supports(Record):
    """What carries what: components of the graph of contacts, and those that float.

    Attributes
    ----------
    contacts : ndarray of intp, shape (2, h)
        Pairs of placements that touch, overlap or lie in each other; sorted, each once.
    components : ndarray of intp, shape (n,)
        Of each placement, in the order of `scene.ids`, the smallest id it hangs together with; -1
        for one that is in none of the groups asked for.
    floating : ndarray of bool, shape (n,)
        Which placements hang together with none of the ground; none that is in no group.
    fallers : ndarray of intp, shape (c,)
        The components that float, by their smallest ids, ascending.
    drops : ndarray of float64, shape (c,)
        How far each falls until it meets something else; infinite if nothing is below.
    landings : ndarray of intp, shape (2, c)
        [0] the placement of the component that lands, [1] the one that it lands on; -1 if nothing
        is below. Where several do, the first.
    places : ndarray of float64, shape (c, 3)
        The point from which the drop is measured; NaN if nothing is below.
    """

    contacts: Ids
    components: Ids
    floating: Flags
    fallers: Ids
    drops: Floats
    landings: Ids
    places: Floats


def supports_steps(
    scene: SceneOctree,
    found: of.Audit,
    grounds: ArrayLike | None,
    /,
    *,
    groups: SupportsIndex = ALL_GROUPS,
) -> Steps[Supports]:
    """Find what floats, components of the graph of contacts without any ground, in steps.

    Parameters
    ----------
    scene : SceneOctree
        Placed meshes.
    found : Audit
        What an audit of the scene found, as it is now.
    grounds : array_like of int, shape (g,), or None
        Placements that need no support; None for those that reach as deep as the lowest point of
        all, within the band, or what their own heights resolve.
    groups : int
        A mask of 32 bits: placements with a mask that shares none of them are not there; they
        neither float, nor carry, nor catch anything.

    Returns
    -------
    generator of Supports
        The graph, its components, and for each that floats how far below it the next surface of
        another component is, along -z.

    Raises
    ------
    ValueError
        If these are no scene and no audit, a ground is unknown or removed, or `groups` is no mask.
    RuntimeError
        At a step, if the scene has changed since the call.

    Notes
    -----
    O(findings), and for what floats only the triangles below it are looked at. What only grazes
    stops nothing: the gap is the least one over the inside of the overlap of two shadows.
    """
    checks.kind("found", found, (of.Audit,))
    moment = moment_of(scene, groups)
    if grounds is None:
        rows = _lowest(moment, found.band)
    else:
        rows = moment.placements.rows_of(grounds, name="grounds")
        rows = rows[moment.in_groups[rows]]
    return moment.as_long_as_current(ascending(_supports(moment, found, rows)))


supports = at_once(supports_steps)


def _supports(moment: Moment, found: of.Audit, ground_rows: Ids) -> Steps[Supports]:
    placements, asked = moment.placements, moment.in_groups
    living = np.isin(found.pairs, placements.ids[asked]).all(axis=0)
    held = np.isin(found.classes, _HOLDS) & living
    contacts = np.unique(found.pairs[:, held], axis=1)
    ones, others = (placements.rows_named(each) for each in contacts)
    yield 0.05
    labels = yield from between(0.05, 0.1, component_steps(len(placements), ones, others))
    carried = np.zeros(len(placements), bool)
    carried[labels[ground_rows]] = True
    floating = asked & ~carried[labels]
    fallers = distinct(labels[floating])
    dropping = _drops(moment, labels, floating, fallers)
    drops, landings, places = yield from between(0.1, 1.0, dropping)
    return Supports(
        contacts,
        np.where(asked, placements.ids[labels], -1),
        floating,
        placements.ids[fallers],
        drops,
        np.where(landings >= 0, placements.ids[landings] if len(placements) else -1, -1),
        places,
    )


def _lowest(moment: Moment, stated: float) -> Ids:
    """Return the rows of placements that reach down to the lowest point of all."""
    (rows,) = moment.placements.is_there.nonzero()
    heights = moment.placements.boxes[2::3, rows]
    bands = np.maximum(resolutions(heights), stated)
    return rows[heights[0] <= heights[0].min(initial=np.inf) + bands]


def _drops(
    moment: Moment, labels: Ids, floating: Flags, fallers: Ids
) -> Steps[tuple[Floats, Ids, Floats]]:
    """Return how far components fall, the rows that land and are landed on, and from where."""
    drops, landings = np.full(len(fallers), np.inf), np.full((2, len(fallers)), -1)
    places = np.full((len(fallers), 3), np.nan)
    pairs = _above(moment, labels, floating)
    if pairs.shape[1] == 0:
        return drops, landings, places
    needed = distinct(moment.placements.meshes[distinct(pairs)])
    sheets = yield from between(0.0, 0.1, moment.meshes.sheets(needed))
    boxes = moment.placements.boxes[:, moment.placements.is_there]
    scale = float(power_of_two_scale(boxes.reshape(-1, 1))[0])
    numbers = np.searchsorted(fallers, labels[pairs[0]])
    scaled, way = moment.scaled(scale), Way.of(np.array([0.0, 0.0, -1.0]))
    search = GapSearch(scaled, sheets, way)
    limits = np.full(len(fallers), np.inf)
    yield from between(0.1, 1.0, search.look(pairs, numbers, limits, shared=True))
    order = np.lexsort((pairs[0], pairs[1], search.gaps, numbers))
    best = order[starts_of_runs(numbers[order])]
    best = best[np.isfinite(search.gaps[best])]
    some = numbers[best]
    drops[some], landings[:, some] = search.gaps[best] / scale, pairs[:, best]
    places[some] = places_met(search, best).T / scale
    return drops, landings, places


def _above(moment: Moment, labels: Ids, floating: Flags) -> Ids:
    """Return pairs of rows, the first floating and not wholly below the second, of two components.

    (2, p), sorted.
    """
    placements = moment.placements
    boxes, there = placements.boxes, placements.is_there
    (upper,) = (floating & there).nonzero()
    if len(upper) == 0:
        return np.empty((2, 0), np.intp)
    columns = boxes[:, upper].copy()
    columns[2] = boxes[2, there].min()
    which, ids = query(moment.top, Boxes(columns[:3].T, columns[3:].T))
    ones, others = upper[which], placements.rows_named(ids)
    kept = there[others] & (labels[ones] != labels[others])
    return np.stack((ones[kept], others[kept]))
