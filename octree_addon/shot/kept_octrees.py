"""Least recently used (LRU) cache of octrees of meshes, found again by what they were built of."""

import numpy as np
from numpy.typing import NDArray

from ...core import Octree, Triangles
from ..arrays import Floats, Ids

Key = tuple[int, int, bytes]

# All kept octrees together take at most this many bytes: one of 4 million triangles does.
_MOST_BYTES = 1 << 29
# Rows compared at once, and rows that tell meshes apart before all are compared.
_BLOCK, _SAMPLE = 1 << 20, 64
# The octrees and how many bytes each takes, the least recently used first.
_kept: dict[Key, tuple[Octree, int]] = {}


def find(positions: NDArray[np.float32] | Floats, triangles: NDArray[np.int32]) -> Octree | None:
    """Return the octree of exactly these triangles, (t, 3), of these vertices, (v, 3), if kept."""
    octree, _ = _kept.get(_key(positions, triangles), (None, 0))
    if octree is None or not isinstance(octree.items, Triangles):
        return None
    known = octree.items
    is_same = _are_equal(known.vertices, positions) and _are_equal(known.faces, triangles)
    return octree if is_same else None


def keep(octree: Octree) -> None:
    """Keep an octree of triangles that was just used.

    Others go where there is no room, and it itself if it is larger than all may be together.
    """
    assert isinstance(octree.items, Triangles)
    key = _key(octree.items.vertices, octree.items.faces)
    _kept.pop(key, None)
    _kept[key] = octree, _bytes_of(octree)
    total = sum(size for _, size in _kept.values())
    while total > _MOST_BYTES:
        total -= _kept.pop(next(iter(_kept)))[1]


def forget() -> None:
    """Drop every octree."""
    _kept.clear()


def _key(vertices: NDArray[np.float32] | Floats, faces: NDArray[np.int32] | Ids) -> Key:
    """Return what mostly tells meshes apart."""
    some, others = (each[:: 1 + len(each) // _SAMPLE] for each in (vertices, faces))
    sample = some.astype(np.float64).tobytes() + others.astype(np.intp).tobytes()
    return len(vertices), len(faces), sample


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
