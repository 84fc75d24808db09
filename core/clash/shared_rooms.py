"""Solids that share volume, though no surface of either lies in the other.

Each connected component of such a solid lies wholly inside or wholly outside the other solid, so
a test of one interior point is enough. If all components of both solids lie inside, and their
surfaces are the same, the solids are duplicates, whatever their triangulations.

A row is the position of a placement in the snapshot of the scene.
"""

from dataclasses import dataclass

import numpy as np

from ..arrays import Flags, Floats, Ids, cross, dot, starts_of_runs
from ..boxes import boxes_shared
from ..records import Columns
from ..steps import Steps, between
from .inside import inside, nearest_triangles
from .solids import World
from .twins import middle_and_size, shape_limits

# Distance of a test point from its face, in bands; flush surfaces are at most two bands apart.
_BESIDE = 4.0
# A component that shares a smaller fraction of its area with the other solid is not tested: it has
# faces off the other surface.
_SHARED = 0.9


def shared_rooms(
    world: World, met: Ids, flush: Flags, areas: Floats
) -> Steps[tuple[Flags, Floats, Floats]]:
    """Flag the flush pairs of rows `met`, (2, p), that share volume, (p,).

    Also return the distance between the surfaces of duplicates, (p,), NaN for other pairs, and a
    point in both solids, (3, p), NaN for other pairs.

    `flush` flags pairs of closed meshes in contact, with no surface deeper than the band in the
    other solid. `areas` are the areas of their shared faces, (p,).
    """
    count = met.shape[1]
    shared, apart = np.zeros(count, bool), np.full(count, np.nan)
    places = np.full((3, count), np.nan)
    common = boxes_shared(*world.moment.placements.boxes_of(met))
    are_deep = (common[3:] - common[:3] > world.band).all(axis=0)
    (asked,) = (flush & (areas > 0) & are_deep).nonzero()
    whole = np.ones(len(asked), bool)
    for side in range(2) if len(asked) else ():
        start, rows = 0.4 * side, met[1 - side, asked]
        shells = _shells(world, met[side, asked])
        covered = areas[asked[shells.whose]] >= _SHARED * shells.areas
        counts = np.bincount(shells.whose, minlength=len(asked))
        finding = _interior_points(world, shells[covered], met[side, asked])
        points, whose = yield from between(start, start + 0.3, finding)
        is_in = yield from between(start + 0.3, start + 0.4, _deep(world, points, rows[whose]))
        within = np.bincount(whose[is_in], minlength=len(asked))
        whole &= (within == counts) & (counts > 0)
        shared[asked[within > 0]] = True
        places[:, asked[whose[is_in]]] = points[:, is_in]
    same = asked[whole]
    if len(same) == 0:
        return shared, apart, places
    apart[same] = yield from between(0.8, 1.0, _apart(world, met[:, same]))
    return shared, apart, places


def _apart(world: World, met: Ids) -> Steps[Floats]:
    """Return the distances between surfaces of the same shape, else NaN, (p,).

    As in `twins`, shapes are compared after a shift to a common center.
    """
    samples = [_samples(world, rows) for rows in met]
    middles, sizes = zip(*(middle_and_size(*each) for each in samples), strict=True)
    shift, far = middles[1] - middles[0], np.zeros(met.shape[1])
    for side, (corners, starts) in enumerate(samples):
        whose = np.repeat(np.arange(len(starts)), np.diff(starts, append=corners.shape[2]))
        points = np.concatenate((corners, corners.mean(axis=0)[None])).swapaxes(0, 1)
        owners = np.tile(whose, 4)
        moved = points.reshape(3, -1) + (shift if side == 0 else -shift)[:, owners]
        nowhere = np.full(len(owners), np.inf)
        steps = nearest_triangles(world.moment, moved, met[1 - side, owners], nowhere)
        lengths, _ = yield from between(0.5 * side, 0.5 * side + 0.5, steps)
        np.maximum.at(far, owners, lengths)
    apart = np.sqrt(dot(shift, shift)) + far
    is_same = (far <= shape_limits(world, met, np.minimum(*sizes))) & (apart <= world.band)
    return np.where(is_same, apart, np.nan)


def _samples(world: World, rows: Ids) -> tuple[Floats, Ids]:
    """Return the corners of the meshes in rows, (3, 3, n), and the start of each mesh, (p,)."""
    meshes = world.meshes(rows)
    sizes = world.moment.meshes.sizes[meshes]
    owners, entries = world.pool.entries(meshes, sizes)
    corners = world.corners(entries, rows[owners]).reshape(3, 3, -1)
    return corners, np.cumsum(sizes) - sizes


def _deep(world: World, points: Floats, rows: Ids) -> Steps[Flags]:
    """Flag the points, (3, q), deeper than the band inside the meshes in `rows`, (q,)."""
    is_in = yield from between(0.0, 0.5, inside(world.moment, points, rows))
    (some,) = is_in.nonzero()
    nowhere = np.full(len(some), np.inf)
    steps = nearest_triangles(world.moment, points[:, some], rows[some], nowhere)
    lengths, _ = yield from between(0.5, 1.0, steps)
    is_in[some] = lengths > world.band
    return is_in


@dataclass(frozen=True)
class _Shells(Columns):
    """Connected components of solids: the solid of each, (q,), and its area, (q,).

    `middles` and `normals`, (3, q), are the center and unit normal of its largest triangle.
    """

    whose: Ids
    areas: Floats
    middles: Floats
    normals: Floats


def _shells(world: World, rows: Ids) -> _Shells:
    """Return the connected components of the solids in `rows`."""
    pool, shells = world.pool, world.shells
    meshes = world.meshes(rows)
    whose, entries = pool.entries(meshes, world.moment.meshes.sizes[meshes])
    (kept,) = (~shells.is_open[entries] & (shells.leads[entries] == entries)).nonzero()
    entries, whose = entries[kept], whose[kept]
    corners = world.corners(entries, rows[whose]).reshape(3, 3, -1)
    normals = cross(corners[1] - corners[0], corners[2] - corners[0])
    lengths = np.sqrt(dot(normals, normals))
    parts = shells.parts[pool.arranged.faces.T[0, entries]]
    order = np.lexsort((pool.order[entries], -lengths, parts, whose))
    starts = starts_of_runs(whose[order] * len(shells.parts) + parts[order])
    best, areas = order[starts], np.add.reduceat(lengths[order], starts) / 2
    best, areas = best[areas > 0], areas[areas > 0]
    return _Shells(
        whose[best], areas, corners.mean(axis=0)[:, best], normals[:, best] / lengths[best]
    )


def _interior_points(world: World, shells: _Shells, rows: Ids) -> Steps[tuple[Floats, Ids]]:
    """Return a point inside each component, (3, q), and its mesh as an index into `rows`, (q,).

    The point is next to the center of the largest triangle, on the inner side. Components without
    an inner side there have no point.
    """
    steps = _BESIDE * world.band * np.concatenate((shells.normals, -shells.normals), axis=1)
    points, whose = np.tile(shells.middles, 2) + steps, np.tile(shells.whose, 2)
    is_in = yield from inside(world.moment, points, rows[whose])
    (found,) = is_in.nonzero()
    found = found[np.unique(found % max(len(shells), 1), return_index=True)[1]]
    return points[:, found], whose[found]
