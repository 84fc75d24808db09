"""Surfaces in solids: containment of connected components and of cut pieces, and their depths.

A row is the position of a placement in the snapshot, an entry the position of a triangle in the
pool.
"""

from dataclasses import dataclass

import numpy as np

from .. import tuning
from ..arrays import Flags, Floats, Ids, blocks, ranks_of, starts_of_runs
from ..boxes import boxes_contain, boxes_grown
from ..scene.moment import Moment
from ..scene.placed import placed
from ..scene.pool import Pool
from ..steps import Steps, between
from .components import components
from .contacts import Contacts
from .cutting import Cutters, contacts_by_entry, divided
from .depth import DepthBounds, depths_of
from .inside import inside
from .pieces import SurfaceParts, triangles_in_boxes
from .shells import Shells
from .walls import Walls, walls_of

# Components that are placed in a step.
_PLACED = 32_768


@dataclass(frozen=True)
class World:
    """Shared data of an audit: the snapshot, the triangle pool, the meshes' shells, the band."""

    moment: Moment
    pool: Pool
    shells: Shells
    band: float

    def meshes(self, rows: Ids) -> Ids:
        """Return the meshes placed in `rows`."""
        return self.moment.placements.meshes[rows]

    def corners(self, entries: Ids, rows: Ids) -> Floats:
        """Return the corners of entries placed in `rows`, (9, h)."""
        return self.moment.placed(self.pool, entries, rows).rows


def nested_of(world: World, rows: Ids, within: Moment, solids: Ids) -> Steps[tuple[Flags, Flags]]:
    """Flag the surfaces in `rows` with a component in their solids, without contact, (d,).

    Also flag the surfaces wholly in their solids, (d,). `solids` are rows of closed meshes in the
    snapshot `within`, which may be of another scene.
    """
    roots = (world.shells.parts == np.arange(len(world.shells.parts))).nonzero()[0]
    meshes = world.meshes(rows)
    first = np.searchsorted(roots, world.pool.corners[meshes])
    last = np.searchsorted(roots, world.pool.corners[meshes] + world.pool.corner_counts[meshes])
    counts = last - first
    ends = np.cumsum(counts)
    total, numbers = int(counts.sum()), np.zeros(len(rows), np.intp)
    for some in blocks(total, _PLACED):
        places = np.arange(some.start, some.stop)
        which = np.searchsorted(ends, places, side="right")
        knots = roots[(last - ends)[which] + places]
        points = world.pool.arranged.vertices.T[:, knots]
        points = placed(points, world.moment.placements.matrices[:, rows[which]])
        boxes = within.placements.boxes[:, solids[which]]
        (near,) = boxes_contain(boxes, points, points).nonzero()
        steps = inside(within, points[:, near], solids[which[near]])
        is_in = yield from between(some.start / total, some.stop / total, steps)
        numbers += np.bincount(which[near[is_in]], minlength=len(rows))
    return numbers > 0, (numbers == counts) & (counts > 0)


def nested_both(world: World, met: Ids, are_open: Flags, free: Ids) -> Steps[tuple[Flags, Flags]]:
    """Flag the placements, in pairs `free` of contact, with a component in the other, (2, p).

    Also flag the placements wholly in the other, (2, p).
    """
    within, whole = np.zeros((2, *met.shape), bool)
    for side in range(2):
        some = free[~are_open[1 - side, free]]
        steps = nested_of(world, met[side, some], world.moment, met[1 - side, some])
        found = yield from between(0.5 * side, 0.5 * side + 0.5, steps)
        within[side, some], whole[side, some] = found
    return within, whole


def depths(world: World, rows: Ids, solids: Ids, contacts: Contacts) -> Steps[DepthBounds]:
    """Return the depths of surfaces in `rows` inside closed surfaces in `solids`, (d,).

    `contacts.pairs` are indices into `rows`, sorted; `contacts.entries` are triangles of the
    surface and the solid.
    """
    lower, upper, places = (
        np.zeros(len(rows)),
        np.zeros(len(rows)),
        np.full((3, len(rows)), np.nan),
    )
    together = tuning.current.depths_together
    for first in range(0, len(rows), together):
        stop = min(first + together, len(rows))
        start, end = np.searchsorted(contacts.pairs, [first, stop])
        some = contacts[np.arange(start, end)]
        some = Contacts(some.pairs - first, some.entries, some.distances)
        steps = _depths(world, rows[first:stop], solids[first:stop], some)
        part = yield from between(first / len(rows), stop / len(rows), steps)
        lower[first:stop], upper[first:stop] = part.lower, part.upper
        places[:, first:stop] = part.places
    return DepthBounds(lower, upper, places)


