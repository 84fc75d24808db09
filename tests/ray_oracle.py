"""Where rays meet items, by brute force: every ray against every item.

Answers are matrices, one row for each ray and one column for each item, of multiples of the
ray's direction; NaN is a miss. `number=exact` computes with fractions, which decides exactly
whether there is a hit.
"""

from fractions import Fraction
from itertools import product

import numpy as np

from core import Boxes, Spheres, Triangles

exact = np.vectorize(Fraction, otypes=[object])
FAR = 1e30


def crossings(items, origins, directions, reaches=np.inf, *, grown=0, number=np.asarray):
    """Where rays cross items; with `grown` above 0, also those that pass by as nearly as that."""
    count = len(origins)
    origins, directions = number(origins)[:, None], number(directions)[:, None]
    reaches = number(np.minimum(np.broadcast_to(reaches, count), FAR))[:, None]
    if isinstance(items, Triangles):
        return to_triangles(items, origins, directions, reaches, grown, number)
    return to_rounded(items, origins, directions, reaches, grown, number)


def dot(a, b):
    return (a * b).sum(axis=-1)


def cross(a, b):
    return a[..., [1, 2, 0]] * b[..., [2, 0, 1]] - a[..., [2, 0, 1]] * b[..., [1, 2, 0]]


def to_triangles(items, origins, directions, reaches, grown, number):
    """Cramer's rule. Moller and Trumbore, "Fast, Minimum Storage Ray/Triangle Intersection"."""
    a, b, c = number(items.vertices)[items.faces].swapaxes(0, 1)
    volume = dot(cross(b - a, c - a), -directions)
    flat = volume == 0
    volume = np.where(flat, 1, volume)
    v = dot(cross(c - a, directions), a - origins) / volume
    w = dot(cross(directions, b - a), a - origins) / volume
    steps = dot(cross(b - a, c - a), origins - a) / volume
    met = (np.minimum(np.minimum(v, w), 1 - v - w) >= -grown) & (steps >= -grown)
    return np.where(met & ~flat & (steps <= reaches + grown), steps, np.nan)


def to_rounded(items, origins, directions, reaches, grown, number):
    """Boxes, spheres and regions: the nearest approach decides, halving finds the entry."""
    lower, upper, radii = rounded(items, grown, number)
    nearest = nearest_approach(origins, directions, reaches, lower, upper, number)
    met = gap(origins, directions, nearest, lower, upper) <= radii**2
    met &= (radii >= 0) & (lower <= upper).all(axis=-1)
    low, high = np.zeros(met.shape), nearest.astype(float)
    floats = [array.astype(float) for array in (origins, directions, lower, upper)]
    for _ in range(100):
        middle = (low + high) / 2
        inside = gap(*floats[:2], middle, *floats[2:]) <= radii.astype(float) ** 2
        low, high = np.where(inside, low, middle), np.where(inside, middle, high)
    starts_inside = gap(origins, directions, number(np.zeros(met.shape)), lower, upper) <= radii**2
    return np.where(met, np.where(starts_inside, 0, high), np.nan)


def rounded(items, grown, number):
    """Return the boxes within, and the radii."""
    if isinstance(items, Spheres):
        return number(items.centers), number(items.centers), number(items.radii) + grown
    if isinstance(items, Boxes):
        less = max(0, -grown)  # less of a box, but with a surface that rounding does not miss
        radii = number(np.full(len(items), abs(grown) / 2))
        return number(items.lower) + less, number(items.upper) - less, radii
    return number(items.lower), number(items.upper), number(items.radii) + grown


def gap(origins, directions, steps, lower, upper):
    """Squared distance from boxes after so many steps."""
    points = origins + steps[..., None] * directions
    beside = points - np.minimum(np.maximum(points, lower), upper)
    return dot(beside, beside)


def nearest_approach(origins, directions, reaches, lower, upper, number):
    """Of all steps where the distance may be least, the first that makes it so.

    It is least at an end, on a wall, or beside one of the corners, edges and faces.
    """
    shape = np.broadcast_shapes((len(origins), 1), (1, len(lower)))
    places = [number(np.zeros(shape)), np.broadcast_to(reaches, shape)]
    for picks in product((lower, upper, None), repeat=3):
        used = [axis for axis, pick in enumerate(picks) if pick is not None]
        away = [picks[axis][..., axis] - origins[..., axis] for axis in used]
        along = [directions[..., axis] for axis in used]
        squared = sum((one * one for one in along), 0 * directions[..., 0])
        step = sum((a * b for a, b in zip(away, along, strict=True)), number(np.zeros(shape)))
        step = step / np.where(squared == 0, 1, squared)
        places.append(np.minimum(np.maximum(step, 0), reaches))
    places = np.stack(places)
    gaps = gap(origins, directions, places, lower, upper)
    places = np.where(gaps == gaps.min(axis=0), places, FAR)
    return places.min(axis=0)
