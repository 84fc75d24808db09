"""Exact tests of triangles against axis-aligned boxes, by separating axes (SAT).

Akenine-Moller, "Fast 3D Triangle-Box Overlap Testing", 2001: the box's axes, the triangle's
normal, and the nine cross products of their edges. Floats decide pairs beyond a proven bound of
their rounding errors.

The other pairs are decided by orientations of points (J. R. Shewchuk, "Adaptive Precision
Floating-Point Arithmetic and Fast Robust Geometric Predicates", 1997): first in intervals, which
have no width if factors are 0, as for faces along walls, and then in whole numbers.
"""

from collections.abc import Iterator

import numpy as np

from ..arrays import OTHER_AXES, Flags, Floats, cross, dot, flagged, power_of_two_scale
from ..whole import Wholes, whole_numbers

# Rounding errors of projections of points with coordinates up to 1. On a product of a box's edge
# and a triangle's edge, as a part of the sum of the axis's coordinates: 16 roundings of 2**-53. On
# the normal, with edges' coordinates up to 1, too: 100 roundings.
_EDGE, _PLANE = 2.0**-48, 2.0**-46
# Rounding of a sum of products of differences, as a part of its terms: 5 roundings of 2**-53.
_TERMS = 2.0**-50
# For coordinates of about 1: products of three may underflow if coordinates are smaller than
# _TINY, and projections if edges are smaller than _TINIEST.
_TINY, _TINIEST = 2.0**-240, 2.0**-900
# Coordinates between these neither overflow nor lose bits when they are scaled or halved.
_LEAST, _MOST = 2.0**-900, 2.0**900

_I, _J = np.array(OTHER_AXES).T
_NEXT, _BEFORE = np.array([[1, 2, 0], [2, 0, 1]])


def meet_boxes(corners: Floats, lower: Floats, upper: Floats) -> Flags:
    """Flag the triangles (3, 3, h) that share a point with boxes, given by two corners (3, h)."""
    above, below = corners >= lower, corners <= upper
    found = (above & below).all(axis=1).any(axis=0)
    reach = above.any(axis=0).all(axis=0) & below.any(axis=0).all(axis=0)
    (rest,) = (reach & ~found).nonzero()
    some = corners[:, :, rest], lower[:, rest], upper[:, rest]
    overlap, doubt = _axes_overlap(*some)
    (left,) = doubt.nonzero()
    if len(left):
        overlap[left] = _surely_meet(*(rows[..., left] for rows in some))
    found[rest] = overlap
    return found


def _axes_overlap(corners: Floats, lower: Floats, upper: Floats) -> tuple[Flags, Flags]:
    """Flag the triangles that surely meet boxes, and the doubtful ones.

    Bounds must overlap. Coordinates are made relative to the box's lower corner, then to its
    middle, so that rounding errors are proportional to distances, however far the origin is.
    """
    half = (upper - lower) / 2
    seen = corners - lower
    seen -= half
    edges = corners[_NEXT]
    edges -= corners
    is_flat = edges == 0
    seen_scale, is_safe = _unit(seen, half)
    edge_scale, is_long = _unit(edges)
    half *= seen_scale
    seen *= seen_scale
    edges *= edge_scale
    is_tiny = np.abs(edges) < _TINIEST
    is_tiny &= ~is_flat
    is_safe &= is_long & ~is_tiny.any(axis=(0, 1))
    normal = cross(edges[0], edges[1])
    gap = np.abs(dot(seen[0], normal))
    gap -= dot(half, np.abs(normal))
    doubt = ~is_safe | (np.abs(gap) <= _PLANE)
    (left,) = ((gap <= _PLANE) & is_safe).nonzero()
    apart, unsure = _edges_separate(edges[..., left], seen[..., left], half[:, left])
    doubt[left] = ~apart & (doubt[left] | unsure)
    return flagged(len(doubt), left, ~apart & ~doubt[left]), doubt


def _unit(*points: Floats) -> tuple[Floats, Flags]:
    """Return powers of two that make coordinates (..., 3, h) at most 1, and flag the safe ones."""
    sizes = [np.abs(rows).max(axis=tuple(range(rows.ndim - 1))) for rows in points]
    largest = np.max(sizes, axis=0)
    return power_of_two_scale(largest[None]), (largest >= _LEAST) & (largest <= _MOST)


def _edges_separate(edges: Floats, corners: Floats, half: Floats) -> tuple[Flags, Flags]:
    """Flag the triangles that a product of edges surely separates, and those it may separate."""
    apart, unsure = np.zeros((2, half.shape[1]), bool)
    for (i, j), (least, greatest), (one, other) in edge_projections(edges, corners):
        np.negative(greatest, out=greatest)
        gap = np.maximum(least, greatest, out=least)
        gap -= half[i] * other
        gap -= half[j] * one
        slack = np.add(one, other, out=greatest)
        slack *= _EDGE
        apart |= (gap > slack).any(axis=0)
        gap += slack
        unsure |= (gap > 0).any(axis=0)
    return apart, unsure


