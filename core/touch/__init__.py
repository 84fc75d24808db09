"""Exact tests, pair by pair: each kind of item against each kind of volume.

A test takes items and volumes as batches, and the numbers of the pairs to look at; it answers
with one flag for each pair. Touching counts: sets are closed.
"""

from collections.abc import Callable
from typing import Any

import numpy as np

from ..arrays import Flags, Ids, blocks
from ..shapes import Boxes, Frusta, Shapes, Spheres, Triangles
from . import frusta, inside, rounded, triangles

# Pairs looked at together: few enough that their coordinates stay in the cache.
_BLOCK = 32_768

# Items, their ids (h,), volumes, their numbers (h,), ascending.
Test = Callable[[Any, Ids, Any, Ids], Flags]

_TOUCHING: dict[tuple[type[Shapes], type[Shapes]], Test] = {
    (Triangles, Spheres): triangles.touch_spheres,
    (Triangles, Boxes): triangles.touch_boxes,
    (Triangles, Frusta): frusta.touched_by_triangles,
    (Boxes, Spheres): rounded.boxes_touch_spheres,
    (Boxes, Boxes): rounded.boxes_touch_boxes,
    (Boxes, Frusta): frusta.touched_by_boxes,
    (Spheres, Spheres): rounded.spheres_touch_spheres,
    (Spheres, Boxes): rounded.spheres_touch_boxes,
    (Spheres, Frusta): frusta.touched_by_spheres,
}


_INSIDE: dict[tuple[type[Shapes], type[Shapes]], Test] = {
    (Triangles, Spheres): inside.triangles_in_spheres,
    (Triangles, Boxes): inside.triangles_in_boxes,
    (Triangles, Frusta): inside.triangles_in_frusta,
    (Boxes, Spheres): inside.boxes_in_spheres,
    (Boxes, Boxes): inside.boxes_in_boxes,
    (Boxes, Frusta): inside.boxes_in_frusta,
    (Spheres, Spheres): inside.spheres_in_spheres,
    (Spheres, Boxes): inside.spheres_in_boxes,
    (Spheres, Frusta): inside.spheres_in_frusta,
}


def touching(items: Shapes, ids: Ids, volumes: Shapes, numbers: Ids) -> Flags:
    """Return which of these items touch which of these volumes, pair by pair, (h,)."""
    return _in_blocks(_TOUCHING[type(items), type(volumes)], items, ids, volumes, numbers)


def lying_inside(items: Shapes, ids: Ids, volumes: Shapes, numbers: Ids) -> Flags:
    """Return which of these items lie wholly in which of these volumes, pair by pair, (h,)."""
    return _in_blocks(_INSIDE[type(items), type(volumes)], items, ids, volumes, numbers)


def _in_blocks(test: Test, items: Shapes, ids: Ids, volumes: Shapes, numbers: Ids) -> Flags:
    flags = np.empty(len(ids), bool)
    for some in blocks(len(ids), _BLOCK):
        flags[some] = test(items, ids[some], volumes, numbers[some])
    return flags
