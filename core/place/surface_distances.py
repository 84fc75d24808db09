"""Shortest distances of placed meshes: contacts, then branch and bound, then containment.

Pairs in contact have distance 0, and the penetration depths that an audit reports. The distance of
other pairs is found by a descent in both triangle trees. A surface lies in the other's solid if it
lies in the other's box and a ray test finds it inside.
"""

from dataclasses import dataclass, replace
from typing import SupportsIndex

import numpy as np
from numpy.typing import ArrayLike

from .. import checks
from ..arrays import Flags, Floats, Ids, distinct, starts_of_runs
from ..boxes import boxes_meet
from ..checks import ALL_GROUPS
from ..clash.bands import Banded, by_band
from ..clash.contacts import Contacts, contacts_of
from ..clash.crossings import middles_between
from ..clash.judge import world_of
from ..clash.rules import moment_of
from ..clash.sides import in_order
from ..clash.solids import World, both_depths, nested_both
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
    """Distances of h pairs of placements, and their closest points.

    Attributes
    ----------
    distances : ndarray of float64, shape (h,)
        The shortest distance of the two surfaces; 0 if they touch or cross, infinite if a
        placement is empty or ignored.
    points : ndarray of float64, shape (2, h, 3)
        The closest points of both surfaces; NaN if the distance is infinite.
    items : ndarray of intp, shape (2, h)
        The triangles of these points, numbered in their meshes. Among equally close triangles, the
        smallest number in the first mesh wins, then in the second; -1 if there is none.
    inside : ndarray of intp, shape (h,)
        The placement of the pair, 0 or 1, that lies wholly inside the other without contact, with
        inside as `audit` defines it; -1 if neither does.
    depths : ndarray of float64, shape (2, h)
        Lower and upper bounds of the penetration depth, as an audit reports them; 0 for pairs
        that are apart.
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
        A 32-bit mask; placements whose own mask shares no bit with it are ignored.

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
    The shortest segment between triangles that share no point: C. Ericson, "Real-Time Collision
    Detection", 2005, 5.1.9 and 5.1.10. The search visits each pair of tree nodes that may contain
    the closest triangles once: about O(log triangles) node pairs if surfaces are far apart, more
    if they run beside each other. Distances do not depend on the order or the ids of placements,
    nor on scaling the scene by a power of two.
    """
    moment = moment_of(scene, groups)
    rows = _rows_of(moment, pairs)
    return moment.as_long_as_current(ascending(_distances(moment, rows)))


distances = at_once(distances_steps)


def _unknown(count: int) -> Distances:
    """Return the distances of pairs in which nothing was found."""
    return Distances(
        np.full(count, np.inf),
        np.full((2, count, 3), np.nan),
        np.full((2, count), -1),
        np.full(count, -1),
        np.zeros((2, count)),
    )


def _rows_of(moment: Moment, pairs: ArrayLike) -> Ids:
    """Return the rows of pairs of placements, (2, h), and validate the pairs."""
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
    """Flag pairs of rows, (2, p), whose triangles touch, (p,)."""
    touched = boxes_meet(*moment.placements.boxes_of(met))
    (some,) = touched.nonzero()
    if len(some):
        trials = yield from tried(moment, met[:, some], 0.0, objects=True)
        touched[some] = trials.touched
    return touched


class _Measurement:
    """Partial results for pairs of rows, (2, p), which `turned` marks as swapped."""

    def __init__(self, moment: Moment, met: Ids, turned: Ids) -> None:
        self._moment, self._met, self._turned = moment, met, turned
        self._touched = np.zeros(met.shape[1], bool)
        self._answer = _unknown(met.shape[1])

    def part(self) -> Steps[None]:
        """Find the pairs that touch, and measure the distances of all others."""
        # An infinite band puts all pairs together, except pairs of unusual size.
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
        """Find contact points, containment and depths of the pairs whose boxes meet."""
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
        # Pairs farther apart than the band have no contacts.
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
        """Store a contact point and its triangles for touching pairs, in scaled coordinates."""
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
        """Return the results in the caller's order: sides of swapped pairs are swapped back."""
        answer, (turned,) = self._answer, self._turned.nonzero()
        for each in (answer.points, answer.items):
            each[:, turned] = each[::-1, turned]
        lies = answer.inside[turned]
        answer.inside[turned] = np.where(lies >= 0, 1 - lies, lies)
        return answer


def _meshes(moment: Moment, met: Ids) -> Ids:
    return distinct(moment.placements.meshes[met])
