"""`trimesh`: rays by way of embreex, the nearest point by way of its own R-tree."""

import numpy as np
import trimesh


def build_triangles(vertices: np.ndarray, faces: np.ndarray) -> trimesh.Trimesh:
    """Make a mesh and the trees that it makes on the first question of each kind."""
    mesh = trimesh.Trimesh(vertices, faces, process=False, validate=False)
    mesh.ray.intersects_first(np.zeros((1, 3)), np.ones((1, 3)))
    return mesh


def rays(
    tree: trimesh.Trimesh, origins: np.ndarray, directions: np.ndarray
) -> tuple[np.ndarray, ...]:
    """Cast all rays at once, for the first triangle that each hits."""
    return (tree.ray.intersects_first(origins, directions),)


def nearest(tree: trimesh.Trimesh, points: np.ndarray) -> tuple[np.ndarray, ...]:
    """Ask all points at once."""
    places, distances, items = trimesh.proximity.closest_point(tree, points)
    return items, distances, places
