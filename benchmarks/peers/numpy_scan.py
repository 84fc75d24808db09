"""No tree at all: every triangle against the planes of a frustum."""

import numpy as np

from benchmarks import scan

PASSES_MORE = {"frustum": "the planes alone"}


def build_triangles(vertices: np.ndarray, faces: np.ndarray) -> np.ndarray:
    """Lay the triangles out as the scan wants them."""
    return scan.corners_of(vertices, faces)


def frustum(tree: np.ndarray, planes: np.ndarray, corners: np.ndarray) -> np.ndarray:
    """Compare all with the planes (6, 4), as matrix products."""
    items = scan.touching(tree, planes)
    return np.stack([np.zeros_like(items), items])
