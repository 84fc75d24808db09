"""What is true, by brute force: every volume against every item, a few lines a question.

An answer is a matrix of flags, one row for each volume and one column for each item. `grown`
moves surfaces apart: with a little less and a little more than 0, the answers differ just for
the pairs that rounding may decide either way. `number=exact` computes with fractions.
"""

from fractions import Fraction
from itertools import product

import numpy as np

from core import Boxes, Frusta, Spheres, Triangles

exact = np.vectorize(Fraction, otypes=[object])

# The corners of a frustum: near lower-left, lower-right, upper-right, upper-left, then far.
SIDES = ((0, 3, 7, 4), (1, 2, 6, 5), (0, 1, 5, 4), (3, 2, 6, 7), (0, 1, 2, 3), (4, 5, 6, 7))
HALF_SIDES = np.array([half for a, b, c, d in SIDES for half in ((a, b, c), (a, c, d))])
RIDGES = np.array([(0, 1), (1, 2), (2, 3), (3, 0), (4, 5), (5, 6), (6, 7), (7, 4)] + [
    (corner, corner + 4) for corner in range(4)
])  # fmt: skip


def dot(a, b):
    return (a * b).sum(axis=-1)


def cross(a, b):
    return a[..., [1, 2, 0]] * b[..., [2, 0, 1]] - a[..., [2, 0, 1]] * b[..., [1, 2, 0]]


def finite(shapes):
    """Which shapes have no coordinate that is NaN or infinite."""
    return np.isfinite(corners_of(shapes)).all(axis=(1, 2)) & np.isfinite(radii_of(shapes))


def corners_of(shapes, number=np.asarray):
    """Corners (n, p, 3) whose hull, rounded by a sphere's radius, is the shape."""
    if isinstance(shapes, Triangles):
        return number(shapes.vertices)[shapes.faces]
    if isinstance(shapes, Boxes):
        both = np.stack((number(shapes.lower), number(shapes.upper)))
        return np.stack([both[list(c), :, range(3)].T for c in product((0, 1), repeat=3)], axis=1)
    return number(shapes.corners if isinstance(shapes, Frusta) else shapes.centers[:, None])


def radii_of(shapes, number=np.asarray):
    """Radii of spheres, 0 for whatever else."""
    return number(shapes.radii if isinstance(shapes, Spheres) else np.zeros(len(shapes)))


def touching(items, volumes, grown=0.0, number=np.asarray):
    """Which items share a point with which volumes."""
    if isinstance(volumes, Spheres):
        flags = near(volumes, items, grown, number)
    elif isinstance(items, Spheres):
        flags = near(items, volumes, grown, number).T
    else:
        flags = hulls_touch(volumes, items, grown, number)
    return flags & finite(items)


def inside(items, volumes, grown=0.0, number=np.asarray):
    """Which items lie in which volumes wholly."""
    corners, radii = corners_of(items, number), radii_of(items, number)
    return contains(volumes, corners, radii, grown, number) & finite(items)


# Solids around points


def contains(solids, points, radii, grown, number):
    """Whether all of each group of points (n, p, 3) lie at least the radius (n,) in each solid."""
    radii = radii[:, None]
    if isinstance(solids, Spheres):
        apart = points - number(solids.centers)[:, None, None]
        flags = within(dot(apart, apart), number(solids.radii)[:, None, None] - radii + grown)
    elif isinstance(solids, Boxes):
        lower, upper = number(solids.lower)[:, None, None], number(solids.upper)[:, None, None]
        reach = radii[..., None] - grown
        flags = ((points - reach >= lower) & (points + reach <= upper)).all(axis=-1)
    else:
        origins, normals = (rows[:, None, None] for rows in half_spaces(solids, number))
        depth = dot(points[:, :, None] - origins, normals) + grown * abs(normals).sum(axis=-1)
        enough = depth * depth >= (radii * radii)[..., None] * dot(normals, normals)
        flags = ((depth >= 0) & enough).all(axis=-1)
    return flags.all(axis=-1)


