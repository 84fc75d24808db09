"""Slabs that enclose solids, along the axes and the normals of their largest faces (k-DOP).

J. T. Klosowski and others, "Efficient Collision Detection Using Bounding Volume Hierarchies of
k-DOPs", 1998, here with directions of each solid's own. A point in a solid is no farther from the
surface than from any plane of the slabs, for any directions. Few directions make this a tight
bound for solids made of boxes, in any rotation.

A row is the position of a placement in the snapshot of the scene.
"""

from dataclasses import dataclass

import numpy as np

from ..arrays import Floats, Ids, blocks, cross, dot, starts_of_runs
from ..boxes import bounds_of_runs
from ..rounds import first_of_each
from ..scene.moment import Moment
from ..scene.pool import Pool
from ..steps import Steps

# Face normals per solid; steps per unit in which normals are rounded, to group faces.
_OWN, _FINE = 4, 32
# Triangles per step.
_PLACED = 32_768


@dataclass(frozen=True)
class Walls:
    """Slabs of s solids: unit directions, (3, k, s), and extents along them, (k, s) each."""

    directions: Floats
    lower: Floats
    upper: Floats

    def below(self, corners: Floats, solids: Ids) -> Floats:
        """Return upper bounds of the depths of triangles (9, n) in their solids, (n,)."""
        points = corners.reshape(3, 3, -1)
        found = np.full(len(solids), np.inf)
        for number in range(self.directions.shape[1]):
            direction = self.directions[:, number].take(solids, axis=1)
            along = np.stack([dot(direction, point) for point in points])
            np.minimum(found, along.max(axis=0) - self.lower[number].take(solids), out=found)
            np.minimum(found, self.upper[number].take(solids) - along.min(axis=0), out=found)
        return np.maximum(found, 0.0)


def walls_of(moment: Moment, pool: Pool, rows: Ids) -> Steps[Walls]:
    """Return the slabs of the meshes placed in `rows`, (s,)."""
    each, which = np.unique(rows, return_inverse=True)
    meshes = moment.placements.meshes[each]
    owners, entries = pool.entries(meshes, moment.meshes.sizes[meshes])
    normals = np.empty((3, len(entries)))
    for some in blocks(len(entries), _PLACED):
        corners = moment.placed(pool, entries[some], each[owners[some]]).rows.reshape(3, 3, -1)
        normals[:, some] = cross(corners[1] - corners[0], corners[2] - corners[0])
        yield 0.3
    directions = np.concatenate(
        (
            np.repeat(np.eye(3)[:, :, None], len(each), axis=2),
            _largest(normals, owners, len(each)),
        ),
        axis=1,
    )
    lower = np.full(directions.shape[1:], np.inf)
    upper = -lower
    for some in blocks(len(entries), _PLACED):
        corners = moment.placed(pool, entries[some], each[owners[some]]).rows.reshape(3, 3, -1)
        starts = starts_of_runs(owners[some])
        here = owners[some][starts]
        ways = directions[:, :, owners[some]]
        along = np.stack([dot(ways, point[:, None]) for point in corners])
        low, high = np.split(bounds_of_runs(along.min(axis=0), along.max(axis=0), starts), 2)
        lower[:, here] = np.minimum(lower[:, here], low)
        upper[:, here] = np.maximum(upper[:, here], high)
        yield 0.8
    return Walls(directions[:, :, which], lower[:, which], upper[:, which])


def _largest(normals: Floats, owners: Ids, count: int) -> Floats:
    """Return the unit normals of the largest faces of each owner, (3, k, count)."""
    areas = np.sqrt(dot(normals, normals))
    units = np.divide(normals, areas, out=np.zeros_like(normals), where=areas > 0)
    # Opposite normals are one direction.
    largest = units[np.abs(units).argmax(axis=0), np.arange(len(areas))]
    units = units * np.where(largest < 0, -1.0, 1.0)
    x, y, z = np.rint(units * _FINE).astype(np.int64) + _FINE
    keys = ((owners * (2 * _FINE + 1) + x) * (2 * _FINE + 1) + y) * (2 * _FINE + 1) + z
    order = np.argsort(keys, kind="stable")
    starts = starts_of_runs(keys[order])
    if len(starts) == 0:
        return np.zeros((3, _OWN, count))
    sums = np.add.reduceat(areas[order], starts)
    first = order[starts]
    ranked = np.lexsort((-sums, owners[first]))
    ranked = ranked[first_of_each(owners[first][ranked], _OWN)]
    chosen = first[ranked]
    places = np.arange(len(chosen)) - np.searchsorted(owners[chosen], owners[chosen])
    found = np.zeros((3, _OWN, count))
    found[0] = 1.0  # owners with fewer normals repeat an axis
    found[:, places, owners[chosen]] = np.where(
        areas[chosen] > 0, units[:, chosen], [[1], [0], [0]]
    )
    return found
