"""Points in solids, pair by pair: what three skew rays tell, and the nearest triangle.

Any ray tells whether a point is inside, as `shells` defines it; one that meets an edge or a corner
may count wrong. Three rays, along no axis and no diagonal, vote.
"""

import numpy as np

from ..arrays import Flags, Floats, Ids, blocks, distinct
from ..scene.in_rows import nearest_corners, wound_about
from ..scene.moment import Moment
from ..steps import Steps, between
from ..touch.rays import Rays
from .shells import Shells, shells_of

# Points whose rays are cast in a step; points whose nearest triangles are looked for in a step.
_RAYS, _POINTS = 1_024, 4_096
# Directions that no modeled face or edge has.
_SKEW = np.array(
    [[0.5377, 0.7127, 0.4507], [-0.6441, 0.2833, 0.7109], [0.3319, -0.8731, 0.3571]]
).T


def inside(moment: Moment, points: Floats, rows: Ids) -> Steps[Flags]:
    """Return which points (3, q) lie inside the meshes placed in these rows, (q,)."""
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
    """Return which points the majority of three rays says to be inside, (q,)."""
    votes = np.zeros(len(rows), np.intp)
    for some in blocks(len(rows), _RAYS):
        votes[some] = _votes(moment, shells, points[:, some], rows[some], _SKEW[:, :2])
        yield (some.start + some.stop) / 2 / len(rows)
        # The third decides where two do not agree.
        (split,) = (votes[some] == 1).nonzero()
        if len(split):
            split += some.start
            votes[split] += _votes(moment, shells, points[:, split], rows[split], _SKEW[:, 2:])
        yield some.stop / len(rows)
    return votes >= 2


def _votes(moment: Moment, shells: Shells, points: Floats, rows: Ids, directions: Floats) -> Ids:
    """Return how many rays in these directions (3, d) say that points lie inside, (q,)."""
    count = directions.shape[1]
    ways = np.repeat(directions, len(rows), axis=1)
    rays = Rays.of(np.tile(points, count), ways, np.full(ways.shape[1], np.inf))
    winds = wound_about(moment, rays, np.tile(rows, count), shells.codes, shells.starts)
    return winds.reshape(count, -1).sum(axis=0)


def nearest_triangles(
    moment: Moment, points: Floats, rows: Ids, limits: Floats
) -> Steps[tuple[Floats, Floats]]:
    """Return how far points (3, q) are from the surfaces in these rows, and from which triangles.

    (q,) and (9, q). All are known to be no farther than their limits, (q,).
    """
    lengths, corners = np.empty(len(rows)), np.empty((9, len(rows)))
    for some in blocks(len(rows), _POINTS):
        found = nearest_corners(moment, points[:, some], rows[some], limits[some])
        lengths[some], corners[:, some] = found
        yield some.stop / len(rows)
    return lengths, corners
