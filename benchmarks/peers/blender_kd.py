"""Blender's `mathutils.kdtree`, which holds points: the triangles' centroids, then a filter."""

from typing import NamedTuple

import bpy  # noqa: F401  # mathutils comes with it
import numpy as np
from mathutils.kdtree import KDTree

from benchmarks.peers import centroids


class Tree(NamedTuple):
    """The points, and the triangles that they stand for."""

    points: KDTree
    triangles: centroids.Triangles


def build_triangles(vertices: np.ndarray, faces: np.ndarray) -> Tree:
    """Insert one centroid after another."""
    triangles = centroids.triangles_of(vertices, faces)
    points = KDTree(len(faces))
    for number, point in enumerate(triangles.centroids.tolist()):
        points.insert(point, number)
    points.balance()
    return Tree(points, triangles)


def spheres(tree: Tree, centers: np.ndarray, radii: np.ndarray) -> np.ndarray:
    """Ask one sphere after another for the centroids around it, then test what it found."""
    wider = (radii + tree.triangles.reach * (1 + 1e-6)).tolist()
    asked = zip(centers.tolist(), wider, strict=True)
    answers = [tree.points.find_range(center, radius) for center, radius in asked]
    counts = [len(hits) for hits in answers]
    items = np.array([hit[1] for hits in answers for hit in hits], dtype=np.intp)
    pairs = np.stack([np.repeat(np.arange(len(answers)), counts), items])
    return centroids.touching(tree.triangles, centers, radii, pairs)
