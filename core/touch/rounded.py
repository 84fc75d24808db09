"""Tests of rounded boxes (boxes, spheres and regions), by gaps against radii.

A squared gap between two rounded boxes is compared with the squared sum of radii: Arvo, "A Simple
Method for Box-Sphere Intersection Testing", Graphics Gems, 1990. Triangles are tested against
regions by the distance of convex hulls. An item lies inside if the spheres at its corners lie
inside, borders included.
"""

import numpy as np

from ..arrays import Flags, Floats, Ids, dot, flagged, gather
from ..shapes import Regions, Shapes, Triangles
from .convex_distance import TRIANGLE, near_boxes
from .separating_axis import decided_by_closest_point
from .triangle_boxes import meet_boxes
from .triangles import bounding_spheres_of

# Error bound of squares: the closest point of a box is exact.
_EXACT = np.zeros(1)


def rounded_touch_rounded(items: Shapes, ids: Ids, volumes: Shapes, numbers: Ids) -> Flags:
    """Flag the pairs whose inner boxes are no farther apart than the sum of the radii."""
    ours, our_radii = items.box_and_radius(ids)
    theirs, their_radii = volumes.box_and_radius(numbers)
    squares = np.zeros(len(ids))
    for axis in range(3):
        gap = ours[0, axis] - theirs[-1, axis]
        np.maximum(gap, theirs[0, axis] - ours[-1, axis], out=gap)
        np.maximum(gap, 0.0, out=gap)
        squares += gap * gap
    return squares <= (our_radii + their_radii) ** 2


def boxes_touch_boxes(items: Shapes, ids: Ids, volumes: Shapes, numbers: Ids) -> Flags:
    """Flag the boxes that overlap on all three axes; the first axis excludes most pairs."""
    flags = _overlap(0, items, ids, volumes, numbers)
    (some,) = flags.nonzero()
    ids, numbers = ids.take(some), numbers.take(some)
    closer = _overlap(1, items, ids, volumes, numbers)
    closer &= _overlap(2, items, ids, volumes, numbers)
    flags[some] = closer
    return flags


def _overlap(axis: int, items: Shapes, ids: Ids, volumes: Shapes, numbers: Ids) -> Flags:
    """Flag the boxes that overlap on one axis."""
    ours, theirs = items.rows, volumes.rows
    flags = ours[axis].take(ids) <= theirs[3 + axis].take(numbers)
    flags &= ours[3 + axis].take(ids) >= theirs[axis].take(numbers)
    return flags


def spheres_touch_spheres(items: Shapes, ids: Ids, volumes: Shapes, numbers: Ids) -> Flags:
    """Flag the spheres whose centers are no farther apart than the sum of the radii."""
    one, other = items.take_rows(ids), volumes.take_rows(numbers)
    apart = one[:3] - other[:3]
    return dot(apart, apart) <= (one[3] + other[3]) ** 2


def triangles_touch_regions(items: Triangles, ids: Ids, volumes: Regions, numbers: Ids) -> Flags:
    """Flag the triangles no farther from the region's inner box than its radius.

    The point of the box that is nearest to the triangle's bounding sphere decides most pairs.
    """
    regions, spheres = gather(volumes.rows, numbers), bounding_spheres_of(items, ids, len(volumes))
    feet = np.clip(spheres[:3], regions[:3], regions[3:6])
    toward = spheres[:3] - feet
    some = np.flatnonzero(dot(toward, toward) <= (spheres[3] + regions[6]) ** 2)
    regions, corners = gather(regions, some), items.take_rows(ids[some]).reshape(3, 3, -1)
    found, far = decided_by_closest_point(
        gather(feet, some), gather(toward, some), corners, regions[6] * regions[6], _EXACT
    )
    rest = np.flatnonzero(~found & ~far)
    found[rest] = _triangles_near(corners[:, :, rest], regions[:, rest])
    return flagged(len(ids), some, found)


def _triangles_near(corners: Floats, regions: Floats) -> Flags:
    lower, upper, radii = regions[:3], regions[3:6], regions[6]
    flags = meet_boxes(corners, lower, upper)
    rest = np.flatnonzero(~flags & (radii > 0))
    half = (upper - lower)[:, rest] / 2
    seen = corners[:, :, rest] - lower[:, rest]
    seen -= half
    flags[rest] = near_boxes(seen.swapaxes(0, 1), TRIANGLE, half, radii[rest])
    return flags


def rounded_in_rounded(items: Shapes, ids: Ids, volumes: Shapes, numbers: Ids) -> Flags:
    """Flag the boxes, spheres and regions that lie in the box, sphere or region."""
    sides, radii = items.box_and_radius(ids)
    boxes, their_radii = volumes.box_and_radius(numbers)
    # The largest overhang of a corner on each axis; one corner has the largest on all three.
    beyond = np.maximum(boxes[0] - sides[0], sides[-1] - boxes[-1])
    return sphere_held(beyond, their_radii - radii)


def triangles_in_rounded(items: Shapes, ids: Ids, volumes: Shapes, numbers: Ids) -> Flags:
    """Flag the triangles with all corners in the box, sphere or region."""
    corners, _ = items.corners_and_radius(ids)
    boxes, radii = volumes.box_and_radius(numbers)
    flags = np.ones(len(ids), bool)
    for corner in corners:
        flags &= sphere_held(np.maximum(boxes[0] - corner, corner - boxes[-1]), radii)
    return flags


def sphere_held(beyond: Floats, spare: Floats) -> Flags:
    """Flag the spheres that lie in a rounded box.

    `beyond`, (3, h), is the distance of the sphere's center beyond the inner box on each axis,
    negative within; `spare` is the box's radius minus the sphere's. If `spare` is negative, the
    center must lie at least as deep in the inner box on each axis.
    """
    beside = np.maximum(beyond, 0.0)
    near = dot(beside, beside) <= spare * spare
    return np.where(spare >= 0, near, (beyond <= spare).all(axis=0))
