"""`libigl`: its `AABB` tree, double precision and whole arrays."""

from typing import NamedTuple

import igl
import numpy as np


class Tree(NamedTuple):
    """The tree, and the mesh, which is handed over with each question."""

    boxes: igl.AABB
    vertices: np.ndarray
    faces: np.ndarray


def build_triangles(vertices: np.ndarray, faces: np.ndarray) -> Tree:
    """Hand over the mesh."""
    boxes = igl.AABB()
    boxes.init(vertices, faces)
    return Tree(boxes, vertices, faces)


def rays(tree: Tree, origins: np.ndarray, directions: np.ndarray) -> tuple[np.ndarray, ...]:
    """Cast all rays at once."""
    return tree.boxes.intersect_ray_first(tree.vertices, tree.faces, origins, directions)


def nearest(tree: Tree, points: np.ndarray) -> tuple[np.ndarray, ...]:
    """Ask all points at once."""
    squares, items, places = tree.boxes.squared_distance(tree.vertices, tree.faces, points)
    return items, np.sqrt(squares), places
