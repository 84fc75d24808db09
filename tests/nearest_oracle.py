"""The nearest items by brute force: every point against every item, the closest of several feet.

`number=exact` computes with fractions: then squared distances are known exactly, and distances of
small whole numbers to the last bit.
"""

from fractions import Fraction

import numpy as np

from core import Boxes, Regions, Spheres, Triangles

exact = np.vectorize(Fraction, otypes=[object])


def dot(a, b):
    return (a * b).sum(axis=-1)


def nearest(lengths, count, max_distance=np.inf):
    """Item numbers (q, count), -1 where there are no more, from all distances (q, n)."""
    rows = np.full((len(lengths), count), -1)
    for row, away in zip(rows, lengths, strict=True):
        order = sorted(np.flatnonzero(away <= max_distance), key=lambda i: (away[i], i))[:count]
        row[: len(order)] = order
    return rows


def distances(items, points, number=np.asarray):
    """How far each point (row) is from each item (column); NaN from an item that is not finite."""
    apart = number(points)[:, None] - feet(items, points, number)
    lengths = np.sqrt(dot(apart, apart).astype(float))
    return np.maximum(lengths - radii_of(items), 0)


def feet(items, points, number=np.asarray):
    """Closest points (q, n, 3) of triangles, of boxes, of the boxes within regions, of centers."""
    points = number(points)[:, None]
    if isinstance(items, Triangles):
        return on_triangles(points, number(items.vertices)[items.faces])
    if isinstance(items, Spheres):
        return number(items.centers)[None] + 0 * points
    return np.minimum(np.maximum(points, number(items.lower)), number(items.upper))


def radii_of(items):
    return items.radii if isinstance(items, (Spheres, Regions)) else np.zeros(len(items))


def on_triangles(points, corners):
    """Take the closest of the feet on three edges and, where it lies in it, on its plane."""
    a, b, c = (corners[:, k] for k in range(3))
    some = [on_segment(points, *ends) for ends in ((a, b), (b, c), (c, a))]
    some.append(on_face(points, a, b, c, some[0]))
    apart = np.stack([dot(points - foot, points - foot) for foot in some])
    return np.take_along_axis(np.stack(some), apart.argmin(axis=0)[None, ..., None], axis=0)[0]


def on_segment(points, start, end):
    share = ratio(dot(points - start, end - start), dot(end - start, end - start))
    return start + np.minimum(np.maximum(share, 0), 1)[..., None] * (end - start)


def on_face(points, a, b, c, otherwise):
    """Solve for the shares of two edges that make the foot of the perpendicular."""
    first, second, there = b - a, c - a, points - a
    one, both, two = dot(first, first), dot(first, second), dot(second, second)
    on_one, on_two = dot(there, first), dot(there, second)
    area = one * two - both * both
    v = ratio(two * on_one - both * on_two, area)[..., None]
    w = ratio(one * on_two - both * on_one, area)[..., None]
    held = (v >= 0) & (w >= 0) & (v + w <= 1) & (area > 0)[..., None]
    return np.where(held, a + v * first + w * second, otherwise)


def ratio(above, below):
    return above / np.where(below == 0, 1, below)


def as_kind(kind, corners):
    """Make items of some kind of corners (n, 3, 3), whole numbers where these are."""
    corners = np.asarray(corners, float).reshape(-1, 3, 3)
    lower, upper = corners[:, :2].min(axis=1), corners[:, :2].max(axis=1)
    radii = np.abs(corners[:, 2, 0] - corners[:, 0, 0])
    if kind is Triangles:
        return Triangles(corners.reshape(-1, 3), np.arange(3 * len(corners)).reshape(-1, 3))
    if kind is Boxes:
        return Boxes(lower, upper)
    if kind is Spheres:
        return Spheres(corners[:, 0], radii)
    return Regions(lower, upper, radii)


KINDS = (Triangles, Boxes, Spheres, Regions)
