"""Frustum culling: half-spaces and convex hexahedra against items, by separating axes (SAT).

For a half-space, the item's extreme point along the normal decides (support mapping). For a
hexahedron, the planes would falsely report some boxes beside its corners, so cross products of
edges are tested as well: Gottschalk, Lin and Manocha, "OBBTree", 1996; Ericson,
"Real-Time Collision Detection", 2005, 5.2.1.
"""

import numpy as np

from ..arrays import (
    Flags,
    Floats,
    Ids,
    blocks,
    dot,
    gather,
    power_of_two_scale,
    project,
    robust_cross,
    take_columns,
)
from ..shapes import Frusta, HalfSpaces, Shapes, Triangles
from ..shapes.frusta import EDGE_ENDS, EDGE_STARTS
from .convex_distance import HEXAHEDRON, near_boxes
from .separating_axis import ROUNDING, overlap_along
from .triangles import touch_spheres

# Rounding of the depth of a point below a plane, as a part of its terms: 4 roundings of 2**-53.
_TERMS = 2.0**-50
# Pairs that are tested on all axes together.
_BLOCK = 512


def touched_by_triangles(items: Shapes, ids: Ids, volumes: Frusta, numbers: Ids) -> Flags:
    """Flag the triangles that touch the frustum."""
    corners = items.take_rows(ids).reshape(3, 3, -1)
    flags, doubtful = _beside_planes(corners, volumes, numbers)
    corners = corners[:, :, doubtful]
    edges = np.roll(corners, -1, axis=0) - corners
    edges *= power_of_two_scale(edges)
    normal, _, _ = robust_cross(edges[0], edges[1])
    flags[doubtful] = _overlap(corners, normal[None], edges, volumes, numbers[doubtful])
    return flags


def touched_by_boxes(items: Shapes, ids: Ids, volumes: Frusta, numbers: Ids) -> Flags:
    """Flag the boxes that touch the frustum."""
    return _boxes_overlap(items.corners_and_radius(ids)[0], volumes, numbers)


def touched_by_regions(items: Shapes, ids: Ids, volumes: Frusta, numbers: Ids) -> Flags:
    """Flag the regions whose inner box is no farther from the frustum than the radius."""
    corners, radii = items.corners_and_radius(ids)
    flags = _boxes_overlap(corners, volumes, numbers)
    normals = take_columns(volumes.plane_rows, numbers)[:, :3].swapaxes(0, 1)
    depths = distances(corners, volumes, numbers).max(axis=0)
    beside = (depths < 0) & (depths * depths > radii * radii * dot(normals, normals))
    rest = np.flatnonzero(~flags & ~beside.any(axis=0))
    half = (corners[7] - corners[0])[:, rest] / 2
    seen = volumes.take_rows(numbers[rest]).reshape(8, 3, -1) - corners[0][:, rest] - half
    flags[rest] = near_boxes(seen.swapaxes(0, 1), HEXAHEDRON, half, radii[rest])
    return flags


def _boxes_overlap(corners: Floats, volumes: Frusta, numbers: Ids) -> Flags:
    flags, doubtful = _beside_planes(corners, volumes, numbers)
    axes = np.broadcast_to(np.eye(3)[:, :, None], (3, 3, len(doubtful)))
    flags[doubtful] = _overlap(corners[:, :, doubtful], axes, axes, volumes, numbers[doubtful])
    return flags


def touched_by_spheres(items: Shapes, ids: Ids, volumes: Frusta, numbers: Ids) -> Flags:
    """Flag the spheres with their center in the frustum, or a point on one of its faces."""
    centers = items.take_rows(ids)[None, :3]
    flags = _reach_planes(distances(centers, volumes, numbers)[0], centers, volumes, numbers)
    outside = np.flatnonzero(~flags)
    faces = volumes.face_triangles
    each = len(faces) // max(len(volumes), 1)
    face_ids = (each * numbers[outside, None] + np.arange(each)).ravel()
    touched = touch_spheres(faces, face_ids, items, np.repeat(ids[outside], each))
    flags[outside] = touched.reshape(-1, each).any(axis=1)
    return flags


def distances(points: Floats, volumes: Frusta, numbers: Ids) -> Floats:
    """Return the depths of points (p, 3, h) inside the six planes, (p, 6, h).

    Depths are multiplied by the lengths of the planes' normals, and negative outside.
    """
    planes = take_columns(volumes.plane_rows, numbers)
    return project(planes[:, :3], points) + planes[:, 3]


def _beside_planes(points: Floats, volumes: Frusta, numbers: Ids) -> tuple[Flags, Ids]:
    """Flag the hulls with a point inside all planes; return the undecided hulls by number."""
    depths = distances(points, volumes, numbers)
    flags = (depths >= 0).all(axis=1).any(axis=0)
    reach = _reach_planes(depths.max(axis=0), points, volumes, numbers)
    return flags, np.flatnonzero(~flags & reach)


