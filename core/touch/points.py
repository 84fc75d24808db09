"""Closest points of items to query points, and their distances, pair by pair."""

from collections.abc import Callable
from typing import Any

import numpy as np

from ..arrays import Flags, Floats, Ids, blocks, dot, gather, quotient
from ..shapes import Shapes, Triangles
from ..shapes.triangles import first_corners
from ..touch.triangles import ClosestFeatures

# Pairs computed together: few enough that the features of triangles stay in the cache.
_BLOCK = 4_096
# Discs of all triangles are made once if more than the part 1 / _DISCS of them is needed.
_DISCS = 16
# Bound of rounding errors, as a part of the largest coordinate relative to the point: a triangle
# exactly at the reach must not count as beyond it.
_ROUNDING = 2.0**-44

# Items, their ids (h,), a point for each (3, h) -> distances (h,) or closest points (3, h). The
# query points may be overwritten.
Measure = Callable[[Any, Ids, Floats], Floats]


def distances(items: Shapes, ids: Ids, points: Floats, numbers: Ids, reach: Floats) -> Floats:
    """Return the distances of items from points, `numbers` of (3, q), pair by pair, (h,).

    0 if the point lies in the item. Beyond the point's `reach`, (q,), the result is infinite or
    the distance.
    """
    if isinstance(items, Triangles):
        return _of_triangles(items, ids, points, numbers, reach)
    return _in_blocks(_of_rounded, items, ids, points, numbers)


def lower_bounds(items: Shapes, ids: Ids, points: Floats, numbers: Ids) -> Floats:
    """Return lower bounds of `distances`, (h,), by discs around triangles."""
    if isinstance(items, Triangles) and not (items.has_discs or _DISCS * len(ids) > len(items)):
        items, ids = items[ids], np.arange(len(ids))  # discs of these only, not of all items
    measure: Measure = _of_discs if isinstance(items, Triangles) else _of_rounded
    return _in_blocks(measure, items, ids, points, numbers)


def upper_bounds(items: Shapes, ids: Ids, points: Floats, numbers: Ids) -> Floats:
    """Return upper bounds of `distances`, (h,), by one corner of each triangle."""
    measure: Measure = _of_first_corners if isinstance(items, Triangles) else _of_rounded
    return _in_blocks(measure, items, ids, points, numbers)


def closest_points(items: Shapes, ids: Ids, points: Floats, numbers: Ids) -> Floats:
    """Return the point of each item closest to its query point, (3, h).

    At distance 0, the result is the query point itself.
    """
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
    """Return distances of discs: the discs that bounding spheres cut out of triangles' planes."""
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
    height -= spheres[3] * 2.0**-29  # error of a computed normal
    np.maximum(height, 0.0, out=height)
    return np.sqrt(height * height + beside * beside)


def _of_first_corners(items: Triangles, ids: Ids, points: Floats) -> Floats:
    points -= first_corners(items, ids)
    return np.sqrt(dot(points, points))


def _seen(items: Triangles, ids: Ids, points: Floats) -> Floats:
    """Return triangles relative to points: (3 axes, 3 corners, h)."""
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
        found[few] = np.sqrt(ClosestFeatures(corners).squares.min(axis=0))
    return found


def _may_reach(corners: Floats, reach: Floats) -> Flags:
    """Flag the triangles that may lie within reach of the origin.

    All corners of the others are beyond the reach in the direction of the triangle's middle.
    """
    middle = corners[:, 0] + corners[:, 1] + corners[:, 2]
    along = dot(middle[:, None], corners).min(axis=0)
    wide = reach + np.abs(corners).max(axis=(0, 1)) * _ROUNDING
    with np.errstate(invalid="ignore"):  # infinite reach times zero distance to the middle
        return ~(along > wide * np.sqrt(dot(middle, middle)))


def _on_triangles(items: Triangles, ids: Ids, points: Floats) -> Floats:
    features = ClosestFeatures(_seen(items, ids, points))
    corners = items.take_rows(ids).reshape(3, 3, -1)
    found = dot(features.weights()[:, None], corners)
    squares = features.squares.min(axis=0)
    # On the face of a sliver, the foot itself is used: weights of its corners are imprecise.
    on_face = features.above & features.thin & (features.squares[6] == squares)
    feet = features.normal * quotient(features.height, features.area, on_face)
    found = np.where(on_face, points + feet, found)
    return np.where(squares > 0, found, points)


def _of_rounded(items: Shapes, ids: Ids, points: Floats) -> Floats:
    """Return the distances of boxes rounded by a radius."""
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
