"""Crossing lines: the segments that pairs of triangles have in common, and how deep they cross.

Each triangle cuts the other's plane in an interval of the line in which the planes meet; what the
two have in common is where the intervals do (T. Moller, "A Fast Triangle-Triangle Intersection
Test", 1997).
"""

from dataclasses import dataclass

import numpy as np

from ..arrays import Flags, Floats, blocks, cross, dot, power_of_two_scale

_BLOCK = 4_096


@dataclass(frozen=True)
class Crossings:
    """Segments from `starts` to `ends`, (3, h), of length 0 where there is none.

    `heights` are how far each pair of triangles reaches beyond the other on both sides, (h,).
    """

    starts: Floats
    ends: Floats
    heights: Floats

    @property
    def lengths(self) -> Floats:
        """How long each segment is, (h,)."""
        way = self.ends - self.starts
        return np.sqrt(dot(way, way))


def crossings_of(ones: Floats, others: Floats) -> Crossings:
    """Return what pairs of triangles (9, h) have in common, if they do not lie in one plane."""
    count = ones.shape[1]
    starts, ends, heights = np.zeros((3, count)), np.zeros((3, count)), np.zeros(count)
    for some in blocks(count, _BLOCK):
        one, other = (each[:, some].reshape(3, 3, -1) for each in (ones, others))
        origin = one[0].copy()
        one, other = one - origin, other - origin
        scale = power_of_two_scale(np.concatenate((one, other)))
        here, there, height = _common(one * scale, other * scale)
        starts[:, some], ends[:, some] = here / scale + origin, there / scale + origin
        heights[some] = height / scale
    return Crossings(starts, ends, heights)


def _common(one: Floats, other: Floats) -> tuple[Floats, Floats, Floats]:
    """Return both ends of what triangles (3 corners, 3 axes, h) share, and how deep they cross."""
    normal, other_normal = _unit_normal(one), _unit_normal(other)
    line = cross(normal, other_normal)
    first, last, height, found = _cut(one, other[0], other_normal, line)
    other_first, other_last, other_height, other_found = _cut(other, one[0], normal, line)
    begin = np.where(dot(line, first) >= dot(line, other_first), first, other_first)
    end = np.where(dot(line, last) <= dot(line, other_last), last, other_last)
    apart = ~(found & other_found) | (dot(line, end) <= dot(line, begin))
    begin, end = np.where(apart, 0.0, begin), np.where(apart, 0.0, end)
    return begin, end, np.where(apart, 0.0, np.minimum(height, other_height))


def _unit_normal(corners: Floats) -> Floats:
    normal = cross(corners[1] - corners[0], corners[2] - corners[0])
    length = np.sqrt(dot(normal, normal))
    return np.divide(normal, length, out=np.zeros_like(normal), where=length > 0)


def _cut(
    corners: Floats, origin: Floats, normal: Floats, line: Floats
) -> tuple[Floats, Floats, Floats, Flags]:
    """Return where triangles enter and leave planes along lines, and how far they reach beyond."""
    heights = np.stack([dot(normal, corner - origin) for corner in corners])
    nexts, next_heights = np.roll(corners, -1, axis=0), np.roll(heights, -1, axis=0)
    cuts = (heights * next_heights <= 0) & (heights != next_heights)
    share = np.divide(heights, heights - next_heights, out=np.zeros_like(heights), where=cuts)
    points = corners + share[:, None] * (nexts - corners)
    along = np.stack([dot(line, point) for point in points])
    each = np.arange(points.shape[2])
    first = points[np.where(cuts, along, np.inf).argmin(axis=0), :, each].T
    last = points[np.where(cuts, along, -np.inf).argmax(axis=0), :, each].T
    beyond = np.minimum(heights.max(axis=0), -heights.min(axis=0))
    return first, last, np.maximum(beyond, 0.0), cuts.any(axis=0)