def _reach_planes(depths: Floats, points: Floats, volumes: Frusta, numbers: Ids) -> Flags:
    """Flag the hulls of points (p, 3, h) that reach all planes, within rounding.

    `depths`, (6, h), are the depths of their deepest points inside each plane.
    """
    flags = (depths >= 0).all(axis=0)
    sizes = np.abs(volumes.rows).max(axis=0)
    # Normals have coordinates up to 1, so `most` bounds all errors: few pairs need another bound.
    most = max(sizes.max(initial=0), points.max(initial=0), -points.min(initial=0))
    (near,) = (~flags & (depths >= -4 * ROUNDING * most).all(axis=0)).nonzero()
    largest = np.maximum(sizes[numbers[near]], np.abs(points[..., near]).max(axis=(0, 1)))
    normals = np.abs(volumes.plane_rows[:, :3, numbers[near]])
    slack = ROUNDING * largest * (normals[:, 0] + normals[:, 1] + normals[:, 2])
    flags[near] = (depths[:, near] >= -slack).all(axis=0)
    return flags


def _overlap(
    points: Floats, normals: Floats, edges: Floats, volumes: Frusta, numbers: Ids
) -> Flags:
    """Flag the hulls that neither a given normal nor a cross product of edges separates."""
    flags = np.empty(len(numbers), bool)
    for some in blocks(len(numbers), _BLOCK):
        origin = points[0, :, some]
        hexahedra = volumes.take_rows(numbers[some]).reshape(8, 3, -1) - origin
        theirs = hexahedra[EDGE_ENDS] - hexahedra[EDGE_STARTS]
        theirs *= power_of_two_scale(theirs)
        products, _, _ = robust_cross(
            edges[:, :, some].swapaxes(0, 1)[:, :, None], theirs.swapaxes(0, 1)[:, None]
        )
        products = products.reshape(3, -1, products.shape[-1]).swapaxes(0, 1)
        axes = np.concatenate((normals[:, :, some], products))
        seen = points[:, :, some] - origin
        largest = np.abs(np.concatenate((seen, hexahedra))).max(axis=(0, 1))
        flags[some] = overlap_along(axes, seen, hexahedra, ROUNDING * largest)
    return flags


def items_in_frusta(items: Shapes, ids: Ids, volumes: Frusta, numbers: Ids) -> Flags:
    """Flag the items whose corners all lie at least a radius inside all planes."""
    points, radii = items.corners_and_radius(ids)
    depths = distances(points, volumes, numbers).min(axis=0)
    normals = take_columns(volumes.plane_rows, numbers)[:, :3].swapaxes(0, 1)
    needed = radii * radii * dot(normals, normals)
    return ((depths >= 0) & (depths * depths >= needed)).all(axis=0)


def items_touch_half_spaces(items: Shapes, ids: Ids, volumes: HalfSpaces, numbers: Ids) -> Flags:
    """Flag the items with a point on the inner side, or on the plane, within rounding."""
    planes = gather(volumes.plane_rows, numbers)
    points, radii = _points(items, ids)
    depths = _deepest(points, planes)
    flags = (depths >= 0) | (depths * depths <= _reach(planes, radii))
    # Normals have coordinates up to 1, so `most` bounds all errors: few pairs need another bound.
    most = 3 * max(points.max(initial=0), -points.min(initial=0)) + np.abs(planes[3]).max(
        initial=0
    )
    (near,) = (~flags & (depths >= -2 * _TERMS * most)).nonzero()
    sizes = np.abs(planes[:, near])
    terms = dot(sizes, np.abs(points[..., near]).max(axis=0)) + sizes[3]
    flags[near] = depths[near] >= -_TERMS * terms
    return flags


def items_in_half_spaces(items: Shapes, ids: Ids, volumes: HalfSpaces, numbers: Ids) -> Flags:
    """Flag the items with all points on the inner side, or on the plane."""
    planes = gather(volumes.plane_rows, numbers)
    points, radii = _points(items, ids)
    heights = _deepest(points, -planes)
    return (heights <= 0) & (heights * heights >= _reach(planes, radii))


def _points(items: Shapes, ids: Ids) -> tuple[Floats, Floats]:
    """Return corners of triangles, lower and upper corners of boxes, or centers; and radii."""
    if isinstance(items, Triangles):
        return items.corners_and_radius(ids)
    return items.box_and_radius(ids)


def _deepest(points: Floats, planes: Floats) -> Floats:
    """Return depths of the deepest points inside planes (4, h), times normals' lengths, (h,)."""
    if len(points) == 3:
        return np.max([dot(planes, corner) for corner in points], axis=0) + planes[3]
    depths = planes[3].copy()
    for axis in range(3):
        depths += np.maximum(planes[axis] * points[0, axis], planes[axis] * points[-1, axis])
    return depths


def _reach(planes: Floats, radii: Floats) -> Floats:
    """Return the squared radii, times the squared lengths of the normals."""
    return radii * radii * dot(planes, planes)
