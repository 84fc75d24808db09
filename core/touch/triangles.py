"""Triangles against spheres (closest point) and boxes (separating axes, SAT)."""

import numpy as np

from ..arrays import (
    Flags,
    Floats,
    Ids,
    columns,
    cross,
    dot,
    flagged,
    gather,
    power_of_two_scale,
    robust_cross,
)
from ..shapes import Shapes, Triangles
from .triangle_boxes import meet_boxes

# Triangles that may get a bounding sphere for each question.
_WORTH = 512


def touch_spheres(items: Triangles, ids: Ids, volumes: Shapes, numbers: Ids) -> Flags:
    """Return which triangles have a point no farther from the center than the radius.

    All seven regions around a triangle, after Ericson, "Real-Time Collision Detection", 2005,
    5.1.5: inside of the face, three edges, three corners. Distances stay squared and undivided, so
    a touch in whole numbers is exact.
    """
    # Spheres around the triangles cost as much as a look at all of them, once.
    if worth_tables(items, len(volumes)):
        near = np.flatnonzero(_spheres_touch(items.bounding_spheres, ids, volumes.rows, numbers))
    else:
        near = np.arange(len(ids))
    corners, squared = _relative(items.take_rows(ids[near]), volumes.rows, numbers[near])
    found = _corner_near(corners, squared)
    rest = np.flatnonzero(~found)
    found[rest] = _edge_or_face_near(gather(corners, rest), squared[rest])
    return flagged(len(ids), near, found)


def bounding_spheres_of(items: Triangles, ids: Ids, questions: int) -> Floats:
    """Return spheres around some triangles, (4, h): for a few questions, around no others."""
    return (
        columns(items.bounding_spheres, ids)
        if worth_tables(items, questions)
        else items[ids].bounding_spheres
    )


def worth_tables(items: Triangles, questions: int) -> bool:
    """Return whether this many questions are worth a table of all items, made once."""
    return len(items) < _WORTH * questions


def _spheres_touch(bounding: Floats, ids: Ids, spheres: Floats, numbers: Ids) -> Flags:
    ours, theirs = gather(bounding, ids), gather(spheres, numbers)
    ours[:3] -= theirs[:3]
    ours[3] += theirs[3]
    ours *= ours
    return ours[0] + ours[1] + ours[2] <= ours[3]


def _relative(corners: Floats, spheres: Floats, numbers: Ids) -> tuple[Floats, Floats]:
    """Return the corners as seen from the centers, and the squared radii; changes them."""
    for axis in range(3):
        center = spheres[axis][numbers]
        for corner in range(3):
            corners[3 * corner + axis] -= center
    return corners, spheres[3][numbers] ** 2


def _corner_near(corners: Floats, squared: Floats) -> Flags:
    flags = np.zeros(len(squared), bool)
    for x, y, z in corners.reshape(3, 3, -1):
        flags |= x * x + y * y + z * z <= squared
    return flags


def _edge_or_face_near(corners: Floats, squared: Floats) -> Flags:
    """Return whether the origin is near an edge or the face, where it lies beside them."""
    points = corners.reshape(3, 3, -1)
    edges = points[[1, 2, 0]] - points
    scale = power_of_two_scale(edges)
    units, unit_length = edges * scale, 1 / scale
    normal, area, thin = robust_cross(units[0], units[1])
    flags = np.zeros(len(squared), bool)
    positive, negative = np.ones((2, len(squared)), bool)
    for point, unit in zip(points, units, strict=True):
        moment, along, length = cross(point, unit), -dot(point, unit), dot(unit, unit)
        beside = (along >= 0) & (along <= length * unit_length) & (length > 0)
        flags |= beside & (dot(moment, moment) <= squared * length)
        side = dot(moment, normal)
        positive &= side >= 0
        negative &= side <= 0
    held = (positive | negative) & (area > 0)
    if thin.any():
        some = np.flatnonzero(held & thin)
        held[some] = within_spans(*(rows[:, :, some].swapaxes(0, 1) for rows in (points, edges)))
    flags |= held & (dot(points[0], normal) ** 2 <= squared * area)
    return flags


def touch_boxes(items: Triangles, ids: Ids, volumes: Shapes, numbers: Ids) -> Flags:
    """Return which triangles have a corner in the box, or no axis that separates them from it.

    Akenine-Moller, "Fast 3D Triangle-Box Overlap Testing", 2001: the box's axes, the triangle's
    normal, and the nine cross products of their edges.
    """
    near = np.arange(len(ids))
    if worth_tables(items, len(volumes)):
        spheres = items.bounding_spheres
        near = np.flatnonzero(_spheres_touch_boxes(spheres, ids, volumes.rows, numbers))
    lower, upper = volumes.take_rows(numbers[near]).reshape(2, 3, -1)
    corners = items.take_rows(ids[near]).reshape(3, 3, -1)
    return flagged(len(ids), near, meet_boxes(corners, lower, upper))


def _spheres_touch_boxes(spheres: Floats, ids: Ids, boxes: Floats, numbers: Ids) -> Flags:
    ours, squares = gather(spheres, ids), np.zeros(len(ids))
    for center, lower, upper in zip(ours[:3], boxes[:3], boxes[3:], strict=True):
        gap = np.maximum(lower[numbers] - center, center - upper[numbers])
        np.maximum(gap, 0.0, out=gap)
        gap *= gap
        squares += gap
    return squares <= ours[3] * ours[3]


def within_spans(apart: Floats, edges: Floats) -> Flags:
    """Return which points lie between the corners of faces, along each of the edges.

    Both are (3, ..., k, h): points as seen from the corners, and the edges that start there.
    Beyond the tip of a sliver its two long edges are too near each other to tell.
    """
    flags = np.ones((*apart.shape[1:-2], apart.shape[-1]), bool)
    for number in range(edges.shape[-2]):
        along = dot(apart, edges[..., number : number + 1, :])
        flags &= (along.min(axis=-2) <= 0) & (along.max(axis=-2) >= 0)
    return flags
