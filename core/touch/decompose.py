"""What items are made of: a box and a radius, or the points whose hull they are and a radius."""

import numpy as np

from ..arrays import Floats, Ids
from ..shapes import Shapes, Spheres, Triangles

# One radius for all.
_NONE = np.zeros(1)


def box_and_radius(shapes: Shapes, ids: Ids) -> tuple[Floats, Floats]:
    """Return some boxes, spheres or regions as boxes grown round by a radius.

    Returns
    -------
    sides : ndarray of float64, shape (2, 3, h) or (1, 3, h)
        Lower and upper corners; one row for both where a box is a point.
    radii : ndarray of float64, shape (h,) or (1,)
    """
    rows = shapes.take_rows(ids)
    if isinstance(shapes, Spheres):
        return rows[None, :3], rows[3]
    return rows[:6].reshape(2, 3, -1), rows[6] if len(rows) > 6 else _NONE


def corners_and_radius(shapes: Shapes, ids: Ids) -> tuple[Floats, Floats]:
    """Return some items as the hull of points grown round by a radius.

    Returns
    -------
    points : ndarray of float64, shape (p, 3, h)
    radii : ndarray of float64, shape (h,) or (1,)
    """
    if isinstance(shapes, Triangles):
        return shapes.take_rows(ids).reshape(3, 3, -1), _NONE
    sides, radii = box_and_radius(shapes, ids)
    return sides if len(sides) == 1 else box_corners(sides), radii


def box_corners(sides: Floats) -> Floats:
    """Return the eight corners of boxes (2, 3, h), as (8, 3, h)."""
    chosen = np.arange(8)[:, None] >> np.arange(3) & 1
    return sides[chosen, np.arange(3)]
