"""Least recently used (LRU) cache of octrees of meshes, found again by what they were built of."""

import numpy as np
from numpy.typing import NDArray

from ...core import Octree, Triangles
from ..arrays import Floats, Ids

# All kept octrees together take at most this many bytes: one of 4 million triangles does.
_MOST_BYTES = 1 << 29
# Coordinates compared at once.
_BLOCK = 1 << 20
# The least recently used first.
_kept: list[Octree] = []


def find(positions: NDArray[np.float32] | Floats, triangles: NDArray[np.int32]) -> Octree | None:
    """Return the octree of exactly these triangles, (t, 3), of these vertices, (v, 3), if kept."""
    for octree in _kept:
        items = octree.items
        assert isinstance(items, Triangles)
        if _are_equal(items.vertices, positions) and _are_equal(items.faces, triangles):
            return octree
    return None


def keep(octree: Octree) -> None:
    """Keep an octree of triangles that was just used.

    Others go where there is no room, and it itself if it is larger than all may be together.
    """
    _kept[:] = [*(each for each in _kept if each is not octree), octree]
    # Counted anew each time: what is made when it is first needed stays with an octree.
    while sum(map(_bytes_of, _kept)) > _MOST_BYTES:
        del _kept[0]


def forget() -> None:
    """Drop every octree."""
    _kept.clear()


def _are_equal(known: Floats | Ids, asked: NDArray[np.generic]) -> bool:
    """Compare in blocks: what differs mostly does so from the first on."""
    return known.shape == asked.shape and all(
        np.array_equal(known[start : start + _BLOCK], asked[start : start + _BLOCK])
        for start in range(0, len(known), _BLOCK)
    )


def _bytes_of(octree: Octree) -> int:
    """Count the bytes of an octree and of its triangles."""
    parts = (octree, octree.items, octree.arranged)
    arrays = {id(each): each for part in parts for each in vars(part).values()}
    return sum(each.nbytes for each in arrays.values() if isinstance(each, np.ndarray))
