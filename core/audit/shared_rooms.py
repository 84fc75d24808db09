"""Solids that share room though no surface of either lies in the other.

Of two such solids each part is wholly in the other or wholly out of it: one point inside the one,
asked of the other, tells. Where all parts of both are, and the surfaces are one, they are one
solid twice, however their faces are cut into triangles.
"""

from dataclasses import dataclass

import numpy as np

from ..arrays import Flags, Floats, Ids, concatenated_ranges, cross, dot, starts_of_runs
from ..rays.crossings import Rays
from ..scene.rays import next_in_rows
from ..steps import Steps, between
from .inside import inside, nearest_triangles
from .solids import World
from .twins import middle_and_size, shape_limits

# What is nearer to a triangle than this part of its size lies in it.
_IN = 2.0**-30


@dataclass(frozen=True)
class SharedRooms:
    """Which pairs, (p,), share room; how far surfaces of one solid are apart; a point, (3, p).

    `apart` are NaN of those that are not one solid twice.
    """

    some: Flags
    apart: Floats
    points: Floats


def shared_rooms(world: World, met: Ids, flush: Flags) -> Steps[SharedRooms]:
    """Return which pairs of rows `met`, (2, p), of those that are flush, share room.

    Flush are closed meshes of which no surface lies in the other, deeper than the band.
    """
    count = met.shape[1]
    found = SharedRooms(np.zeros(count, bool), np.full(count, np.nan), np.full((3, count), np.nan))
    one, other = (world.moment.placements.boxes[:, rows] for rows in met)
    reach = np.minimum(one[3:], other[3:]) - np.maximum(one[:3], other[:3])
    (asked,) = (flush & (reach > world.band).all(axis=0)).nonzero()
    whole = np.ones(len(asked), bool)
    for side in range(2) if len(asked) else ():
        start, rows = 0.4 * side, met[1 - side, asked]
        finding = interior_points(world, met[side, asked])
        points, whose = yield from between(start, start + 0.3, finding)
        is_in = yield from between(start + 0.3, start + 0.4, _deep(world, points, rows[whose]))
        counts = np.bincount(whose, minlength=len(asked))
        within = np.bincount(whose[is_in], minlength=len(asked))
        whole &= (within == counts) & (counts > 0)
        found.some[asked[within > 0]] = True
        found.points[:, asked[whose[is_in]]] = points[:, is_in]
    same = asked[whole]
    if len(same) == 0:
        return found
    found.apart[same] = yield from between(0.8, 1.0, _apart(world, met[:, same]))
    return found


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
    entries = concatenated_ranges(world.sheets.firsts[meshes], sizes)
    corners = world.corners(entries, np.repeat(rows, sizes)).reshape(3, 3, -1)
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


def interior_points(world: World, rows: Ids) -> Steps[tuple[Floats, Ids]]:
    """Return points inside the meshes in these rows, (3, q), one for each shell, and whose, (q,).

    Halfway from the middle of its largest triangle to what is next to it, on the side that is in.
    """
    middles, normals, sizes, whose = _largest_triangles(world, rows)
    starts, ways = np.tile(middles, 2), np.concatenate((normals, -normals), axis=1)
    whose = np.tile(whose, 2)
    rays = Rays.of(starts, ways, np.full(len(whose), np.inf))
    yield 0.2
    least = np.tile(np.maximum(world.band, sizes * _IN), 2)
    lengths = next_in_rows(world.moment, rays, rows[whose], least)
    yield 0.5
    (met,) = np.isfinite(lengths).nonzero()
    points = starts[:, met] + ways[:, met] * lengths[met] / 2
    is_in = yield from between(0.5, 1.0, inside(world.moment, points, rows[whose[met]]))
    shells = (met % max(len(sizes), 1))[is_in]
    order = np.argsort(shells, kind="stable")
    first = order[starts_of_runs(shells[order])]
    found = is_in.nonzero()[0][first]
    return points[:, found], whose[met[found]]


def _largest_triangles(world: World, rows: Ids) -> tuple[Floats, Floats, Floats, Ids]:
    """Return the middle, unit normal and size of the largest triangle of each shell, and whose."""
    sheets, shells = world.sheets, world.shells
    meshes = world.meshes(rows)
    sizes = world.moment.meshes.sizes[meshes]
    entries = concatenated_ranges(sheets.firsts[meshes], sizes)
    whose = np.repeat(np.arange(len(rows)), sizes)
    (kept,) = (~shells.sheets[entries] & (shells.leads[entries] == entries)).nonzero()
    entries, whose = entries[kept], whose[kept]
    corners = world.corners(entries, rows[whose]).reshape(3, 3, -1)
    normals = cross(corners[1] - corners[0], corners[2] - corners[0])
    areas = dot(normals, normals)
    parts = shells.parts[sheets.arranged.faces.T[0, entries]]
    order = np.lexsort((sheets.order[entries], -areas, parts, whose))
    best = order[starts_of_runs(whose[order] * len(shells.parts) + parts[order])]
    best = best[areas[best] > 0]
    lengths = np.sqrt(areas[best])
    return corners.mean(axis=0)[:, best], normals[:, best] / lengths, np.sqrt(lengths), whose[best]
