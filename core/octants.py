"""Which of a cell's eight parts an item touches: one bit for each part.

Part `i` is the upper half in x where bit 0 of `i` is set, in y where bit 1 is, in z where bit 2
is. Coordinates are relative to the point where the cell is divided, in units of its parts. Each
part is taken a rounding larger than it is: an item may be found in a part too many, never in one
too few. That makes single precision good enough for all but the deepest trees.
"""

from collections.abc import Iterable, Sequence
from itertools import product
from typing import Any

import numpy as np
from numpy.typing import NDArray

from .arrays import Flags, Floats, Ids, blocks, gather
from .shapes import AROUND, Boxes, Shapes, Triangles

Octants = NDArray[np.uint8]
Rows = NDArray[np.floating[Any]]

_STEP = 8_192

# The four parts on either side of the dividing plane of each axis.
LOWER = np.array([0x55, 0x33, 0x0F], np.uint8)
UPPER = np.array([0xAA, 0xCC, 0xF0], np.uint8)
PARTS_IN = np.array([octants.bit_count() for octants in range(256)], np.uint8)
# PARTS[FIRST_PART[octants]:][:PARTS_IN[octants]] are the numbers of the parts in `octants`.
PARTS = np.array([part for octants in range(256) for part in range(8) if octants >> part & 1])
FIRST_PART = np.cumsum(PARTS_IN, dtype=np.intp) - PARTS_IN


def _on_sides(flags: int) -> int:
    """From six flags (lower x, upper x, lower y, ..., upper z) to octants."""
    octants = 0xFF
    for lower, upper in zip(LOWER.tolist(), UPPER.tolist(), strict=True):
        octants &= (flags & 1) * lower | (flags >> 1 & 1) * upper
        flags >>= 2
    return octants


# The parts on these sides of the three planes, given as the six bits that `words.sides` returns.
ON_SIDES = np.array([_on_sides(flags) for flags in range(64)], np.uint8)


def _in_quarters(i: int, j: int, quarters: Sequence[Flags]) -> Octants:
    """Octants of four columns over axes i and j: both lower, upper j, upper i, both upper."""
    octants = np.zeros(quarters[0].shape, np.uint8)
    for quarter, (side_i, side_j) in zip(quarters, product((LOWER, UPPER), repeat=2), strict=True):
        octants |= quarter.view(np.uint8) * (side_i[i] & side_j[j])
    return octants


def local_rows(
    items: Shapes, ids: Ids, origin: Floats, scale: Floats, dtype: type[np.floating[Any]]
) -> Rows:
    """Return what `touched` needs of the items, one row for each number.

    Parameters
    ----------
    items : Boxes, Spheres or Triangles
        A batch.
    ids : ndarray of intp, shape (n,)
        Items of that batch.
    origin, scale : ndarray of float64, shape (3,)
        What to subtract from coordinates, and what to multiply them with then.
    dtype : type
        float32 or float64.

    Returns
    -------
    ndarray of `dtype`, shape (12, n), (6, n) or (0, n)
        Corners and unit normals of triangles; centres and radii, along each axis, of spheres.
    """
    if isinstance(items, Boxes):
        return np.empty((0, len(ids)), dtype)
    triangles = isinstance(items, Triangles)
    rows = np.empty((12 if triangles else 6, len(ids)), dtype)
    origin, scale = origin[:, None], scale[:, None]
    for some in blocks(len(ids), _STEP):
        source = gather(items.rows, ids[some])
        if triangles:
            corners = (source.reshape(3, 3, -1) - origin) * scale
            rows[:9, some], rows[9:, some] = corners.reshape(9, -1), _unit_normals(corners)
        else:
            rows[:3, some], rows[3:, some] = (source[:3] - origin) * scale, source[3] * scale
    return rows


def _unit_normals(corners: Floats) -> Floats:
    edge, other = corners[1] - corners[0], corners[2] - corners[0]
    normal = np.stack([edge[i] * other[j] - edge[j] * other[i] for i, j in AROUND])
    length = np.sqrt(normal[0] ** 2 + normal[1] ** 2 + normal[2] ** 2)
    length[length == 0] = 1.0
    return normal / length


