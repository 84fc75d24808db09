"""Depth of penetration: branch and bound over pieces of one surface in the solid of another.

The depth is the largest distance from the solid's own surface to a point of the other surface
inside the solid. Three upper bounds apply to a piece:

- the distance of its middle plus its radius, since distance is 1-Lipschitz;
- the largest distance of its corners from one triangle, since this distance is convex;
- half the largest sum, over its corners, of the distances from two triangles: the smaller of two
  distances is at most their mean, which is convex. Between parallel faces this bound is exact.

Pieces with the greatest bound are divided first (A. H. Land and A. G. Doig, "An Automatic Method
of Solving Discrete Programming Problems", 1960; M. Tang, M. Lee and Y. J. Kim, "Interactive
Hausdorff Distance Computation for General Polygonal Models", 2009).
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

# Pieces of a solid that are evaluated in a round, and in total.
_ROUND, _MOST = 128, 2_048
# The width of an interval that is narrow enough: a fraction of the depth, or a number of bands.
_PART, _BANDS = 0.1, 2.0
# Search radius of the nearest triangle, relative to the upper bound of its distance.
_BEYOND = 1.001


@dataclass(frozen=True)
class DepthBounds:
    """Bounds of the depth in each solid, (s,), and the deepest point found so far, (3, s)."""

    lower: Floats
    upper: Floats
    places: Floats


@dataclass
class _Queue(Columns):
    """Pieces (9, n) that may have the deepest point, with upper bounds of their depths, (n,)."""

    corners: Floats
    solids: Ids
    are_in: Flags
    uppers: Floats

    def divided(self, nearest: Floats, band: float) -> "_Queue":
        """Return all pieces cut along the edges of their nearest triangles (9, n), or quartered.

        A part of a cut piece is no deeper than the farthest of its corners from this triangle.
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
    """Return the parts of pieces (9, n) that the edges of their nearest triangles divide.

    Also return the piece of each part, and the distance of its farthest corner from the nearest
    triangle of this piece.
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
    """Return the distances of the corners of each triangle (9, n) from another, (3, n)."""
    points = corners.reshape(3, 3, -1)
    return np.stack([points_to_triangles(point, triangles) for point in points])


def depths_of(
    moment: Moment, pieces: SurfaceParts, known: Flags, rows: Ids, walls: Walls, band: float
) -> Steps[DepthBounds]:
    """Return the depths of pieces of surfaces in solids, the meshes placed in `rows`, (s,).

    `known` flags pieces that certainly lie inside. `walls` are slabs that enclose the solids.
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
    """Return the upper bounds below which pieces need no evaluation; the band at least, (s,)."""
    close = np.maximum(lower * (1 + _PART), lower + _BANDS * band)
    return np.where(lower > band, close, band)


def _looked(
    moment: Moment, some: _Queue, rows: Ids, limits: Floats, ended: Floats
) -> Steps[tuple[Floats, Flags, Floats, _Queue, Floats]]:
    """Evaluate pieces, and return the ones that may still be deeper than the limits.

    The result has the middles of these pieces, flags of the middles inside, their distances, the
    pieces with new upper bounds, and the nearest triangles. `ended` is raised to the upper bounds
    of the other pieces.
    """
    points = some.corners.reshape(3, 3, -1)
    middles = points.mean(axis=0)
    # A point inside is no farther from the surface than the upper bound of its piece.
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
    """Return triangles (9, n) halved twice, each time across their longest edges, (9, 4 n)."""
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
