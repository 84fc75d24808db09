"""Support of placements: the graph of contacts, its floating components, and their drops.

A component without a placement of the ground floats. If no ground is stated, the ground is the
level at which the stacks with the most placements end (`ground`). The drop of a component is its
smallest gap, straight down, to another component (`gaps`).

A row is the position of a placement in the snapshot of the scene.
"""

from dataclasses import dataclass
from typing import SupportsIndex

import numpy as np
from numpy.typing import ArrayLike

from .. import checks
from ..arrays import Flags, Floats, Ids, blocks, distinct, power_of_two_scale, starts_of_runs
from ..checks import ALL_GROUPS
from ..gaps.search import GapSearch
from ..gaps.way import Way
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
# Columns of space below placements in a batch.
_COLUMNS = 4096


@dataclass(frozen=True, eq=False)
class Supports(Record):
    """Graph of contacts between placements, its components, and the drops of floating ones.

    Attributes
    ----------
    contacts : ndarray of intp, shape (2, h)
        Pairs of placements that touch, overlap or lie in each other; sorted, each once.
    components : ndarray of intp, shape (n,)
        The component of each placement, in the order of `scene.ids`: the smallest id in it; -1
        for placements outside the requested groups.
    floating : ndarray of bool, shape (n,)
        Flags of placements whose component has no ground; false outside the requested groups.
    fallers : ndarray of intp, shape (c,)
        The floating components, named by their smallest ids, ascending.
    drops : ndarray of float64, shape (c,)
        Distance that each component falls until it lands; infinite if nothing is below.
    landings : ndarray of intp, shape (2, c)
        [0] the placement of the component that lands, [1] the placement that it lands on; -1 if
        nothing is below. Ties go to the first placement in the order of `scene.ids`.
    places : ndarray of float64, shape (c, 3)
        The point from which the drop is measured; NaN if nothing is below.
    grounds : ndarray of intp, shape (g,)
        The placements that need no support. If the ground was found and not stated, placements at
        its level come first, the largest stacks first, then the largest base areas.
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
    """Find floating placements: components of the graph of contacts without ground, in steps.

    Parameters
    ----------
    scene : SceneOctree
        Placed meshes.
    found : Audit
        Findings of an audit of the scene in its current state.
    grounds : array_like of int, shape (g,), or {"most", "lowest"}, or None
        Placements that need no support. "most" and None are the placements that reach down to the
        level at which the stacks with the most placements end, or deeper; "lowest" are the
        placements that reach down to the lowest point of the scene. Levels are compared within
        the band, or the resolution of the placements' heights if it is coarser.
    groups : int
        A mask of 32 bits: placements whose own mask shares no bit with it are ignored; they do not
        float, do not support and are not landed on.

    Returns
    -------
    generator of Supports
        The graph, its components, and for each floating component its distance along -z to the
        next surface of another component.

    Raises
    ------
    ValueError
        If an argument is no scene, no audit or no mask, or a ground is unknown or removed.
    RuntimeError
        At a step, if the scene has changed since the call.

    Notes
    -----
    O(findings), plus the triangles below floating components; without stated grounds, below all
    components. Grazing surfaces do not stop a fall: the gap is the minimum over the interior of
    the overlap of both vertical projections.

    To find the ground, a component stands on another if it falls at most a few times its own size
    onto the other, and the other is not tiny in comparison. So neither an object far below all
    others, nor a small lowest object, is the ground of the scene.
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
    """Flag the rows whose component has a placement of the ground, (n,)."""
    return np.isin(labels, labels[ground_rows])


def _drops(
    moment: Moment, labels: Ids, floating: Flags, fallers: Ids
) -> Steps[tuple[Floats, Ids, Floats]]:
    """Return the drops of components, (c,), the landing rows, (2, c), and places, (c, 3)."""
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
    """Return pairs of rows, (2, p), of different components, for searches of vertical gaps.

    The first row is floating, and the second is not wholly above it. Their boxes overlap in x and
    y. Pairs are sorted.
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
