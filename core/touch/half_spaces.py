"""Half-spaces against items: only the point that lies deepest, or least deep, matters."""

import numpy as np

from ..arrays import Flags, Floats, Ids, some_of
from ..shapes import HalfSpaces, Shapes, Triangles
from .parts import box_and_radius


def items_touch_half_spaces(items: Shapes, ids: Ids, volumes: HalfSpaces, numbers: Ids) -> Flags:
    """Return which items have a point on the inner side, or on the plane."""
    planes = some_of(volumes.plane_rows, numbers)
    depths, radii = _deepest(items, ids, planes)
    return (depths >= 0) | (depths * depths <= _reach(planes, radii))


def items_in_half_spaces(items: Shapes, ids: Ids, volumes: HalfSpaces, numbers: Ids) -> Flags:
    """Return which items have all points on the inner side, or on the plane."""
    planes = some_of(volumes.plane_rows, numbers)
    depths, radii = _deepest(items, ids, -planes)
    return (depths <= 0) & (depths * depths >= _reach(planes, radii))


def _deepest(items: Shapes, ids: Ids, planes: Floats) -> tuple[Floats, Floats]:
    """Return how deep the deepest points lie, (h,), but for the radii, which come second."""
    if isinstance(items, Triangles):
        corners = items._rows_of(ids).reshape(3, 3, -1)
        return _depths(corners.swapaxes(0, 1), planes).max(axis=0), np.zeros(1)
    sides, radii = box_and_radius(items, ids)
    return _depths(np.where(planes[:3] > 0, sides[-1], sides[0]), planes), radii


def _depths(points: Floats, planes: Floats) -> Floats:
    """Return how deep points (3, ..., h) lie, in lengths of the normals (4, h) or (4, 1)."""
    return planes[0] * points[0] + planes[1] * points[1] + planes[2] * points[2] + planes[3]


def _reach(planes: Floats, radii: Floats) -> Floats:
    """Return the squared radii, in squared lengths of the normals."""
    return radii * radii * (planes[:3] * planes[:3]).sum(axis=0)
