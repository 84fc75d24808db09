"""Ray intersections: watertight triangles, slab tests of boxes, round shapes.

Woop, Benthin and Wald, "Watertight Ray/Triangle Intersection", JCGT 2(1), 2013. Corners are
sheared so that the ray becomes the third axis. Their other two coordinates then give the side of
each edge on which the ray passes. A sheared corner depends only on the corner and the ray, so the
side of an edge is the same for all triangles that share the edge.

Division comes last: whole numbers stay whole, and hits are exact. Hits of boxes and spheres are
exact, too: quotients are compared with quotients, and a sphere is hit or missed before a root is
taken.
"""

from dataclasses import dataclass, replace

import numpy as np

from ..arrays import (
    OTHER_AXES,
    Flags,
    Floats,
    Ids,
    cross,
    dot,
    gather,
    power_of_two_scale,
    two_product_error,
)
from ..records import Columns
from ..shapes import Boxes, Regions, Shapes, Spheres, Triangles

# For each axis, the two other axes and the axis itself, in columns: (3, 3).
_TURNED = np.array([(*others, axis) for axis, others in enumerate(OTHER_AXES)]).T
# A difference of products below this part of their sizes needs their rounding errors.
_DOUBT = 2.0**-50


@dataclass(frozen=True)
class Rays(Columns):
    """Rays (3, q) whose directions are scaled so that products neither overflow nor underflow.

    The largest coordinate of a direction is at least 1 and below 2: scaling by powers of two
    changes no bit. Directions along an axis have length 1. `lengths` are the lengths of scaled
    directions.

    Rays end at `limits` in scene units, and at `reaches` in lengths of the scaled direction: a ray
    between two points ends at an exact multiple of its direction, but at a rounded distance.
    `asked` is the number of rays in the caller's query, from which the batch may be a selection.
    """

    origins: Floats
    directions: Floats
    lengths: Floats
    limits: Floats
    reaches: Floats
    axes: Ids
    asked: int

    @classmethod
    def of(cls, origins: Floats, directions: Floats, limits: Floats) -> "Rays":
        """Return rays from checked origins and directions (3, q) and distances (q,)."""
        sizes = np.abs(directions)
        largest = sizes.max(axis=0, initial=0.0)
        scaled = np.ldexp(directions, 1 - np.frexp(largest)[1])
        axes = sizes.argmax(axis=0)
        along_axis = (sizes > 0).sum(axis=0) == 1
        scaled = np.where(along_axis, np.sign(directions), scaled)
        lengths = np.sqrt(dot(scaled, scaled))
        return cls(origins, scaled, lengths, limits, limits / lengths, axes, len(lengths))

    def up_to(self, limits: Floats) -> "Rays":
        """Return the same rays with other ends."""
        return replace(self, limits=limits, reaches=limits / self.lengths)

    def positions(self, numbers: Ids, distances: Floats) -> Floats:
        """Return the points of these rays at these distances, (3, h)."""
        steps = distances / self.lengths[numbers]
        return self.origins[:, numbers] + steps * self.directions[:, numbers]


def cross_triangles(items: Triangles, ids: Ids, rays: Rays, numbers: Ids) -> Floats:
    """Return the hit distance of each triangle, in lengths of the direction, or NaN."""
    weights, depths, steps, scales = seen_along(items, ids, rays, numbers)
    total = weights[0] + weights[1] + weights[2]
    same_side = (weights.min(axis=0) >= 0) | (weights.max(axis=0) <= 0)
    crossed = same_side & (total != 0)
    depth = weights[0] * depths[0] + weights[1] * depths[1] + weights[2] * depths[2]
    found = np.divide(depth, total * steps, out=np.full(len(ids), np.nan), where=crossed)
    return found / scales


def barycentric(items: Triangles, ids: Ids, rays: Rays, numbers: Ids) -> Floats:
    """Return barycentric coordinates of hits in these triangles, (3, h)."""
    weights = seen_along(items, ids, rays, numbers)[0]
    return weights / (weights[0] + weights[1] + weights[2])


def met_sides(items: Triangles, ids: Ids, rays: Rays, numbers: Ids) -> Ids:
    """Return 1 for rays that hit triangles along their normals, -1 for rays against, (h,)."""
    weights, _, steps, _ = seen_along(items, ids, rays, numbers)
    total = weights[0] + weights[1] + weights[2]
    return np.where((total > 0) == (steps > 0), 1, -1)


def seen_along(
    items: Triangles, ids: Ids, rays: Rays, numbers: Ids
) -> tuple[Floats, Floats, Floats, Floats]:
    """Shear h triangles along rays; return weights, depths, steps and scales.

    Weights (3, h) are twice the signed areas between the ray and the edge opposite each corner, in
    the sheared plane. Depths (3, h) are the corners' coordinates on the ray's longest axis, and
    steps (h,) the direction's coordinate on this axis.

    Lengths of each pair are multiplied by `scales` (h,), powers of two, so that products of three
    lengths neither overflow nor underflow, whatever other pairs are in the batch.
    """
    corners = items.take_rows(ids).reshape(3, 3, -1)
    corners -= gather(rays.origins, numbers)
    scales = power_of_two_scale(corners)
    corners *= scales
    places = _TURNED.take(rays.axes[numbers], axis=1) * len(ids) + np.arange(len(ids))
    i, j, step = gather(rays.directions, numbers).ravel().take(places)
    x, y, depths = (corners.reshape(3, -1).take(row, axis=1) for row in places)
    x, y = x * step - i * depths, y * step - j * depths
    weights = np.stack([_area(x[a], y[a], x[b], y[b]) for a, b in OTHER_AXES])
    return weights, depths, step, scales


