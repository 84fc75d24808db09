"""Sliding: many bodies move along one direction at once until they touch.

The gaps between surfaces are found first, pair by pair, in the initial positions. The distances of
all bodies then follow from the gaps alone, as the solution of difference constraints (module
`falls`).
"""

from dataclasses import dataclass, replace
from typing import SupportsFloat, SupportsIndex

import numpy as np
from numpy.typing import ArrayLike

from .. import checks
from ..arrays import Flags, Floats, Ids, distinct, flagged, power_of_two_scale, starts_of_runs
from ..checks import ALL_GROUPS
from ..clash.crossings import places_met
from ..clash.rules import moment_of
from ..gaps.search import GapSearch
from ..gaps.way import Way
from ..records import Columns, Record
from ..scene import SceneOctree
from ..scene.moment import Moment
from ..scene.pool import Pool
from ..steps import Steps, ascending, at_once, between
from .broad import shadows_met
from .falls import Constraints
from .holds import boxes_overlap, closed_rows, held_faces, sharing_room


@dataclass(frozen=True, eq=False)
class Slides(Record):
    """Distances that n placements slide until they touch, in the order of `ids`.

    Attributes
    ----------
    distances : ndarray of float64, shape (n,)
        In scene units; infinite for placements that nothing stops; these have to stay in place.
    onto : ndarray of intp, shape (n,)
        The placement that stops each placement; -1 if none does.
    items : ndarray of intp, shape (2, n)
        [0] the triangle of the mover and [1] the triangle of the obstacle, numbered in their
        meshes. In a body, the smallest member with such triangles is reported; among equal gaps,
        crossing triangles are preferred, then the smallest numbers. -1 if nothing stops the
        placement, or if two solids share space at the start without crossing.
    points : ndarray of float64, shape (n, 3)
        The contact point of these triangles after the slide, or the middle of their common
        segment if they cross at the start; NaN if there are no triangles.
    crossing : ndarray of bool, shape (n,)
        True for placements that cross another one at the start; the pair moves together.
    moves : ndarray of float64, shape (n, 3)
        The distances along the direction, to be added to positions; 0 for placements that nothing
        stops.
    """

    distances: Floats
    onto: Ids
    items: Ids
    points: Floats
    crossing: Flags
    moves: Floats


@dataclass(frozen=True)
class Gaps(Columns):
    """Gaps of pairs of a moving row and another: lengths, triangles, and points on the mover."""

    ones: Ids
    others: Ids
    gaps: Floats
    first_items: Ids
    second_items: Ids
    places: Floats
    crossing: Flags

    @classmethod
    def none(cls) -> "Gaps":
        """Return no gaps."""
        nowhere, flags = np.empty(0, np.intp), np.empty(0, bool)
        return cls(nowhere, nowhere, np.empty(0), nowhere, nowhere, np.empty((3, 0)), flags)

    @property
    def pairs(self) -> tuple[Ids, Ids]:
        """The rows of both sides."""
        return self.ones, self.others

    @property
    def turned(self) -> "Gaps":
        """The same gaps with both sides swapped."""
        ends = self.others, self.ones, self.gaps, self.second_items, self.first_items
        return Gaps(*ends, self.places, self.crossing)


