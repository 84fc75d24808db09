"""Self-intersections: triangles of one placement that cross and share no corner."""

from collections.abc import Generator

import numpy as np

from ..arrays import Floats, Ids, blocks, dot, starts_of_runs
from ..scene.moment import Moment
from ..scene.within import pairs_within
from ..steps import between
from . import findings as of
from .crossings import crossings_of
from .judge import Steps, nothing, part_of, world_of
from .solids import World

_LOOKED = 8_192


def crossing_selves(moment: Moment, rows: Ids, band: float) -> Steps:
    """Return the arrays of self-intersections of placements in these rows."""
    if len(rows) == 0:
        return nothing()
    meshes = np.unique(moment.placements.meshes[rows])
    world = yield from between(0.0, 0.2, world_of(moment, meshes, band))
    parts = yield from between(0.2, 0.8, pairs_within(moment, 0.0, True, rows))
    found = np.concatenate([np.empty((4, 0), np.intp), *parts], axis=1)[[0, 1, 3]]
    found = found[:, np.lexsort(found[::-1])]
    kept, starts, ends = yield from between(0.8, 1.0, _crossing(world, found))
    found = found[:, kept]
    begins = starts_of_runs(found[0])
    which = np.repeat(np.arange(len(begins)), np.diff(begins, append=found.shape[1]))
    way = ends - starts
    lengths = np.sqrt(dot(way, way))
    sums = np.bincount(which, lengths, len(begins)).astype(np.float64)
    middles = [np.bincount(which, lengths * row, len(begins)) for row in (starts + ends) / 2]
    ids = found[0][begins]
    is_open = ~world.shells.closed[world.meshes(moment.placements.rows_named(ids))]
    return part_of(
        of.SELF,
        np.stack((ids, ids)),
        of.LENGTH,
        sums,
        sums,
        places=(np.stack(middles) / sums).T,
        are_open=np.stack((is_open, is_open)),
        segments=np.stack((starts.T, ends.T), axis=1),
        segment_findings=which,
        faces=found[1:],
        face_findings=which,
    )


def _crossing(world: World, found: Ids) -> Generator[float, None, tuple[Ids, Floats, Floats]]:
    """Return which of these pairs cross deeper than the band, and from where to where."""
    rows = world.moment.placements.rows_named(found[0])
    entries = _entries(world, np.tile(world.meshes(rows), 2), found[1:].ravel()).reshape(2, -1)
    kept, starts, ends = [np.empty(0, np.intp)], [np.empty((3, 0))], [np.empty((3, 0))]
    for some in blocks(len(rows), _LOOKED):
        knots = [
            world.shells.knots[world.sheets.arranged.faces.T[:, each[some]]] for each in entries
        ]
        strangers = ~(knots[0][:, None] == knots[1][None]).any(axis=(0, 1))
        crossed = crossings_of(*(world.corners(each[some], rows[some]) for each in entries))
        deep = strangers & (crossed.heights > world.band) & (crossed.lengths > world.band)
        (here,) = deep.nonzero()
        kept.append(some.start + here)
        starts.append(crossed.starts[:, here])
        ends.append(crossed.ends[:, here])
        yield some.stop / len(rows)
    return np.concatenate(kept), np.concatenate(starts, axis=1), np.concatenate(ends, axis=1)


def _entries(world: World, meshes: Ids, triangles: Ids) -> Ids:
    """Return the entries of triangles of meshes."""
    order, firsts = world.sheets.order, world.sheets.firsts
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