def half_spaces(frusta, number):
    """Points and inward normals of the twelve half sides: (n, 12, 3) both."""
    corners = corners_of(frusta, number)
    a, b, c = (corners[:, HALF_SIDES[:, k]] for k in range(3))
    normals, inward = cross(b - a, c - a), corners.sum(axis=1)[:, None] - 8 * a
    return a, np.where((dot(normals, inward) < 0)[..., None], -normals, normals)


# Distances from points, squared


def within(squares, reach):
    return (reach >= 0) & (squares <= reach * reach)


def near(spheres, others, grown, number):
    """Which others (columns) reach into which spheres (rows)."""
    points, radii = number(spheres.centers), number(spheres.radii)[:, None]
    points, reach = points[:, None], radii + radii_of(others, number) + grown
    corners = corners_of(others, number)[None]
    if isinstance(others, Triangles):
        return within(to_triangles(points, corners), reach)
    if isinstance(others, Frusta):
        sides = corners[:, :, HALF_SIDES]
        squares = to_triangles(points[:, :, None], sides).min(axis=-1)
    else:
        lower, upper = corners.min(axis=2), corners.max(axis=2)
        beside = points - np.minimum(np.maximum(points, lower), upper)
        squares = dot(beside, beside)
    held = contains(others, points, 0 * radii[:, 0], grown, number).T
    return within(squares, reach) | held


def to_triangles(points, corners):
    """From the face where the foot of the perpendicular lies in it, else from the nearest edge.

    The seven regions of Ericson, "Real-Time Collision Detection", 2005, 5.1.5.
    """
    a, b, c = (corners[..., k, :] for k in range(3))
    edges, normal = ((a, b), (b, c), (c, a)), cross(b - a, c - a)
    beyond = np.minimum.reduce([to_segments(points, *edge) for edge in edges])
    on_face = np.all([dot(cross(q - p, points - p), normal) > 0 for p, q in edges], axis=0)
    return np.where(on_face, ratio(dot(points - a, normal) ** 2, dot(normal, normal)), beyond)


def to_segments(points, start, end):
    """Ericson, 5.1.2."""
    share = ratio(dot(points - start, end - start), dot(end - start, end - start))
    foot = start + np.minimum(np.maximum(share, 0), 1)[..., None] * (end - start)
    return dot(points - foot, points - foot)


def ratio(a, b):
    return a / np.where(b == 0, 1, b)


# Separating axes


def hulls_touch(ones, others, grown, number):
    """Which hulls no axis separates: normals of faces, and products of an edge of each.

    Gottschalk, Lin and Manocha, "OBBTree", 1996. For a triangle and a box, the thirteen axes of
    Akenine-Moller, "Fast 3D Triangle-Box Overlap Testing", 2001.
    """
    mine, normals, edges = hulls(ones, number)
    theirs, other_normals, other_edges = hulls(others, number)
    axes = [normal[:, None] for normal in normals] + [normal[None] for normal in other_normals]
    axes += [cross(one[:, None], other[None]) for one, other in product(edges, other_edges)]
    flags = np.ones((len(ones), len(others)), bool)
    for axis in axes:
        here, there = dot(mine[:, None], axis[:, :, None]), dot(theirs[None], axis[:, :, None])
        reach = grown * abs(axis).sum(axis=-1)
        flags &= here.min(axis=-1) <= there.max(axis=-1) + reach
        flags &= there.min(axis=-1) <= here.max(axis=-1) + reach
    return flags


def hulls(shapes, number):
    """Corners (n, p, 3), face normals (f, n, 3) and edges (e, n, 3)."""
    corners = corners_of(shapes, number)
    if isinstance(shapes, Triangles):
        edges = np.roll(corners, -1, axis=1) - corners
        normals = cross(edges[:, 0], edges[:, 1])[:, None]
    elif isinstance(shapes, Boxes):
        normals = edges = np.broadcast_to(np.eye(3), (len(shapes), 3, 3))
    else:
        edges = corners[:, RIDGES[:, 1]] - corners[:, RIDGES[:, 0]]
        normals = half_spaces(shapes, number)[1]
    return corners, normals.swapaxes(0, 1), edges.swapaxes(0, 1)
