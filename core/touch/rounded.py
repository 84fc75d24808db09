"""Boxes, spheres and regions among themselves: a squared gap against squared radii.

Each of them is a box grown round by a radius. Arvo, "A Simple Method for Box-Sphere Intersection
Testing", Graphics Gems, 1990.
"""

import numpy as np

from ..arrays import Flags, Ids
from ..shapes import Shapes
from .decompose import box_and_radius


def rounded_touch_rounded(items: Shapes, ids: Ids, volumes: Shapes, numbers: Ids) -> Flags:
    """Return where the boxes within are no farther apart than the sum of the radii."""
    ours, our_radii = box_and_radius(items, ids)
    theirs, their_radii = box_and_radius(volumes, numbers)
    squares = np.zeros(len(ids))
    for axis in range(3):
        gap = ours[0, axis] - theirs[-1, axis]
        np.maximum(gap, theirs[0, axis] - ours[-1, axis], out=gap)
        np.maximum(gap, 0.0, out=gap)
        squares += gap * gap
    return squares <= (our_radii + their_radii) ** 2


def boxes_touch_boxes(items: Shapes, ids: Ids, volumes: Shapes, numbers: Ids) -> Flags:
    """Return which boxes overlap on all three axes: the first axis spares most a closer look."""
    flags = _overlap(0, items, ids, volumes, numbers)
    (some,) = flags.nonzero()
    ids, numbers = ids.take(some), numbers.take(some)
    closer = _overlap(1, items, ids, volumes, numbers)
    closer &= _overlap(2, items, ids, volumes, numbers)
    flags[some] = closer
    return flags


def _overlap(axis: int, items: Shapes, ids: Ids, volumes: Shapes, numbers: Ids) -> Flags:
    """Return which boxes overlap on one axis."""
    ours, theirs = items.rows, volumes.rows
    flags = ours[axis].take(ids) <= theirs[3 + axis].take(numbers)
    flags &= ours[3 + axis].take(ids) >= theirs[axis].take(numbers)
    return flags


def spheres_touch_spheres(items: Shapes, ids: Ids, volumes: Shapes, numbers: Ids) -> Flags:
    """Return which centres are no farther apart than the sum of the radii."""
    one, other = items.take_rows(ids), volumes.take_rows(numbers)
    apart = one[:3] - other[:3]
    return (apart * apart).sum(axis=0) <= (one[3] + other[3]) ** 2
