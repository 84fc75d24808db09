"""Separating axis tests (SAT) of boxes with segments or oriented boxes, and on given axes.

Gottschalk, Lin and Manocha, "OBBTree: A Hierarchical Structure for Rapid Interference Detection",
1996: the axes of both solids, and the cross products of an axis of each.
"""

from collections.abc import Iterator
from itertools import chain

import numpy as np

from ..arrays import OTHER_AXES, Flags, Floats, dot, power_of_two_scale, project

# Rounding error of a projection of points on an axis, as a part of the largest coordinate of the
# points times the sum of the axis's coordinates: less than 20 roundings of 2**-53, rounding of the
# points included.
ROUNDING = 2.0**-48


def grown(half: Floats, *points: Floats) -> Floats:
    """Return half sizes (3, h) of boxes, grown by the rounding error of projections.

    `points` (..., h) are all coordinates that are projected with the box, relative to its center.
    Along an axis `d` the box reaches farther by `ROUNDING`, times the largest coordinate, times
    `abs(d[0]) + abs(d[1]) + abs(d[2])`.
    """
    largest = half.max(axis=0)
    for some in points:
        largest = np.maximum(largest, np.abs(some).max(axis=tuple(range(some.ndim - 1))))
    return half + ROUNDING * largest


def overlap_along(axes: Floats, ones: Floats, others: Floats, slack: Floats | float) -> Flags:
    """Flag the hulls of points (p, 3, h) that overlap on all axes (a, 3, h), (h,).

    `slack` is the rounding error of projections, as a part of the sum of the axis's coordinates.
    Any axis may separate two hulls, so no result depends on the precision of the axes.
    """
    here, there = project(axes, ones), project(axes, others)
    reach = slack * np.abs(axes).sum(axis=1)
    met = here.min(axis=0) <= there.max(axis=0) + reach
    met &= there.min(axis=0) <= here.max(axis=0) + reach
    return met.all(axis=0)


def separated(
    half: Floats, middle: Floats, axes: Floats, reach: Floats, radii: Floats
) -> tuple[Flags, Flags]:
    """Flag the solids that an axis separates, and that it separates by more than a radius, (h,).

    One solid is a box with half sizes `half`, (3, h), around the origin. The other has the center
    `middle`, (3, h), and extends by `reach`, (k, h), along perpendicular `axes`, (k, 3, h): three
    axes of an oriented box, or one of a segment.

    Solids without the first flag share a point; solids with the second flag are farther apart than
    the radius. The others are disjoint, at an unknown distance.
    """
    apart, far = np.zeros((2, half.shape[1]), bool)
    solids = grown(half, middle, reach * axes.swapaxes(0, 1)), middle, axes, reach
    squared = radii * radii
    for gap, length in chain(_along_axes(*solids), _along_products(*solids)):
        beyond = gap > 0
        apart |= beyond
        far |= beyond & (gap * gap > squared * length)
    return apart, far


def separated_by_edges(half: Floats, middle: Floats, axes: Floats, reach: Floats) -> Flags:
    """Flag the solids that a cross product of axes separates; arguments as for `separated`.

    Half sizes must already be grown by more than the rounding error of projections.
    """
    apart = np.zeros(half.shape[1], bool)
    for gap, _ in _along_products(half, middle, axes, reach):
        apart |= gap > 0
    return apart


def _along_axes(
    half: Floats, middle: Floats, axes: Floats, reach: Floats
) -> Iterator[tuple[Floats, Floats]]:
    """Yield gaps of the solids along the axes of both, and the squared lengths of axes, (h,)."""
    one = np.ones(half.shape[1])
    for axis in range(3):
        yield np.abs(middle[axis]) - half[axis] - (reach * np.abs(axes[:, axis])).sum(axis=0), one
    for direction, size in zip(axes, reach, strict=True):
        length = dot(direction, direction)
        yield np.abs(dot(middle, direction)) - dot(half, np.abs(direction)) - size * length, length


def _along_products(
    half: Floats, middle: Floats, axes: Floats, reach: Floats
) -> Iterator[tuple[Floats, Floats]]:
    """Yield gaps and squared lengths, as `_along_axes`, for cross products of an axis of each."""
    sizes = np.abs(axes)
    for number, (direction, size) in enumerate(zip(axes, sizes, strict=True)):
        for j, k in OTHER_AXES:
            gap = np.abs(middle[k] * direction[j] - middle[j] * direction[k])
            gap -= half[j] * size[k] + half[k] * size[j]
            for other in set(range(len(axes))) - {number}:
                beside = axes[other, k] * direction[j] - axes[other, j] * direction[k]
                gap -= reach[other] * np.abs(beside)
            yield gap, direction[j] * direction[j] + direction[k] * direction[k]


def decided_by_closest_point(
    feet: Floats, toward: Floats, points: Floats, squared: Floats, doubt: Floats
) -> tuple[Flags, Flags]:
    """Flag the hulls of points (p, 3, h) that are surely near a solid, and the surely far ones.

    `feet`, (3, h), are one point of each solid, and `toward`, (3, h), directions in which no point
    of the solid lies farther than its foot. A hull is near if a corner is within the radius of the
    foot, and far if all corners are farther than the radius along the direction. `squared` is the
    squared radius, `doubt` the error of squared distances.
    """
    toward = toward * power_of_two_scale(toward)
    close, gap = np.zeros(len(squared), bool), np.full(len(squared), np.inf)
    farthest = np.zeros(len(squared))
    for point in points:
        apart = point - feet
        square = dot(apart, apart)
        close |= square <= squared - doubt
        np.minimum(gap, dot(apart, toward), out=gap)
        np.maximum(farthest, square, out=farthest)
    # The gap is at most the distance of the farthest corner, which therefore bounds its rounding.
    beyond = squared + doubt + ROUNDING * farthest
    return close, (gap > 0) & (gap * gap > beyond * dot(toward, toward))
