"""Child masks: which of a cell's eight children an item touches, by separating axes (SAT).

One bit for each child. Child `i` is the upper half in x where bit 0 of `i` is set, in y where bit
1 is, in z where bit 2 is. Coordinates are relative to the point where the cell is divided, in some
unit of length for each axis; children are given by how far they extend from that point. Each child
counts as a rounding larger than it is: an item may be found in a child too many, never in one too
few.
"""

from collections.abc import Iterable, Sequence
from itertools import product

import numpy as np
from numpy.typing import NDArray

from .arrays import OTHER_AXES, Flags, Floats, Ids
from .shapes import Boxes, Shapes, Triangles

ChildMasks = NDArray[np.uint8]

# An item that counts as touching a child lies at most this much of the root's size outside it. The
# margin e is at most 2**-46 of it. The plane of a triangle of length 1 and width w separates
# from a distance of 36 e / w on, its edges from about w on: both miss no more than 6 sqrt(e).
SLIVER = 2.0**-20

# The four children on either side of the dividing plane of each axis.
LOWER = np.array([0x55, 0x33, 0x0F], np.uint8)
UPPER = np.array([0xAA, 0xCC, 0xF0], np.uint8)
POPCOUNT = np.array([mask.bit_count() for mask in range(256)], np.uint8)


def _on_sides(flags: int) -> int:
    """Turn six flags (lower x, upper x, lower y, ..., upper z) to a mask."""
    masks = 0xFF
    for lower, upper in zip(LOWER.tolist(), UPPER.tolist(), strict=True):
        masks &= (flags & 1) * lower | (flags >> 1 & 1) * upper
        flags >>= 2
    return masks


# The children on these sides of the three planes, given as the six bits of `sides_of_planes`.
ON_SIDES = np.array([_on_sides(flags) for flags in range(64)], np.uint8)


def _in_quarters(i: int, j: int, quarters: Sequence[Flags]) -> ChildMasks:
    """Return the masks of four columns: both lower, j upper, i upper, both upper."""
    masks = np.zeros(quarters[0].shape, np.uint8)
    for quarter, (side_i, side_j) in zip(quarters, product((LOWER, UPPER), repeat=2), strict=True):
        masks |= quarter.view(np.uint8) * (side_i[i] & side_j[j])
    return masks


def touched_children(
    items: Shapes,
    ids: Ids,
    middle: Floats,
    scale: Floats,
    margin: float,
    reach: Floats,
) -> ChildMasks:
    """Return the children that t items touch, (t,), given that their bounds touch the cells.

    `middle`, (3, t), is where each item's cell is divided, `scale`, (3,), one by the unit of
    length. Children count as `margin` units larger than they are. `reach`, (2, 3, t), is how far
    below and above `middle` they extend, in units. Children that the item's bounds do not overlap
    mean nothing.
    """
    if isinstance(items, Boxes):
        return np.full(len(ids), 0xFF, np.uint8)
    scale = scale[:, None]
    if isinstance(items, Triangles):
        corners = items.take_rows(ids).reshape(3, 3, -1)
        corners -= middle
        corners *= scale
        return _of_triangles(corners, margin, reach)
    sides, radii = items.box_and_radius(ids)
    return _of_rounded((sides - middle) * scale, radii * scale + margin, reach)


