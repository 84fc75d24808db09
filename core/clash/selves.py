"""Self-intersections: triangles of one placement that cross and share no corner."""

import numpy as np

from ..arrays import Ids, blocks, flagged, ranks_of, starts_of_runs
from ..scene.moment import Moment
from ..scene.pairs import pairs_within
from ..steps import Steps, between
from . import findings as of
from .contacts import Contacts
from .crossings import lengths_of
from .findings import Audit, findings_of, nothing
from .judge import world_of
from .seams import seams_of
from .solids import World

_LOOKED = 8_192


def crossing_selves(moment: Moment, rows: Ids, band: float) -> Steps[Audit]:
    """Return the self-intersections of the placements in `rows` of the snapshot."""
    if len(rows) == 0:
        return nothing()
    meshes = np.unique(moment.placements.meshes[rows])
    world = yield from between(0.0, 0.2, world_of(moment, meshes, band))
    parts = yield from between(0.2, 0.6, pairs_within(moment, band, True, rows))
    found = np.concatenate([np.empty((4, 0), np.intp), *parts], axis=1)[[0, 1, 3]]
    found = found[:, np.lexsort(found[::-1])]
    ids = found[0][starts_of_runs(found[0])]
    contacts = yield from between(0.6, 0.7, _strangers(world, found, ids))
    rows = moment.placements.rows_named(ids)
    seams = yield from between(0.7, 1.0, seams_of(world, np.stack((rows, rows)), contacts))
    crossing = contacts[seams.crossing]
    (some,) = flagged(len(ids), seams.pairs).nonzero()
    ranks = ranks_of(len(ids), some)
    whose = ranks[seams.pairs]
    lengths = lengths_of(seams.segments)
    sums = np.bincount(whose, lengths, len(some)).astype(np.float64)
    middles = [
        np.bincount(whose, lengths * row, len(some))
        for row in (seams.segments[0] + seams.segments[1]) / 2
    ]
    is_open = ~world.shells.closed[world.meshes(rows[some])]
    return findings_of(
        of.SELF,
        np.stack((ids[some], ids[some])),
        of.LENGTH,
        sums,
        sums,
        places=(np.stack(middles) / sums).T,
        are_open=np.stack((is_open, is_open)),
        segments=seams.segments.transpose(2, 0, 1).copy(),
        segment_findings=whose,
        faces=world.pool.order[crossing.entries],
        face_findings=ranks[crossing.pairs],
    )


def _strangers(world: World, found: Ids, ids: Ids) -> Steps[Contacts]:
    """Return the pairs of triangles in `found`, (3, h), that share no corner.

    `found` has the id of a placement and two triangles of it in each column. Corners are shared if
    they have the same number, or are welded along coincident open edges; coincident vertices of
    two separate sheets are not.
    """
    pairs = np.searchsorted(ids, found[0])
    meshes = world.meshes(world.moment.placements.rows_named(found[0]))
    entries = _entries(world, np.tile(meshes, 2), found[1:].ravel()).reshape(2, -1)
    kept = [np.empty(0, np.intp)]
    for some in blocks(len(pairs), _LOOKED):
        knots = [
            world.shells.knots[world.pool.arranged.faces.T[:, each[some]]] for each in entries
        ]
        strangers = ~(knots[0][:, None] == knots[1][None]).any(axis=(0, 1))
        kept.append(some.start + strangers.nonzero()[0])
        yield some.stop / len(pairs)
    left = np.concatenate(kept)
    return Contacts(pairs[left], entries[:, left], np.zeros(len(left)))


def _entries(world: World, meshes: Ids, triangles: Ids) -> Ids:
    """Return the positions in the pool of triangles, given by mesh and number."""
    order, firsts = world.pool.order, world.pool.firsts
    laid = np.unique(meshes)
    laid = laid[np.argsort(firsts[laid])]
    owners = np.full(len(order), -1)
    sizes = world.moment.meshes.sizes[laid]
    places = np.repeat(firsts[laid] - np.cumsum(sizes) + sizes, sizes) + np.arange(sizes.sum())
    owners[places] = np.repeat(laid, sizes)
    limit = int(max(order.max(initial=0), triangles.max(initial=0))) + 1
    keys = owners * limit + order
    by_key = np.argsort(keys, kind="stable")
    return by_key[np.searchsorted(keys[by_key], meshes * limit + triangles)]