def relative(rows: Rows, middle: Rows, scale: float) -> Rows:
    """Return `rows` as seen from `middle` (3, t) and multiplied by `scale`; changes them."""
    positions = rows[:3] if len(rows) == 6 else rows[:9]
    for number, row in enumerate(positions):
        row -= middle[number % 3]
    rows[:9] *= rows.dtype.type(scale)
    return rows


def touched(rows: Rows, margin: float) -> Octants:
    """Return the parts that each item touches, given that its bounds touch the cell.

    Parameters
    ----------
    rows : ndarray, shape (12, t), (6, t) or (0, t)
        Some of `local_rows`, the positions relative to where each item's cell is divided.
    margin : float
        How much larger than it is each part is taken.

    Returns
    -------
    ndarray of uint8, shape (t,)
        Octants. Those that the item's bounds do not overlap mean nothing.
    """
    if len(rows) == 0:
        return np.full(rows.shape[1], 0xFF, np.uint8)
    if len(rows) == 6:
        return _of_spheres(rows[:3], rows[3:] + rows.dtype.type(margin))
    return _of_triangles(rows[:9].reshape(3, 3, -1), rows[9:], rows.dtype.type(margin))


def _of_triangles(corners: Rows, normal: Rows, margin: np.floating[Any]) -> Octants:
    """Return the parts that lie beside neither the triangle's plane nor, in projection, an edge.

    Together with overlapping bounds that is the separating-axis test of Akenine-Moller, "Fast 3D
    Triangle-Box Overlap Testing", 2001, in the one-sided form of Schwarz and Seidel, "Fast
    Parallel Surface and Solid Voxelization on GPUs", 2010: all eight parts share one set of edges.
    `corners` is (3 corners, 3 axes, t); the parts are unit cubes around the origin.
    """
    first, second, third = corners
    edges = np.stack((second - first, third - second, first - third))
    margins = np.abs(edges) * margin
    octants = _across_plane(normal, first, margin)
    one = corners.dtype.type(1)
    for axis, (i, j) in enumerate(AROUND):
        sign = np.copysign(one, normal[axis])
        outward_i, inward_j = sign * edges[:, j], sign * edges[:, i]
        needed = inward_j * corners[:, j] - outward_i * corners[:, i]
        needed -= margins[:, i] + margins[:, j]
        lower_i, upper_j = np.maximum(outward_i, 0), np.maximum(inward_j, 0)
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


def _across_plane(normal: Rows, point: Rows, margin: np.floating[Any]) -> Octants:
    """Return the parts that reach both sides of the plane, or touch it."""
    distance = normal[0] * point[0] + normal[1] * point[1] + normal[2] * point[2]
    upper = np.maximum(normal, 0)
    lower = upper - normal
    x, y, z = zip(lower, upper, strict=True)
    reach = [x[i] + y[j] + z[k] for k, j, i in product((0, 1), repeat=3)]
    # A unit normal is at most this long in the sum of its three numbers.
    front, back = distance - 2 * margin, -distance - 2 * margin
    return _packed((reach[part] >= front) & (reach[7 - part] >= back) for part in range(8))


def _of_spheres(centers: Rows, radii: Rows) -> Octants:
    """Return the parts no farther from the centre than the radius, given along each axis, (3, t).

    Arvo, "A Simple Method for Box-Sphere Intersection Testing", Graphics Gems, 1990.
    """
    upper = np.maximum(np.maximum(-centers, centers - 1), 0) / radii
    lower = np.maximum(np.maximum(centers, -1 - centers), 0) / radii
    x, y, z = zip(lower**2, upper**2, strict=True)
    return _packed(x[i] + y[j] + z[k] <= 1 for k, j, i in product((0, 1), repeat=3))


def _packed(flags: Iterable[Flags]) -> Octants:
    """Flags for the eight parts in order, as octants."""
    octants: Octants = np.uint8(0)  # type: ignore[assignment]
    for part, touching in enumerate(flags):
        octants = octants | touching.view(np.uint8) << np.uint8(part)
    return octants
