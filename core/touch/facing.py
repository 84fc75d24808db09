"""Triangles against triangles, those that are a segment or a point included.

Any direction on which the two do not overlap separates them, so no answer hangs on how well a
direction was computed; only what projecting on it may round is granted. Two triangles that do not
touch are separated by an axis, a normal, or the product of an edge of each; if they lie in one
plane or on one line, by the product of an edge and an axis (Gottschalk, Lin and Manocha,
"OBBTree", 1996; in a plane, the same theorem holds for the projections along the axes).
"""

import numpy as np

from ..arrays import OTHER_AXES, Flags, Floats, Ids, blocks, cross, dot, gather, power_of_two_scale
from ..shapes import Triangles

# Pairs whose directions are tried together.
_BLOCK = 4_096
# In coordinates of about one: what rounding does to a distance from a plane, and, as a part of a
# direction's length, to a projection on it.
_PLANE, _PROJECTION = 2.0**-44, 2.0**-49


def triangles_touch_triangles(
    items: Triangles, ids: Ids, volumes: Triangles, numbers: Ids
) -> Flags:
    """Return which triangles share a point; exact in whole numbers."""
    flags, doubtful = np.empty(len(ids), bool), [np.empty(0, np.intp)]
    for some in blocks(len(ids), _BLOCK):
        ones, others = corner_pairs(items, ids[some], volumes, numbers[some])
        flags[some], left = _at_a_glance(ones, others)
        doubtful.append(some.start + left)
    left = np.concatenate(doubtful)
    for some in blocks(len(left), _BLOCK):
        pairs = left[some]
        ones, others = corner_pairs(items, ids[pairs], volumes, numbers[pairs])
        flags[pairs] = _unparted(ones, others)
    return flags


def corner_pairs(
    items: Triangles, ids: Ids, volumes: Triangles, numbers: Ids
) -> tuple[Floats, Floats]:
    """Return the corners of both triangles of each pair, (3 corners, 3 axes, h)."""
    ones, others = items.take_rows(ids), volumes.take_rows(numbers)
    return ones.reshape(3, 3, -1), others.reshape(3, 3, -1)


def take_columns(corners: Floats, pairs: Ids) -> Floats:
    """Return the corners (3 corners, 3 axes, h) of some pairs."""
    return gather(corners.reshape(9, -1), pairs).reshape(3, 3, -1)


def _at_a_glance(ones: Floats, others: Floats) -> tuple[Flags, Ids]:
    """Return which triangles share a corner, and which of the others nothing simple parts."""
    flags = _share_a_corner(ones, others)
    left = np.flatnonzero(~flags & _bounds_meet(ones, others))
    ones, others, _ = seen_from_within(take_columns(ones, left), take_columns(others, left))
    for test in (_reach_planes, _pass_each_other):
        some = np.flatnonzero(test(ones, others))
        left, ones, others = left[some], take_columns(ones, some), take_columns(others, some)
    return flags, left


def _unparted(ones: Floats, others: Floats) -> Flags:
    """Return which triangles no direction parts, given that their bounds meet."""
    ones, others, _ = seen_from_within(ones, others)
    flags = _overlap_in_projection(ones, others)
    some = np.flatnonzero(flags)
    flags[some] = _overlap_on_products(take_columns(ones, some), take_columns(others, some))
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


def seen_from_within(ones: Floats, others: Floats) -> tuple[Floats, Floats, Floats]:
    """Return the corners relative to one of them and scaled to about one; and the scale, (h,).

    It is a power of two, so no bit is lost.
    """
    ones, others = ones - ones[0], others - ones[0]
    scale = power_of_two_scale(np.concatenate((ones, others)))
    return ones * scale, others * scale, scale


def _reach_planes(ones: Floats, others: Floats) -> Flags:
    """Return which pairs are not surely parted by the plane of one of them."""
    return _reaches_plane(ones, others) & _reaches_plane(others, ones)


def _reaches_plane(ones: Floats, others: Floats) -> Flags:
    normal = cross(ones[1] - ones[0], ones[2] - ones[0])
    first, second, third = (dot(normal, other - ones[0]) for other in others)
    below = np.minimum(np.minimum(first, second), third) <= _PLANE
    return below & (np.maximum(np.maximum(first, second), third) >= -_PLANE)


