"""Closest point of an item to a point: how far it is, and where; pair by pair.

Triangles by all seven regions around them: three corners, three edges and the face, after
Ericson, "Real-Time Collision Detection", 2005, 5.1.5. Each squared distance is one quotient whose
parts are exact in whole numbers: what is equally far comes out equal to the last bit.
"""

from collections.abc import Callable
from typing import Any

import numpy as np

from ..arrays import (
    Flags,
    Floats,
    Ids,
    blocks,
    cross,
    dot,
    gather,
    power_of_two_scale,
    robust_cross,
)
from ..shapes import Shapes, Triangles
from ..shapes.triangles import first_corners

# Pairs looked at together: few enough that a triangle's features stay in the cache.
_BLOCK = 4_096
# Discs around all triangles are made for this part of them, or they are there.
_DISCS = 16
# What a few roundings take, as a part of the largest coordinate seen from the point: what is as
# far as the reach to the last bit is never taken to be beyond it.
_ROUNDING = 2.0**-44

# Items, their ids (h,), a point for each (3, h) -> distances (h,) or places (3, h). The points may
# be overwritten.
Measure = Callable[[Any, Ids, Floats], Floats]


def distances(items: Shapes, ids: Ids, points: Floats, numbers: Ids, reach: Floats) -> Floats:
    """Return how far items are from points, `numbers` of (3, q), pair by pair, (h,).

    0 where the point lies in the item; infinite, or the distance, beyond the point's `reach`,
    (q,).
    """
    if isinstance(items, Triangles):
        return _of_triangles(items, ids, points, numbers, reach)
    return _in_blocks(_of_rounded, items, ids, points, numbers)


def lower_bounds(items: Shapes, ids: Ids, points: Floats, numbers: Ids) -> Floats:
    """Return what these distances are no less than: quickly, by discs around triangles."""
    if isinstance(items, Triangles) and not (items.has_discs or _DISCS * len(ids) > len(items)):
        items, ids = items[ids], np.arange(len(ids))  # only these, not all once and for all
    measure: Measure = _of_discs if isinstance(items, Triangles) else _of_rounded
    return _in_blocks(measure, items, ids, points, numbers)


def upper_bounds(items: Shapes, ids: Ids, points: Floats, numbers: Ids) -> Floats:
    """Return what these distances are no more than: quickly, by one corner of a triangle."""
    measure: Measure = _of_first_corners if isinstance(items, Triangles) else _of_rounded
    return _in_blocks(measure, items, ids, points, numbers)


def closest_points(items: Shapes, ids: Ids, points: Floats, numbers: Ids) -> Floats:
    """Return where each item is closest to its point, (3, h); at distance 0 the point itself."""
    place: Measure = _on_triangles if isinstance(items, Triangles) else _on_rounded
    found = np.empty((3, len(ids)))
    for some in blocks(len(ids), _BLOCK):
        found[:, some] = place(items, ids[some], gather(points, numbers[some]))
    return found


def _in_blocks(measure: Measure, items: Shapes, ids: Ids, points: Floats, numbers: Ids) -> Floats:
    found = np.empty(len(ids))
    for some in blocks(len(ids)):
        found[some] = measure(items, ids[some], gather(points, numbers[some]))
    return found


def _of_discs(items: Triangles, ids: Ids, points: Floats) -> Floats:
    """Return the distances of discs: where spheres around triangles cut the triangles' planes."""
    spheres, planes = gather(items.bounding_spheres, ids), gather(items.planes, ids)
    points -= spheres[:3]
    height = dot(points, planes)
    beside = dot(points, points)
    beside -= height * height
    np.sqrt(np.maximum(beside, 0.0, out=beside), out=beside)
    beside -= spheres[3]
    np.maximum(beside, 0.0, out=beside)
    height -= planes[3]
    np.abs(height, out=height)
    height -= spheres[3] * 2.0**-29  # a normal may be that wrong
    np.maximum(height, 0.0, out=height)
    return np.sqrt(height * height + beside * beside)


def _of_first_corners(items: Triangles, ids: Ids, points: Floats) -> Floats:
    points -= first_corners(items, ids)
    return np.sqrt(dot(points, points))


def _seen(items: Triangles, ids: Ids, points: Floats) -> Floats:
    """Return triangles as seen from points: (3 axes, 3 corners, h)."""
    corners = items.take_rows(ids).reshape(3, 3, -1)
    corners -= points
    return corners.swapaxes(0, 1)


def _of_triangles(
    items: Triangles, ids: Ids, points: Floats, numbers: Ids, reach: Floats
) -> Floats:
    found, near = np.full(len(ids), np.inf), [np.empty(0, np.intp)]
    for some in blocks(len(ids)):
        corners = _seen(items, ids[some], gather(points, numbers[some]))
        near.append(some.start + np.flatnonzero(_may_reach(corners, reach[numbers[some]])))
    all_near = np.concatenate(near)
    for block in blocks(len(all_near), _BLOCK):
        few = all_near[block]
        corners = _seen(items, ids[few], gather(points, numbers[few]))
        found[few] = np.sqrt(_Features(corners).squares.min(axis=0))
    return found


