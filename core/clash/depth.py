"""Depth of penetration: branch and bound over pieces of one surface in the solid of another.

The depth is the largest distance that a point of the surface, inside the solid, has from the
solid's own surface. A distance changes no faster than its point moves (it is 1-Lipschitz), and the
distance from one triangle is convex, so that a corner of a piece has the largest, and so is the
mean of two such, which the smaller of them does not exceed: between parallel faces that is all.
Pieces of the greatest bound are divided first (A. H. Land and A. G. Doig, "An Automatic Method of
Solving Discrete Programming Problems", 1960; M. Tang, M. Lee and Y. J. Kim, "Interactive Hausdorff
Distance Computation for General Polygonal Models", 2009).
"""

from dataclasses import dataclass

import numpy as np

from ..arrays import Flags, Floats, Ids, dot, flagged
from ..compiled import split_pieces
from ..records import Columns
from ..rounds import first_of_each
from ..scene.moment import Moment
from ..steps import Steps
from ..touch.triangle_distance import points_to_triangles
from .inside import inside, nearest_triangles
from .pieces import SurfaceParts, cut, plane_through
from .walls import Walls

# Pieces of a solid that are looked at in a round, and in all.
_ROUND, _MOST = 128, 2_048
# An interval is narrow enough if it is this part of the depth, or this many bands, wide.
_PART, _BANDS = 0.1, 2.0
# How much farther than it must be the nearest triangle is looked for.
_BEYOND = 1.001


@dataclass(frozen=True)
class DepthBounds:
    """For each solid, bounds of the depth, (s,), and the deepest point that is known, (3, s)."""

    lower: Floats
    upper: Floats
    places: Floats


@dataclass
class _Queue(Columns):
    """Pieces (9, n) that may be the deepest, with what their depths are no more than, (n,)."""

    corners: Floats
    solids: Ids
    are_in: Flags
    uppers: Floats

    def divided(self, nearest: Floats, band: float) -> "_Queue":
        """Return parts of all, cut along the edges of their nearest triangles (9, n), or in four.

        What lies above such a triangle is no deeper than its corners are.
        """
        parts = split_pieces(self.corners, nearest, band / 4)
        corners, which, convex = _split(self.corners, nearest, band) if parts is None else parts
        whole = (~flagged(len(self), which)).nonzero()[0]
        uppers = np.minimum(self.uppers[which], convex)
        cut_up = _Queue(corners, self.solids[which], self.are_in[which], uppers)
        some = self[whole]
        quarters = _Queue(
            _quartered(some.corners),
            np.tile(some.solids, 4),
            np.tile(some.are_in, 4),
            np.tile(some.uppers, 4),
        )
        return _Queue.joined((cut_up, quarters))


def _split(corners: Floats, nearest: Floats, band: float) -> tuple[Floats, Ids, Floats]:
    """Return parts of those pieces (9, n) that the edges of their nearest triangles divide.

    And of which each is a part, and how far the farthest corner of each is from that triangle.
    """
    count = corners.shape[1]
    which, everyone = np.arange(count), np.ones(count, bool)
    for edge in range(3):
        normals, heights = plane_through(nearest[:, which], edge)
        corners, of_which = cut(corners, normals, heights, everyone[which], band / 4)
        which = which[of_which]
    (parts,) = (np.bincount(which, minlength=count) > 1)[which].nonzero()
    corners, which = corners[:, parts], which[parts]
    return corners, which, _heights(corners, nearest[:, which]).max(axis=0)


def _heights(corners: Floats, triangles: Floats) -> Floats:
    """Return how far each corner of triangles (9, n) is from others, (3, n)."""
    points = corners.reshape(3, 3, -1)
    return np.stack([points_to_triangles(point, triangles) for point in points])


