"""The core of this project, every option left alone."""

import numpy as np

import core
from core import Boxes, Frusta, Octree, Spheres, Triangles


def build_triangles(vertices: np.ndarray, faces: np.ndarray) -> Octree:
    """Build over triangles."""
    return core.build_octree(Triangles(vertices, faces))


def build_boxes(lower: np.ndarray, upper: np.ndarray) -> Octree:
    """Build over boxes."""
    return core.build_octree(Boxes(lower, upper))


def spheres(tree: Octree, centers: np.ndarray, radii: np.ndarray) -> np.ndarray:
    """Ask all spheres at once."""
    return core.query(tree, Spheres(centers, radii))


def boxes(tree: Octree, lower: np.ndarray, upper: np.ndarray) -> np.ndarray:
    """Ask all boxes at once."""
    return core.query(tree, Boxes(lower, upper))


def rays(tree: Octree, origins: np.ndarray, directions: np.ndarray) -> tuple[np.ndarray, ...]:
    """Cast all rays at once."""
    hits = core.ray_cast(tree, origins, directions)
    return hits.items, hits.distances, hits.positions, hits.normals, hits.barycentric


def nearest(tree: Octree, points: np.ndarray) -> tuple[np.ndarray, ...]:
    """Ask all points at once."""
    found = core.nearest(tree, points)
    return found.items[:, 0], found.distances[:, 0], found.positions[:, 0]


def pairs(tree: Octree) -> np.ndarray:
    """Find all pairs."""
    return core.overlapping_pairs(tree)


def frustum(tree: Octree, planes: np.ndarray, corners: np.ndarray) -> np.ndarray:
    """Ask what the frustum between the corners (8, 3) touches."""
    return core.query(tree, Frusta(corners[None]))
