"""What is true, by brute force: every volume against every item, a few lines a question.

An answer is a matrix of flags, one row for each volume and one column for each item. `grown`
moves surfaces apart: with a little less and a little more than 0, the answers differ just for
the pairs that rounding may decide either way. `number=exact` computes with fractions.
"""

from fractions import Fraction
from itertools import product

import features
import numpy as np
from features import cross, dot, signed_square

from core import Boxes, Capsules, Frusta, HalfSpaces, OrientedBoxes, Regions, Spheres, Triangles

exact = np.vectorize(Fraction, otypes=[object])

ROUND = (Spheres, Regions, Capsules)
UPRIGHT = (Boxes, Spheres, Regions)
# The corners of a hexahedron: near lower-left, lower-right, upper-right, upper-left, then far.
CORNERS = np.array([(x, y, z) for z in (0, 1) for x, y in ((0, 0), (1, 0), (1, 1), (0, 1))])
SIDES = ((0, 3, 7, 4), (1, 2, 6, 5), (0, 1, 5, 4), (3, 2, 6, 7), (0, 1, 2, 3), (4, 5, 6, 7))
HALF_SIDES = [half for a, b, c, d in SIDES for half in ((a, b, c), (a, c, d))]
RIDGES = [(0, 1), (1, 2), (2, 3), (3, 0), (4, 5), (5, 6), (6, 7), (7, 4)] + [
    (corner, corner + 4) for corner in range(4)
]


def finite(shapes):
    """Which shapes have no coordinate that is NaN or infinite."""
    return np.isfinite(corners_of(shapes)).all(axis=(1, 2)) & np.isfinite(radii_of(shapes))


def corners_of(shapes, number=np.asarray):
    """Corners (n, p, 3) whose hull, rounded by the radius, is the shape."""
    if isinstance(shapes, Triangles):
        return number(shapes.vertices)[shapes.faces]
    if isinstance(shapes, Spheres):
        return number(shapes.centers)[:, None]
    if isinstance(shapes, Capsules):
        return np.stack((number(shapes.starts), number(shapes.ends)), axis=1)
    if isinstance(shapes, OrientedBoxes):
        sides = (2 * CORNERS - 1) * number(shapes.half_sizes)[:, None]
        return number(shapes.centers)[:, None] + dot(
            number(shapes.rotations)[:, None], sides[:, :, None]
        )
    if isinstance(shapes, Frusta):
        return number(shapes.corners)
    lower, upper = number(shapes.lower)[:, None], number(shapes.upper)[:, None]
    return np.where(CORNERS, upper, lower)


def radii_of(shapes, number=np.asarray):
    """Radii of what is round, 0 for whatever else."""
    return number(shapes.radii if isinstance(shapes, ROUND) else np.zeros(len(shapes)))


def touching(items, volumes, grown=0.0, number=np.asarray):
    """Which items share a point with which volumes."""
    if isinstance(volumes, HalfSpaces):
        flags = reach_half_spaces(volumes, items, grown, number)
    elif isinstance(items, UPRIGHT) and isinstance(volumes, UPRIGHT):
        flags = upright_near(volumes, items, grown, number)
    elif isinstance(items, ROUND) or isinstance(volumes, ROUND):
        flags = near(volumes, items, grown, number)
    else:
        flags = hulls_touch(volumes, items, grown, number)
    return flags & finite(items)


def inside(items, volumes, grown=0.0, number=np.asarray):
    """Which items lie in which volumes wholly: the balls at all their corners do."""
    corners, radii = corners_of(items, number), radii_of(items, number)
    return contains(volumes, corners, radii, grown, number).all(axis=2) & finite(items)


# Balls in solids


def contains(solids, points, radii, grown, number):
    """Which balls around points (n, p, 3), of radii (n,), lie in each solid, (q, n, p)."""
    radii = radii[:, None]
    if isinstance(solids, HalfSpaces):
        depth, lengths = depths(solids, points, number)
        return depth >= signed_square(radii - grown) * lengths
    if isinstance(solids, Frusta):
        origins, normals = (rows[:, None, None] for rows in half_spaces(solids, number))
        depth = signed_square(dot(points[:, :, None] - origins, normals))
        needed = signed_square(radii - grown)[..., None] * dot(normals, normals)
        return (depth >= needed).all(axis=3)
    if isinstance(solids, OrientedBoxes):
        seen = points - number(solids.centers)[:, None, None]
        beyond = abs(
            dot(seen[..., None, :], number(solids.rotations).swapaxes(1, 2)[:, None, None])
        )
        return rounded(beyond - number(solids.half_sizes)[:, None, None], grown - radii)
    spare = radii_of(solids, number)[:, None, None] - radii + grown
    if isinstance(solids, Capsules):
        return near_segments(solids, points, spare, number)
    corners = corners_of(solids, number)[:, None, None]
    lower, upper = corners.min(axis=3), corners.max(axis=3)
    return rounded(np.maximum(lower - points, points - upper), spare)


def rounded(beyond, spare):
    """Whether points so far beyond a box on each axis, negative within, are no farther than spare.

    A negative one is how deep they have to lie within.
    """
    beside = np.maximum(beyond, 0)
    return np.where(
        spare >= 0, dot(beside, beside) <= spare * spare, (beyond <= spare[..., None]).all(axis=-1)
    )


