"""Triangles in trees of points: centroids, the largest reach around them, and an exact filter."""

from typing import NamedTuple

import numpy as np
from trimesh.triangles import closest_point


class Triangles(NamedTuple):
    """Corners (n, 3, 3), centroids (n, 3) and the largest distance from one to its corner."""

    corners: np.ndarray
    centroids: np.ndarray
    reach: float


def triangles_of(vertices: np.ndarray, faces: np.ndarray) -> Triangles:
    """Lay the triangles out corner by corner."""
    corners = vertices[faces]
    middles = corners.mean(axis=1)
    reach = np.sqrt(((corners - middles[:, None]) ** 2).sum(axis=2).max())
    return Triangles(corners, middles, float(reach))


def touching(
    triangles: Triangles, centers: np.ndarray, radii: np.ndarray, pairs: np.ndarray
) -> np.ndarray:
    """Keep the pairs (2, h) of sphere and triangle that touch: certain by centroid, or tested."""
    numbers, items = pairs
    points, reached = centers[numbers], radii[numbers] ** 2
    holds = ((triangles.centroids[items] - points) ** 2).sum(axis=1) <= reached
    rest = np.flatnonzero(~holds)
    closest = closest_point(triangles.corners[items[rest]], points[rest])
    holds[rest] = ((closest - points[rest]) ** 2).sum(axis=1) <= reached[rest]
    return pairs[:, holds]