def _area(ax: Floats, ay: Floats, bx: Floats, by: Floats) -> Floats:
    """Return ax * by - ay * bx, with the rounding errors of nearly equal products removed."""
    one, other = ax * by, ay * bx
    area = one - other
    (some,) = (np.abs(area) <= _DOUBT * (np.abs(one) + np.abs(other))).nonzero()
    if len(some):
        area[some] += two_product_error(ax[some], by[some])
        area[some] -= two_product_error(ay[some], bx[some])
    return area


def enter_boxes(items: Boxes, ids: Ids, rays: Rays, numbers: Ids) -> Floats:
    """Return the entry distance of each box, in lengths of the direction, or NaN."""
    origins, directions = gather(rays.origins, numbers), gather(rays.directions, numbers)
    lower, upper = items.take_rows(ids).reshape(2, 3, -1)
    near, far = between_walls(origins, directions, lower, upper)
    entry = np.maximum(near.max(axis=0), 0.0)
    return np.where(entry <= far.min(axis=0), entry, np.nan)


def between_walls(
    origins: Floats, directions: Floats, lower: Floats, upper: Floats
) -> tuple[Floats, Floats]:
    """Return the distances at which rays enter and leave the slab of each axis, (3, h) each.

    Distances are in lengths of the direction. A ray parallel to a slab is either always inside,
    or never: then it leaves at minus infinity. Kay and Kajiya, "Ray Tracing Complex Scenes", 1986.
    """
    first, second = lower - origins, upper - origins
    held = (first <= 0) & (second >= 0)
    moving = directions != 0
    near = np.full(first.shape, -np.inf)
    far = np.where(held, np.inf, -np.inf)
    backwards = directions < 0
    with np.errstate(over="ignore"):  # a ray nearly parallel to the slab
        np.divide(np.where(backwards, second, first), directions, out=near, where=moving)
        np.divide(np.where(backwards, first, second), directions, out=far, where=moving)
    return near, far


def enter_spheres(items: Spheres, ids: Ids, rays: Rays, numbers: Ids) -> Floats:
    """Return the entry distance of each sphere, in lengths of the direction, or NaN."""
    spheres = items.take_rows(ids)
    origins = gather(rays.origins, numbers) - spheres[:3]
    entry, _ = _round(origins, gather(rays.directions, numbers), spheres[3])
    entry[entry < 0] = np.nan
    entry[dot(origins, origins) <= spheres[3] ** 2] = 0.0
    return entry


def _round(origins: Floats, directions: Floats, radii: Floats) -> tuple[Floats, Floats]:
    """Return the distances at which rays enter spheres about 0, or NaN, and are nearest to 0.

    The distance of the ray from the center comes from a cross product, which stays precise far
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
    """Return the entry distance of each rounded box, in lengths of the direction, or NaN.

    The walls of the inner box cut the ray into seven parts. Along each part, the nearest feature
    of the inner box is the same, so the rounded box acts as a slab, a cylinder or a sphere.
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
    """Return origins and directions relative to the nearest corner, 0 on axes between walls."""
    still, forwards = directions == 0, directions > 0
    below = np.where(still, origins < lower, np.where(forwards, before, after))
    above = np.where(still, origins > upper, np.where(forwards, after, before))
    beyond = np.where(below, origins - lower, np.where(above, origins - upper, 0.0))
    return beyond, np.where(below | above, directions, 0.0)


def _enter_part(
    origins: Floats, directions: Floats, radii: Floats, start: Floats, end: Floats
) -> Floats:
    """Return the first distance from `start` to `end` with the ray within the radius, or NaN."""
    entry, nearest = _round(origins, directions, radii)
    held = (directions == 0).all(axis=0) & (dot(origins, origins) <= radii**2)
    met = (entry <= end) & (nearest >= start)
    return np.where(held, start, np.where(met, np.clip(entry, start, end), np.nan))


def outward(items: Shapes, ids: Ids, rays: Rays, numbers: Ids, positions: Floats) -> Floats:
    """Return outward vectors of items at the points where rays enter, (3, h)."""
    sides, _ = items.box_and_radius(ids)
    lower, upper = sides[0], sides[-1]
    if isinstance(items, Boxes):
        vectors = np.zeros(lower.shape)
    else:
        vectors = positions - np.clip(positions, lower, upper)
    # At points without a rounded surface, the vector is normal to the last wall that was crossed.
    (flat,) = (vectors == 0).all(axis=0).nonzero()
    directions = rays.directions[:, numbers[flat]]
    origins = rays.origins[:, numbers[flat]]
    near, _ = between_walls(origins, directions, lower[:, flat], upper[:, flat])
    axis = near.argmax(axis=0)
    vectors[axis, flat] = -np.sign(directions[axis, np.arange(len(flat))])
    return vectors
