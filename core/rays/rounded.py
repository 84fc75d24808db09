"""Rays against boxes, spheres, and boxes grown round: where they enter, 0 from inside.

Whole numbers are crossed exactly: a quotient is compared with a quotient, and whether a sphere is
met is decided before a root is taken.
"""

import numpy as np

from ..arrays import Flags, Floats, Ids, cross, dot, gather
from ..shapes import Boxes, Regions, Shapes, Spheres
from .rays import Rays


def enter_boxes(items: Boxes, ids: Ids, rays: Rays, numbers: Ids) -> Floats:
    """Return how many directions from the origin each box is entered, or NaN."""
    origins, directions = gather(rays.origins, numbers), gather(rays.directions, numbers)
    lower, upper = items.take_rows(ids).reshape(2, 3, -1)
    near, far = between_walls(origins, directions, lower, upper)
    entry = np.maximum(near.max(axis=0), 0.0)
    return np.where(entry <= far.min(axis=0), entry, np.nan)


def between_walls(
    origins: Floats, directions: Floats, lower: Floats, upper: Floats
) -> tuple[Floats, Floats]:
    """Return when rays enter and leave the slab of each axis, (3, h) each.

    A ray along a slab is in it always, or never: it leaves at minus infinity. Kay and Kajiya,
    "Ray Tracing Complex Scenes", 1986.
    """
    first, second = lower - origins, upper - origins
    held = (first <= 0) & (second >= 0)
    moving = directions != 0
    near = np.full(first.shape, -np.inf)
    far = np.where(held, np.inf, -np.inf)
    backwards = directions < 0
    with np.errstate(over="ignore"):  # nearly along the slab, for ever
        np.divide(np.where(backwards, second, first), directions, out=near, where=moving)
        np.divide(np.where(backwards, first, second), directions, out=far, where=moving)
    return near, far


def enter_spheres(items: Spheres, ids: Ids, rays: Rays, numbers: Ids) -> Floats:
    """Return how many directions from the origin each sphere is entered, or NaN."""
    spheres = items.take_rows(ids)
    origins = gather(rays.origins, numbers) - spheres[:3]
    entry, _ = _round(origins, gather(rays.directions, numbers), spheres[3])
    entry[entry < 0] = np.nan
    entry[dot(origins, origins) <= spheres[3] ** 2] = 0.0
    return entry


def _round(origins: Floats, directions: Floats, radii: Floats) -> tuple[Floats, Floats]:
    """Return when rays enter spheres about 0, or NaN, and when they are nearest to it.

    The distance of the ray from the centre comes from a cross product, which stays precise far
    away. Haines, Gunther and Akenine-Moller, "Precision Improvements for Ray/Sphere
    Intersection", Ray Tracing Gems, 2019.
    """
    squared = dot(directions, directions)
    beside = cross(origins, directions)
    room = squared * radii**2 - dot(beside, beside)
    nearest = np.full(room.shape, np.nan)
    np.divide(-dot(origins, directions), squared, out=nearest, where=squared > 0)
    half = np.full(room.shape, np.nan)
    np.sqrt(room, out=half, where=(room >= 0) & (squared > 0))
    np.divide(half, squared, out=half, where=squared > 0)
    return nearest - half, nearest


def enter_regions(items: Regions, ids: Ids, rays: Rays, numbers: Ids) -> Floats:
    """Return how many directions from the origin each rounded box is entered, or NaN.

    The walls of the box within cut the ray into seven parts. Along each part the same coordinate
    of the box is nearest on every axis, so the rounded box is a slab, a cylinder or a sphere.
    """
    regions = items.take_rows(ids)
    origins, directions = gather(rays.origins, numbers), gather(rays.directions, numbers)
    lower, upper, radii = regions[:3], regions[3:6], regions[6]
    near, far = between_walls(origins, directions, lower, upper)
    moving = directions != 0
    walls = np.where(directions != 0, (near, far), 0.0).reshape(6, -1)
    starts = np.sort(np.concatenate((np.zeros((1, len(ids))), np.maximum(walls, 0.0))), axis=0)
    ends = np.concatenate((starts[1:], np.full((1, len(ids)), np.inf)))
    entry = np.full(len(ids), np.nan)
    for start, end in zip(starts, ends, strict=True):
        beyond, moving = _nearest_corner(
            origins, directions, lower, upper, end <= near, start >= far
        )
        np.fmin(entry, _enter_part(beyond, moving, radii, start, end), out=entry)
    outside = origins - np.clip(origins, lower, upper)
    entry[dot(outside, outside) <= radii**2] = 0.0
    return entry


def _nearest_corner(
    origins: Floats, directions: Floats, lower: Floats, upper: Floats, before: Flags, after: Flags
) -> tuple[Floats, Floats]:
    """Return origins and directions as seen from the nearest corner, 0 on axes between walls."""
    still, forwards = directions == 0, directions > 0
    below = np.where(still, origins < lower, np.where(forwards, before, after))
    above = np.where(still, origins > upper, np.where(forwards, after, before))
    beyond = np.where(below, origins - lower, np.where(above, origins - upper, 0.0))
    return beyond, np.where(below | above, directions, 0.0)


def _enter_part(
    origins: Floats, directions: Floats, radii: Floats, start: Floats, end: Floats
) -> Floats:
    """Return when rays come as near to 0 as the radius between `start` and `end`, or NaN."""
    entry, nearest = _round(origins, directions, radii)
    held = (directions == 0).all(axis=0) & (dot(origins, origins) <= radii**2)
    met = (entry <= end) & (nearest >= start)
    return np.where(held, start, np.where(met, np.clip(entry, start, end), np.nan))


def outward(items: Shapes, ids: Ids, rays: Rays, numbers: Ids, positions: Floats) -> Floats:
    """Return vectors that point out of items at places where rays enter them, (3, h)."""
    rows = items.take_rows(ids)
    lower, upper = (rows[:3], rows[:3]) if isinstance(items, Spheres) else (rows[:3], rows[3:6])
    if isinstance(items, Boxes):
        vectors = np.zeros(lower.shape)
    else:
        vectors = positions - np.clip(positions, lower, upper)
    # What has no radius is left through the wall that was met last.
    (flat,) = (vectors == 0).all(axis=0).nonzero()
    directions = rays.directions[:, numbers[flat]]
    origins = rays.origins[:, numbers[flat]]
    near, _ = between_walls(origins, directions, lower[:, flat], upper[:, flat])
    axis = near.argmax(axis=0)
    vectors[axis, flat] = -np.sign(directions[axis, np.arange(len(flat))])
    return vectors
