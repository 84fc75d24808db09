"""Meshes enclosed in closed meshes, with or without contact, by flood fill and ray parity.

If no triangles of surfaces A and B cross, A lies entirely in the solid of B when no part of B's
surface is inside A and no part of A is outside B.
"""

import numpy as np

from ..arrays import Flags, Floats, Ids, distinct, starts_of_runs
from ..boxes import boxes_contain, boxes_grown
from ..clash.components import components
from ..clash.contacts import Contacts, contacts_of
from ..clash.inside import inside, nearest_triangles
from ..clash.judge import world_of
from ..clash.solids import World, depths
from ..scene.moment import Moment
from ..steps import Steps, between

# Boxes that overlap by at most this length are flush, if all coordinates are below one.
FLUSH = 2.0**-36
# Solids that penetrate each other by at most this depth only touch.
BAND = 2.0**-42


def lie_whole(moment: Moment, inner: Ids, outer: Ids) -> Steps[Flags]:
    """Flag rows of `inner` that are enclosed in the closed meshes in rows `outer`, (p,).

    The triangles of a pair must not cross. A mesh that lies entirely in the surface of the other
    is not enclosed.
    """
    flags = np.zeros(len(inner), bool)
    here, there = (moment.placements.boxes[:, rows] for rows in (inner, outer))
    (some,) = boxes_contain(boxes_grown(there, FLUSH), here[:3], here[3:]).nonzero()
    if len(some) == 0:
        return flags
    met = np.stack((inner[some], outer[some]))
    meshes = distinct(moment.placements.meshes[met])
    world = yield from between(0.0, 0.2, world_of(moment, meshes, BAND))
    contacts = yield from between(0.2, 0.4, contacts_of(moment, world.pool, met, BAND))
    entered = yield from between(0.4, 0.7, _entered(world, met, contacts))
    points, whose, near = _samples(world, met[0], contacts)
    (asked,) = (~entered[whose]).nonzero()
    asked = asked[(yield from _off(moment, points[:, asked], met[1, whose[asked]], near[asked]))]
    is_in = yield from between(0.8, 1.0, inside(moment, points[:, asked], met[1, whose[asked]]))
    counts = np.bincount(whose[asked], minlength=len(some))
    within = np.bincount(whose[asked[is_in]], minlength=len(some))
    flags[some] = ~entered & (counts > 0) & (within == counts)
    return flags


def _entered(world: World, met: Ids, contacts: Contacts) -> Steps[Flags]:
    """Flag pairs in which the surface of met[1] reaches into met[0], if met[0] is closed, (p,)."""
    flags = np.zeros(met.shape[1], bool)
    (closed,) = world.shells.closed[world.meshes(met[0])].nonzero()
    ranks = np.full(met.shape[1], -1)
    ranks[closed] = np.arange(len(closed))
    (kept,) = (ranks[contacts.pairs] >= 0).nonzero()
    given = Contacts(
        ranks[contacts.pairs[kept]], contacts.entries[::-1, kept], contacts.distances[kept]
    )
    found = yield from depths(world, met[1, closed], met[0, closed], given)
    flags[closed] = found.lower > BAND
    return flags


def _samples(world: World, rows: Ids, contacts: Contacts) -> tuple[Floats, Ids, Flags]:
    """Return sample points of surfaces, (3, h), the index of their row, and flags of contact.

    Each connected component of triangles without contact has one sample. Each triangle in
    contact has its corners and the middles of its edges and of itself; these are flagged.
    """
    meshes, pool = world.meshes(rows), world.pool
    whose, entries = pool.entries(meshes, world.moment.meshes.sizes[meshes])
    keys = whose * len(pool.order) + entries
    touched = np.isin(keys, contacts.pairs * len(pool.order) + contacts.entries[0])
    (free,), (met,) = (~touched).nonzero(), touched.nonzero()
    knots = world.shells.knots[pool.arranged.faces.T[:, entries[free]]]
    names, nodes = np.unique(whose[free] * len(world.shells.knots) + knots, return_inverse=True)
    nodes = nodes.reshape(knots.shape)
    labels = components(len(names), nodes[:2].ravel(), nodes[1:].ravel())[nodes[0]]
    order = np.argsort(labels, kind="stable")
    free = free[order[starts_of_runs(labels[order])]]
    corners = world.corners(entries[free], rows[whose[free]]).reshape(3, 3, -1)
    single = corners.mean(axis=0)
    corners = world.corners(entries[met], rows[whose[met]]).reshape(3, 3, -1)
    middles = (corners + np.roll(corners, 1, axis=0)) / 2
    every = np.concatenate((corners, middles, corners.mean(axis=0)[None]))
    points = np.concatenate((single, every.swapaxes(0, 1).reshape(3, -1)), axis=1)
    owners = np.concatenate((whose[free], np.tile(whose[met], len(every))))
    return points, owners, np.arange(len(owners)) >= len(free)


def _off(moment: Moment, points: Floats, rows: Ids, near: Flags) -> Steps[Flags]:
    """Flag points that are off the surfaces in these rows, (h,).

    Only the points `near` are measured; all other points are known to be off.
    """
    flags = np.ones(len(rows), bool)
    (some,) = near.nonzero()
    limits = np.full(len(some), np.inf)
    lengths, _ = yield from nearest_triangles(moment, points[:, some], rows[some], limits)
    flags[some] = lengths > BAND
    return flags
