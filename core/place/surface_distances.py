"""Shortest distances of placed meshes: contacts first, then branch and bound, then what is inside.

What touches has distance 0, and the depths that an audit tells. The gap of others is found from
the nodes of both. One surface lies in the other's solid if it lies in its box, and rays say so.
"""

from dataclasses import dataclass, replace
from typing import SupportsIndex

import numpy as np
from numpy.typing import ArrayLike

from .. import checks
from ..arrays import Flags, Floats, Ids, distinct, starts_of_runs
from ..boxes import boxes_meet
from ..clash.bands import Banded, by_band
from ..clash.contacts import Contacts, contacts_of
from ..clash.crossings import middles_between
from ..clash.judge import world_of
from ..clash.rules import moment_of
from ..clash.sides import in_order
from ..clash.solids import World, both_depths, nested_both
from ..groups import ALL_GROUPS
from ..records import Record
from ..scene import SceneOctree
from ..scene.dual_walk import Surfaces
from ..scene.moment import Moment
from ..scene.pairs import tried
from ..steps import Steps, ascending, at_once, between
from ..touch.triangle_distance import nearest_points
from .gaps import gaps_between


@dataclass(frozen=True, eq=False)
class Distances(Record):
    """How far pairs of placements are apart, and where.

    Attributes
    ----------
    distances : ndarray of float64, shape (h,)
        The shortest distance of the two surfaces; 0 where they touch or cross, infinite if one of
        them has nothing to be found.
    points : ndarray of float64, shape (2, h, 3)
        The point of either surface at which they are so near; NaN where there is none.
    items : ndarray of intp, shape (2, h)
        The triangles that these lie on, by their number in the mesh: of several that are equally
        near, the smallest of the first, then of the second; -1 where there is none.
    inside : ndarray of intp, shape (h,)
        Which of the two lies wholly inside the other, as `audit` tells inside, touching it
        nowhere: 0 or 1; -1 if neither does.
    depths : ndarray of float64, shape (2, h)
        How deep the surfaces lie in each other at least and at most, as an audit tells it; 0 where
        they are apart.
    """

    distances: Floats
    points: Floats
    items: Ids
    inside: Ids
    depths: Floats


def distances_steps(
    scene: SceneOctree, pairs: ArrayLike, /, *, groups: SupportsIndex = ALL_GROUPS
) -> Steps[Distances]:
    """Find the shortest distance of the surfaces of each pair of placements, in steps.

    Parameters
    ----------
    scene : SceneOctree
        Placed meshes.
    pairs : array_like of int, shape (2, h)
        Ids of placements, two different ones each. Pairs may repeat.
    groups : int
        A mask of 32 bits: placements with a mask that shares none of them are not there.

    Returns
    -------
    generator of Distances
        In the order of the pairs. No pairs give no distances.

    Raises
    ------
    ValueError
        If this is no scene, these are no pairs, a placement is unknown or removed, or both of a
        pair are one, or `groups` is no mask.
    RuntimeError
        At a step, if the scene has changed since the call.

    Notes
    -----
    The shortest way between triangles that share no point: C. Ericson, "Real-Time Collision
    Detection", 2005, 5.1.9 and 5.1.10. Two nodes of triangles are looked at once for each pair
    that may hold the nearest: about O(log triangles) of them where surfaces are far apart, more
    where they run beside each other. Distances do not depend on the order or the names of
    placements, nor on a power of two by which all is scaled.
    """
    moment = moment_of(scene, groups)
    rows = _rows_of(moment, pairs)
    return moment.as_long_as_current(ascending(_distances(moment, rows)))


distances = at_once(distances_steps)


def _unknown(count: int) -> Distances:
    """Return the answer of pairs in which nothing is found."""
    return Distances(
        np.full(count, np.inf),
        np.full((2, count, 3), np.nan),
        np.full((2, count), -1),
        np.full(count, -1),
        np.zeros((2, count)),
    )


def _rows_of(moment: Moment, pairs: ArrayLike) -> Ids:
    """Return the rows of pairs of placements, (2, h), checked."""
    named = checks.pairs("pairs", pairs, moment.placements.born)
    rows = moment.placements.rows_of(named.reshape(-1), name="pairs").reshape(named.shape)
    checks.every_row("pairs", "name two placements each", rows[0] != rows[1], named.T)
    return rows


def _distances(moment: Moment, rows: Ids) -> Steps[Distances]:
    (there,) = moment.placements.is_there[rows].all(axis=0).nonzero()
    met = in_order(moment, rows[:, there])
    turned = (met[0] != rows[0, there]).astype(np.intp)
    measured = _Measurement(moment, met, turned)
    yield from between(0.0, 0.6, measured.part())
    yield from between(0.6, 1.0, measured.sink())
    found, answer = measured.asked_for(), _unknown(rows.shape[1])
    answer.distances[there], answer.inside[there] = found.distances, found.inside
    answer.items[:, there], answer.depths[:, there] = found.items, found.depths
    answer.points[:, there] = found.points
    return answer


