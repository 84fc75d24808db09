"""Triangles no farther apart than a margin: by the nearest of their corners, edges and faces.

Ericson, "Real-Time Collision Detection", 2005, 5.1.9 and 5.1.10: where two triangles do not
touch, the shortest way between them ends at a corner of one of them, or joins two edges.
"""

import numpy as np

from ..arrays import Flags, Floats, Ids, blocks, cross, dot
from ..shapes import Triangles
from .facing import (
    corner_pairs,
    edges_of,
    exact_cross,
    seen_from_within,
    take_columns,
    triangles_touch_triangles,
)
from .triangles import reach_origin

_BLOCK = 4_096


def triangles_near_triangles(
    items: Triangles, ids: Ids, volumes: Triangles, numbers: Ids, margin: float
) -> Flags:
    """Return which triangles are no farther apart than the margin; exact in whole numbers."""
    flags = triangles_touch_triangles(items, ids, volumes, numbers)
    apart = np.flatnonzero(~flags)
    for some in blocks(len(apart), _BLOCK):
        pairs = apart[some]
        ones, others = corner_pairs(items, ids[pairs], volumes, numbers[pairs])
        flags[pairs] = _near(ones, others, margin)
    return flags


def _near(ones: Floats, others: Floats, margin: float) -> Flags:
    ones, others, scale = seen_from_within(ones, others)
    squared = (margin * scale) ** 2
    flags = _corner_near(ones, others, squared)
    rest = np.flatnonzero(~flags)
    flags[rest] = _edges_near(take_columns(ones, rest), take_columns(others, rest), squared[rest])
    return flags


def _corner_near(ones: Floats, others: Floats, squared: Floats) -> Flags:
    """Return where a corner of one triangle is near the other."""
    flags = np.zeros(len(squared), bool)
    for triangles, points in ((ones, others), (others, ones)):
        for point in points:
            flags |= reach_origin((triangles - point).reshape(9, -1), squared)
    return flags


def _edges_near(ones: Floats, others: Floats, squared: Floats) -> Flags:
    """Return where two edges are near each other at points between their ends."""
    flags = np.zeros(len(squared), bool)
    for one, start in zip(edges_of(ones), ones, strict=True):
        for other, end in zip(edges_of(others), others, strict=True):
            across, way = exact_cross(one, other), end - start
            square = dot(across, across)
            on_one, on_other = dot(cross(way, other), across), dot(cross(way, one), across)
            between = (on_one >= 0) & (on_one <= square) & (on_other >= 0) & (on_other <= square)
            near = dot(way, across) ** 2 <= squared * square
            flags |= between & near & (square > 0)
    return flags
