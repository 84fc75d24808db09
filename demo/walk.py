"""A fixed walk past the things of a scene: where the entity stands, (n, 3).

It goes straight from stop to stop, and where a surface comes near, it slides along at half a
radius from it, as a player's sphere does in a game.
"""

from typing import Any

import numpy as np
from mathutils import Vector
from mathutils.bvhtree import BVHTree

PLACES = 200
PULL = 5  # radii from which a surface draws the entity to it


def places(stops: np.ndarray, items: Any, radius: float) -> np.ndarray:
    """Walk past the stops (s, 3) at an even pace: (200, 3)."""
    vertices, faces = items.vertices.tolist(), items.faces.tolist()
    surface = BVHTree.FromPolygons(vertices, faces, all_triangles=True)
    return np.array([_beside(surface, Vector(step), radius) for step in even_steps(stops)])


def even_steps(stops: np.ndarray, count: int = PLACES) -> np.ndarray:
    """Divide the line through the stops (s, 3) into equal lengths: (count, 3)."""
    lengths = np.linalg.norm(np.diff(stops, axis=0), axis=1)
    along = np.concatenate([[0.0], np.cumsum(lengths)])
    wanted = np.linspace(0.0, along[-1], count)
    return np.stack([np.interp(wanted, along, axis) for axis in stops.T], axis=1)


def stops_of(built: Any, most: int = 24) -> np.ndarray:
    """Choose stops in any scene: the centers of up to `most` objects."""
    items, owner = built.octree.items, built.source.object_of_item
    corners, count = items.vertices[items.faces], len(built.source.objects)
    chosen = np.unique(np.linspace(0, count - 1, min(most, count)).astype(int))
    middles = [corners[owner == one].mean(axis=(0, 1)) for one in chosen]
    return np.array([items.vertices.min(axis=0), *middles, items.vertices.max(axis=0)])


def _beside(surface: BVHTree, step: Vector, radius: float) -> Vector:
    """Leave a step where it is, or move it to half a radius from the surface next to it."""
    found, normal, _, distance = surface.find_nearest(step, PULL * radius)
    if found is None:
        return step
    away = (step - found).normalized() if distance else normal
    return found + 0.5 * radius * away
