"""Triangles against triangles, those that are a segment or a point included.

Any direction on which the two do not overlap separates them, so no answer hangs on how well a
direction was computed; only what projecting on it may round is granted. Two triangles that do not
touch are separated by an axis, a normal, or the product of an edge of each; if they lie in one
plane or on one line, by the product of an edge and an axis (Gottschalk, Lin and Manocha,
"OBBTree", 1996; in a plane, the same theorem holds for the projections along the axes).
"""

from collections.abc import Iterator

import numpy as np

from ..arrays import AROUND, Flags, Floats, Ids, blocks, cross, dot, normalizer
from ..shapes import Triangles

# Pairs whose directions are tried together.
_BLOCK = 4_096
# In coordinates of about one: what rounding does to a distance from a plane, and, as a part of a
# direction's length, to a projection on it.
_PLANE, _PROJECTION = 2.0**-46, 2.0**-49


def triangles_touch_triangles(
    items: Triangles, ids: Ids, volumes: Triangles, numbers: Ids
) -> Flags:
    """Return which triangles share a point; exact in whole numbers."""
    flags = np.empty(len(ids), bool)
    for some in blocks(len(ids), _BLOCK):
        ones, others = (
            shapes._rows_of(wanted[some]).reshape(3, 3, -1)
            for shapes, wanted in ((items, ids), (volumes, numbers))
        )
        flags[some] = corners_touch(ones, others)
    return flags


def corners_touch(ones: Floats, others: Floats) -> Flags:
    """Return which triangles share a point, given as corners (3 corners, 3 axes, h)."""
    flags = _share_a_corner(ones, others)
    open_pairs = np.flatnonzero(~flags & (_gaps(ones, others) <= 0).all(axis=0))
    ones, others, _ = seen_from_within(ones[..., open_pairs], others[..., open_pairs])
    crossing = np.flatnonzero(_reaches_plane(ones, others) & _reaches_plane(others, ones))
    found = _unseparated(ones[..., crossing], others[..., crossing])
    flags[open_pairs[crossing[found]]] = True
    return flags


def _share_a_corner(ones: Floats, others: Floats) -> Flags:
    flags = np.zeros(ones.shape[2], bool)
    for one in ones:
        for other in others:
            flags |= (one[0] == other[0]) & (one[1] == other[1]) & (one[2] == other[2])
    return flags


def _gaps(ones: Floats, others: Floats) -> Floats:
    """Return how far apart the bounds are on each axis, negative where they overlap, (3, h)."""
    below = ones.min(axis=0) - others.max(axis=0)
    return np.maximum(below, others.min(axis=0) - ones.max(axis=0))


def seen_from_within(ones: Floats, others: Floats) -> tuple[Floats, Floats, Floats]:
    """Return the corners relative to one of them and scaled to about one; and the scale, (h,).

    It is a power of two, so no bit is lost.
    """
    ones, others = ones - ones[0], others - ones[0]
    scale = normalizer(np.concatenate((ones, others)))
    return ones * scale, others * scale, scale


def _reaches_plane(ones: Floats, others: Floats) -> Flags:
    """Return which of the others are not surely on one side of the plane of the first."""
    normal = cross(ones[1] - ones[0], ones[2] - ones[0])
    distances = np.stack([dot(normal, other - ones[0]) for other in others])
    return (distances.min(axis=0) <= _PLANE) & (distances.max(axis=0) >= -_PLANE)


def _unseparated(ones: Floats, others: Floats) -> Ids:
    """Return which pairs no direction separates, ascending."""
    left = np.arange(ones.shape[2])
    for make in (_products, _projections):
        flags = np.ones(len(left), bool)
        for direction in make(ones, others):
            flags &= _overlap(direction, ones, others)
        some = np.flatnonzero(flags)
        left, ones, others = left[some], ones[..., some], others[..., some]
    return left


def _products(ones: Floats, others: Floats) -> Iterator[Floats]:
    """Yield both normals and all products of an edge of each, (3, h)."""
    one_edges, other_edges = edges_of(ones), edges_of(others)
    yield sharp_cross(one_edges[0], one_edges[1])
    yield sharp_cross(other_edges[0], other_edges[1])
    for one in one_edges:
        for other in other_edges:
            yield sharp_cross(one, other)


def _projections(ones: Floats, others: Floats) -> Iterator[Floats]:
    """Yield the products of all edges and the axes, (3, h): normals of edges in projection."""
    for edge in np.concatenate((edges_of(ones), edges_of(others))):
        for i, j in AROUND:
            direction = np.zeros_like(edge)
            direction[i], direction[j] = edge[j], -edge[i]
            yield direction


def _overlap(direction: Floats, ones: Floats, others: Floats) -> Flags:
    here = np.stack([dot(direction, one) for one in ones])
    there = np.stack([dot(direction, other) for other in others])
    reach = _PROJECTION * np.abs(direction).sum(axis=0)
    return (here.min(axis=0) <= there.max(axis=0) + reach) & (
        there.min(axis=0) <= here.max(axis=0) + reach
    )


def edges_of(corners: Floats) -> Floats:
    """Return the edges of triangles (3 corners, 3 axes, h), from each corner to the next."""
    return np.roll(corners, -1, axis=0) - corners


def sharp_cross(a: Floats, b: Floats) -> Floats:
    """Return cross products (3, h) whose every digit counts, of nearly parallel vectors too.

    The rounding of each product is computed and put back: T. J. Dekker, "A Floating-Point
    Technique for Extending the Available Precision", 1971.
    """
    (a_high, a_low), (b_high, b_low) = _halves(a), _halves(b)

    def product(i: int, j: int) -> tuple[Floats, Floats]:
        rounded = a[i] * b[j]
        lost = a_high[i] * b_high[j] - rounded
        lost += a_high[i] * b_low[j]
        lost += a_low[i] * b_high[j]
        lost += a_low[i] * b_low[j]
        return rounded, lost

    rows = []
    for i, j in AROUND:
        (one, one_lost), (other, other_lost) = product(i, j), product(j, i)
        rows.append((one - other) + (one_lost - other_lost))
    return np.stack(rows)


def _halves(numbers: Floats) -> tuple[Floats, Floats]:
    """Return the leading 26 bits of each number, and the rest."""
    wide = numbers * (2.0**27 + 1)
    high = wide - (wide - numbers)
    return high, numbers - high
