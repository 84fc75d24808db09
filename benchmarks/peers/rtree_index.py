"""`rtree` (libspatialindex): boxes only, whole arrays in and out; with NumPy 2."""

import numpy as np
from rtree.index import Index, Property

PASSES_MORE = {"boxes": "the boxes around triangles"}


def build_boxes(lower: np.ndarray, upper: np.ndarray) -> tuple[Index, np.ndarray, np.ndarray]:
    """Load the boxes in one go."""
    made = Index((np.arange(len(lower)), lower, upper), properties=Property(dimension=3))
    return made, lower, upper


def build_triangles(
    vertices: np.ndarray, faces: np.ndarray
) -> tuple[Index, np.ndarray, np.ndarray]:
    """Load the boxes around the triangles."""
    corners = vertices[faces]
    return build_boxes(corners.min(axis=1), corners.max(axis=1))


def boxes(
    tree: tuple[Index, np.ndarray, np.ndarray], lower: np.ndarray, upper: np.ndarray
) -> np.ndarray:
    """Ask all boxes at once; triangles are no more than the boxes around them."""
    items, counts = tree[0].intersection_v(lower, upper)
    return np.stack([np.repeat(np.arange(len(lower)), counts.astype(np.intp)), items])


def pairs(tree: tuple[Index, np.ndarray, np.ndarray]) -> np.ndarray:
    """Ask for every box of its own, and keep one of the two ways round."""
    found = boxes(tree, *tree[1:])
    return found[:, found[0] < found[1]]
