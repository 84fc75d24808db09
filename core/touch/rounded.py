"""Boxes and spheres against boxes and spheres: the squared gap against the squared radii.

Arvo, "A Simple Method for Box-Sphere Intersection Testing", Graphics Gems, 1990.
"""

import numpy as np

from ..arrays import Flags, Floats, Ids
from ..shapes import Shapes


def boxes_touch_boxes(items: Shapes, ids: Ids, volumes: Shapes, numbers: Ids) -> Flags:
    """Return which boxes overlap on all three axes."""
    ours, theirs = items.rows, volumes.rows
    flags = np.ones(len(ids), bool)
    for axis in range(3):
        flags &= ours[axis][ids] <= theirs[3 + axis][numbers]
        flags &= ours[3 + axis][ids] >= theirs[axis][numbers]
    return flags


def spheres_touch_boxes(items: Shapes, ids: Ids, volumes: Shapes, numbers: Ids) -> Flags:
    """Return which spheres reach the box's nearest point."""
    return _reach(items._rows_of(ids), volumes._rows_of(numbers))


def boxes_touch_spheres(items: Shapes, ids: Ids, volumes: Shapes, numbers: Ids) -> Flags:
    """Return which boxes have their nearest point in the sphere."""
    return _reach(volumes._rows_of(numbers), items._rows_of(ids))


def spheres_touch_spheres(items: Shapes, ids: Ids, volumes: Shapes, numbers: Ids) -> Flags:
    """Return which centres are no farther apart than the sum of the radii."""
    one, other = items._rows_of(ids), volumes._rows_of(numbers)
    apart = one[:3] - other[:3]
    return (apart * apart).sum(axis=0) <= (one[3] + other[3]) ** 2


def _reach(spheres: Floats, boxes: Floats) -> Flags:
    squares = np.zeros(spheres.shape[1])
    for axis in range(3):
        gap = np.maximum(boxes[axis] - spheres[axis], spheres[axis] - boxes[3 + axis])
        np.maximum(gap, 0.0, out=gap)
        squares += gap * gap
    return squares <= spheres[3] ** 2
