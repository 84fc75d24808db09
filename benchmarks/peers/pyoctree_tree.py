"""`pyoctree`: an octree of triangles in C++; it tests the line through a ray, both ways."""

import numpy as np
from pyoctree.pyoctree import PyOctree

MOST_TRIANGLES = 250_000  # a million take minutes to build


def build_triangles(vertices: np.ndarray, faces: np.ndarray) -> PyOctree:
    """Hand over the mesh."""
    return PyOctree(np.ascontiguousarray(vertices), faces.astype(np.int32))


def rays(tree: PyOctree, origins: np.ndarray, directions: np.ndarray) -> tuple[np.ndarray, ...]:
    """Cast one line after another and keep the nearest hit ahead."""
    segments = np.stack([origins, origins + directions], axis=1).astype(np.float32)
    items, distances = np.full(len(segments), -1), np.full(len(segments), np.inf)
    for number, segment in enumerate(segments):
        ahead = [(hit.s, hit.triLabel) for hit in tree.rayIntersection(segment) if hit.s >= 0]
        if ahead:
            distances[number], items[number] = min(ahead)
    return items, distances
