"""Distances and closest points of disjoint triangles, pair by pair.

The shortest segment between two disjoint triangles ends at a corner of one of them, or joins two
edges (Ericson, "Real-Time Collision Detection", 2005, 5.1.9 and 5.1.10). All candidates are
segments between points of the two triangles; the shortest one is the result.
"""

import numpy as np

from ..arrays import Flags, Floats, blocks, cross, dot, power_of_two_scale, quotient, robust_cross
from ..compiled import point_distances
from .triangles import ClosestFeatures, within_spans

# Pairs whose candidates are compared together: few enough to stay in the cache.
_BLOCK = 512
_ALONG = 2.0**-52


def distances_of(ones: Floats, others: Floats) -> Floats:
    """Return the distances of disjoint triangles, (h,); corners are (9, h)."""
    found = np.empty(ones.shape[1])
    for some in blocks(len(found), _BLOCK):
        here, there, scale = _seen(ones[:, some], others[:, some])
        squares = np.min([dot(a - b, a - b).min(axis=(0, 1)) for a, b in _ways(here, there)], 0)
        found[some] = np.sqrt(squares) / scale
    return found


def nearest_points(ones: Floats, others: Floats) -> tuple[Floats, Floats]:
    """Return the closest points of disjoint triangles, (3, h) each; corners are (9, h)."""
    points = np.empty((2, 3, ones.shape[1]))
    for some in blocks(ones.shape[1], _BLOCK):
        here, there, scale = _seen(ones[:, some], others[:, some])
        ways = list(_ways(here, there))
        flat = [
            np.concatenate(
                [
                    np.broadcast_to(way[side], _shape(way)).reshape(3, -1, len(scale))
                    for way in ways
                ],
                axis=1,
            )
            for side in range(2)
        ]
        apart = flat[0] - flat[1]
        best = dot(apart, apart).argmin(axis=0)
        each = np.arange(len(scale))
        for side in range(2):
            points[side][:, some] = flat[side][:, best, each] / scale + ones[:3, some]
    return points[0], points[1]


def points_to_triangles(points: Floats, corners: Floats) -> Floats:
    """Return the distances of points (3, h) from triangles (9, h), (h,)."""
    lengths = point_distances(points, corners)
    if lengths is None:
        return _point_distances(points, corners)
    (left,) = np.isnan(lengths).nonzero()
    if len(left):
        lengths[left] = _point_distances(points[:, left], corners[:, left])
    return lengths


def _point_distances(points: Floats, corners: Floats) -> Floats:
    found = np.empty(points.shape[1])
    for some in blocks(len(found), 4 * _BLOCK):
        triangles = corners[:, some].reshape(3, 3, -1) - points[:, some]
        scale = power_of_two_scale(triangles)
        seen = ClosestFeatures((triangles * scale).swapaxes(0, 1))
        found[some] = np.sqrt(seen.squares.min(axis=0)) / scale
    return found


def _shape(way: tuple[Floats, Floats]) -> tuple[int, ...]:
    return np.broadcast_shapes(way[0].shape, way[1].shape)


def _seen(ones: Floats, others: Floats) -> tuple[Floats, Floats, Floats]:
    """Return corners (3 axes, 3, h) relative to the first one, scaled to about 1; and scales."""
    corners = np.stack((ones, others)).reshape(2, 3, 3, -1)
    corners = corners - corners[0, 0]
    scale = power_of_two_scale(corners)
    corners *= scale
    return corners[0].swapaxes(0, 1), corners[1].swapaxes(0, 1), scale


def _ways(ones: Floats, others: Floats) -> list[tuple[Floats, Floats]]:
    """Return pairs of points of both triangles, (3, a, b, h), the closest pair among them."""
    back = _corners_to_edges(others, ones)
    back_face = _corners_to_face(others, ones)
    return [
        _corners_to_edges(ones, others),
        (back[1], back[0]),
        _corners_to_face(ones, others),
        (back_face[1], back_face[0]),
        _edges_to_edges(ones, others),
    ]


def _corners_to_edges(corners: Floats, triangles: Floats) -> tuple[Floats, Floats]:
    """Return corners, (3, c, 1, h), and the nearest points of edges, (3, c, 3, h)."""
    edges = (np.roll(triangles, -1, axis=1) - triangles)[:, None]
    apart = corners[:, :, None] - triangles[:, None]
    squared = dot(edges, edges)
    along = quotient(dot(apart, edges), squared).clip(0, 1)
    return corners[:, :, None], triangles[:, None] + along * edges


def _corners_to_face(corners: Floats, triangles: Floats) -> tuple[Floats, Floats]:
    """Return corners, (3, c, 1, h), and their feet in faces, or face corners without a foot."""
    edges = np.roll(triangles, -1, axis=1) - triangles
    normal, area, thin = robust_cross(edges[:, 0], edges[:, 1])
    apart = corners[:, :, None] - triangles[:, None]
    sides = dot(apart, cross(normal[:, None], edges)[:, None])
    above: Flags = (sides >= 0).all(axis=1) & (area > 0)
    if (above & thin).any():
        above &= ~thin | within_spans(apart, edges[:, None])
    height = quotient(dot(apart[:, :, 0], normal[:, None]), area)
    feet = np.where(above, corners - height * normal[:, None], triangles[:, :1])
    return corners[:, :, None], feet[:, :, None]


def _edges_to_edges(ones: Floats, others: Floats) -> tuple[Floats, Floats]:
    """Return the nearest points of pairs of edges, (3, 3, 3, h) each."""
    here, there = (np.roll(each, -1, axis=1) - each for each in (ones, others))
    here, there = here[:, :, None], there[:, None]
    apart = ones[:, :, None] - others[:, None]
    a, e, b = dot(here, here), dot(there, there), dot(here, there)
    c, f = dot(here, apart), dot(there, apart)
    across = a * e - b * b
    first = np.where(across > _ALONG * a * e, quotient(b * f - c * e, across), 0.0).clip(0, 1)
    second = quotient(b * first + f, e).clip(0, 1)
    first = quotient(b * second - c, a).clip(0, 1)
    return ones[:, :, None] + first * here, others[:, None] + second * there
