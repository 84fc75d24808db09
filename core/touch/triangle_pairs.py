"""Tests of triangles against triangles: separating axes, and distances against a margin.

Two disjoint triangles are separated by an axis, a normal, or the product of an edge of each; in a
common plane or on a common line, by the product of an edge and an axis (Gottschalk, Lin and
Manocha, "OBBTree", 1996; in a plane, the theorem holds for the projections along the axes). Any
direction may separate, so results do not depend on the precision of directions, only on rounding
in projections.

The shortest segment between two disjoint triangles ends at a corner of one of them, or joins two
edges (Ericson, "Real-Time Collision Detection", 2005, 5.1.9 and 5.1.10).
"""

import numpy as np

from ..arrays import (
    OTHER_AXES,
    Flags,
    Floats,
    Ids,
    blocks,
    cross,
    dot,
    exact_cross,
    gather,
    power_of_two_scale,
)
from ..compiled import touching_triangles
from ..shapes import Triangles
from .convex_distance import TRIANGLE, near
from .separating_axis import overlap_along

# Pairs that are tested together.
_BLOCK = 4_096
# Rounding errors for coordinates of about one: of a distance from a plane, and of a projection, as
# a part of the direction's length.
_PLANE, _PROJECTION = 2.0**-44, 2.0**-49
# Above any rounding error of a distance from a plane, or between lines.
_SURE = 2.0**-40


def triangles_touch_triangles(
    items: Triangles, ids: Ids, volumes: Triangles, numbers: Ids
) -> Flags:
    """Flag the pairs of triangles that share a point; exact in whole numbers."""
    tested = touching_triangles(items, ids, volumes, numbers)
    if tested is None:
        return _tested(items, ids, volumes, numbers)
    flags, left = tested
    if len(left):
        flags[left] = _tested(items, ids[left], volumes, numbers[left])
    return flags


def _tested(items: Triangles, ids: Ids, volumes: Triangles, numbers: Ids) -> Flags:
    flags, doubtful = np.empty(len(ids), bool), [np.empty(0, np.intp)]
    for some in blocks(len(ids), _BLOCK):
        ones, others = _corner_pairs(items, ids[some], volumes, numbers[some])
        flags[some], left = _quick_tests(ones, others)
        doubtful.append(some.start + left)
    left = np.concatenate(doubtful)
    for some in blocks(len(left), _BLOCK):
        pairs = left[some]
        ones, others = _corner_pairs(items, ids[pairs], volumes, numbers[pairs])
        flags[pairs] = _unseparated(ones, others)
    return flags


def triangles_cross_triangles(ones: Floats, others: Floats) -> Flags:
    """Flag the triangles (9, h) that surely cross: an edge of one runs through the other.

    Triangles that only touch, or cross by less than a bound of the rounding errors, are not
    flagged.
    """
    flags = np.zeros(ones.shape[1], bool)
    for some in blocks(len(flags), _BLOCK):
        corners = (each[:, some].reshape(3, 3, -1) for each in (ones, others))
        seen = _seen_from_within(*corners)
        left = np.flatnonzero(_reach_planes(*seen))
        flags[some.start + left] = _edges_pass(*(_take_pairs(each, left) for each in seen))[0]
    return flags


def _corner_pairs(
    items: Triangles, ids: Ids, volumes: Triangles, numbers: Ids
) -> tuple[Floats, Floats]:
    """Return the corners of both triangles of each pair, (3 corners, 3 axes, h)."""
    ones, others = items.take_rows(ids), volumes.take_rows(numbers)
    return ones.reshape(3, 3, -1), others.reshape(3, 3, -1)


def _take_pairs(corners: Floats, pairs: Ids) -> Floats:
    """Return the corners (3 corners, 3 axes, h) of some pairs."""
    return gather(corners.reshape(9, -1), pairs).reshape(3, 3, -1)


def _quick_tests(ones: Floats, others: Floats) -> tuple[Flags, Ids]:
    """Flag the triangles that surely touch; return the pairs that no quick test decides.

    Tests of the two planes come first: they separate most pairs of crossing surfaces. They cannot
    separate triangles that share a corner.
    """
    flags = np.zeros(ones.shape[2], bool)
    seen = _seen_from_within(ones, others)
    left = np.flatnonzero(_reach_planes(*seen))
    ones, others = _take_pairs(ones, left), _take_pairs(others, left)
    shared = _share_a_corner(ones, others)
    flags[left[shared]] = True
    left = left[~shared & _bounds_meet(ones, others)]
    ones, others = (_take_pairs(corners, left) for corners in seen)
    pierced, passing = _edges_pass(ones, others)
    flags[left[pierced]] = True
    return flags, left[passing & ~pierced]


def _unseparated(ones: Floats, others: Floats) -> Flags:
    """Flag the triangles that no direction separates; their bounds must meet."""
    ones, others = _seen_from_within(ones, others)
    flags = _overlap_in_projection(ones, others)
    some = np.flatnonzero(flags)
    flags[some] = _overlap_on_products(_take_pairs(ones, some), _take_pairs(others, some))
    return flags


def _share_a_corner(ones: Floats, others: Floats) -> Flags:
    flags = np.zeros(ones.shape[2], bool)
    for one in ones:
        for other in others:
            flags |= (one[0] == other[0]) & (one[1] == other[1]) & (one[2] == other[2])
    return flags