def _of_triangles(corners: Floats, margin: float, reach: Floats) -> ChildMasks:
    """Return the children beside neither the triangle's plane nor, in projection, an edge.

    Together with overlapping bounds that is the separating-axis test of Akenine-Moller, "Fast 3D
    Triangle-Box Overlap Testing", 2001, in the one-sided form of Schwarz and Seidel, "Fast
    Parallel Surface and Solid Voxelization on GPUs", 2010: all eight children share one set of
    edges.
    `corners` is (3 corners, 3 axes, t); the children meet in the origin.
    """
    first, second, third = corners
    edges = np.stack((second - first, third - second, first - third))
    normal = [edges[0, i] * edges[1, j] - edges[0, j] * edges[1, i] for i, j in OTHER_AXES]
    greatest = _greatest(np.abs(edges))
    masks = _across_plane(normal, first, margin * greatest**2, reach)
    # Rounding may turn the normal of a sliver round, and then the inside of a short edge too.
    slack = 4.0 * margin * greatest
    for axis, (i, j) in enumerate(OTHER_AXES):
        # Across an edge, towards the inside of the triangle: (inward_i, inward_j).
        sign = np.copysign(1.0, normal[axis])
        inward_i, inward_j = -sign * edges[:, j], sign * edges[:, i]
        needed = inward_i * corners[:, i] + inward_j * corners[:, j]
        needed -= slack
        lower_i, upper_i = _farthest(inward_i, reach, i)
        lower_j, upper_j = _farthest(inward_j, reach, j)
        from_lower, from_upper = needed - lower_i, needed - upper_i
        quarters = (
            lower_j >= from_lower,
            upper_j >= from_lower,
            lower_j >= from_upper,
            upper_j >= from_upper,
        )
        masks &= _in_quarters(i, j, [flags.all(axis=0) for flags in quarters])
    return masks


def _farthest(directions: Floats, reach: Floats, axis: int) -> tuple[Floats, Floats]:
    """Return how far the lower and the upper children go in these directions along an axis."""
    upper = np.maximum(directions, 0.0)
    lower = upper - directions
    lower *= reach[0, axis]
    upper *= reach[1, axis]
    return lower, upper


def _greatest(lengths: Floats) -> Floats:
    """Return twice the greatest extent along an axis of the first two of three edges."""
    first, second, _ = lengths
    greatest = np.maximum(first, second)
    return 2.0 * np.maximum(np.maximum(greatest[0], greatest[1]), greatest[2])


def _across_plane(
    normal: Sequence[Floats], point: Floats, slack: Floats, reach: Floats
) -> ChildMasks:
    """Return the children that reach both sides of the plane, or touch it."""
    distance = normal[0] * point[0] + normal[1] * point[1] + normal[2] * point[2]
    ahead = _sums([_farthest(row, reach, axis) for axis, row in enumerate(normal)])
    behind = _sums([_farthest(-row, reach, axis) for axis, row in enumerate(normal)])
    # The normal of a sliver is uncertain by as much as edges this long allow.
    front, back = distance - 3.0 * slack, -distance - 3.0 * slack
    return pack_children((ahead[child] >= front) & (behind[child] >= back) for child in range(8))


def _sums(sides: Iterable[tuple[Floats, Floats]]) -> list[Floats]:
    """Return for each child the sum of one term per axis, given (lower, upper) for each axis."""
    x, y, z = sides
    return [x[i] + y[j] + z[k] for k, j, i in product((0, 1), repeat=3)]


def _of_rounded(sides: Floats, radii: Floats, reach: Floats) -> ChildMasks:
    """Return the children no farther from a box than its radius, given along each axis, (3, t).

    `sides` are the lower and upper corners, (2, 3, t), or (1, 3, t) where the box is a point.
    Arvo, "A Simple Method for Box-Sphere Intersection Testing", Graphics Gems, 1990.
    """
    low, high = sides[0], sides[-1]
    below, above = reach
    upper = np.maximum(np.maximum(-high, low - above), 0) / radii
    lower = np.maximum(np.maximum(low, -below - high), 0) / radii
    squares = _sums(zip(lower**2, upper**2, strict=True))
    return pack_children(square <= 1 for square in squares)


def pack_children(flags: Iterable[Flags]) -> ChildMasks:
    """Return flags for the eight children in order, as a mask."""
    masks: ChildMasks = np.uint8(0)  # type: ignore[assignment]
    for child, touching in enumerate(flags):
        masks = masks | touching.view(np.uint8) << np.uint8(child)
    return masks
