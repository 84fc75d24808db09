"""SciPy's `cKDTree`, which holds points: the triangles' centroids, then a filter."""

from typing import NamedTuple

import numpy as np
from scipy.spatial import cKDTree

from benchmarks.peers import centroids


class Tree(NamedTuple):
    """The points, and the triangles that they stand for."""

    points: cKDTree
    triangles: centroids.Triangles


def build_triangles(vertices: np.ndarray, faces: np.ndarray) -> Tree:
    """Hand over the centroids."""
    triangles = centroids.triangles_of(vertices, faces)
    return Tree(cKDTree(triangles.centroids), triangles)


def spheres(tree: Tree, centers: np.ndarray, radii: np.ndarray) -> np.ndarray:
    """Ask for the centroids around every sphere at once, then test what it found."""
    answers = tree.points.query_ball_point(centers, radii + tree.triangles.reach)
    counts = [len(hits) for hits in answers]
    items = np.concatenate([np.empty(0, np.intp), *answers]).astype(np.intp)
    pairs = np.stack([np.repeat(np.arange(len(centers)), counts), items])
    return centroids.touching(tree.triangles, centers, radii, pairs)