def _bounds_meet(ones: Floats, others: Floats) -> Flags:
    apart = ones.min(axis=0) > others.max(axis=0)
    apart |= others.min(axis=0) > ones.max(axis=0)
    return ~apart.any(axis=0)


def _seen_from_within(ones: Floats, others: Floats) -> tuple[Floats, Floats]:
    """Return corners relative to the first one, scaled to about one by a power of two."""
    ones, others = ones - ones[0], others - ones[0]
    scale = power_of_two_scale(np.concatenate((ones, others)))
    return ones * scale, others * scale


def _reach_planes(ones: Floats, others: Floats) -> Flags:
    """Flag the pairs that neither triangle's plane surely separates."""
    return _reaches_plane(ones, others) & _reaches_plane(others, ones)


def _reaches_plane(ones: Floats, others: Floats) -> Flags:
    normal = cross(ones[1] - ones[0], ones[2] - ones[0])
    first, second, third = (dot(normal, other - ones[0]) for other in others)
    below = np.minimum(np.minimum(first, second), third) <= _PLANE
    return below & (np.maximum(np.maximum(first, second), third) >= -_PLANE)


def _edges_pass(ones: Floats, others: Floats) -> tuple[Flags, Flags]:
    """Flag the pairs in which an edge surely pierces a triangle, and the pairs that may touch.

    The gap of two edges along their product follows from the moments of their lines (Pluecker
    coordinates); the reach of the third corners, from the normals. An edge pierces a triangle if
    it passes all edges of the triangle on one side, and its ends are on both sides of the plane.
    """
    edges, moments, normal = _lines(ones)
    other_edges, other_moments, other_normal = _lines(others)
    apart = dot(edges[:, :, None], other_moments[:, None])
    apart += dot(other_edges[:, None], moments[:, :, None])
    reach, other_reach = dot(other_normal, edges), -dot(normal, other_edges)
    passing = apart + np.minimum(reach, 0.0)[:, None] <= np.maximum(other_reach, 0.0) + _PLANE
    passing &= apart + np.maximum(reach, 0.0)[:, None] >= np.minimum(other_reach, 0.0) - _PLANE
    within = (apart.min(axis=1) > _SURE) | (apart.max(axis=1) < -_SURE)
    pierced = within & _begin_and_end_apart(ones, others, other_normal)
    within = (apart.min(axis=0) > _SURE) | (apart.max(axis=0) < -_SURE)
    pierced |= within & _begin_and_end_apart(others, ones, normal)
    return pierced.any(axis=0), passing.all(axis=(0, 1))


def _begin_and_end_apart(corners: Floats, others: Floats, normal: Floats) -> Flags:
    """Flag the edges, (3, h), whose ends surely lie on both sides of the other plane."""
    heights = dot(normal, corners.swapaxes(0, 1) - others[0][:, None])
    sides = (heights > _SURE).view(np.int8) - (heights < -_SURE).view(np.int8)
    return sides * np.roll(sides, -1, axis=0) < 0


def _lines(corners: Floats) -> tuple[Floats, Floats, Floats]:
    """Return the edges and their moments about the origin, (3 axes, 3, h), and the normals."""
    starts = corners.swapaxes(0, 1)
    edges = np.roll(starts, -1, axis=1) - starts
    return edges, cross(edges, starts), cross(edges[:, 0], edges[:, 1])


def _overlap_in_projection(ones: Floats, others: Floats) -> Flags:
    """Flag the pairs that no product of an edge and an axis separates."""
    flags = np.ones(ones.shape[2], bool)
    for edge in np.concatenate((_edges_of(ones), _edges_of(others))):
        products = np.zeros((3, *edge.shape))
        for axis, (i, j) in enumerate(OTHER_AXES):
            products[axis, i], products[axis, j] = edge[j], -edge[i]
        flags &= overlap_along(products, ones, others, _PROJECTION)
    return flags


def _overlap_on_products(ones: Floats, others: Floats) -> Flags:
    """Flag the pairs that neither a normal nor a product of two edges separates."""
    edges, other_edges = _edges_of(ones), _edges_of(others)
    normals = np.stack([exact_cross(each[0], each[1]) for each in (edges, other_edges)])
    flags = overlap_along(normals, ones, others, _PROJECTION)
    for edge in edges:
        products = exact_cross(edge[:, None], other_edges.swapaxes(0, 1)).swapaxes(0, 1)
        flags &= overlap_along(products, ones, others, _PROJECTION)
    return flags


def _edges_of(corners: Floats) -> Floats:
    """Return the edges of triangles (3 corners, 3 axes, h), from each corner to the next."""
    return np.roll(corners, -1, axis=0) - corners


def triangles_near_triangles(
    items: Triangles, ids: Ids, volumes: Triangles, numbers: Ids, margin: float
) -> Flags:
    """Flag the triangles no farther apart than the margin; exact in whole numbers."""
    flags = triangles_touch_triangles(items, ids, volumes, numbers)
    apart = np.flatnonzero(~flags)
    for some in blocks(len(apart), _BLOCK):
        pairs = apart[some]
        ones, others = _corner_pairs(items, ids[pairs], volumes, numbers[pairs])
        hulls = ones.swapaxes(0, 1), TRIANGLE, others.swapaxes(0, 1), TRIANGLE
        flags[pairs] = near(*hulls, np.full(len(pairs), margin))
    return flags