def edge_projections(
    edges: Floats, corners: Floats
) -> Iterator[tuple[tuple[int, int], tuple[Floats, Floats], tuple[Floats, Floats]]]:
    """Yield extents of triangles along products of their three edges and an axis, axis by axis.

    Yields the other two axes; the least and greatest projections of the corners, (3, h) each; and
    the sizes of the edges along these two axes, (3, h) each.
    """
    opposites = corners[_BEFORE]
    for i, j in OTHER_AXES:
        one, other = edges[:, i], edges[:, j]
        on_edge, beside = one * corners[:, j], one * opposites[:, j]
        on_edge -= other * corners[:, i]
        beside -= other * opposites[:, i]
        extent = np.minimum(on_edge, beside), np.maximum(on_edge, beside)
        yield (i, j), extent, (np.abs(one), np.abs(other))


def _surely_meet(corners: Floats, lower: Floats, upper: Floats) -> Flags:
    """Flag the triangles that meet boxes, exactly; their bounds must overlap."""
    points = np.concatenate((corners, lower[None], upper[None]))
    # Each axis may have a scale of its own: scales do not change whether solids meet.
    scaled = points * power_of_two_scale(points.reshape(5, -1)).reshape(3, -1)
    surely, maybe = _separated(*_differences(scaled))
    is_tiny = ((np.abs(scaled) < _TINY) & (points != 0)).any(axis=(0, 1))
    (left,) = ((maybe & ~surely) | is_tiny).nonzero()
    if len(left):
        wholes, _ = whole_numbers(points[:, :, left])
        maybe[left], _ = _separated(*_differences(wholes))
    return ~maybe


def _differences(points: Floats | Wholes) -> tuple[Floats, Floats, Floats]:
    """Return edges, and lower and upper box corners relative to triangle corners, (3, 3, h)."""
    corners = points[:3]
    return np.roll(corners, -1, axis=0) - corners, points[3] - corners, points[4] - corners


def _separated(edges: Floats, low: Floats, high: Floats) -> tuple[Flags, Flags]:
    """Flag the triangles that are surely separated from boxes, and the possibly separated ones.

    Projected along each axis, a box is a rectangle. It lies beside the projected triangle if the
    whole rectangle is on the outer side of an edge. Edges of triangles without area have two
    outer sides.
    """
    ones, others = edges[:, _I], edges[:, _J]
    normal = _between(edges[0, _I] * edges[1, _J], -(edges[0, _J] * edges[1, _I]))
    first = ones * low[:, _J], ones * high[:, _J]
    second = -(others * low[:, _I]), -(others * high[:, _I])
    most = _between(np.maximum(*first), np.maximum(*second))
    least = _between(np.minimum(*first), np.minimum(*second))
    surely, maybe = (
        np.asarray(flags.any(axis=(0, 1)), bool)
        for flags in (
            ((normal[0] >= 0) & (most[1] < 0)) | ((normal[1] <= 0) & (least[0] > 0)),
            ((normal[1] >= 0) & (most[0] < 0)) | ((normal[0] <= 0) & (least[1] > 0)),
        )
    )
    for facing in (normal, (-normal[1], -normal[0])):
        lowest, highest = _reach(facing, low[0], high[0])
        surely |= np.asarray(highest < 0, bool)
        maybe |= np.asarray(lowest < 0, bool)
    return surely, maybe


def _reach(normal: tuple[Floats, Floats], low: Floats, high: Floats) -> tuple[Floats, Floats]:
    """Return bounds of the extents of boxes along normals (3, h), which are given as bounds."""
    reaches = [np.maximum(side * low, side * high) for side in normal]
    shortest = np.minimum(*reaches)
    if low.dtype != object:
        # The reach is a convex function of the normal's coordinate, with its minimum at 0.
        shortest = np.where((normal[0] < 0) & (normal[1] > 0), np.minimum(shortest, 0.0), shortest)
    return _between(*shortest)[0], _between(*np.maximum(*reaches))[1]


def _between(*terms: Floats) -> tuple[Floats, Floats]:
    """Return lower and upper bounds of sums of products; equal ones for whole numbers."""
    total, size = terms[0], np.abs(terms[0])
    for term in terms[1:]:
        total, size = total + term, size + np.abs(term)
    if total.dtype == object:
        return total, total
    slack = size * _TERMS
    return total - slack, total + slack
