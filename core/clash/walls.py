"""Walls of solids: slabs that hold them, along the axes and along their own largest faces (k-DOP).

J. T. Klosowski and others, "Efficient Collision Detection Using Bounding Volume Hierarchies of
k-DOPs", 1998, with directions of each solid's own. A point of a solid is no farther from its
surface than from any wall, whatever the directions are: few of them are enough for what is built
of boxes, however these are turned.
"""

from dataclasses import dataclass

import numpy as np

from ..arrays import Floats, Ids, blocks, cross, dot, starts_of_runs
from ..boxes import bounds_of_runs
from ..rounds import first_of_each
from ..scene.moment import Moment
from ..scene.pool import Pool
from ..steps import Steps

# Directions of its own that a solid gets, and how finely faces are told apart by theirs.
_OWN, _FINE = 4, 32
# Triangles that are placed in a step.
_PLACED = 32_768


@dataclass(frozen=True)
class Walls:
    """Unit directions of s solids, (3, k, s), and where these begin and end along them, (k, s)."""

    directions: Floats
    lower: Floats
    upper: Floats

    def below(self, corners: Floats, solids: Ids) -> Floats:
        """Return how deep triangles (9, n) may lie in their solids at most, (n,)."""
        points = corners.reshape(3, 3, -1)
        found = np.full(len(solids), np.inf)
        for number in range(self.directions.shape[1]):
            direction = self.directions[:, number].take(solids, axis=1)
            along = np.stack([dot(direction, point) for point in points])
            np.minimum(found, along.max(axis=0) - self.lower[number].take(solids), out=found)
            np.minimum(found, self.upper[number].take(solids) - along.min(axis=0), out=found)
        return np.maximum(found, 0.0)


def walls_of(moment: Moment, pool: Pool, rows: Ids) -> Steps[Walls]:
    """Return the walls of the meshes placed in these rows, (s,)."""
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
    """Return the unit directions of the largest faces of each owner, (3, k, count)."""
    areas = np.sqrt(dot(normals, normals))
    units = np.divide(normals, areas, out=np.zeros_like(normals), where=areas > 0)
    # Both sides of a plate have one direction.
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
    found[0] = 1.0  # fewer faces than directions: an axis again
    found[:, places, owners[chosen]] = np.where(
        areas[chosen] > 0, units[:, chosen], [[1], [0], [0]]
    )
    return found
