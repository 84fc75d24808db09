"""Oriented boxes (OBB) against items, in the local space of one of the two."""

import numpy as np

from ..arrays import Flags, Floats, Ids, dot, flagged, gather, power_of_two_scale, robust_cross
from ..shapes import OrientedBoxes, Shapes, Triangles
from ..shapes.boxes import box_corners
from .convex_distance import BOX, near_boxes
from .separating_axis import grown, separated
from .triangle_boxes import edge_projections
from .triangles import bounding_spheres_of


def touched_by_triangles(
    items: Triangles, ids: Ids, volumes: OrientedBoxes, numbers: Ids
) -> Flags:
    """Flag the triangles that no axis separates from the box.

    Bounding spheres of the triangles are tested first, and exclude most pairs.
    """
    spheres = bounding_spheres_of(items, ids, len(volumes))
    half = gather(volumes.rows[3:6], numbers)
    beside = np.abs(seen_from(gather(volumes.rows, numbers), spheres[:3]))
    some = np.flatnonzero((beside <= grown(half, beside) + spheres[3]).all(axis=0))
    turned = gather(volumes.rows, numbers[some])
    corners = seen_from(turned, items.take_rows(ids[some]).reshape(3, 3, -1))
    return flagged(len(ids), some, _triangles_overlap(corners, turned[3:6]))


def _triangles_overlap(corners: Floats, half: Floats) -> Flags:
    half = grown(half, corners)
    flags = (np.abs(corners) <= half).all(axis=1).any(axis=0)
    beyond = (corners.min(axis=0) > half) | (corners.max(axis=0) < -half)
    rest = np.flatnonzero(~flags & ~beyond.any(axis=0))
    flags[rest] = _axes_overlap(corners[:, :, rest], half[:, rest])
    return flags


def _axes_overlap(corners: Floats, half: Floats) -> Flags:
    """Flag the triangles (3, 3, h) that neither their plane nor a product of edges separates.

    The boxes lie around the origin, with half sizes (3, h) grown by the rounding of projections.
    Any axis may separate then: no result depends on the precision of the axis itself.
    """
    edges = np.roll(corners, -1, axis=0) - corners
    edges *= power_of_two_scale(edges)
    normal, _, _ = robust_cross(edges[0], edges[1])
    heights = np.stack([dot(corner, normal) for corner in corners])
    reach = dot(half, np.abs(normal))
    flags = (heights.min(axis=0) <= reach) & (heights.max(axis=0) >= -reach)
    for (i, j), (least, greatest), (one, other) in edge_projections(edges, corners):
        reach = half[i] * other + half[j] * one
        flags &= ((least <= reach) & (greatest >= -reach)).all(axis=0)
    return flags


def touched_by_rounded(items: Shapes, ids: Ids, volumes: OrientedBoxes, numbers: Ids) -> Flags:
    """Flag the boxes, spheres and regions that touch the oriented box."""
    sides, radii = items.box_and_radius(ids)
    turned = gather(volumes.rows, numbers)
    radii = np.broadcast_to(radii, len(ids))
    if len(sides) == 1:
        seen = np.abs(seen_from(turned, sides[0]))
        beside = np.maximum(seen - grown(turned[3:6], seen), 0.0)
        return dot(beside, beside) <= radii * radii
    half, axes = (sides[1] - sides[0]) / 2, turned[6:].reshape(3, 3, -1)
    turned[:3] -= sides[0]
    turned[:3] -= half
    apart, far = separated(half, turned[:3], axes, turned[3:6], radii)
    flags = ~apart
    rest = np.flatnonzero(apart & ~far)
    flags[rest] = near_boxes(corners_of(turned[:, rest]), BOX, half[:, rest], radii[rest])
    return flags


def hold_items(items: Shapes, ids: Ids, volumes: OrientedBoxes, numbers: Ids) -> Flags:
    """Flag the items whose corners all lie in the box, at least a radius from its faces."""
    points, radii = items.corners_and_radius(ids)
    turned = gather(volumes.rows, numbers)
    return (np.abs(seen_from(turned, points)) + radii <= turned[3:6]).all(axis=(0, 1))


def seen_from(turned: Floats, points: Floats) -> Floats:
    """Return points (..., 3, h) in the local space of oriented boxes (15, h)."""
    apart = points - turned[:3]
    along = [
        apart[..., 0, :] * x + apart[..., 1, :] * y + apart[..., 2, :] * z
        for x, y, z in turned[6:].reshape(3, 3, -1)
    ]
    return np.stack(along, axis=-2)


def corners_of(turned: Floats) -> Floats:
    """Return the eight corners of oriented boxes (15, h), axis first, (3, 8, h)."""
    half, axes = turned[3:6], turned[6:].reshape(3, 3, -1)
    signs = box_corners(np.stack((-half, half)))
    return turned[:3, None] + dot(signs.swapaxes(0, 1), axes[:, :, None])
