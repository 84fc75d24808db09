"""Coplanar faces: the area that two triangles share in one plane, by clipping one to the other.

I. E. Sutherland and G. W. Hodgman, "Reentrant Polygon Clipping", 1974, for all pairs at once: one
triangle is clipped by the planes through the edges of the other, then the area of the rest and its
distance from the other's plane are measured.
"""

import numpy as np

from ..arrays import Flags, Floats, blocks, cross, dot, power_of_two_scale
from ..compiled import shared_parts

_BLOCK = 2_048
# Cosine of the largest angle between the planes of coplanar faces.
_TURNED = 0.7


def shared_areas(ones: Floats, others: Floats, band: float) -> tuple[Floats, Floats, Flags]:
    """Return the areas (h,) that triangles (9, h) share in one plane within the band.

    Also return the centroids of these areas, (3, h), and flag the triangles that face the same
    way, (h,). Areas and centroids are 0 for triangles that share no area.
    """
    count = ones.shape[1]
    areas, middles = np.zeros(count), np.zeros((3, count))
    one, other = ones.reshape(3, 3, -1), others.reshape(3, 3, -1)
    normal, other_normal = (cross(each[1] - each[0], each[2] - each[0]) for each in (one, other))
    turn = dot(normal, other_normal)
    sizes = np.sqrt(dot(normal, normal)) * np.sqrt(dot(other_normal, other_normal))
    flat = (np.abs(turn) >= _TURNED * sizes) & (sizes > 0)
    heights = np.stack([dot(other_normal, corner - other[0]) for corner in one])
    reach = band * np.sqrt(dot(other_normal, other_normal)) * (1 + 2.0**-20)
    flat &= (heights.min(axis=0) <= reach) & (heights.max(axis=0) >= -reach)
    (left,) = flat.nonzero()
    known = shared_parts(ones[:, left], others[:, left], band)
    if known is not None:
        areas[left], middles[:, left] = known
        return areas, middles, turn > 0
    for some in blocks(len(left), _BLOCK):
        pairs = left[some]
        found = _clipped(one[:, :, pairs], other[:, :, pairs], band)
        areas[pairs], middles[:, pairs] = found
    return areas, middles, turn > 0


def _clipped(one: Floats, other: Floats, band: float) -> tuple[Floats, Floats]:
    origin = other[0].copy()
    one, other = one - origin, other - origin
    scale = power_of_two_scale(np.concatenate((one, other)))
    polygon, triangle = one * scale, other * scale
    normal = cross(triangle[1], triangle[2])
    normal = normal / np.sqrt(dot(normal, normal))
    for start, stop in ((0, 1), (1, 2), (2, 0)):
        edge = triangle[stop] - triangle[start]
        inwards = cross(normal, edge)
        sides = np.stack([dot(inwards, corner - triangle[start]) for corner in polygon])
        polygon, _ = clip(polygon, sides)
    heights = np.stack([dot(normal, corner) for corner in polygon])
    within = np.abs(heights).max(axis=0) <= band * scale * (1 + 2.0**-20)
    fan = [
        cross(polygon[i] - polygon[0], polygon[i + 1] - polygon[0])
        for i in range(1, len(polygon) - 1)
    ]
    parts = np.stack([np.abs(dot(normal, part)) / 2 for part in fan])
    area = parts.sum(axis=0)
    thirds = [(polygon[0] + polygon[i] + polygon[i + 1]) / 3 for i in range(1, len(polygon) - 1)]
    moment = sum(
        (part * third for part, third in zip(parts, thirds, strict=True)), np.zeros_like(normal)
    )
    extent = np.sqrt(((polygon.max(axis=0) - polygon.min(axis=0)) ** 2).sum(axis=0))
    # An area no wider than the band counts as an edge.
    counts = within & (area > band * scale * extent)
    middle = np.divide(moment, area, out=np.zeros_like(moment), where=counts)
    middles = np.where(counts, middle / scale + origin, 0.0)
    return np.where(counts, area / (scale * scale), 0.0), middles


def clip(polygon: Floats, sides: Floats) -> tuple[Floats, Flags]:
    """Return convex polygons (k, 3, h) clipped to sides (k, h) from 0 up, (k + 1, 3, h).

    Also flag the polygons of which a part is left, (h,). Unused corners repeat the last one.
    """
    k, count = sides.shape
    following, next_sides = np.roll(polygon, -1, axis=0), np.roll(sides, -1, axis=0)
    cuts = ((sides > 0) & (next_sides < 0)) | ((sides < 0) & (next_sides > 0))
    share = np.divide(sides, sides - next_sides, out=np.zeros_like(sides), where=cuts)
    points = polygon + share[:, None] * (following - polygon)
    kept = np.empty((2 * k, count), bool)
    kept[::2], kept[1::2] = sides >= 0, cuts
    slots = np.empty((2 * k, 3, count))
    slots[::2], slots[1::2] = polygon, points
    ranks = np.cumsum(kept, axis=0) - 1
    result = np.empty((k + 1, 3, count))
    last = np.maximum(ranks[-1], 0)
    order = np.zeros((k + 1, count), np.intp)
    rows, columns = np.nonzero(kept & (ranks <= k))
    order[ranks[rows, columns], columns] = rows
    order = np.take_along_axis(order, np.minimum(np.arange(k + 1)[:, None], last), axis=0)
    each = np.arange(count)
    for axis in range(3):
        result[:, axis] = slots[:, axis][order, each]
    return result, kept.any(axis=0)
