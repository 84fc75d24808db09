"""Which of a cell's eight parts an item touches: one bit for each part.

Part `i` is the upper half in x where bit 0 of `i` is set, in y where bit 1 is, in z where bit 2
is. Coordinates are relative to the point where the cell is divided, in units of its parts; parts
of one size are unit cubes then, and others are given by how far they reach from that point. Each
part is taken a rounding larger than it is: an item may be found in a part too many, never in one
too few.
"""

from collections.abc import Iterable, Sequence
from itertools import product

import numpy as np
from numpy.typing import NDArray

from .arrays import OTHER_AXES, Flags, Floats, Ids
from .shapes import Boxes, Shapes, Triangles
from .touch.decompose import box_and_radius

ChildMasks = NDArray[np.uint8]

# The four parts on either side of the dividing plane of each axis.
LOWER = np.array([0x55, 0x33, 0x0F], np.uint8)
UPPER = np.array([0xAA, 0xCC, 0xF0], np.uint8)
POPCOUNT = np.array([mask.bit_count() for mask in range(256)], np.uint8)
LOWEST_BIT = np.array([max((o & -o).bit_length() - 1, 0) for o in range(256)])


def _on_sides(flags: int) -> int:
    """Turn six flags (lower x, upper x, lower y, ..., upper z) to octants."""
    octants = 0xFF
    for lower, upper in zip(LOWER.tolist(), UPPER.tolist(), strict=True):
        octants &= (flags & 1) * lower | (flags >> 1 & 1) * upper
        flags >>= 2
    return octants


# The parts on these sides of the three planes, given as the six bits that `words.sides` returns.
ON_SIDES = np.array([_on_sides(flags) for flags in range(64)], np.uint8)


def _in_quarters(i: int, j: int, quarters: Sequence[Flags]) -> ChildMasks:
    """Return the octants of four columns: both lower, j upper, i upper, both upper."""
    octants = np.zeros(quarters[0].shape, np.uint8)
    for quarter, (side_i, side_j) in zip(quarters, product((LOWER, UPPER), repeat=2), strict=True):
        octants |= quarter.view(np.uint8) * (side_i[i] & side_j[j])
    return octants


def touched(
    items: Shapes,
    ids: Ids,
    middle: Floats,
    scale: Floats,
    margin: float,
    reach: Floats | None = None,
) -> ChildMasks:
    """Return the parts that each item touches, given that its bounds touch the cell.

    Parameters
    ----------
    items : Triangles, Boxes, Spheres or Regions
        A batch.
    ids : ndarray of intp, shape (t,)
        Items of that batch.
    middle : ndarray of float64, shape (3, t)
        Where each item's cell is divided.
    scale : ndarray of float64, shape (3,)
        One by the unit of length: the size of a part, where all are of one size.
    margin : float
        How much larger than it is each part is taken, in units.
    reach : ndarray of float64, shape (2, 3, t), optional
        How far below and above `middle` the parts reach, in units; 1 by default.

    Returns
    -------
    ndarray of uint8, shape (t,)
        ChildMasks. Those that the item's bounds do not overlap mean nothing.
    """
    if isinstance(items, Boxes):
        return np.full(len(ids), 0xFF, np.uint8)
    scale = scale[:, None]
    if isinstance(items, Triangles):
        corners = items.take_rows(ids).reshape(3, 3, -1)
        corners -= middle
        corners *= scale
        return _of_triangles(corners, margin, reach)
    sides, radii = box_and_radius(items, ids)
    return _of_rounded((sides - middle) * scale, radii * scale + margin, reach)


def confirm(overlapped: ChildMasks, doubtful: Ids, touched: ChildMasks) -> Ids:
    """Take from `overlapped`, in place, what the doubtful ones do not touch.

    Returns which of the doubtful touch nothing, by a rounding: they keep all that they overlap.
    """
    kept = overlapped[doubtful] & touched
    overlapped[doubtful] = np.where(kept, kept, overlapped[doubtful])
    return np.flatnonzero(kept == 0)


