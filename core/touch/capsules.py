"""Capsules (swept spheres) against items: distances of segments against radii."""

import numpy as np

from ..arrays import (
    Flags,
    Floats,
    Ids,
    cross,
    dot,
    flagged,
    gather,
    power_of_two_scale,
    robust_cross,
)
from ..shapes import Capsules, Shapes, Triangles
from .convex_distance import POINT, SEGMENT, TRIANGLE, near, near_boxes
from .separating_axis import decided_by_closest_point, separated
from .triangles import bounding_spheres_of, within_spans

# Rounding of a squared distance, as a part of the squared lengths that enter it.
_ROUNDING = 2.0**-44
# Triangles thinner than this part of their length are tested at their edges only.
_THINNEST = 2.0**-34


def touched_by_triangles(items: Triangles, ids: Ids, volumes: Capsules, numbers: Ids) -> Flags:
    """Flag the triangles within the radius of the segment, or pierced by the segment.

    The point of the segment that is nearest to the triangle's bounding sphere decides most pairs.
    """
    capsules = gather(volumes.rows, numbers)
    spheres = bounding_spheres_of(items, ids, len(volumes))
    # Relative to the starts of the segments, coordinates are as small as the shapes.
    middles = spheres[:3] - capsules[:3]
    feet, doubt = feet_of(middles, capsules)
    toward = middles - feet
    some = np.flatnonzero(dot(toward, toward) - doubt <= (spheres[3] + capsules[6]) ** 2)
    capsules, corners = gather(capsules, some), items.take_rows(ids[some]).reshape(3, 3, -1)
    feet, toward, squared = gather(feet, some), gather(toward, some), capsules[6] * capsules[6]
    seen = corners - capsules[:3]
    found, far = decided_by_closest_point(feet, toward, seen, squared, doubt[some])
    rest = np.flatnonzero(~found & ~far)
    found[rest] = _triangles_near(corners[:, :, rest].swapaxes(0, 1), capsules[:, rest])
    return flagged(len(ids), some, found)


def feet_of(points: Floats, capsules: Floats) -> tuple[Floats, Floats]:
    """Return the points of segments nearest to points (3, h), and error bounds of squares.

    Both kinds of points are relative to the starts of the segments. The bound, (h,), limits the
    rounding error of the squared distance between the two.
    """
    along = capsules[3:6] - capsules[:3]
    length = dot(along, along)
    share: Floats = np.zeros_like(length)
    np.divide(dot(points, along), length, out=share, where=length > 0)
    np.clip(share, 0.0, 1.0, out=share)
    doubt = _ROUNDING * (dot(points, points) + length + capsules[6] * capsules[6])
    return share * along, doubt


def spans_of(segments: Floats) -> tuple[Floats, Floats, Floats]:
    """Return middles and directions of segments (2, 3, h), and half lengths in directions."""
    along = (segments[1] - segments[0]) / 2
    scale = power_of_two_scale(along)
    return segments[0] + along, along * scale, 1 / scale


def _triangles_near(corners: Floats, capsules: Floats) -> Flags:
    segments = capsules[:6].reshape(2, 3, -1).swapaxes(0, 1)
    flags = near(segments, SEGMENT, corners, TRIANGLE, capsules[6])
    rest = np.flatnonzero(~flags)
    flags[rest] = _pierced(corners[:, :, rest], segments[:, :, rest])
    return flags


def _pierced(corners: Floats, segments: Floats) -> Flags:
    """Flag the triangles (3, 3, h) that the segments (3, 2, h) pierce.

    The point where a segment crosses the triangle's plane is compared with the triangle's edges.
    This point lies on the segment, even if the segment is long or nearly parallel to the plane.
    """
    edges, start = np.roll(corners, -1, axis=1) - corners, segments[:, :1]
    corners, segments = corners - start, segments - start
    scale = power_of_two_scale(np.concatenate((corners, segments), axis=1))
    corners, end, edges = corners * scale, segments[:, 1] * scale, edges * scale
    full = dot(edges, edges).max(axis=0) ** 2
    normal, area, thin = robust_cross(edges[:, 0], edges[:, 1], full)
    here, there = -dot(corners[:, 0], normal), dot(end - corners[:, 0], normal)
    flags = ((here <= 0) & (there >= 0)) | ((here >= 0) & (there <= 0))
    some = np.flatnonzero(flags & (here != there))
    places = end[:, some] * (here[some] / (here[some] - there[some]))
    apart, beside = places[:, None] - corners[:, :, some], edges[:, :, some]
    inside = (dot(cross(beside, apart), normal[:, None, some]) >= 0).all(axis=0)
    wide = within_spans(apart, beside) & (area[some] > _THINNEST**2 * full[some])
    return flagged(len(flags), some, inside & (~thin[some] | wide))


def touched_by_rounded(items: Shapes, ids: Ids, volumes: Capsules, numbers: Ids) -> Flags:
    """Flag the boxes, spheres and regions that touch the capsule."""
    sides, radii = items.box_and_radius(ids)
    capsules = gather(volumes.rows, numbers)
    segments, radii = capsules[:6].reshape(2, 3, -1), radii + capsules[6]
    if len(sides) == 1:
        return near(sides.swapaxes(0, 1), POINT, segments.swapaxes(0, 1), SEGMENT, radii)
    half = (sides[1] - sides[0]) / 2
    seen = segments - sides[0] - half
    middle, axis, reach = spans_of(seen)
    apart, far = separated(half, middle, axis[None], reach[None], radii)
    flags = ~apart
    rest = np.flatnonzero(apart & ~far)
    flags[rest] = near_boxes(seen[:, :, rest].swapaxes(0, 1), SEGMENT, half[:, rest], radii[rest])
    return flags


def hold_items(items: Shapes, ids: Ids, volumes: Capsules, numbers: Ids) -> Flags:
    """Flag the items that lie in the capsule.

    All corners must be as near to the segment as the capsule's radius minus the item's radius.
    """
    points, radii = items.corners_and_radius(ids)
    capsules = gather(volumes.rows, numbers)
    segments, spare = capsules[:6].reshape(2, 3, -1).swapaxes(0, 1), capsules[6] - radii
    flags = spare >= 0
    for point in points:
        some = np.flatnonzero(flags)
        flags[some] = near(point[:, None, some], POINT, segments[:, :, some], SEGMENT, spare[some])
    return flags
