"""Triangulation of convex polygons: first ears beside flat corners, then fans.

A flat corner lies on the line between its neighbors. Once the ear beside it is cut off, it is a
proper corner of the rest. So no triangle is flat unless the whole polygon is flat. (G. Meisters,
"Polygons Have Ears", 1975.)
"""

import numpy as np

from ..arrays import Ids, concatenated_ranges
from .polygons import Polygons


def triangulated(some: Polygons) -> tuple[Ids, Ids]:
    """Return the corners of triangles, (3, t), and the polygon of each; sorted by polygon."""
    left, of = np.arange(len(some.places)), some.polygon_of_corner
    flat, made = some.flat.copy(), []
    has_flat = np.zeros(len(some), bool)
    has_flat[of[flat]] = True
    fanned = [(left[~has_flat[of]], some.sizes[~has_flat])]
    sizes = some.sizes[has_flat]
    left = left[has_flat[of]]
    while len(left):
        first = np.cumsum(sizes) - sizes
        each = np.arange(len(left))
        after, before = each + 1, each - 1
        after[np.cumsum(sizes) - 1], before[first] = first, np.cumsum(sizes) - 1
        is_flat = flat[left]
        is_ear = ~is_flat & (is_flat[after] | is_flat[before])
        ear = np.minimum.reduceat(np.where(is_ear, each, len(each)), first)
        cuttable = (ear < len(each)) & (sizes > 3)
        ears = ear[cuttable]
        made.append(left[np.stack((before[ears], ears, after[ears]))])
        flat[left[before[ears]]] = flat[left[after[ears]]] = False
        rest = (~cuttable).nonzero()[0]
        fanned.append((left[concatenated_ranges(first[rest], sizes[rest])], sizes[rest]))
        stays = np.repeat(cuttable, sizes)
        stays[ears] = False
        left, sizes = left[stays], sizes[cuttable] - 1
    corners = np.concatenate([*made, *(_fans(*each) for each in fanned)], axis=1)
    polygons = of[corners[0]]
    order = np.argsort(polygons, kind="stable")
    return corners[:, order], polygons[order]


def _fans(corners: Ids, sizes: Ids) -> Ids:
    """Return the fan of triangles (3, t) around the first corner of each polygon."""
    first = np.cumsum(sizes) - sizes
    second = concatenated_ranges(first + 1, sizes - 2)
    return corners[np.stack((np.repeat(first, sizes - 2), second, second + 1))]
