"""Blender's `mathutils.bvhtree`: lists in, tuples out, single precision."""

from collections.abc import Callable

import bpy  # noqa: F401  # mathutils comes with it
import numpy as np
from mathutils import Vector
from mathutils.bvhtree import BVHTree


def build_triangles(vertices: np.ndarray, faces: np.ndarray) -> BVHTree:
    """Make a tree of arrays, as it must be: by way of lists."""
    return BVHTree.FromPolygons(vertices.tolist(), faces.tolist(), all_triangles=True)


def build_triangles_ready(vertices: np.ndarray, faces: np.ndarray) -> Callable[[], BVHTree]:
    """Prepare the lists."""
    lists = vertices.tolist(), faces.tolist()
    return lambda: BVHTree.FromPolygons(*lists, all_triangles=True)


def spheres(tree: BVHTree, centers: np.ndarray, radii: np.ndarray) -> np.ndarray:
    """Ask one sphere after another."""
    asked = zip(centers.tolist(), radii.tolist(), strict=True)
    answers = [tree.find_nearest_range(center, radius) for center, radius in asked]
    counts = [len(hits) for hits in answers]
    items = np.array([hit[2] for hits in answers for hit in hits], dtype=np.intp)
    return np.stack([np.repeat(np.arange(len(answers)), counts), items])


def spheres_ready(tree: BVHTree, centers: np.ndarray, radii: np.ndarray) -> Callable[[], object]:
    """Prepare vectors, and leave the answers as they come."""
    asked = [*zip(map(Vector, centers), radii.tolist(), strict=True)]
    return lambda: [tree.find_nearest_range(center, radius) for center, radius in asked]


def rays(tree: BVHTree, origins: np.ndarray, directions: np.ndarray) -> tuple[np.ndarray, ...]:
    """Cast one ray after another."""
    asked = zip(origins.tolist(), directions.tolist(), strict=True)
    return _as_arrays([tree.ray_cast(origin, direction) for origin, direction in asked])


def rays_ready(tree: BVHTree, origins: np.ndarray, directions: np.ndarray) -> Callable[[], object]:
    """Prepare vectors, and leave the answers as they come."""
    asked = [*zip(map(Vector, origins), map(Vector, directions), strict=True)]
    return lambda: [tree.ray_cast(origin, direction) for origin, direction in asked]


def nearest(tree: BVHTree, points: np.ndarray) -> tuple[np.ndarray, ...]:
    """Ask one point after another."""
    return _as_arrays([tree.find_nearest(point) for point in points.tolist()])


def nearest_ready(tree: BVHTree, points: np.ndarray) -> Callable[[], object]:
    """Prepare vectors, and leave the answers as they come."""
    asked = [*map(Vector, points)]
    return lambda: [tree.find_nearest(point) for point in asked]


def _as_arrays(answers: list[tuple]) -> tuple[np.ndarray, ...]:
    """Items, distances, positions and normals, with -1, inf and nan where nothing was hit."""
    items = np.array([-1 if hit[2] is None else hit[2] for hit in answers], dtype=np.intp)
    rows = np.flatnonzero(items >= 0)
    distances = np.full(len(items), np.inf)
    distances[rows] = [hit[3] for hit in answers if hit[2] is not None]
    positions, normals = np.full((2, len(items), 3), np.nan)
    positions[rows] = _coordinates([hit[0] for hit in answers if hit[2] is not None])
    normals[rows] = _coordinates([hit[1] for hit in answers if hit[2] is not None])
    return items, distances, positions, normals


def _coordinates(vectors: list[Vector]) -> np.ndarray:
    flat = [number for vector in vectors for number in vector]
    return np.array(flat).reshape(-1, 3)
