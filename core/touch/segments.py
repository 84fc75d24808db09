"""Capsules against items: how near a segment comes."""

import numpy as np

from ..arrays import Flags, Floats, Ids, cross, dot, gather, normalizer
from ..shapes import Capsules, Shapes, Triangles
from .hulls import BOX, POINT, SEGMENT, TRIANGLE, near
from .parts import box_and_radius, box_corners, corners_and_radius
from .separation import parted

# What rounding may do to a squared distance, in squared lengths that it was made from.
_ROUNDING = 2.0**-44


def touched_by_triangles(items: Triangles, ids: Ids, volumes: Capsules, numbers: Ids) -> Flags:
    """Return which triangles come as near to the segment as the radius, or are pierced by it.

    Balls around the triangles tell most of those that do not, and corners most of those that do.
    """
    capsules, balls = gather(volumes.rows, numbers), gather(items.balls, ids)
    least, _ = _squares(capsules, balls[:3])
    some = np.flatnonzero(least <= (balls[3] + capsules[6]) ** 2)
    capsules = capsules[:, some]
    corners = items._rows_of(ids[some]).reshape(3, 3, -1)
    found = np.zeros(len(some), bool)
    for corner in corners:
        _, greatest = _squares(capsules, corner)
        found |= greatest <= capsules[6] ** 2
    rest = np.flatnonzero(~found)
    found[rest] = _triangles_near(corners[:, :, rest].swapaxes(0, 1), capsules[:, rest])
    flags = np.zeros(len(ids), bool)
    flags[some] = found
    return flags


def _squares(capsules: Floats, points: Floats) -> tuple[Floats, Floats]:
    """Return bounds of the squared distances between segments and points (3, h)."""
    along, apart = capsules[3:6] - capsules[:3], points - capsules[:3]
    length, square = dot(along, along), dot(apart, apart)
    share = np.divide(dot(apart, along), length, out=np.zeros_like(length), where=length > 0)
    np.clip(share, 0.0, 1.0, out=share)
    foot: Floats = apart - share * along
    squares, doubt = dot(foot, foot), _ROUNDING * square
    return squares - doubt, squares + doubt


def _triangles_near(corners: Floats, capsules: Floats) -> Flags:
    segments = capsules[:6].reshape(2, 3, -1).swapaxes(0, 1)
    flags = near(segments, SEGMENT, corners, TRIANGLE, capsules[6])
    rest = np.flatnonzero(~flags)
    flags[rest] = _pierced(corners[:, :, rest], segments[:, :, rest])
    return flags


def _pierced(corners: Floats, segments: Floats) -> Flags:
    """Return which triangles (3, 3, h) have the segments (3, 2, h) pass through their planes."""
    origin = segments[:, :1]
    corners, segments = corners - origin, segments - origin
    scale = normalizer(np.concatenate((corners, segments), axis=1))
    corners, end = corners * scale, segments[:, 1] * scale
    normal = cross(corners[:, 1] - corners[:, 0], corners[:, 2] - corners[:, 0])
    here, there = -dot(corners[:, 0], normal), dot(end - corners[:, 0], normal)
    across = ((here <= 0) & (there >= 0)) | ((here >= 0) & (there <= 0))
    sides = dot(end[:, None], cross(corners, np.roll(corners, -1, axis=1)))
    return across & (here != there) & ((sides >= 0).all(axis=0) | (sides <= 0).all(axis=0))


def touched_by_rounded(items: Shapes, ids: Ids, volumes: Capsules, numbers: Ids) -> Flags:
    """Return which boxes, spheres and regions come as near as the sum of the radii."""
    sides, radii = box_and_radius(items, ids)
    capsules = gather(volumes.rows, numbers)
    segments, radii = capsules[:6].reshape(2, 3, -1), radii + capsules[6]
    if len(sides) == 1:
        return near(sides.swapaxes(0, 1), POINT, segments.swapaxes(0, 1), SEGMENT, radii)
    center = (sides[0] + sides[1]) / 2
    along = (segments[1] - segments[0]) / 2
    scale = normalizer(along)
    axis, middle = (along * scale)[None], segments[0] + along - center
    apart, far = parted(sides[1] - center, middle, axis, 1 / scale[None], radii)
    flags = ~apart
    rest = np.flatnonzero(apart & ~far)
    corners = box_corners(sides[:, :, rest]).swapaxes(0, 1)
    segments = segments[:, :, rest].swapaxes(0, 1)
    flags[rest] = near(segments, SEGMENT, corners, BOX, radii[rest])
    return flags


def hold_items(items: Shapes, ids: Ids, volumes: Capsules, numbers: Ids) -> Flags:
    """Return which items have all corners a radius less than the capsule's from its segment."""
    points, radii = corners_and_radius(items, ids)
    capsules = gather(volumes.rows, numbers)
    segments, spare = capsules[:6].reshape(2, 3, -1).swapaxes(0, 1), capsules[6] - radii
    flags = spare >= 0
    for point in points:
        some = np.flatnonzero(flags)
        flags[some] = near(point[:, None, some], POINT, segments[:, :, some], SEGMENT, spare[some])
    return flags