def _may_reach(corners: Floats, reach: Floats) -> Flags:
    """Return which triangles are not beyond reach, seen along the way to their middle."""
    middle = corners[:, 0] + corners[:, 1] + corners[:, 2]
    along = dot(middle[:, None], corners).min(axis=0)
    wide = reach + np.abs(corners).max(axis=(0, 1)) * _ROUNDING
    with np.errstate(invalid="ignore"):  # without limit, seen from the middle itself
        return ~(along > wide * np.sqrt(dot(middle, middle)))


class _Features:
    """Corners, edges and face of triangles (3 axes, 3 corners, h), as seen from the origin.

    `squares` (7, h) are their squared distances; infinite for an edge or face where the nearest
    point of its line or plane lies beside it.
    """

    def __init__(self, corners: Floats) -> None:
        self.corners = corners
        edges = np.roll(corners, -1, axis=1) - corners
        units = edges * power_of_two_scale(edges)
        moments = cross(corners, units)
        normal, area, thin = robust_cross(units[:, 0], units[:, 1])
        self.along, self.span = -dot(corners, units), dot(edges, units)
        length = dot(units, units)
        beside = (self.along >= 0) & (self.along <= self.span) & (length > 0)
        sides = dot(moments, normal[:, None])
        total = sides[0] + sides[1] + sides[2]
        self.above = ((sides >= 0).all(axis=0) | (sides <= 0).all(axis=0)) & (area > 0)
        # Beyond the tip of a sliver its sides say little: the foot lies beside the longest edge.
        self.above &= (beside & (length == length.max(axis=0))).any(axis=0) & (total != 0)
        # How far the origin is from an edge is the share of the opposite corner.
        self.shares = _quotient(np.roll(sides, -1, axis=0), total, self.above, 0.0)
        height = dot(corners[:, 0], normal)
        # Where the foot on the face of a sliver is: the shares of its corners are not known well.
        self.thin = self.above & thin
        self.feet = normal * _quotient(height, area, self.thin, 0.0)
        self.squares = np.empty((7, corners.shape[2]))
        self.squares[:3] = dot(corners, corners)
        self.squares[3:6] = _quotient(dot(moments, moments), length, beside, np.inf)
        self.squares[6] = _quotient(height * height, area, self.above, np.inf)

    def closest(self) -> Floats:
        """Return the closest point as weights of the three corners, (3, h).

        Of the feet on the edges and on the face, the one that is closest: on a sliver the foot on
        the face is not known well.
        """
        share = np.clip(_quotient(self.along, self.span, self.span > 0, 0.0), 0.0, 1.0)
        share += 0.0  # which takes the sign from a zero
        weights = np.zeros((4, *share.shape))
        for edge in range(3):
            weights[edge, edge] = 1 - share[edge]
            weights[edge, (edge + 1) % 3] = share[edge]
        weights[3] = np.where(self.above, self.shares, weights[0])
        corners = self.corners[:, :, None]
        feet = np.stack([dot(weights.swapaxes(0, 1), corner) for corner in corners])
        best = dot(feet, feet).argmin(axis=0)
        return np.take_along_axis(weights, best[None, None], axis=0)[0]


def _on_triangles(items: Triangles, ids: Ids, points: Floats) -> Floats:
    features = _Features(_seen(items, ids, points))
    corners = items.take_rows(ids).reshape(3, 3, -1)
    found = dot(features.closest()[:, None], corners)
    squares = features.squares.min(axis=0)
    on_face = features.thin & (features.squares[6] == squares)
    found = np.where(on_face, points + features.feet, found)
    return np.where(squares > 0, found, points)


def _quotient(above: Floats, below: Floats, where: Flags, otherwise: float) -> Floats:
    return np.divide(above, below, out=np.full(above.shape, otherwise), where=where)


def _of_rounded(items: Shapes, ids: Ids, points: Floats) -> Floats:
    """Return the distances of boxes grown round by a radius."""
    sides, radii = items.box_and_radius(ids)
    squares = np.zeros(len(ids))
    for lower, upper, point in zip(sides[0], sides[-1], points, strict=True):
        gap = np.maximum(lower - point, point - upper)
        np.maximum(gap, 0.0, out=gap)
        gap *= gap
        squares += gap
    return np.maximum(np.sqrt(squares) - radii, 0.0)


def _on_rounded(items: Shapes, ids: Ids, points: Floats) -> Floats:
    sides, radii = items.box_and_radius(ids)
    inner = np.clip(points, sides[0], sides[-1])
    way = points - inner
    length = np.sqrt(dot(way, way))
    beyond = length > radii
    share = np.divide(radii, length, out=np.ones(len(ids)), where=beyond)
    return np.where(beyond, inner + way * share, points)
