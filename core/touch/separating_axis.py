"""Separating axes (SAT): of boxes and segments or oriented boxes, and along one direction.

Gottschalk, Lin and Manocha, "OBBTree: A Hierarchical Structure for Rapid Interference Detection",
1996: the axes of both, and the cross products of an axis of each.
"""

from collections.abc import Iterator
from itertools import chain

import numpy as np

from ..arrays import OTHER_AXES, Flags, Floats, dot, power_of_two_scale, project

# Rounding of a projection of points on an axis, as a part of the largest of their coordinates and
# of the sum of the axis's: less than 20 roundings of 2**-53, those of the coordinates included.
ROUNDING = 2.0**-48


def grown(half: Floats, *points: Floats) -> Floats:
    """Return the half sizes (3, h) of boxes, grown by what rounding may do to a projection.

    `points` (..., h) are all coordinates that are projected with the box, seen from its center.
    Along an axis `d` the box reaches farther by `ROUNDING`, times the largest coordinate, times
    `abs(d[0]) + abs(d[1]) + abs(d[2])`.
    """
    largest = half.max(axis=0)
    for some in points:
        largest = np.maximum(largest, np.abs(some).max(axis=tuple(range(some.ndim - 1))))
    return half + ROUNDING * largest


def overlap_along(axes: Floats, ones: Floats, others: Floats, slack: Floats | float) -> Flags:
    """Return which hulls of points (p, 3, h) overlap on all of the axes (a, 3, h), (h,).

    Any axis may separate two hulls: `slack` is what rounding may do to a projection, as a part of
    the sum of the axis's coordinates, so no answer depends on how well the axis was computed.
    """
    here, there = project(axes, ones), project(axes, others)
    reach = slack * np.abs(axes).sum(axis=1)
    met = here.min(axis=0) <= there.max(axis=0) + reach
    met &= there.min(axis=0) <= here.max(axis=0) + reach
    return met.all(axis=0)


def separated(
    half: Floats, middle: Floats, axes: Floats, reach: Floats, radii: Floats
) -> tuple[Flags, Flags]:
    """Return where an axis separates two solids, and where by more than a radius, (h,) each.

    One is a box of half sizes `half`, (3, h), around the origin; the other extends from `middle`,
    (3, h), `reach` times, (k, h), along perpendicular `axes`, (k, 3, h): three of an oriented box,
    or one of a segment. Solids that are not apart share a point, those that are far are farther
    apart than the radius; the rest lie apart, at a distance that is not known.
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
    """Return where a cross product of edges separates two solids, as `separated` does.

    Half sizes must be grown by more than rounding, as cells are by the slack of a question.
    """
    apart = np.zeros(half.shape[1], bool)
    for gap, _ in _along_products(half, middle, axes, reach):
        apart |= gap > 0
    return apart


def _along_axes(
    half: Floats, middle: Floats, axes: Floats, reach: Floats
) -> Iterator[tuple[Floats, Floats]]:
    """Yield how far the solids lie apart along the axes of each, and the squared axes, (h,)."""
    one = np.ones(half.shape[1])
    for axis in range(3):
        yield np.abs(middle[axis]) - half[axis] - (reach * np.abs(axes[:, axis])).sum(axis=0), one
    for direction, size in zip(axes, reach, strict=True):
        length = dot(direction, direction)
        yield np.abs(dot(middle, direction)) - dot(half, np.abs(direction)) - size * length, length


def _along_products(
    half: Floats, middle: Floats, axes: Floats, reach: Floats
) -> Iterator[tuple[Floats, Floats]]:
    """Yield the same along the cross products of an axis of each."""
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
    """Return which hulls of points (p, 3, h) are surely near a solid, and which surely far.

    `feet` are one point of each solid, `toward` directions in which no point of it lies farther
    than that, (3, h). Near: a corner is no farther from the foot than the radius; the square of
    the radius is known up to `doubt`. Far: all corners are farther than that along the direction.
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
    # The gap is at most as long as the farthest corner is away, so this bounds its rounding, too.
    beyond = squared + doubt + ROUNDING * farthest
    return close, (gap > 0) & (gap * gap > beyond * dot(toward, toward))
