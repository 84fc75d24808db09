"""Triangles against spheres (closest point) and boxes (separating axes, SAT)."""

import numpy as np

from ..arrays import Flags, Floats, Ids, blocks, columns, flagged, gather
from ..shapes import Shapes, Triangles
from .features import Features
from .triangle_boxes import meet_boxes

# Largest number of triangles per query for which a table of bounding spheres pays off.
_WORTH = 512
# Triangles whose features are computed together: few enough to stay in the cache.
_BLOCK = 2_048


def touch_spheres(items: Triangles, ids: Ids, volumes: Shapes, numbers: Ids) -> Flags:
    """Flag the triangles with a point no farther from the center than the radius.

    Distances stay squared and undivided, so a touch in whole numbers is exact.
    """
    # Bounding spheres of all triangles cost as much as one pass over all of them.
    if worth_tables(items, len(volumes)):
        near = np.flatnonzero(_spheres_touch(items.bounding_spheres, ids, volumes.rows, numbers))
    else:
        near = np.arange(len(ids))
    corners, squared = _relative(items.take_rows(ids[near]), volumes.rows, numbers[near])
    found = _corner_near(corners, squared)
    rest = np.flatnonzero(~found)
    for some in blocks(len(rest), _BLOCK):
        left = rest[some]
        seen = gather(corners, left).reshape(3, 3, -1).swapaxes(0, 1)
        found[left] = Features(seen).are_near(squared[left])
    return flagged(len(ids), near, found)


def bounding_spheres_of(items: Triangles, ids: Ids, questions: int) -> Floats:
    """Return bounding spheres of some triangles, (4, h); of all, cached, if that pays off."""
    return (
        columns(items.bounding_spheres, ids)
        if worth_tables(items, questions)
        else items[ids].bounding_spheres
    )


def worth_tables(items: Triangles, questions: int) -> bool:
    """Return whether a cached table of all items pays off for `questions` queries."""
    return len(items) < _WORTH * questions


def _spheres_touch(bounding: Floats, ids: Ids, spheres: Floats, numbers: Ids) -> Flags:
    ours, theirs = gather(bounding, ids), gather(spheres, numbers)
    ours[:3] -= theirs[:3]
    ours[3] += theirs[3]
    ours *= ours
    return ours[0] + ours[1] + ours[2] <= ours[3]


def _relative(corners: Floats, spheres: Floats, numbers: Ids) -> tuple[Floats, Floats]:
    """Return corners relative to the centers, in place, and the squared radii."""
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


def touch_boxes(items: Triangles, ids: Ids, volumes: Shapes, numbers: Ids) -> Flags:
    """Flag the triangles with a corner in the box, or with no axis that separates them from it.

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
