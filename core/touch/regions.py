"""Regions against triangles: how near a box comes."""

import numpy as np

from ..arrays import Flags, Floats, Ids, dot, gather
from ..shapes import Regions, Triangles
from .convex_distance import TRIANGLE, near_boxes
from .separating_axis import told_by_feet
from .triangles import axes_overlap, bounding_spheres_of

# The foot on a box is exact.
_EXACT = np.zeros(1)


def touched_by_triangles(items: Triangles, ids: Ids, volumes: Regions, numbers: Ids) -> Flags:
    """Return which triangles come as near to the box within as the radius.

    The point of the box that is nearest to the middle of a ball around the triangle tells most of
    those that do, and most of those that do not.
    """
    regions, balls = gather(volumes.rows, numbers), bounding_spheres_of(items, ids, len(volumes))
    feet = np.clip(balls[:3], regions[:3], regions[3:6])
    toward = balls[:3] - feet
    some = np.flatnonzero(dot(toward, toward) <= (balls[3] + regions[6]) ** 2)
    regions, corners = gather(regions, some), items.take_rows(ids[some]).reshape(3, 3, -1)
    found, far = told_by_feet(
        gather(feet, some), gather(toward, some), corners, regions[6] * regions[6], _EXACT
    )
    rest = np.flatnonzero(~found & ~far)
    found[rest] = _near(corners[:, :, rest], regions[:, rest])
    flags = np.zeros(len(ids), bool)
    flags[some] = found
    return flags


def _near(corners: Floats, regions: Floats) -> Flags:
    center = (regions[:3] + regions[3:6]) / 2
    half, seen = regions[3:6] - center, corners - center
    flags = near_boxes(seen.swapaxes(0, 1), TRIANGLE, half, regions[6])
    rest = np.flatnonzero(~flags)
    seen, half = seen[:, :, rest], half[:, rest]
    beyond = (seen.min(axis=0) > half) | (seen.max(axis=0) < -half)
    flags[rest] = axes_overlap(seen, half) & ~beyond.any(axis=0)
    return flags
