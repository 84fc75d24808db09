"""Crossing lines: the segments in which pairs of triangles intersect.

Each triangle cuts the other's plane in an interval of the line in which both planes meet. The
triangles intersect where the two intervals overlap (T. Moller, "A Fast Triangle-Triangle
Intersection Test", 1997).
"""

from dataclasses import dataclass

import numpy as np

from ..arrays import Flags, Floats, Ids, blocks, cross, dot, power_of_two_scale, unit_vectors
from ..gaps.search import GapSearch
from ..records import Columns
from ..touch.triangle_distance import nearest_points, points_to_triangles

_BLOCK = 4_096
# Error of computed intersection points, relative to the coordinates.
_ROUNDED = 2.0**-40


@dataclass(frozen=True)
class Parts(Columns):
    """Segments (2, 3, m) in which pairs of triangles intersect, and numbers of the pairs, (m,).

    `lines` are their unit directions, (3, m). `edges` (2, m) are the edge of each triangle in the
    other's plane, -1 if the triangle crosses this plane. Edge i goes from corner i to the next.
    """

    pairs: Ids
    segments: Floats
    lines: Floats
    edges: Ids


def lengths_of(segments: Floats) -> Floats:
    """Return the lengths of segments (2, 3, h), (h,)."""
    way = segments[1] - segments[0]
    return np.sqrt(dot(way, way))


def crossings_of(ones: Floats, others: Floats) -> Floats:
    """Return the segments (2, 3, h) in which pairs of triangles (9, h) intersect.

    Segments have length 0 if the triangles do not cross, or lie in one plane.
    """
    segments = np.zeros((2, 3, ones.shape[1]))
    for some in blocks(ones.shape[1], _BLOCK):
        one, other = (each[:, some].reshape(3, 3, -1) for each in (ones, others))
        part = common_part(one, other, 0.0)
        segments[:, :, some.start + part.pairs] = part.segments
    return segments


def middles_between(ones: Floats, others: Floats) -> Floats:
    """Return points (3, h) of the intersections of triangles (9, h), or halfway between them.

    The middle of the segment in which the triangles intersect is preferred. The line of two nearly
    equal planes is inaccurate, and a triangle without area has no plane; in these cases the result
    is the candidate point nearest to both triangles.
    """
    here, there = nearest_points(ones, others)
    middles, least = (here + there) / 2, np.sqrt(dot(here - there, here - there)) / 2
    crossed = crossings_of(ones, others)
    points = (crossed[0] + crossed[1]) / 2
    allowed = least + _ROUNDED * np.abs(ones).max(axis=0, initial=0.0)
    lies_in_both = (lengths_of(crossed) > 0) & (_apart(points, ones, others) <= allowed)
    middles[:, lies_in_both] = points[:, lies_in_both]
    least[lies_in_both] = 0.0
    for points in (_entered(ones, others), _entered(others, ones)):
        apart = _apart(points, ones, others)
        nearer = apart < least
        middles[:, nearer], least[nearer] = points[:, nearer], apart[nearer]
    return middles


def places_met(search: GapSearch, pairs: Ids) -> Floats:
    """Return the points on the mover from which the gaps of pairs are measured, (3, n).

    If the triangles touch or cross at the start, the point is in the middle of their intersection.
    NaN for pairs without triangles.
    """
    places = search.places(pairs)
    (met,) = ((search.corners[pairs] < 0) & (search.entries[0, pairs] >= 0)).nonzero()
    ones, others = search.triangles(pairs[met]).reshape(2, 9, -1)
    places[:, met] = middles_between(ones, others)
    return places


def _apart(points: Floats, ones: Floats, others: Floats) -> Floats:
    """Return the distances of points (3, h) from the farther of two triangles, (h,)."""
    return np.maximum(points_to_triangles(points, ones), points_to_triangles(points, others))


def _entered(ones: Floats, others: Floats) -> Floats:
    """Return the points at which triangles cut the planes of others, (3, h), or a corner."""
    corners, plane = (each.reshape(3, 3, -1) for each in (ones, others))
    first, _, _, found = _cut(corners, plane[0], unit_normals(plane), np.zeros_like(plane[0]), 0.0)
    return np.where(found, first, corners[0])


def common_part(ones: Floats, others: Floats, band: float) -> Parts:
    """Return the segments in which triangles (3 corners, 3 axes, h) intersect.

    A corner within the band of the other's plane counts as in this plane. So equal corners of
    different triangles lie in the same planes.
    """
    normal, other_normal = unit_normals(ones), unit_normals(others)
    line = unit_vectors(cross(normal, other_normal))
    first, last, edge, found = _cut(ones, others[0], other_normal, line, band)
    other_first, other_last, other_edge, other_found = _cut(others, ones[0], normal, line, band)
    origin = others[0]
    begins, ends = (
        [dot(line, each - origin) for each in both]
        for both in ((first, other_first), (last, other_last))
    )
    begin = np.where(begins[0] >= begins[1], first, other_first)
    end = np.where(ends[0] <= ends[1], last, other_last)
    found &= other_found & (np.minimum(*ends) > np.maximum(*begins))
    (pairs,) = found.nonzero()
    segments, edges = np.stack((begin, end)), np.stack((edge, other_edge))
    return Parts(pairs, segments[:, :, pairs], line[:, pairs], edges[:, pairs])


def unit_normals(corners: Floats) -> Floats:
    """Return the unit normals of triangles (3 corners, 3 axes, h); 0 if a triangle has no area."""
    one, other = corners[1] - corners[0], corners[2] - corners[0]
    scale = power_of_two_scale(np.stack((one, other)))
    return unit_vectors(cross(one * scale, other * scale))


def _cut(
    corners: Floats, origin: Floats, normal: Floats, line: Floats, band: float
) -> tuple[Floats, Floats, Ids, Flags]:
    """Return the points at which triangles enter and leave planes along lines, (3, h) each.

    Also return the edge by which each triangle ends in its plane, (h,), -1 for none, and flag the
    triangles that cut the plane in more than a point, (h,).
    """
    heights = np.stack([dot(normal, corner - origin) for corner in corners])
    heights[np.abs(heights) <= band] = 0.0
    is_in = heights == 0
    through = (heights.max(axis=0) > 0) & (heights.min(axis=0) < 0)
    ends = is_in.sum(axis=0) == 2
    edge = np.where(ends, (is_in.argmin(axis=0) + 1) % 3, -1)
    nexts, next_heights = np.roll(corners, -1, axis=0), np.roll(heights, -1, axis=0)
    cuts = (heights * next_heights <= 0) & (heights != next_heights)
    share = np.divide(heights, heights - next_heights, out=np.zeros_like(heights), where=cuts)
    points = np.where(is_in[[1, 2, 0], None], nexts, corners + share[:, None] * (nexts - corners))
    along = np.stack([dot(line, point - origin) for point in points])
    each = np.arange(points.shape[2])
    first = points[np.where(cuts, along, np.inf).argmin(axis=0), :, each].T
    last = points[np.where(cuts, along, -np.inf).argmax(axis=0), :, each].T
    return first, last, edge, through | ends
