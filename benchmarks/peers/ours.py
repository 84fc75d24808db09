"""The core of this project with default options."""

from collections.abc import Iterator
from itertools import count
from typing import NamedTuple

import numpy as np

import core
from benchmarks.buildings import Building, scene_of
from core import Boxes, DynamicOctree, Frusta, Octree, Spheres, Triangles


class Moving(NamedTuple):
    """A tree whose boxes move, and whose turn it is."""

    tree: DynamicOctree
    turns: Iterator[int]


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
    """Find the items that touch the frustum with the corners (8, 3)."""
    return core.query(tree, Frusta(corners[None]))


def build_moving(lower: np.ndarray, upper: np.ndarray) -> Moving:
    """Insert all boxes at once."""
    tree = DynamicOctree()
    tree.insert(Boxes(lower, upper))
    return Moving(tree, count())


def moved(tree: Moving, ids: np.ndarray, lowers: np.ndarray, uppers: np.ndarray) -> Octree:
    """Take the next turn."""
    turn = next(tree.turns) % len(lowers)
    tree.tree.move(ids, Boxes(lowers[turn], uppers[turn]))
    return tree.tree.octree


def move_boxes(
    tree: Moving,
    ids: np.ndarray,
    lowers: np.ndarray,
    uppers: np.ndarray,
    low: np.ndarray,
    high: np.ndarray,
) -> np.ndarray:
    """Take the next turn and ask all boxes at once."""
    return core.query(moved(tree, ids, lowers, uppers), Boxes(low, high))


def move_pairs(
    tree: Moving, ids: np.ndarray, lowers: np.ndarray, uppers: np.ndarray
) -> np.ndarray:
    """Take the next turn and find all pairs."""
    return core.overlapping_pairs(moved(tree, ids, lowers, uppers))


def move_changes(
    tree: Moving, ids: np.ndarray, lowers: np.ndarray, uppers: np.ndarray
) -> np.ndarray:
    """Take the next turn; the pairs that began and lasted are all there are."""
    moved(tree, ids, lowers, uppers)
    return np.concatenate(tree.tree.changes()[:2], axis=1)


def keep_objects(vertices: np.ndarray, faces: np.ndarray, owners: np.ndarray) -> list[Triangles]:
    """Take the meshes apart."""
    return Building("", vertices, faces, owners).objects


def objects_within(tree: list[Triangles], radii: np.ndarray) -> np.ndarray:
    """Place all meshes, and ask which come so near each other."""
    return core.overlapping_objects(scene_of(tree), margin=max(float(radii[0]), 0.0))


def proofs(tree: list[Triangles], radii: np.ndarray) -> tuple[np.ndarray, np.ndarray]:
    """Return the same pairs, and of each the corners of two triangles that come so near."""
    found = core.overlapping_pairs(scene_of(tree), margin=float(radii[0]))
    pairs, first = np.unique(found[[0, 2]], axis=1, return_index=True)
    corners = np.empty((len(first), 2, 3, 3))
    for number, (one, here, other, there) in enumerate(found[:, first].T.tolist()):
        for side, (mesh, face) in enumerate(((one, here), (other, there))):
            corners[number, side] = tree[mesh].vertices[tree[mesh].faces[face]]
    return pairs, corners