def slide_steps(
    scene: SceneOctree,
    ids: ArrayLike,
    direction: ArrayLike,
    /,
    *,
    bodies: ArrayLike | None = None,
    against: ArrayLike | None = None,
    limit: SupportsFloat = np.inf,
    groups: SupportsIndex = ALL_GROUPS,
) -> Steps[Slides]:
    """Move placements along one direction, all at once, until they touch, in steps.

    Parameters
    ----------
    scene : SceneOctree
        Placed meshes; nothing of it is changed.
    ids : array_like of int, shape (n,)
        The placements that move, without duplicates.
    direction : array_like of float, shape (3,)
        Direction of the moves, of any length but zero.
    bodies : array_like of int, shape (n,), optional
        Placements with equal numbers move as one body; by default each moves by itself.
    against : array_like of int, optional
        The fixed obstacles; by default all placements outside `ids`. A placement that is
        also in `ids` moves.
    limit : float
        Largest distance of a move; scene units, may be infinite.
    groups : int
        A 32-bit mask; placements whose own mask shares no bit with it are ignored.

    Returns
    -------
    generator of Slides
        The greatest distances with which no two surfaces pass through each other. No ids give no
        distances.

    Raises
    ------
    ValueError
        If this is no scene, a placement is unknown, removed or named twice among `ids`, the
        direction is zero or not finite, `bodies` are not one whole number for each, `limit` is
        negative, or `groups` is no mask.
    RuntimeError
        At a step, if the scene has changed since the call.

    Notes
    -----
    The gap of two surfaces is the least distance over the interior of their projected overlap:
    grazing surfaces do not stop each other. Coplanar faces in contact at the start block the move
    if the direction leads into the solid behind either face, or if neither face bounds a solid.
    Placements that cross at the start move together.

    Bodies stay in place with an infinite distance if no obstacle is ahead of them, and no body
    except those in a cycle with them; other bodies may land on them. Distances are rounded down,
    by less than 2**-40 of the largest coordinate, and do not depend on ids or order.

    The cost is proportional to the pairs of triangles that are close in projection, among the
    boxes that may contain the nearest pair. The distances are the greatest solution of difference
    constraints (Cormen, Leiserson, Rivest and Stein, "Introduction to Algorithms", chapter 24).
    """
    moment = moment_of(scene, groups)
    rows = moment.placements.rows_of(ids, once=True)
    along = checks.vector("direction", direction)
    if not along.any():
        raise ValueError("direction must not be zero, got [0.0, 0.0, 0.0]")
    numbers = (
        np.arange(len(rows)) if bodies is None else checks.one_each("bodies", bodies, len(rows))
    )
    standing = np.ones(len(moment), bool)
    if against is not None:
        standing = flagged(len(moment), moment.placements.rows_of(against, name="against"))
    standing[rows] = False
    most = checks.number("limit", limit, 0.0, finite=False)
    asked = _Asked(moment, rows, np.unique(numbers, return_inverse=True)[1], standing, most)
    return moment.as_long_as_current(ascending(_slides(asked, along)))


slide = at_once(slide_steps)


@dataclass(frozen=True)
class _Asked:
    """Arguments of a slide: moving rows, the body of each, flags of obstacles, and the limit."""

    moment: Moment
    rows: Ids
    bodies: Ids
    standing: Flags
    limit: float


def scale_of(moment: Moment) -> float:
    """Return the power of two that scales all valid placements to coordinates below one."""
    boxes = moment.placements.boxes[:, moment.placements.is_there]
    return float(power_of_two_scale(np.append(boxes.ravel(), 0.0)[:, None])[0])


def _slides(asked: _Asked, direction: Floats) -> Steps[Slides]:
    scale, way = scale_of(asked.moment), Way.of(direction)
    moment = asked.moment.scaled(scale)
    length = way.length * (1 - 2.0**-52 if way.error else 1.0) / scale
    limit = asked.limit / length
    searching = _gaps(replace(asked, moment=moment, limit=limit), way)
    gaps = yield from between(0.0, 0.95, searching)
    count = int(asked.bodies.max(initial=-1)) + 1
    body_of = np.full(len(moment), count)
    body_of[asked.rows] = asked.bodies
    constraints = Constraints(count, body_of[gaps.ones], body_of[gaps.others], gaps.gaps)
    falls, stays = constraints.falls(limit)
    stops = constraints.tight(falls, stays).nonzero()[0]
    stops = stops[falls[body_of[gaps.ones[stops]]] <= limit]
    ids = moment.placements.ids
    yield 0.97
    which = _named(gaps, stops, body_of, count)[asked.bodies]
    distances = np.minimum(
        falls[asked.bodies] * length, np.where(stays, np.inf, asked.limit)[asked.bodies]
    )
    onto, items = np.full(len(which), -1), np.full((2, len(which)), -1)
    points = np.full((len(which), 3), np.nan)
    (met,) = (which >= 0).nonzero()
    found = gaps[which[met]]
    onto[met] = ids[found.others]
    items[:, met] = found.first_items, found.second_items
    points[met] = (found.places + falls[asked.bodies[met]] * way.direction[:, None]).T / scale
    crosses = flagged(
        count + 1,
        np.concatenate([body_of[rows[gaps.crossing]] for rows in (gaps.ones, gaps.others)]),
    )
    return Slides(
        distances=distances,
        onto=onto,
        items=items,
        points=points,
        crossing=crosses[asked.bodies],
        moves=np.outer(np.where(np.isfinite(distances), distances, 0.0), way.unit) + 0.0,
    )


def _named(gaps: Gaps, stops: Ids, body_of: Ids, count: int) -> Ids:
    """Return the index of the reported gap of each body, (count,); -1 if nothing stops the body.

    The gap with the smallest obstacle is reported; among equal obstacles, gaps with triangles are
    preferred, then the smallest member of the body.
    """
    bodies, are_unnamed = body_of[gaps.ones[stops]], gaps.first_items[stops] < 0
    order = np.lexsort((gaps.ones[stops], are_unnamed, gaps.others[stops], bodies))
    first = order[starts_of_runs(bodies[order])]
    named = np.full(count, -1)
    named[bodies[first]] = stops[first]
    return named


