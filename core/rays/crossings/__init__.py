"""Exact crossings of rays and items, pair by pair; and what the surface is like there."""

from collections.abc import Callable
from typing import Any

import numpy as np

from ...arrays import Floats, Ids, blocks, dot, power_of_two_scale
from ...arrays import cross as cross_product
from ...shapes import Boxes, Regions, Shapes, Spheres, Triangles
from .rays import Rays
from .rounded import enter_boxes, enter_regions, enter_spheres, outward
from .triangles import barycentric, cross_triangles

__all__ = ["Rays", "barycentric", "crossings", "normals"]

# Pairs looked at together: few enough that their coordinates stay in the cache.
_BLOCK = 8_192

# Items, their ids (h,), rays, their numbers (h,) -> multiples of the directions (h,), or NaN.
Test = Callable[[Any, Ids, Rays, Ids], Floats]

_TESTS: dict[type[Shapes], Test] = {
    Triangles: cross_triangles,
    Boxes: enter_boxes,
    Spheres: enter_spheres,
    Regions: enter_regions,
}


def crossings(items: Shapes, ids: Ids, rays: Rays, numbers: Ids) -> Floats:
    """Return at which distances these rays first meet these items, pair by pair.

    Parameters
    ----------
    items : Triangles, Boxes, Spheres or Regions
        A batch.
    ids : ndarray of intp, shape (h,)
        Items of that batch.
    rays : Rays
        Closed segments from their origins to their limits.
    numbers : ndarray of intp, shape (h,)
        Their numbers.

    Returns
    -------
    ndarray of float64, shape (h,)
        Distances in scene units; NaN where a ray does not meet its item.
    """
    kind = Triangles if isinstance(items, Triangles) else type(items)
    test, distances = _TESTS[kind], np.full(len(ids), np.nan)
    for some in blocks(len(ids), _BLOCK):
        rays_here = numbers[some]
        steps = test(items, ids[some], rays, rays_here)
        (met,) = ((steps >= 0) & (steps <= rays.reaches[rays_here])).nonzero()
        found = rays_here[met]
        reached = np.minimum(steps[met] * rays.lengths[found], rays.limits[found])
        distances[some.start + met] = reached
    return distances


def normals(items: Shapes, ids: Ids, rays: Rays, numbers: Ids, distances: Floats) -> Floats:
    """Return the unit normals of items where rays meet them at these distances, (3, h).

    Those of a triangle by its winding; else outward, NaN for a ray that starts inside.
    """
    if isinstance(items, Triangles):
        first, second, third = items.take_rows(ids).reshape(3, 3, -1)
        edges = np.stack((second - first, third - first))
        return _unit(cross_product(*(edges * power_of_two_scale(edges))))
    vectors = outward(items, ids, rays, numbers, rays.positions(numbers, distances))
    vectors[:, distances == 0] = np.nan
    return _unit(vectors)


def _unit(vectors: Floats) -> Floats:
    vectors = vectors * power_of_two_scale(vectors)
    return vectors / np.sqrt(dot(vectors, vectors))
