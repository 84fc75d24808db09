"""Containment of points in solids by three rays, and nearest triangles of points.

A single ray is enough for the test "inside" that `shells` defines, but a ray through an edge or a
corner may count wrong. The result is the majority of three rays, along no axis and no diagonal.

A row is the position of a placement in the snapshot of the scene.
"""

import numpy as np

from ..arrays import Flags, Floats, Ids, blocks, distinct
from ..scene.in_rows import nearest_corners, wound_about
from ..scene.moment import Moment
from ..steps import Steps, between
from ..touch.rays import Rays
from .shells import Shells, shells_of

# Points per step: of ray casts, and of searches for nearest triangles.
_RAYS, _POINTS = 1_024, 4_096
# Directions unlikely to be parallel to a face or an edge of a model.
_SKEW = np.array(
    [[0.5377, 0.7127, 0.4507], [-0.6441, 0.2833, 0.7109], [0.3319, -0.8731, 0.3571]]
).T


def inside(moment: Moment, points: Floats, rows: Ids) -> Steps[Flags]:
    """Flag the points (3, q) inside the meshes placed in `rows`, (q,)."""
    meshes = moment.placements.meshes[rows]
    pool = yield from between(0.0, 0.1, moment.meshes.pool(distinct(meshes)))
    knowing = shells_of(pool, moment.meshes.sizes, distinct(meshes))
    shells = yield from between(0.1, 0.3, knowing)
    (some,) = shells.closed[meshes].nonzero()
    flags = np.zeros(len(rows), bool)
    voting = _voted(moment, shells, points[:, some], rows[some])
    flags[some] = yield from between(0.3, 1.0, voting)
    return flags


def _voted(moment: Moment, shells: Shells, points: Floats, rows: Ids) -> Steps[Flags]:
    """Flag the points that the majority of three rays finds inside, (q,)."""
    votes = np.zeros(len(rows), np.intp)
    for some in blocks(len(rows), _RAYS):
        votes[some] = _votes(moment, shells, points[:, some], rows[some], _SKEW[:, :2])
        yield (some.start + some.stop) / 2 / len(rows)
        # The third ray is cast only if the first two disagree.
        (split,) = (votes[some] == 1).nonzero()
        if len(split):
            split += some.start
            votes[split] += _votes(moment, shells, points[:, split], rows[split], _SKEW[:, 2:])
        yield some.stop / len(rows)
    return votes >= 2


def _votes(moment: Moment, shells: Shells, points: Floats, rows: Ids, directions: Floats) -> Ids:
    """Return the number of rays, in `directions` (3, d), that find each point inside, (q,)."""
    count = directions.shape[1]
    ways = np.repeat(directions, len(rows), axis=1)
    rays = Rays.of(np.tile(points, count), ways, np.full(ways.shape[1], np.inf))
    winds = wound_about(moment, rays, np.tile(rows, count), shells.codes, shells.starts)
    return winds.reshape(count, -1).sum(axis=0)


def nearest_triangles(
    moment: Moment, points: Floats, rows: Ids, limits: Floats
) -> Steps[tuple[Floats, Floats]]:
    """Return distances, (q,), and nearest triangles, (9, q), of points (3, q) and surfaces.

    The surfaces are the meshes placed in `rows`, (q,). No point may be farther from its surface
    than its limit, (q,).
    """
    lengths, corners = np.empty(len(rows)), np.empty((9, len(rows)))
    for some in blocks(len(rows), _POINTS):
        found = nearest_corners(moment, points[:, some], rows[some], limits[some])
        lengths[some], corners[:, some] = found
        yield some.stop / len(rows)
    return lengths, corners