def _gaps(asked: _Asked, way: Way) -> Steps[Gaps]:
    """Return the gaps that limit the moves of bodies."""
    moment, there = asked.moment, asked.moment.placements.is_there
    movers = asked.rows[there[asked.rows]]
    (standing,) = (asked.standing & there).nonzero()
    bodies = np.full(len(moment), -1)
    bodies[asked.rows] = asked.bodies
    still = yield from between(0.0, 0.1, shadows_met(moment, way, movers, standing))
    moving = still[:, :0]
    if (bodies[movers] != bodies[movers[:1]]).any():
        moving = yield from between(0.1, 0.15, shadows_met(moment, way, movers, movers))
        moving = moving[:, bodies[moving[0]] != bodies[moving[1]]]
    used = np.unique(np.concatenate((still, moving), axis=1))
    if len(used) == 0:
        return Gaps.none()
    meshes = distinct(moment.placements.meshes[used])
    pool = yield from between(0.15, 0.2, moment.meshes.pool(meshes))
    looking = _Looking(moment, pool, way, bodies, (still, moving))
    everyone = np.ones(len(asked.rows), bool)
    gaps = yield from between(0.25, 0.9, looking.look(everyone, asked.limit))
    if np.isfinite(asked.limit):
        # Bodies without a chain of gaps to an obstacle are searched again without the limit, to
        # find out if anything stops them at all.
        ends = np.where(bodies < 0, len(asked.rows), bodies)[np.stack(gaps.pairs)]
        lost = Constraints(len(asked.rows), ends[0], ends[1], gaps.gaps).lost()[:-1]
        gaps = gaps[(~lost[bodies[gaps.ones]]).nonzero()[0]]
        more = yield from between(0.9, 1.0, looking.look(lost, np.inf))
        gaps = Gaps.joined([gaps, more])
    return gaps


@dataclass(frozen=True)
class _Looking:
    """Input of the gap search: the body of each row, -1 for fixed rows, and pairs of rows.

    `pairs` are those of movers with obstacles, and those of movers with other movers.
    """

    moment: Moment
    pool: Pool
    way: Way
    bodies: Ids
    pairs: tuple[Ids, Ids]

    def look(self, wanted: Flags, limit: float) -> Steps[Gaps]:
        """Return the gaps up to a limit that restrict the moves of wanted bodies."""
        limits, bodies, parts = np.full(len(wanted), limit), self.bodies, [Gaps.none()]
        for start, number in ((0.0, 0), (0.5, 1)):
            pairs = self.pairs[number]
            pairs = pairs[:, wanted[bodies[pairs[0]]]]
            if pairs.shape[1] == 0:
                continue
            search = GapSearch(self.moment, self.pool, self.way)
            looking = search.look(pairs, bodies[pairs[0]], limits, shared=number == 0)
            yield from between(start, start + 0.4, looking)
            steps = held(search, pairs, self.moment, self.pool, self.way)
            found = yield from between(start + 0.4, start + 0.5, steps)
            np.minimum.at(limits, bodies[found.ones], found.gaps)
            parts.append(found)
        gaps = Gaps.joined(parts)
        back = gaps[(gaps.crossing & (bodies[gaps.others] >= 0)).nonzero()[0]]
        return Gaps.joined([gaps, back.turned])


def held(search: GapSearch, pairs: Ids, moment: Moment, pool: Pool, way: Way) -> Steps[Gaps]:
    """Return the gaps of a finished search, with gaps of 0 for initial contacts that block."""
    gaps, entries, crossing = search.gaps, search.entries, search.crossing
    (near,) = (boxes_overlap(moment, pairs) & ~crossing).nonzero()
    held = yield from held_faces(search, moment, pool, way)
    gaps[held.pairs], search.corners[held.pairs] = 0.0, -1
    entries[:, held.pairs] = held.ones, held.others
    closed = yield from closed_rows(moment, pool, distinct(pairs[:, near]))
    solid = near[closed[pairs[:, near]].all(axis=0)]
    crossing[solid] = yield from sharing_room(moment, pairs[:, solid])
    new = solid[crossing[solid]]
    gaps[new], search.corners[new], entries[:, new] = 0.0, -1, -1
    (some,) = np.isfinite(gaps).nonzero()
    places = places_met(search, some)
    (one, other), (item, its_item) = pairs[:, some], pool.items(entries[:, some])
    return Gaps(one, other, gaps[some], item, its_item, places, crossing[some])
