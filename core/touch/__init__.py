"""Exact tests of pairs (the narrow phase): each kind of item against each kind of volume.

A test takes batches of items and volumes, and pairs of their numbers; it returns one flag for each
pair. All shapes are closed sets, so shapes that only touch count as hits.
"""

from collections.abc import Callable
from itertools import product
from typing import Any

import numpy as np

from ..arrays import Flags, Ids, blocks
from ..shapes import (
    Boxes,
    Capsules,
    Frusta,
    HalfSpaces,
    OrientedBoxes,
    Regions,
    Shapes,
    Spheres,
    Triangles,
)
from . import capsules, frusta, oriented_boxes, rounded, triangle_pairs, triangles

# Pairs tested together: few enough that their coordinates stay in the cache.
_BLOCK = 32_768

# Items, their ids (h,), volumes, their numbers (h,), ascending.
Test = Callable[[Any, Ids, Any, Ids], Flags]

_Kinds = dict[tuple[type[Shapes], type[Shapes]], Test]

_ROUNDED: tuple[type[Shapes], ...] = (Boxes, Spheres, Regions)
_ITEMS: tuple[type[Shapes], ...] = (Triangles, *_ROUNDED)

_TOUCHING: _Kinds = {
    **dict.fromkeys(product(_ROUNDED, _ROUNDED), rounded.rounded_touch_rounded),
    (Boxes, Boxes): rounded.boxes_touch_boxes,
    (Spheres, Spheres): rounded.spheres_touch_spheres,
    (Triangles, Triangles): triangle_pairs.triangles_touch_triangles,
    (Triangles, Spheres): triangles.touch_spheres,
    (Triangles, Boxes): triangles.touch_boxes,
    (Triangles, Regions): rounded.triangles_touch_regions,
    (Triangles, OrientedBoxes): oriented_boxes.touched_by_triangles,
    (Triangles, Capsules): capsules.touched_by_triangles,
    (Triangles, Frusta): frusta.touched_by_triangles,
    (Boxes, Frusta): frusta.touched_by_boxes,
    (Spheres, Frusta): frusta.touched_by_spheres,
    (Regions, Frusta): frusta.touched_by_regions,
    **dict.fromkeys(product(_ROUNDED, [OrientedBoxes]), oriented_boxes.touched_by_rounded),
    **dict.fromkeys(product(_ROUNDED, [Capsules]), capsules.touched_by_rounded),
    **dict.fromkeys(product(_ITEMS, [HalfSpaces]), frusta.items_touch_half_spaces),
}

_INSIDE: _Kinds = {
    **dict.fromkeys(product(_ROUNDED, _ROUNDED), rounded.rounded_in_rounded),
    **dict.fromkeys(product([Triangles], _ROUNDED), rounded.triangles_in_rounded),
    **dict.fromkeys(product(_ITEMS, [OrientedBoxes]), oriented_boxes.hold_items),
    **dict.fromkeys(product(_ITEMS, [Capsules]), capsules.hold_items),
    **dict.fromkeys(product(_ITEMS, [Frusta]), frusta.items_in_frusta),
    **dict.fromkeys(product(_ITEMS, [HalfSpaces]), frusta.items_in_half_spaces),
}


def touching(items: Shapes, ids: Ids, volumes: Shapes, numbers: Ids) -> Flags:
    """Flag the pairs whose item touches the volume, (h,)."""
    return _in_blocks(_TOUCHING[_kind(items), _kind(volumes)], items, ids, volumes, numbers)


def lying_inside(items: Shapes, ids: Ids, volumes: Shapes, numbers: Ids) -> Flags:
    """Flag the pairs whose item lies wholly in the volume, borders included, (h,)."""
    return _in_blocks(_INSIDE[_kind(items), type(volumes)], items, ids, volumes, numbers)


def _kind(items: Shapes) -> type[Shapes]:
    """Return the class of the items; subclasses of triangles count as triangles."""
    return Triangles if isinstance(items, Triangles) else type(items)


def _in_blocks(test: Test, items: Shapes, ids: Ids, volumes: Shapes, numbers: Ids) -> Flags:
    flags = np.empty(len(ids), bool)
    for some in blocks(len(ids), _BLOCK):
        flags[some] = test(items, ids[some], volumes, numbers[some])
    return flags
