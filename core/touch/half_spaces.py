"""Half-spaces against items: only the point that lies deepest, or least deep, matters."""

import numpy as np

from ..arrays import Flags, Floats, Ids, dot, gather
from ..shapes import HalfSpaces, Shapes, Triangles
from .decompose import box_and_radius, corners_and_radius


def items_touch_half_spaces(items: Shapes, ids: Ids, volumes: HalfSpaces, numbers: Ids) -> Flags:
    """Return which items have a point on the inner side, or on the plane."""
    planes = gather(volumes.plane_rows, numbers)
    depths, radii = _deepest(items, ids, planes)
    return (depths >= 0) | (depths * depths <= _reach(planes, radii))


def items_in_half_spaces(items: Shapes, ids: Ids, volumes: HalfSpaces, numbers: Ids) -> Flags:
    """Return which items have all points on the inner side, or on the plane."""
    planes = gather(volumes.plane_rows, numbers)
    heights, radii = _deepest(items, ids, -planes)
    return (heights <= 0) & (heights * heights >= _reach(planes, radii))


def _deepest(items: Shapes, ids: Ids, planes: Floats) -> tuple[Floats, Floats]:
    """Return how deep the deepest points lie, (h,), but for the radii, which come second.

    Depths are in lengths of the normals (4, h).
    """
    if isinstance(items, Triangles):
        corners, radii = corners_and_radius(items, ids)
        return np.max([dot(planes, corner) for corner in corners], axis=0) + planes[3], radii
    sides, radii = box_and_radius(items, ids)
    depths = planes[3].copy()
    for axis in range(3):
        depths += np.maximum(planes[axis] * sides[0, axis], planes[axis] * sides[-1, axis])
    return depths, radii


def _reach(planes: Floats, radii: Floats) -> Floats:
    """Return the squared radii, in squared lengths of the normals."""
    return radii * radii * dot(planes, planes)
