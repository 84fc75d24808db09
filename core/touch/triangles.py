"""Triangles against spheres and boxes."""

import numpy as np

from ..arrays import Flags, Floats, Ids, gather
from ..shapes import AROUND, Shapes


def touch_spheres(items: Shapes, ids: Ids, volumes: Shapes, numbers: Ids) -> Flags:
    """Which triangles have a point no farther from the centre than the radius.

    All seven regions around a triangle, after Ericson, "Real-Time Collision Detection", 2005,
    5.1.5: inside of the face, three edges, three corners. Distances stay squared and undivided, so
    a touch in whole numbers is exact.
    """
    corners = _relative(items.rows, ids, volumes.rows, numbers)
    squared = volumes.rows[3][numbers] ** 2
    flags = np.zeros(len(ids), bool)
    near = np.flatnonzero(_bounds_near(corners, squared))
    corners, squared = gather(corners, near), squared[near]
    flags[near] = found = _corner_near(corners, squared)
    open_ = np.flatnonzero(~found)
    flags[near[open_]] = _edge_or_face_near(gather(corners, open_), squared[open_])
    return flags


def _relative(rows: Floats, ids: Ids, centers: Floats, numbers: Ids) -> Floats:
    corners = gather(rows, ids)
    for axis in range(3):
        center = centers[axis][numbers]
        for corner in range(3):
            corners[3 * corner + axis] -= center
    return corners


def _bounds_near(corners: Floats, squared: Floats) -> Flags:
    gaps = np.zeros(len(squared))
    for a, b, c in zip(corners[:3], corners[3:6], corners[6:], strict=True):
        least, greatest = np.minimum(np.minimum(a, b), c), np.maximum(np.maximum(a, b), c)
        gap = np.maximum(np.maximum(least, -greatest), 0.0)
        gaps += gap * gap
    return gaps <= squared


def _corner_near(corners: Floats, squared: Floats) -> Flags:
    flags = np.zeros(len(squared), bool)
    for x, y, z in corners.reshape(3, 3, -1):
        flags |= x * x + y * y + z * z <= squared
    return flags


def _edge_or_face_near(corners: Floats, squared: Floats) -> Flags:
    """Whether the origin is near an edge or the face, where it lies beside them."""
    points = corners.reshape(3, 3, -1)
    edges = [points[(k + 1) % 3] - points[k] for k in range(3)]
    normal = _cross(edges[0], edges[1])
    flags = np.zeros(len(squared), bool)
    positive, negative = np.ones((2, len(squared)), bool)
    for point, edge in zip(points, edges, strict=True):
        moment, length, along = _cross(point, edge), _dot(edge, edge), -_dot(point, edge)
        beside = (along >= 0) & (along <= length)
        flags |= beside & (_dot(moment, moment) <= squared * length)
        side = _dot(moment, normal)
        positive &= side >= 0
        negative &= side <= 0
    area = _dot(normal, normal)
    flags |= (positive | negative) & (area > 0) & (_dot(points[0], normal) ** 2 <= squared * area)
    return flags


def _cross(a: Floats, b: Floats) -> Floats:
    return np.stack([a[i] * b[j] - a[j] * b[i] for i, j in AROUND])


def _dot(a: Floats, b: Floats) -> Floats:
    return a[0] * b[0] + a[1] * b[1] + a[2] * b[2]


def touch_boxes(items: Shapes, ids: Ids, volumes: Shapes, numbers: Ids) -> Flags:
    """Which triangles no axis separates from the box.

    Akenine-Moller, "Fast 3D Triangle-Box Overlap Testing", 2001: the box's axes, the triangle's
    normal, and the nine cross products of their edges.
    """
    lower, upper = gather(volumes.rows, numbers).reshape(2, 3, -1)
    corners = gather(items.rows, ids).reshape(3, 3, -1)
    flags = (corners.min(axis=0) <= upper).all(axis=0) & (corners.max(axis=0) >= lower).all(axis=0)
    some = np.flatnonzero(flags)
    middle, half = (lower + upper)[:, some] / 2, (upper - lower)[:, some] / 2
    flags[some] = _axes_overlap(corners[:, :, some] - middle, half)
    return flags


def _axes_overlap(corners: Floats, half: Floats) -> Flags:
    edges = np.roll(corners, -1, axis=0) - corners
    normal = _cross(edges[0], edges[1])
    flags = np.abs(_dot(corners[0], normal)) <= _dot(half, np.abs(normal))
    for edge, start, opposite in zip(edges, corners, np.roll(corners, 1, axis=0), strict=True):
        for i, j in AROUND:
            on_edge = edge[i] * start[j] - edge[j] * start[i]
            beside = edge[i] * opposite[j] - edge[j] * opposite[i]
            reach = half[i] * np.abs(edge[j]) + half[j] * np.abs(edge[i])
            flags &= np.minimum(on_edge, beside) <= reach
            flags &= np.maximum(on_edge, beside) >= -reach
    return flags
