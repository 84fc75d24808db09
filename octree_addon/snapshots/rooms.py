"""Containers (rooms): closed meshes that enclose more than one placement of other objects."""

import numpy as np

from ...core import SceneOctree, build_octree, distances, overlapping_pairs
from ..arrays import Ids


def nested_pairs(scene: SceneOctree) -> Ids:
    """Return pairs of placements where one bounding box contains the other: ids, (2, h)."""
    boxes = scene.bounds_of(scene.ids)
    one, other = overlapping_pairs(build_octree(boxes))
    inside = (boxes.lower[one] >= boxes.lower[other]) & (boxes.upper[one] <= boxes.upper[other])
    around = (boxes.lower[one] <= boxes.lower[other]) & (boxes.upper[one] >= boxes.upper[other])
    kept = (inside.all(axis=1) | around.all(axis=1)) & (one != other)
    return scene.ids[np.stack((one[kept], other[kept]))]


def rooms_in(octree: SceneOctree, owners: Ids) -> Ids:
    """Return the closed meshes that fully enclose more than one placement of other owners.

    Parameters
    ----------
    octree : SceneOctree
        The visible placements.
    owners : ndarray of int, shape (p,)
        The owner of each placement.

    Returns
    -------
    ndarray of int
        Ids of placements, ascending.
    """
    pairs = nested_pairs(octree)
    if not pairs.size:
        return octree.ids[:0]
    inside = distances(octree, pairs).inside
    rows = np.searchsorted(octree.ids, pairs)
    kept = (inside >= 0) & (owners[rows[0]] != owners[rows[1]])
    holder = np.where(inside == 0, pairs[1], pairs[0])[kept]
    rooms, counts = np.unique(holder, return_counts=True)
    return rooms[counts > 1]
