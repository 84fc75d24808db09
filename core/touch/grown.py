"""Regions against triangles: how near a box comes."""

import numpy as np

from ..arrays import Flags, Floats, Ids, gather
from ..shapes import Regions, Triangles
from .hulls import BOX, TRIANGLE, near
from .parts import box_corners
from .triangles import axes_overlap


def touched_by_triangles(items: Triangles, ids: Ids, volumes: Regions, numbers: Ids) -> Flags:
    """Return which triangles come as near to the box within as the radius.

    Balls around the triangles tell most of those that do not, and corners most of those that do.
    """
    regions, balls = gather(volumes.rows, numbers), gather(items.balls, ids)
    some = np.flatnonzero(_squared_gap(regions, balls[:3]) <= (balls[3] + regions[6]) ** 2)
    regions = regions[:, some]
    corners = items._rows_of(ids[some]).reshape(3, 3, -1)
    found = np.zeros(len(some), bool)
    for corner in corners:
        found |= _squared_gap(regions, corner) <= regions[6] ** 2
    rest = np.flatnonzero(~found)
    found[rest] = _triangles_near(corners[:, :, rest], regions[:, rest])
    flags = np.zeros(len(ids), bool)
    flags[some] = found
    return flags


def _squared_gap(regions: Floats, points: Floats) -> Floats:
    squares = np.zeros(points.shape[1])
    for lower, upper, point in zip(regions[:3], regions[3:6], points, strict=True):
        gap = np.maximum(lower - point, point - upper)
        np.maximum(gap, 0.0, out=gap)
        squares += gap * gap
    return squares


def _triangles_near(corners: Floats, regions: Floats) -> Flags:
    lower, upper, radii = regions[:3], regions[3:6], regions[6]
    center = (lower + upper) / 2
    half, seen = upper - center, corners - center
    beyond = (seen.min(axis=0) > half) | (seen.max(axis=0) < -half)
    flags = ~beyond.any(axis=0)
    flags &= axes_overlap(seen, half)
    rest = np.flatnonzero(~flags)
    boxes = box_corners(regions[:6].reshape(2, 3, -1)[:, :, rest]).swapaxes(0, 1)
    flags[rest] = near(corners[:, :, rest].swapaxes(0, 1), TRIANGLE, boxes, BOX, radii[rest])
    return flags
