"""Rays against triangles, without a gap between two that share an edge.

Woop, Benthin and Wald, "Watertight Ray/Triangle Intersection", JCGT 2(1), 2013. Corners are seen
along the ray: sheared so that it becomes the third axis, where two of their coordinates tell on
which side of each edge it passes. A corner's coordinates depend on the corner and the ray alone,
so triangles that share an edge see the ray on the same side of it. Here nothing is divided before
the end: whole numbers stay whole, and their crossings are exact.
"""

import numpy as np

from ..arrays import OTHER_AXES, Floats, Ids, gather, power_of_two_scale
from ..shapes import Triangles
from .rays import Rays

# The two other axes of each, and the axis itself: (3, 3).
_TURNED = np.array([(*others, axis) for axis, others in enumerate(OTHER_AXES)]).T
# A difference of products is in doubt below this part of them. Half of a number's bits.
_DOUBT, _HALF = 2.0**-50, 2.0**27 + 1.0


def cross_triangles(items: Triangles, ids: Ids, rays: Rays, numbers: Ids) -> Floats:
    """Return how many directions from the origin each triangle is crossed, or NaN."""
    weights, depths, steps, scale = seen_along(items, ids, rays, numbers)
    total = weights[0] + weights[1] + weights[2]
    same_side = (weights.min(axis=0) >= 0) | (weights.max(axis=0) <= 0)
    crossed = same_side & (total != 0)
    depth = weights[0] * depths[0] + weights[1] * depths[1] + weights[2] * depths[2]
    found = np.divide(depth, total * steps, out=np.full(len(ids), np.nan), where=crossed)
    return found / scale


def barycentric(items: Triangles, ids: Ids, rays: Rays, numbers: Ids) -> Floats:
    """Return the weights of the corners where rays cross these triangles, (3, h), of sum 1."""
    weights = seen_along(items, ids, rays, numbers)[0]
    return weights / weights.sum(axis=0)


def seen_along(
    items: Triangles, ids: Ids, rays: Rays, numbers: Ids
) -> tuple[Floats, Floats, Floats, float]:
    """Look at triangles along rays.

    Returns
    -------
    weights, depths : ndarray of float64, shape (3, h)
        Twice the area that the ray spans with the edge opposite of each corner, and each corner's
        distance along the ray's longest axis.
    steps : ndarray of float64, shape (h,)
        The direction along that axis.
    scale : float
        A power of two: all lengths are so many times as large as they are, and products of three
        of them neither overflow nor underflow.
    """
    corners = items.take_rows(ids).reshape(3, 3, -1)
    corners -= gather(rays.origins, numbers)
    scale = float(power_of_two_scale(corners.reshape(-1, 1))[0])
    corners *= scale
    places = _TURNED.take(rays.axes[numbers], axis=1) * len(ids) + np.arange(len(ids))
    i, j, step = gather(rays.directions, numbers).ravel().take(places)
    x, y, depths = (corners.reshape(3, -1).take(row, axis=1) for row in places)
    x, y = x * step - i * depths, y * step - j * depths
    weights = np.stack([_area(x[a], y[a], x[b], y[b]) for a, b in OTHER_AXES])
    return weights, depths, step, scale


def _area(ax: Floats, ay: Floats, bx: Floats, by: Floats) -> Floats:
    """Return ax * by - ay * bx; where the two are nearly equal, with all their bits."""
    one, other = ax * by, ay * bx
    area = one - other
    (some,) = (np.abs(area) <= _DOUBT * (np.abs(one) + np.abs(other))).nonzero()
    if len(some):
        area[some] += _lost(ax[some], by[some]) - _lost(ay[some], bx[some])
    return area


def _lost(a: Floats, b: Floats) -> Floats:
    """Return what rounding takes from each product.

    Dekker, "A Floating-Point Technique for Extending the Available Precision", 1971.
    """
    high_a, high_b = _upper_half(a), _upper_half(b)
    low_a, low_b = a - high_a, b - high_b
    lost = ((high_a * high_b - a * b) + high_a * low_b + low_a * high_b) + low_a * low_b
    return np.asarray(lost)


def _upper_half(a: Floats) -> Floats:
    scaled = a * _HALF
    return scaled - (scaled - a)
