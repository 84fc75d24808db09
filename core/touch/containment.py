"""Items that lie wholly in a convex volume: the balls at their corners do, borders included."""

import numpy as np

from ..arrays import Flags, Floats, Ids, take_columns
from ..shapes import Frusta, Shapes
from .decompose import box_and_radius, corners_and_radius
from .frusta import distances


def rounded_in_rounded(items: Shapes, ids: Ids, volumes: Shapes, numbers: Ids) -> Flags:
    """Return which boxes, spheres and regions lie in the box, sphere or region."""
    sides, radii = box_and_radius(items, ids)
    boxes, their_radii = box_and_radius(volumes, numbers)
    # On each axis the corner that is farthest out; one corner is so on all three.
    beyond = np.maximum(boxes[0] - sides[0], sides[-1] - boxes[-1])
    return ball_held(beyond, their_radii - radii)


def triangles_in_rounded(items: Shapes, ids: Ids, volumes: Shapes, numbers: Ids) -> Flags:
    """Return which triangles have all corners in the box, sphere or region."""
    corners, _ = corners_and_radius(items, ids)
    boxes, radii = box_and_radius(volumes, numbers)
    flags = np.ones(len(ids), bool)
    for corner in corners:
        flags &= ball_held(np.maximum(boxes[0] - corner, corner - boxes[-1]), radii)
    return flags


def ball_held(beyond: Floats, spare: Floats) -> Flags:
    """Return which balls lie in a box that is grown round by a radius.

    `beyond` is how far the ball's centre lies beyond the box on each axis, negative within,
    (3, h); `spare` is what the box's radius has more than the ball's. What it has less, the box
    has to give.
    """
    beside = np.maximum(beyond, 0.0)
    near = (beside * beside).sum(axis=0) <= spare * spare
    return np.where(spare >= 0, near, (beyond <= spare).all(axis=0))


def items_in_frusta(items: Shapes, ids: Ids, volumes: Frusta, numbers: Ids) -> Flags:
    """Return which items have all corners at least a radius inside all planes."""
    points, radii = corners_and_radius(items, ids)
    depths = distances(points, volumes, numbers).min(axis=0)
    normals = take_columns(volumes.plane_rows, numbers)[:, :3]
    needed = radii * radii * (normals * normals).sum(axis=1)
    return ((depths >= 0) & (depths * depths >= needed)).all(axis=0)
