"""Axis-aligned boxes as rows: three lower, then three upper coordinates, (6, n).

Boxes are closed: boxes that only touch meet, too. Rows broadcast against each other, so that one
box, (6, 1), stands for many. Points, (3, n), count as boxes without size.
"""

import numpy as np

from .arrays import Flags, Floats, Ids, Rows, starts_of_runs


def boxes_meet(ones: Floats, others: Floats, axes: int = 3) -> Flags:
    """Flag the pairs of boxes that meet along the first `axes`, (n,)."""
    meet = ones[:axes] <= others[-3:][:axes]
    meet &= ones[-3:][:axes] >= others[:axes]
    flags: Flags = meet.all(axis=0)
    return flags


def boxes_contain(boxes: Floats, lower: Floats, upper: Floats) -> Flags:
    """Flag the boxes that contain the box between two corners, (3, n) each: (n,)."""
    flags: Flags = ((lower >= boxes[:3]) & (upper <= boxes[3:])).all(axis=0)
    return flags


def boxes_shared(ones: Floats, others: Floats) -> Floats:
    """Return the intersection of each pair of boxes, (6, n); inside out if they do not meet."""
    lower, upper = np.maximum(ones[:3], others[:3]), np.minimum(ones[-3:], others[-3:])
    return np.concatenate((lower, upper))


def box_gaps(ones: Floats, others: Floats) -> Floats:
    """Return how far pairs of boxes are apart along each axis, (3, n), 0 where they overlap."""
    gaps = np.maximum(ones[:3] - others[-3:], others[:3] - ones[-3:])
    return np.maximum(gaps, 0.0, out=gaps)


def boxes_grown(boxes: Floats, reach: Floats | float) -> Floats:
    """Return boxes with all sides moved outward by `reach`, inward if `reach` is negative."""
    rows = np.empty((6, *boxes.shape[1:]))
    np.subtract(boxes[:3], reach, out=rows[:3])
    np.add(boxes[-3:], reach, out=rows[3:])
    return rows


def middles_and_halves(boxes: Floats) -> tuple[Floats, Floats]:
    """Return the centers of boxes and half their sizes, (3, n) each."""
    return (boxes[:3] + boxes[-3:]) / 2, (boxes[-3:] - boxes[:3]) / 2


def magnitudes(boxes: Floats) -> Floats:
    """Return the largest absolute coordinate of boxes along each axis, (3, n)."""
    return np.maximum(np.abs(boxes[:3]), np.abs(boxes[-3:]))


def bounds_of_points(points: Floats, axis: int = 0) -> Floats:
    """Return the bounds of the points along one axis of an array, such as (k, 3, n): (6, n)."""
    return np.concatenate((points.min(axis=axis), points.max(axis=axis)))


def bounds_of_runs(lower: Rows, upper: Rows, starts: Ids) -> Rows:
    """Return the bounds around each run of boxes with corners (k, n), (2 k, r).

    A run ends where the next one starts.
    """
    least = np.minimum.reduceat(lower, starts, axis=1)
    return np.concatenate((least, np.maximum.reduceat(upper, starts, axis=1)))


def bounds_by_owner(lower: Floats, upper: Floats, owners: Ids, count: int) -> Floats:
    """Return the bounds around all boxes of each owner, with corners (k, n), (2 k, count).

    Owners without boxes have bounds from inf to -inf.
    """
    if (owners[1:] < owners[:-1]).any():
        order = np.argsort(owners, kind="stable")
        lower, upper, owners = lower[:, order], upper[:, order], owners[order]
    starts, around = starts_of_runs(owners), np.full((2, len(lower), count), np.inf)
    around[1] = -np.inf
    around = around.reshape(2 * len(lower), count)
    around[:, owners[starts]] = bounds_of_runs(lower, upper, starts)
    return around
