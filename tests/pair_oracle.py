"""Which items are no farther apart than a margin, by brute force and without a division.

Two triangles are as far apart as the origin is from the hull of the nine differences of their
corners (S. Cameron, "Enhancing GJK", 1997, for the difference). Its nearest point lies on one of
the nine, or between two, or three of them; or the origin lies among four. All of them are tried,
in whole numbers.
"""

from itertools import combinations

import numpy as np
from oracle import cross, dot, finite

from core import Boxes, Spheres, Triangles

# The faces of a box as triangles: corners are numbered by x, y, z, upper or lower.
BOX_FACES = np.array(
    [(0, 1, 3), (0, 3, 2), (4, 5, 7), (4, 7, 6), (0, 1, 5), (0, 5, 4), (2, 3, 7), (2, 7, 6),
     (0, 2, 6), (0, 6, 4), (1, 3, 7), (1, 7, 5)]
)  # fmt: skip


def near(ones, others, margin=0):
    """Which of the ones (rows) are no farther than `margin` from which of the others (columns).

    All coordinates, radii and the margin are small whole numbers.
    """
    if isinstance(others, Triangles) and not isinstance(ones, Triangles):
        return near(others, ones, margin).T
    here, there = np.meshgrid(np.arange(len(ones)), np.arange(len(others)), indexing="ij")
    reach = radii_of(ones)[here] + radii_of(others)[there] + margin
    if not isinstance(ones, Triangles):
        flags = boxes_near(limits(ones)[:, here], limits(others)[:, there], reach)
    else:
        flags = triangles_near(corners_of(ones)[here], others, there, reach)
    return flags & finite_items(ones)[:, None] & finite_items(others)


def finite_items(items):
    return finite(items) if isinstance(items, Triangles) else np.isfinite(items.rows).all(axis=0)


def whole(array):
    """Return whole numbers; what is not finite stands at 0."""
    return np.where(np.isfinite(array), array, 0).astype(np.int64)


def radii_of(items):
    return (
        np.zeros(len(items), int) if isinstance(items, Triangles | Boxes) else whole(items.radii)
    )


def limits(items):
    """Lower and upper corners (2, n, 3) of boxes, and of the boxes within spheres and regions."""
    if isinstance(items, Spheres):
        return whole(np.stack((items.centers, items.centers)))
    return whole(np.stack((items.lower, items.upper)))


def corners_of(triangles):
    return whole(triangles.vertices)[triangles.faces]


def boxes_near(ones, others, reach):
    gap = np.maximum(np.maximum(others[0] - ones[1], ones[0] - others[1]), 0)
    return dot(gap, gap) <= reach * reach


def triangles_near(corners, others, there, reach):
    if isinstance(others, Triangles):
        return hulls_near(corners, corners_of(others)[there], reach)
    lower, upper = limits(others)[:, there]
    first = corners[..., 0, :]
    flags = ((first >= lower) & (first <= upper)).all(axis=-1)
    sides = np.stack((lower, upper), axis=-2)
    number = np.arange(8)
    box = np.stack([sides[..., number >> 2 - axis & 1, axis] for axis in range(3)], axis=-1)
    for face in BOX_FACES:
        flags |= hulls_near(corners, box[..., face, :], reach)
    return flags


def hulls_near(ones, others, reach):
    """Whether triangles (..., 3, 3) are within reach (...), where their bounds are."""
    flags = boxes_near(
        (ones.min(axis=-2), ones.max(axis=-2)), (others.min(axis=-2), others.max(axis=-2)), reach
    )
    points = (ones[flags][:, :, None] - others[flags][:, None]).reshape(-1, 9, 3)
    square, near = reach[flags] ** 2, np.zeros(len(points), bool)
    for count, test in ((1, point_near), (2, segment_near), (3, face_near), (4, solid_holds)):
        for some in combinations(range(9), count):
            near |= test(*(points[:, k] for k in some), square)
    flags[flags] = near
    return flags


def point_near(p, square):
    return dot(p, p) <= square


def segment_near(p, q, square):
    edge, beyond = q - p, cross(p, q)
    inner = (dot(p, edge) <= 0) & (dot(q, edge) >= 0) & (dot(edge, edge) > 0)
    return inner & (dot(beyond, beyond) <= square * dot(edge, edge))


def face_near(p, q, r, square):
    normal = cross(q - p, r - p)
    sides = [dot(cross(a, b), normal) >= 0 for a, b in ((p, q), (q, r), (r, p))]
    area = dot(normal, normal)
    return np.all(sides, axis=0) & (area > 0) & (dot(p, normal) ** 2 <= square * area)


def solid_holds(p, q, r, s, _square):
    parts = np.stack([volume(q, r, s), -volume(p, r, s), volume(p, q, s), -volume(p, q, r)])
    full = parts.sum(axis=0)
    return (parts * np.sign(full) >= 0).all(axis=0) & (full != 0)


def volume(a, b, c):
    return dot(a, cross(b, c))
