"""Solids that share room though no surface of either lies in the other.

Of two such solids each part is wholly in the other or wholly out of it: one point inside the one,
asked of the other, tells. Where all parts of both are, and the surfaces are one, they are one
solid twice, however their faces are cut into triangles.
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

# Bands between a face and a point beside it: surfaces that are flush are two apart at most.
_BESIDE = 4.0
# Shells that share less of their area with the other solid have a surface beside it.
_SHARED = 0.9


def shared_rooms(
    world: World, met: Ids, flush: Flags, areas: Floats
) -> Steps[tuple[Flags, Floats, Floats]]:
    """Return which pairs of rows `met`, (2, p), of those that are flush, share room.

    Also how far the surfaces of one solid are apart, (p,), NaN of pairs that are not one solid
    twice; and a point that a pair shares, (3, p). Flush are closed meshes of which no surface
    lies in the other, deeper than the band. `areas` are those of the faces that they share, (p,).
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
    """Return how far surfaces in pairs of rows are apart if they have one shape, else NaN, (p,).

    As of `twins`, shapes are compared where both have one middle.
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
    """Return the corners of the meshes in rows, (3, 3, n), and where those of each begin, (p,)."""
    meshes = world.meshes(rows)
    sizes = world.moment.meshes.sizes[meshes]
    owners, entries = world.pool.entries(meshes, sizes)
    corners = world.corners(entries, rows[owners]).reshape(3, 3, -1)
    return corners, np.cumsum(sizes) - sizes


def _deep(world: World, points: Floats, rows: Ids) -> Steps[Flags]:
    """Return which points, (3, q), are inside the meshes in these rows, deeper than the band."""
    is_in = yield from between(0.0, 0.5, inside(world.moment, points, rows))
    (some,) = is_in.nonzero()
    nowhere = np.full(len(some), np.inf)
    steps = nearest_triangles(world.moment, points[:, some], rows[some], nowhere)
    lengths, _ = yield from between(0.5, 1.0, steps)
    is_in[some] = lengths > world.band
    return is_in


@dataclass(frozen=True)
class _Shells(Columns):
    """Shells of solids: whose they are, (q,), their areas, and the largest triangle of each.

    Of that the middle and the unit normal, (3, q).
    """

    whose: Ids
    areas: Floats
    middles: Floats
    normals: Floats


def _shells(world: World, rows: Ids) -> _Shells:
    """Return the shells of the solids in these rows."""
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
    """Return points inside the meshes in these rows, (3, q), one for each shell, and whose, (q,).

    They lie next to the middles of the largest triangles, on the sides that are in.
    """
    steps = _BESIDE * world.band * np.concatenate((shells.normals, -shells.normals), axis=1)
    points, whose = np.tile(shells.middles, 2) + steps, np.tile(shells.whose, 2)
    is_in = yield from inside(world.moment, points, rows[whose])
    (found,) = is_in.nonzero()
    found = found[np.unique(found % max(len(shells), 1), return_index=True)[1]]
    return points[:, found], whose[found]
