"""Contacts as a graph: connected components that no ground carries, and how far they would fall.

Without a stated ground, it is the level on which most stands (`ground`).

What falls is followed straight down, by the gaps along this way (`gaps`) of what is below it.
"""

from dataclasses import dataclass
from typing import SupportsIndex

import numpy as np
from numpy.typing import ArrayLike

from .. import checks
from ..arrays import Flags, Floats, Ids, blocks, distinct, power_of_two_scale, starts_of_runs
from ..gaps.search import GapSearch
from ..gaps.way import Way
from ..groups import ALL_GROUPS
from ..records import Record
from ..scene import SceneOctree
from ..scene.moment import Moment
from ..shapes import Boxes
from ..steps import Steps, ascending, at_once, between
from . import findings as of
from .components import component_steps
from .crossings import places_met
from .ground import grounds_of, lowest
from .rules import moment_of

_HOLDS = (
    of.OVERLAP,
    of.CONTAINED,
    of.DUPLICATE,
    of.COPLANAR_SAME,
    of.COPLANAR_OPPOSITE,
    of.TOUCHING,
)
# Columns below placements that are looked into together.
_COLUMNS = 4096


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
    grounds : ndarray of intp, shape (g,)
        The placements that need no support; those found by themselves with the widest of those on
        which most stands first.
    """

    contacts: Ids
    components: Ids
    floating: Flags
    fallers: Ids
    drops: Floats
    landings: Ids
    places: Floats
    grounds: Ids


def supports_steps(
    scene: SceneOctree,
    found: of.Audit,
    grounds: ArrayLike | str | None,
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
    grounds : array_like of int, shape (g,), or {"most", "lowest"}, or None
        Placements that need no support. With "most", or None, those that reach down to the level
        on which most stands, or deeper; with "lowest" to the lowest point of all. Within the band,
        or what their own heights resolve.
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
    O(findings), and for what floats only the triangles below it are looked at; without grounds for
    all components. What only grazes stops nothing: the gap is the least one over the inside of the
    overlap of two shadows.

    What falls onto a component by no more than a few times its own size counts as standing there,
    if that is not tiny beside it. So neither a thing far below all others, nor a small one that
    lies deepest, is their ground.
    """
    checks.kind("found", found, (of.Audit,))
    moment = moment_of(scene, groups)
    rows = None
    if isinstance(grounds, str):
        if grounds not in ("most", "lowest"):
            raise ValueError(f"grounds must be most or lowest, or placements, got {grounds!r}")
        rows = lowest(moment, found.band) if grounds == "lowest" else None
    elif grounds is not None:
        rows = moment.placements.rows_of(grounds, name="grounds")
        rows = rows[moment.in_groups[rows]]
    return moment.as_long_as_current(ascending(_supports(moment, found, rows)))


supports = at_once(supports_steps)


def _supports(moment: Moment, found: of.Audit, ground_rows: Ids | None) -> Steps[Supports]:
    placements, asked = moment.placements, moment.in_groups
    living = np.isin(found.pairs, placements.ids[asked]).all(axis=0)
    held = np.isin(found.classes, _HOLDS) & living
    contacts = np.unique(found.pairs[:, held], axis=1)
    ones, others = (placements.rows_named(each) for each in contacts)
    yield 0.05
    labels = yield from between(0.05, 0.1, component_steps(len(placements), ones, others))
    falling = asked
    if ground_rows is not None:
        falling = asked & ~_carried(labels, ground_rows)
    fallers = distinct(labels[falling])
    dropping = _drops(moment, labels, falling, fallers)
    drops, landings, places = yield from between(0.1, 1.0, dropping)
    if ground_rows is None:
        ground_rows = grounds_of(moment, labels, fallers, drops, landings[1], found.band)
    floating = asked & ~_carried(labels, ground_rows)
    some = np.isin(fallers, labels[floating])
    fallers, drops, landings, places = fallers[some], drops[some], landings[:, some], places[some]
    return Supports(
        contacts,
        np.where(asked, placements.ids[labels], -1),
        floating,
        placements.ids[fallers],
        drops,
        np.where(landings >= 0, placements.ids[landings] if len(placements) else -1, -1),
        places,
        placements.ids[ground_rows],
    )


def _carried(labels: Ids, ground_rows: Ids) -> Flags:
    """Return which rows hang together with any of the ground, (n,)."""
    return np.isin(labels, labels[ground_rows])


def _drops(
    moment: Moment, labels: Ids, floating: Flags, fallers: Ids
) -> Steps[tuple[Floats, Ids, Floats]]:
    """Return how far components fall, the rows that land and are landed on, and from where."""
    drops, landings = np.full(len(fallers), np.inf), np.full((2, len(fallers)), -1)
    places = np.full((len(fallers), 3), np.nan)
    pairs = yield from between(0.0, 0.05, _above(moment, labels, floating))
    if pairs.shape[1] == 0:
        return drops, landings, places
    needed = distinct(moment.placements.meshes[distinct(pairs)])
    pool = yield from between(0.05, 0.1, moment.meshes.pool(needed))
    boxes = moment.placements.boxes[:, moment.placements.is_there]
    scale = float(power_of_two_scale(boxes.reshape(-1, 1))[0])
    numbers = np.searchsorted(fallers, labels[pairs[0]])
    scaled, way = moment.scaled(scale), Way.of(np.array([0.0, 0.0, -1.0]))
    search = GapSearch(scaled, pool, way)
    limits = np.full(len(fallers), np.inf)
    yield from between(0.1, 1.0, search.look(pairs, numbers, limits, shared=True))
    order = np.lexsort((pairs[0], pairs[1], search.gaps, numbers))
    best = order[starts_of_runs(numbers[order])]
    best = best[np.isfinite(search.gaps[best])]
    some = numbers[best]
    drops[some], landings[:, some] = search.gaps[best] / scale, pairs[:, best]
    places[some] = places_met(search, best).T / scale
    return drops, landings, places


def _above(moment: Moment, labels: Ids, floating: Flags) -> Steps[Ids]:
    """Return pairs of rows, the first floating and not wholly below the second, of two components.

    (2, p), sorted.
    """
    boxes, there = moment.placements.boxes, moment.placements.is_there
    (upper,) = (floating & there).nonzero()
    columns, found = boxes[:, upper].copy(), [np.empty((2, 0), np.intp)]
    columns[2] = boxes[2].min(where=there, initial=np.inf)
    for some in blocks(len(upper), _COLUMNS):
        yield some.start / len(upper)
        which, others = moment.rows_touching(Boxes.from_rows(columns[:, some]))
        ones = upper[some][which]
        kept = labels[ones] != labels[others]
        found.append(np.stack((ones[kept], others[kept])))
    return np.concatenate(found, axis=1)