def touching_pairs(moment: Moment, met: Ids) -> Steps[Flags]:
    """Return which pairs of rows, (2, p), have triangles that touch, (p,)."""
    touched = boxes_meet(*moment.placements.boxes_of(met))
    (some,) = touched.nonzero()
    if len(some):
        trials = yield from tried(moment, met[:, some], 0.0, objects=True)
        touched[some] = trials.touched
    return touched


class _Measurement:
    """What is known of pairs of rows, (2, p), each in the order of its sides."""

    def __init__(self, moment: Moment, met: Ids, turned: Ids) -> None:
        self._moment, self._met, self._turned = moment, met, turned
        self._touched = np.zeros(met.shape[1], bool)
        self._answer = _unknown(met.shape[1])

    def part(self) -> Steps[None]:
        """Find which pairs touch, and how far the others are apart."""
        # All have one band, none: they are parted where they are unusually large or small.
        for banded in by_band(self._moment, self._met, np.inf):
            steps = self._part(banded)
            yield from between(banded.start, banded.stop, steps)

    def _part(self, banded: Banded) -> Steps[None]:
        moment, answer = banded.moment, self._answer
        steps = touching_pairs(moment, self._met[:, banded.some])
        touched = yield from between(0.0, 0.3, steps)
        self._touched[banded.some] = touched
        some = banded.some[~touched]
        if len(some) == 0:
            return
        met = self._met[:, some]
        pool = yield from between(0.3, 0.4, moment.meshes.pool(_meshes(moment, met)))
        side = Surfaces(moment, pool)
        nowhere = np.full(len(some), np.inf)
        search = gaps_between(side, met, nowhere, self._turned[some])
        gaps = yield from between(0.4, 1.0, search)
        corners = [side.corners(*both) for both in zip(gaps.entries, met, strict=True)]
        points = np.stack(nearest_points(*corners)).swapaxes(1, 2)
        answer.distances[some], answer.items[:, some] = gaps.lengths / banded.scale, gaps.items
        answer.points[:, some] = points / banded.scale

    def sink(self) -> Steps[None]:
        """Find where pairs touch, what lies in what, and how deep; of pairs whose boxes meet."""
        (some,) = boxes_meet(*self._moment.placements.boxes_of(self._met)).nonzero()
        for banded in by_band(self._moment, self._met[:, some], 0.0):
            steps = self._sink(banded, some[banded.some])
            yield from between(banded.start, banded.stop, steps)

    def _sink(self, banded: Banded, some: Ids) -> Steps[None]:
        moment, met, answer = banded.moment, self._met[:, some], self._answer
        band = banded.scaled(banded.band)
        world = yield from between(0.0, 0.2, world_of(moment, _meshes(moment, met), band))
        are_open = ~world.shells.closed[world.meshes(met)]
        touched = self._touched[some]
        (free,) = (~touched).nonzero()
        within, whole = yield from between(0.2, 0.4, nested_both(world, met, are_open, free))
        # What is known to be farther apart than the band has no contacts.
        (near,) = (touched | (answer.distances[some] * banded.scale <= 2 * band)).nonzero()
        steps = contacts_of(moment, world.pool, met[:, near], band)
        contacts = yield from between(0.4, 0.6, steps)
        contacts = replace(contacts, pairs=near[contacts.pairs])
        wanted = (touched | within) & ~are_open[::-1]
        deep = yield from between(0.6, 1.0, both_depths(world, met, contacts, wanted))
        answer.depths[:, some] = deep.lower / banded.scale, deep.upper / banded.scale
        answer.inside[some] = np.where(whole.any(axis=0), np.where(whole[0], 0, 1), -1)
        self._meet(world, some, contacts[touched[contacts.pairs] & (contacts.distances == 0)])
        answer.points[:, some[touched]] /= banded.scale

    def _meet(self, world: World, some: Ids, contacts: Contacts) -> None:
        """Tell of pairs that touch where they do, in the space of the world."""
        items, each = world.pool.order[contacts.entries], np.arange(len(contacts))
        first = self._turned[some][contacts.pairs]
        order = np.lexsort((items[1 - first, each], items[first, each], contacts.pairs))
        best = contacts[order[starts_of_runs(contacts.pairs[order])]]
        here = some[best.pairs]
        rows = self._met[:, here]
        corners = [world.corners(*both) for both in zip(best.entries, rows, strict=True)]
        self._answer.points[:, here] = middles_between(*corners).T
        self._answer.items[:, here] = world.pool.order[best.entries]
        self._answer.distances[here] = 0.0

    def asked_for(self) -> Distances:
        """Return what is known, of turned pairs the other way round."""
        answer, (turned,) = self._answer, self._turned.nonzero()
        for each in (answer.points, answer.items):
            each[:, turned] = each[::-1, turned]
        lies = answer.inside[turned]
        answer.inside[turned] = np.where(lies >= 0, 1 - lies, lies)
        return answer


def _meshes(moment: Moment, met: Ids) -> Ids:
    return distinct(moment.placements.meshes[met])