def both_depths(world: World, met: Ids, contacts: Contacts, wanted: Flags) -> Steps[DepthBounds]:
    """Return the greater of the wanted depths of both surfaces in the other's solid, (p,).

    `wanted[side]` flags the pairs whose surface on this side is measured, (2, p).
    """
    count = met.shape[1]
    lower, upper, places = np.zeros(count), np.zeros(count), np.full((3, count), np.nan)
    for side in range(2):
        (some,) = wanted[side].nonzero()
        ranks = ranks_of(count, some)
        (kept,) = wanted[side][contacts.pairs].nonzero()
        entries = contacts.entries[:, kept] if side == 0 else contacts.entries[::-1, kept]
        given = Contacts(ranks[contacts.pairs[kept]], entries, contacts.distances[kept])
        steps = depths(world, met[side, some], met[1 - side, some], given)
        found = yield from between(0.5 * side, 0.5 * side + 0.5, steps)
        better = found.lower > lower[some]
        places[:, some[better]] = found.places[:, better]
        lower[some] = np.maximum(lower[some], found.lower)
        upper[some] = np.maximum(upper[some], found.upper)
    return DepthBounds(lower, upper, places)


def _depths(world: World, rows: Ids, solids: Ids, contacts: Contacts) -> Steps[DepthBounds]:
    boxes = world.moment.placements.boxes[:, solids]
    within = boxes_grown(boxes, -world.band)
    pieces = yield from triangles_in_boxes(world.moment, world.pool, rows, within)
    order, starts, counts = contacts_by_entry(pieces, contacts.pairs, contacts.entries[0])
    theirs = contacts.entries[1][order]
    (cut,) = (counts > 0).nonzero()
    walls = yield from walls_of(world.moment, world.pool, solids)
    cut = cut[walls.below(pieces.corners[:, cut], pieces.solids[cut]) > world.band]
    whose = contacts.pairs[order]
    cutters = world.corners(theirs, solids[whose])
    near = Cutters.of(world.corners(contacts.entries[0][order], rows[whose]), cutters, world.band)
    steps = divided(pieces[cut], starts[cut], counts[cut], near, world.band)
    parts = yield from steps
    (free,) = (counts == 0).nonzero()
    inner = yield from _inner(world, pieces[free], solids, walls)
    everyone = SurfaceParts.joined((parts, inner))
    known = np.arange(len(everyone)) >= len(parts)
    return (yield from depths_of(world.moment, everyone, known, solids, walls, world.band))


def _inner(world: World, pieces: SurfaceParts, solids: Ids, walls: Walls) -> Steps[SurfaceParts]:
    """Return the pieces inside their solids, of pieces without contact.

    Connected pieces lie on the same side, so one piece of each connected set is tested.
    """
    faces = world.pool.arranged.faces.T[:, pieces.entries]
    keys = pieces.solids * len(world.shells.knots) + world.shells.knots[faces]
    names, nodes = np.unique(keys, return_inverse=True)
    nodes = nodes.reshape(keys.shape)
    labels = components(len(names), nodes[:2].ravel(), nodes[1:].ravel())[nodes[0]]
    uppers = walls.below(pieces.corners, pieces.solids)
    order = np.lexsort((-uppers, labels))  # ties go to the first triangle
    best = order[starts_of_runs(labels[order])]
    asked = best[uppers[best] > world.band]
    middles = pieces.corners[:, asked].reshape(3, 3, -1).mean(axis=0)
    is_in = yield from inside(world.moment, middles, solids[pieces.solids[asked]])
    flags = np.zeros(len(names), bool)
    flags[labels[asked[is_in]]] = True
    return pieces[flags[labels]]