def depths_of(
    moment: Moment, pieces: SurfaceParts, known: Flags, rows: Ids, walls: Walls, band: float
) -> Steps[DepthBounds]:
    """Return how deep pieces of surfaces lie in solids, the meshes placed in `rows`, (s,).

    `known` pieces lie inside. `walls` hold the solids.
    """
    count = len(rows)
    lower, ended, looks = np.zeros(count), np.zeros(count), np.zeros(count, np.intp)
    places = np.full((3, count), np.nan)
    uppers = walls.below(pieces.corners, pieces.solids)
    in_doubt = pieces.uniform & ~known
    (asked,) = (in_doubt & (uppers > band)).nonzero()
    middles = pieces.corners[:, asked].reshape(3, 3, -1).mean(axis=0)
    is_in = yield from inside(moment, middles, rows[pieces.solids[asked]])
    known = flagged(len(known), asked[is_in]) | known
    (kept,) = (known | ~pieces.uniform).nonzero()
    queue = _Queue(pieces.corners[:, kept], pieces.solids[kept], known[kept], uppers[kept])
    while True:
        limits = _enough(lower, band)
        done = (queue.uppers <= limits[queue.solids]) | (looks[queue.solids] >= _MOST)
        np.maximum.at(ended, queue.solids[done], queue.uppers[done])
        queue = queue[~done]
        if len(queue) == 0:
            break
        queue = queue[np.lexsort((-queue.uppers, queue.solids))]
        chosen = first_of_each(queue.solids, _ROUND)
        some, queue = queue[chosen], queue[~chosen]
        looks += np.bincount(some.solids, minlength=count)
        middles, is_in, distances, left, nearest = yield from _looked(
            moment, some, rows, limits, ended
        )
        deeper = is_in & (distances > lower[left.solids])
        order = np.lexsort((distances, left.solids))
        order = order[deeper[order]]
        lower[left.solids[order]] = distances[order]  # the last of each is the deepest
        places[:, left.solids[order]] = middles[:, order]
        queue = _Queue.joined((queue, left.divided(nearest, band)))
    return DepthBounds(lower, np.maximum(lower, ended), places)


def _enough(lower: Floats, band: float) -> Floats:
    """Return up to which depth pieces need no more looks: nothing above the band is left open."""
    close = np.maximum(lower * (1 + _PART), lower + _BANDS * band)
    return np.where(lower > band, close, band)


def _looked(
    moment: Moment, some: _Queue, rows: Ids, limits: Floats, ended: Floats
) -> Steps[tuple[Floats, Flags, Floats, _Queue, Floats]]:
    """Return of what may be deep still: middles, whether inside, distances, pieces, nearest."""
    points = some.corners.reshape(3, 3, -1)
    middles = points.mean(axis=0)
    # A point inside is no farther from the surface than from the walls of its box.
    limits_of = np.where(some.are_in, some.uppers * _BEYOND, np.inf)
    steps = nearest_triangles(moment, middles, rows[some.solids], limits_of)
    distances, nearest = yield from steps
    away = points - middles
    radii = np.sqrt(np.stack([dot(each, each) for each in away]).max(axis=0))
    heights = _heights(some.corners, nearest)
    uppers = np.minimum(np.minimum(some.uppers, distances + radii), heights.max(axis=0))
    (asked,) = (some.are_in & (uppers > limits[some.solids])).nonzero()
    if len(asked):
        farthest = heights[:, asked].argmax(axis=0)
        corners = points[farthest, :, asked].T
        reach = heights[farthest, asked] * _BEYOND
        steps = nearest_triangles(moment, corners, rows[some.solids[asked]], reach)
        _, second = yield from steps
        means = (heights[:, asked] + _heights(some.corners[:, asked], second)).max(axis=0) / 2
        uppers[asked] = np.minimum(uppers[asked], means)
    open_still = uppers > limits[some.solids]
    np.maximum.at(ended, some.solids[~open_still], uppers[~open_still])
    (left,) = open_still.nonzero()
    some, middles, distances, radii = some[left], middles[:, left], distances[left], radii[left]
    some.uppers = uppers[left]
    is_in = some.are_in.copy()
    (asked,) = (~is_in).nonzero()
    is_in[asked] = yield from inside(moment, middles[:, asked], rows[some.solids[asked]])
    some.uppers = np.where(is_in, some.uppers, np.minimum(some.uppers, radii - distances))
    return middles, is_in, distances, some, nearest[:, left]


def _quartered(corners: Floats) -> Floats:
    """Return the halves of the halves of triangles (9, n), each cut across its longest edge."""
    return _halved(_halved(corners))


def _halved(corners: Floats) -> Floats:
    points = corners.reshape(3, 3, -1)
    edges = np.roll(points, -1, axis=0) - points
    longest = np.stack([dot(edge, edge) for edge in edges]).argmax(axis=0)
    each = np.arange(points.shape[2])
    first, second, third = (points[(longest + i) % 3, :, each].T for i in range(3))
    middle = (first + second) / 2
    return np.concatenate(
        (np.concatenate((first, middle, third)), np.concatenate((middle, second, third))), axis=1
    )