def _pass_each_other(ones: Floats, others: Floats) -> Flags:
    """Return which pairs no product of two edges surely parts.

    How far apart two edges are along their product follows from the moments of their lines
    (Pluecker coordinates), how far the third corners reach from the normals.
    """
    lines, other_lines = _lines(ones), _lines(others)
    normal, other_normal = (cross(edges[0][0], edges[1][0]) for edges in (lines, other_lines))
    reaches = [-dot(normal, edge) for edge, _ in other_lines]
    lows = [np.minimum(reach, 0.0) - _PLANE for reach in reaches]
    highs = [np.maximum(reach, 0.0) + _PLANE for reach in reaches]
    flags = np.ones(ones.shape[2], bool)
    for edge, moment in lines:
        reach = dot(other_normal, edge)
        least, greatest = np.minimum(reach, 0.0), np.maximum(reach, 0.0)
        for (other, other_moment), low, high in zip(other_lines, lows, highs, strict=True):
            apart = dot(edge, other_moment) + dot(other, moment)
            flags &= (apart + least <= high) & (apart + greatest >= low)
    return flags


def _lines(corners: Floats) -> list[tuple[Floats, Floats]]:
    """Return each edge, and its moment about the origin."""
    return [
        (edge, cross(edge, start)) for edge, start in zip(edges_of(corners), corners, strict=True)
    ]


def _overlap_in_projection(ones: Floats, others: Floats) -> Flags:
    """Return which pairs no product of an edge and an axis parts."""
    flags = np.ones(ones.shape[2], bool)
    for edge in np.concatenate((edges_of(ones), edges_of(others))):
        for i, j in OTHER_AXES:
            direction = np.zeros_like(edge)
            direction[i], direction[j] = edge[j], -edge[i]
            flags &= _overlap(direction, ones, others)
    return flags


def _overlap_on_products(ones: Floats, others: Floats) -> Flags:
    """Return which pairs neither a normal nor a product of two edges parts."""
    edges, other_edges = edges_of(ones), edges_of(others)
    flags = _overlap(exact_cross(edges[0], edges[1]), ones, others)
    flags &= _overlap(exact_cross(other_edges[0], other_edges[1]), ones, others)
    for edge in edges:
        for other in other_edges:
            flags &= _overlap(exact_cross(edge, other), ones, others)
    return flags


def _overlap(direction: Floats, ones: Floats, others: Floats) -> Flags:
    here = np.stack([dot(direction, one) for one in ones])
    there = np.stack([dot(direction, other) for other in others])
    reach = _PROJECTION * np.abs(direction).sum(axis=0)
    return (here.min(axis=0) <= there.max(axis=0) + reach) & (
        there.min(axis=0) <= here.max(axis=0) + reach
    )


def edges_of(corners: Floats) -> Floats:
    """Return the edges of triangles (3 corners, 3 axes, h), from each corner to the next."""
    return np.roll(corners, -1, axis=0) - corners


def exact_cross(a: Floats, b: Floats) -> Floats:
    """Return cross products (3, h) whose every digit counts, of nearly parallel vectors too.

    The rounding of each product is computed and put back: T. J. Dekker, "A Floating-Point
    Technique for Extending the Available Precision", 1971.
    """
    (a_high, a_low), (b_high, b_low) = _halves(a), _halves(b)

    def product(i: int, j: int) -> tuple[Floats, Floats]:
        rounded = a[i] * b[j]
        lost = a_high[i] * b_high[j] - rounded
        lost += a_high[i] * b_low[j]
        lost += a_low[i] * b_high[j]
        lost += a_low[i] * b_low[j]
        return rounded, lost

    rows = []
    for i, j in OTHER_AXES:
        (one, one_lost), (other, other_lost) = product(i, j), product(j, i)
        rows.append((one - other) + (one_lost - other_lost))
    return np.stack(rows)


def _halves(numbers: Floats) -> tuple[Floats, Floats]:
    """Return the leading 26 bits of each number, and the rest."""
    wide = numbers * (2.0**27 + 1)
    high = wide - (wide - numbers)
    return high, numbers - high
