"""Which of a cell's eight parts an item touches: one bit for each part.

Part `i` is the upper half in x where bit 0 of `i` is set, in y where bit 1 is, in z where bit 2
is. Coordinates are relative to the point where the cell is divided, in units of its parts. Each
part is taken a rounding larger than it is: an item may be found in a part too many, never in one
too few.
"""

from collections.abc import Iterable, Sequence
from itertools import product

import numpy as np
from numpy.typing import NDArray

from .arrays import AROUND, Flags, Floats, Ids
from .shapes import Boxes, Shapes, Triangles
from .touch.parts import box_and_radius

Octants = NDArray[np.uint8]

# The four parts on either side of the dividing plane of each axis.
LOWER = np.array([0x55, 0x33, 0x0F], np.uint8)
UPPER = np.array([0xAA, 0xCC, 0xF0], np.uint8)
PARTS_IN = np.array([octants.bit_count() for octants in range(256)], np.uint8)
LOWEST_PART = np.array([max((o & -o).bit_length() - 1, 0) for o in range(256)])


def _on_sides(flags: int) -> int:
    """Turn six flags (lower x, upper x, lower y, ..., upper z) to octants."""
    octants = 0xFF
    for lower, upper in zip(LOWER.tolist(), UPPER.tolist(), strict=True):
        octants &= (flags & 1) * lower | (flags >> 1 & 1) * upper
        flags >>= 2
    return octants


# The parts on these sides of the three planes, given as the six bits that `words.sides` returns.
ON_SIDES = np.array([_on_sides(flags) for flags in range(64)], np.uint8)


def _in_quarters(i: int, j: int, quarters: Sequence[Flags]) -> Octants:
    """Return the octants of four columns: both lower, j upper, i upper, both upper."""
    octants = np.zeros(quarters[0].shape, np.uint8)
    for quarter, (side_i, side_j) in zip(quarters, product((LOWER, UPPER), repeat=2), strict=True):
        octants |= quarter.view(np.uint8) * (side_i[i] & side_j[j])
    return octants


def touched(items: Shapes, ids: Ids, middle: Floats, scale: Floats, margin: float) -> Octants:
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
        One by the size of a part.
    margin : float
        How much larger than it is each part is taken, in its own size.

    Returns
    -------
    ndarray of uint8, shape (t,)
        Octants. Those that the item's bounds do not overlap mean nothing.
    """
    if isinstance(items, Boxes):
        return np.full(len(ids), 0xFF, np.uint8)
    scale = scale[:, None]
    if isinstance(items, Triangles):
        corners = items._rows_of(ids).reshape(3, 3, -1)
        corners -= middle
        corners *= scale
        return _of_triangles(corners, margin)
    sides, radii = box_and_radius(items, ids)
    return _of_rounded((sides - middle) * scale, radii * scale + margin)


def _of_triangles(corners: Floats, margin: float) -> Octants:
    """Return the parts that lie beside neither the triangle's plane nor, in projection, an edge.

    Together with overlapping bounds that is the separating-axis test of Akenine-Moller, "Fast 3D
    Triangle-Box Overlap Testing", 2001, in the one-sided form of Schwarz and Seidel, "Fast
    Parallel Surface and Solid Voxelization on GPUs", 2010: all eight parts share one set of edges.
    `corners` is (3 corners, 3 axes, t); the parts are unit cubes around the origin.
    """
    first, second, third = corners
    edges = np.stack((second - first, third - second, first - third))
    normal = [edges[0, i] * edges[1, j] - edges[0, j] * edges[1, i] for i, j in AROUND]
    lengths = np.abs(edges)
    octants = _across_plane(normal, first, margin * _greatest(lengths) ** 2)
    lengths *= margin
    for axis, (i, j) in enumerate(AROUND):
        sign = np.copysign(1.0, normal[axis])
        outward_i, inward_j = sign * edges[:, j], sign * edges[:, i]
        needed = inward_j * corners[:, j] - outward_i * corners[:, i]
        needed -= lengths[:, i] + lengths[:, j]
        lower_i, upper_j = np.maximum(outward_i, 0.0), np.maximum(inward_j, 0.0)
        upper_i, lower_j = lower_i - outward_i, upper_j - inward_j
        from_lower, from_upper = needed - lower_i, needed - upper_i
        quarters = (
            lower_j >= from_lower,
            upper_j >= from_lower,
            lower_j >= from_upper,
            upper_j >= from_upper,
        )
        octants &= _in_quarters(i, j, [flags.all(axis=0) for flags in quarters])
    return octants


def _greatest(lengths: Floats) -> Floats:
    """Return twice the greatest extent along an axis of the first two of three edges."""
    first, second, _ = lengths
    greatest = np.maximum(first, second)
    return 2.0 * np.maximum(np.maximum(greatest[0], greatest[1]), greatest[2])


def _across_plane(normal: Sequence[Floats], point: Floats, slack: Floats) -> Octants:
    """Return the parts that reach both sides of the plane, or touch it."""
    distance = normal[0] * point[0] + normal[1] * point[1] + normal[2] * point[2]
    upper = [np.maximum(row, 0.0) for row in normal]
    lower = [above - row for above, row in zip(upper, normal, strict=True)]
    x, y, z = zip(lower, upper, strict=True)
    reach = [x[i] + y[j] + z[k] for k, j, i in product((0, 1), repeat=3)]
    # The normal of a sliver is uncertain by as much as edges this long allow.
    front, back = distance - 3.0 * slack, -distance - 3.0 * slack
    return _packed((reach[part] >= front) & (reach[7 - part] >= back) for part in range(8))


def _of_rounded(sides: Floats, radii: Floats) -> Octants:
    """Return the parts no farther from a box than its radius, given along each axis, (3, t).

    `sides` are the lower and upper corners, (2, 3, t), or (1, 3, t) where the box is a point.
    Arvo, "A Simple Method for Box-Sphere Intersection Testing", Graphics Gems, 1990.
    """
    low, high = sides[0], sides[-1]
    upper = np.maximum(np.maximum(-high, low - 1), 0) / radii
    lower = np.maximum(np.maximum(low, -1 - high), 0) / radii
    x, y, z = zip(lower**2, upper**2, strict=True)
    return _packed(x[i] + y[j] + z[k] <= 1 for k, j, i in product((0, 1), repeat=3))


def _packed(flags: Iterable[Flags]) -> Octants:
    """Return flags for the eight parts in order, as octants."""
    octants: Octants = np.uint8(0)  # type: ignore[assignment]
    for part, touching in enumerate(flags):
        octants = octants | touching.view(np.uint8) << np.uint8(part)
    return octants