def near_segments(capsules, points, reach, number):
    """Which points (n, p, 3) are within reach (q, n, 1) of each segment."""
    ends = corners_of(capsules, number)[:, None, None]
    flags = features.corners_near_edges(points, ends, reach)
    for end in (0, 1):
        flags = flags | features.corners_near_corners(points, ends[..., end, :], reach)
    return flags


def half_spaces(frusta, number):
    """Points and inward normals of the twelve half sides: (n, 12, 3) both."""
    corners = corners_of(frusta, number)
    a, b, c = np.moveaxis(corners[:, HALF_SIDES], 2, 0)
    normals, inward = cross(b - a, c - a), corners.sum(axis=1)[:, None] - 8 * a
    return a, np.where((dot(normals, inward) < 0)[..., None], -normals, normals)


# Distances


def depths(solids, points, number):
    """How deep points (n, p, 3) lie, squared but signed, (q, n, p), and the normals, (q, 1, 1)."""
    normals, offsets = number(solids.planes)[:, :3], number(solids.planes)[:, 3]
    depth = dot(points, normals[:, None, None]) + offsets[:, None, None]
    return signed_square(depth), dot(normals, normals)[:, None, None]


def reach_half_spaces(solids, items, grown, number):
    """Which items have a corner that is deep enough, or no farther away than the radius."""
    depth, lengths = depths(solids, corners_of(items, number), number)
    needed = -(radii_of(items, number)[:, None] + grown)
    return (depth >= signed_square(needed) * lengths).any(axis=2)


def upright_near(ones, others, grown, number):
    """Which upright boxes are no farther apart than their radii together."""
    mine, theirs = corners_of(ones, number)[:, None], corners_of(others, number)
    gap = np.maximum(mine.min(axis=2) - theirs.max(axis=1), theirs.min(axis=1) - mine.max(axis=2))
    reach = radii_of(ones, number)[:, None] + radii_of(others, number) + grown
    return rounded(gap, reach)


def near(ones, others, grown, number):
    """Which hulls are no farther apart than their radii together, or hold the other."""
    flags = upright_near(ones, others, grown, number)  # of their bounds
    rows, columns = np.nonzero(flags)
    reach = radii_of(ones, number)[rows] + radii_of(others, number)[columns] + grown
    mine, theirs = hulls_of(ones[rows], number), hulls_of(others[columns], number)
    flags[rows, columns] = features.near(mine, theirs, reach)
    flags |= holds_corner(ones, others, grown, number)
    if not isinstance(others, Triangles):
        flags |= holds_corner(others, ones, grown, number).T
    return flags


def holds_corner(solids, others, grown, number):
    return contains(solids, corners_of(others, number), np.zeros(len(others)), grown, number).any(
        2
    )


def hulls_of(shapes, number):
    """Return corners, edges and faces."""
    corners = corners_of(shapes, number)
    edges, faces = {
        1: (np.empty((0, 2), int), np.empty((0, 3), int)),
        2: ([(0, 1)], np.empty((0, 3), int)),
        3: ([(0, 1), (1, 2), (2, 0)], [(0, 1, 2)]),
        8: (RIDGES, HALF_SIDES),
    }[corners.shape[1]]
    return features.Hulls(corners, corners[:, edges], corners[:, faces])


# Separating axes


def hulls_touch(ones, others, grown, number):
    """Which hulls no axis separates: normals of faces, and products of an edge of each.

    Gottschalk, Lin and Manocha, "OBBTree", 1996. For a triangle and a box, the thirteen axes of
    Akenine-Moller, "Fast 3D Triangle-Box Overlap Testing", 2001.
    """
    mine, normals, edges = directions(ones, number)
    theirs, other_normals, other_edges = directions(others, number)
    axes = [normal[:, None] for normal in normals] + [normal[None] for normal in other_normals]
    axes += [cross(one[:, None], other[None]) for one, other in product(edges, other_edges)]
    flags = np.ones((len(ones), len(others)), bool)
    for axis in axes:
        here, there = dot(mine[:, None], axis[:, :, None]), dot(theirs[None], axis[:, :, None])
        reach = grown * abs(axis).sum(axis=-1)
        flags &= here.min(axis=-1) <= there.max(axis=-1) + reach
        flags &= there.min(axis=-1) <= here.max(axis=-1) + reach
    return flags


def directions(shapes, number):
    """Corners (n, p, 3), face normals (f, n, 3) and edges (e, n, 3)."""
    corners = corners_of(shapes, number)
    if isinstance(shapes, Triangles):
        edges = np.roll(corners, -1, axis=1) - corners
        normals = cross(edges[:, 0], edges[:, 1])[:, None]
    elif isinstance(shapes, Boxes):
        normals = edges = np.broadcast_to(np.eye(3), (len(shapes), 3, 3))
    elif isinstance(shapes, OrientedBoxes):
        normals = edges = number(shapes.rotations).swapaxes(1, 2)
    else:
        ends = corners[:, RIDGES]
        edges, normals = ends[:, :, 1] - ends[:, :, 0], half_spaces(shapes, number)[1]
    return corners, normals.swapaxes(0, 1), edges.swapaxes(0, 1)
