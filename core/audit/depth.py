"""Depth of penetration: branch and bound over pieces of one surface in the solid of another.

The depth is the largest distance that a point of the surface, inside the solid, has from the
solid's own surface. A distance changes no faster than its point moves (it is 1-Lipschitz), and the
distance from one triangle is convex, so that a corner of a piece has the largest: both bound a
piece from its middle. Pieces of the greatest bound are divided first (A. H. Land and A. G. Doig,
"An Automatic Method of Solving Discrete Programming Problems", 1960; M. Tang, M. Lee and Y. J. Kim,
"Interactive Hausdorff Distance Computation for General Polygonal Models", 2009).
"""

from collections.abc import Generator
from dataclasses import dataclass

import numpy as np

from ..arrays import Flags, Floats, Ids, dot
from ..scene.moment import Moment, first_of_each
from ..touch.triangle_distance import points_to_triangles
from .inside import inside, nearest_triangles
from .pieces import Pieces

# Pieces of a solid that are looked at in a round, and in all.
_ROUND, _MOST = 64, 8_192
# An interval is narrow enough if it is this part of the depth, or this many bands, wide.
_PART, _BANDS = 0.1, 10.0
# Sides of the solid's surface that a piece may be on.
_ANY, _ONE, _IN = 0, 1, 2


@dataclass(frozen=True)
class Depths:
    """For each solid, bounds of the depth, (s,), and the deepest point that is known, (3, s)."""

    lower: Floats
    upper: Floats
    places: Floats


class _Queue:
    """Pieces that may be the deepest, with what their depths are no more than."""

    def __init__(self, corners: Floats, solids: Ids, sides: Ids, uppers: Floats) -> None:
        self.corners, self.solids, self.sides, self.uppers = corners, solids, sides, uppers

    def __len__(self) -> int:
        return len(self.solids)

    def __getitem__(self, some: Ids | Flags) -> "_Queue":
        return _Queue(
            self.corners[:, some], self.solids[some], self.sides[some], self.uppers[some]
        )

    def with_children(self, other: "_Queue") -> "_Queue":
        """Return these, and the four parts of each of the others."""
        children = _quartered(other.corners)
        return _Queue(
            np.concatenate((self.corners, children), axis=1),
            np.concatenate((self.solids, np.tile(other.solids, 4))),
            np.concatenate((self.sides, np.tile(other.sides, 4))),
            np.concatenate((self.uppers, np.tile(other.uppers, 4))),
        )


def depths_of(
    moment: Moment, pieces: Pieces, known: Flags, rows: Ids, boxes: Floats, band: float
) -> Generator[float, None, Depths]:
    """Return how deep pieces of surfaces lie in solids, the meshes placed in `rows`, (s,).

    `known` pieces lie inside. `boxes` (6, s) hold the solids.
    """
    count = len(rows)
    lower, ended, looks = np.zeros(count), np.zeros(count), np.zeros(count, np.intp)
    places = np.full((3, count), np.nan)
    sides = np.where(known, _IN, np.where(pieces.uniform, _ONE, _ANY))
    walls = below_walls(pieces.corners, boxes[:, pieces.solids])
    queue = _Queue(pieces.corners, pieces.solids, sides, walls)
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
        middles, is_in, distances, left = yield from _looked(moment, some, rows, limits)
        deeper = is_in & (distances > lower[left.solids])
        order = np.lexsort((distances, left.solids))
        order = order[deeper[order]]
        lower[left.solids[order]] = distances[order]  # the last of each is the deepest
        places[:, left.solids[order]] = middles[:, order]
        queue = queue.with_children(left)
    return Depths(lower, np.maximum(lower, ended), places)


def _enough(lower: Floats, band: float) -> Floats:
    """Return up to which depth pieces need no more looks: nothing above the band is left open."""
    close = np.maximum(lower * (1 + _PART), lower + _BANDS * band)
    return np.where(lower > band, close, band)


def _looked(
    moment: Moment, some: _Queue, rows: Ids, limits: Floats
) -> Generator[float, None, tuple[Floats, Flags, Floats, _Queue]]:
    """Return middles, whether they lie inside, and distances of pieces that may be deep still."""
    points = some.corners.reshape(3, 3, -1)
    middles = points.mean(axis=0)
    steps = nearest_triangles(moment, middles, rows[some.solids])
    distances, nearest = yield from steps
    away = points - middles
    radii = np.sqrt(np.stack([dot(each, each) for each in away]).max(axis=0))
    convex = np.stack([points_to_triangles(point, nearest) for point in points]).max(axis=0)
    uppers = np.minimum(np.minimum(some.uppers, distances + radii), convex)
    (left,) = (uppers > limits[some.solids]).nonzero()
    some, middles, distances, radii = some[left], middles[:, left], distances[left], radii[left]
    some.uppers = uppers[left]
    is_in = some.sides == _IN
    (asked,) = (~is_in).nonzero()
    is_in[asked] = yield from inside(moment, middles[:, asked], rows[some.solids[asked]])
    some.sides[is_in & (some.sides == _ONE)] = _IN
    mixed = ~is_in & (some.sides == _ANY)
    some.uppers = np.where(mixed, np.minimum(some.uppers, radii - distances), some.uppers)
    (kept,) = (is_in | mixed).nonzero()
    return middles[:, kept], is_in[kept], distances[kept], some[kept]


def below_walls(corners: Floats, boxes: Floats) -> Floats:
    """Return how deep triangles (9, n) may lie in what is inside boxes (6, n), at most, (n,)."""
    points = corners.reshape(3, 3, -1)
    beyond = points.max(axis=0) - boxes[:3]
    before = boxes[3:] - points.min(axis=0)
    return np.maximum(np.minimum(beyond, before).min(axis=0), 0.0)


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