def _of_triangles(corners: Floats, margin: float, reach: Floats | None) -> ChildMasks:
    """Return the parts that lie beside neither the triangle's plane nor, in projection, an edge.

    Together with overlapping bounds that is the separating-axis test of Akenine-Moller, "Fast 3D
    Triangle-Box Overlap Testing", 2001, in the one-sided form of Schwarz and Seidel, "Fast
    Parallel Surface and Solid Voxelization on GPUs", 2010: all eight parts share one set of edges.
    `corners` is (3 corners, 3 axes, t); the parts meet in the origin.
    """
    first, second, third = corners
    edges = np.stack((second - first, third - second, first - third))
    normal = [edges[0, i] * edges[1, j] - edges[0, j] * edges[1, i] for i, j in OTHER_AXES]
    lengths = np.abs(edges)
    octants = _across_plane(normal, first, margin * _greatest(lengths) ** 2, reach)
    lengths *= margin
    for axis, (i, j) in enumerate(OTHER_AXES):
        # Across an edge, towards the inside of the triangle: (inward_i, inward_j).
        sign = np.copysign(1.0, normal[axis])
        inward_i, inward_j = -sign * edges[:, j], sign * edges[:, i]
        needed = inward_i * corners[:, i] + inward_j * corners[:, j]
        needed -= lengths[:, i] + lengths[:, j]
        lower_i, upper_i = _farthest(inward_i, reach, i)
        lower_j, upper_j = _farthest(inward_j, reach, j)
        from_lower, from_upper = needed - lower_i, needed - upper_i
        quarters = (
            lower_j >= from_lower,
            upper_j >= from_lower,
            lower_j >= from_upper,
            upper_j >= from_upper,
        )
        octants &= _in_quarters(i, j, [flags.all(axis=0) for flags in quarters])
    return octants


def _farthest(directions: Floats, reach: Floats | None, axis: int) -> tuple[Floats, Floats]:
    """Return how far the lower and the upper parts go in these directions along an axis."""
    upper = np.maximum(directions, 0.0)
    lower = upper - directions
    if reach is not None:
        lower *= reach[0, axis]
        upper *= reach[1, axis]
    return lower, upper


def _greatest(lengths: Floats) -> Floats:
    """Return twice the greatest extent along an axis of the first two of three edges."""
    first, second, _ = lengths
    greatest = np.maximum(first, second)
    return 2.0 * np.maximum(np.maximum(greatest[0], greatest[1]), greatest[2])


def _across_plane(
    normal: Sequence[Floats], point: Floats, slack: Floats, reach: Floats | None
) -> ChildMasks:
    """Return the parts that reach both sides of the plane, or touch it."""
    distance = normal[0] * point[0] + normal[1] * point[1] + normal[2] * point[2]
    ahead = _sums([_farthest(row, reach, axis) for axis, row in enumerate(normal)])
    behind = ahead[::-1]  # in parts of one size, as far as the opposite part ahead
    if reach is not None:
        behind = _sums([_farthest(-row, reach, axis) for axis, row in enumerate(normal)])
    # The normal of a sliver is uncertain by as much as edges this long allow.
    front, back = distance - 3.0 * slack, -distance - 3.0 * slack
    return packed((ahead[part] >= front) & (behind[part] >= back) for part in range(8))


def _sums(sides: Iterable[tuple[Floats, Floats]]) -> list[Floats]:
    """Return for each part the sum of what its sides contribute, (lower, upper) on each axis."""
    x, y, z = sides
    return [x[i] + y[j] + z[k] for k, j, i in product((0, 1), repeat=3)]


def _of_rounded(sides: Floats, radii: Floats, reach: Floats | None) -> ChildMasks:
    """Return the parts no farther from a box than its radius, given along each axis, (3, t).

    `sides` are the lower and upper corners, (2, 3, t), or (1, 3, t) where the box is a point.
    Arvo, "A Simple Method for Box-Sphere Intersection Testing", Graphics Gems, 1990.
    """
    low, high = sides[0], sides[-1]
    below, above = (1.0, 1.0) if reach is None else reach
    upper = np.maximum(np.maximum(-high, low - above), 0) / radii
    lower = np.maximum(np.maximum(low, -below - high), 0) / radii
    squares = _sums(zip(lower**2, upper**2, strict=True))
    return packed(square <= 1 for square in squares)


def packed(flags: Iterable[Flags]) -> ChildMasks:
    """Return flags for the eight parts in order, as octants."""
    octants: ChildMasks = np.uint8(0)  # type: ignore[assignment]
    for part, touching in enumerate(flags):
        octants = octants | touching.view(np.uint8) << np.uint8(part)
    return octants
