"""Conservative images of volumes in the space of a mesh, under the inverse of a placement.

A similarity (rotation, mirror, even scale) maps spheres to spheres and capsules to capsules. Boxes
and frusta become hexahedra; half-spaces stay half-spaces. Every other image is a box around the
volume. Each image has a slack, an enlargement that covers the rounding errors of the inverse.
"""

from collections.abc import Iterator

import numpy as np

from ..arrays import Flags, Floats, Ids, blocks, dot, gather
from ..boxes import bounds_of_points, boxes_grown, magnitudes
from ..shapes import (
    Boxes,
    Capsules,
    Frusta,
    HalfSpaces,
    OrientedBoxes,
    Shapes,
    Spheres,
)
from ..snapshot import Images
from ..touch.oriented_boxes import corners_of
from .placements import Placements

# Largest ratio of the stretches of a similarity; the slack covers the difference from an even one.
_SIMILAR = 1.0 + 2.0**-10
# Largest ratio of stretches up to which a hexahedron is an exact image.
_EVEN = 2.0**10
# Relative error that a few roundings leave in sums of products.
_ROUNDING = 2.0**-47
# The corners of a box, numbered as by `box_corners`, in the order of a hexahedron's corners.
_RING = [0, 1, 3, 2, 4, 5, 7, 6]
# Images in a batch: of spheres, half-spaces and capsules, and of hexahedra, 1.5 kB each.
_TOGETHER, _HEXAHEDRA = 32_768, 4_096


def taken_back(inverses: Floats, vectors: Floats) -> Floats:
    """Return the products of inverse matrices (9, h) and vectors (..., 3, h)."""
    x, y, z = vectors[..., 0, :], vectors[..., 1, :], vectors[..., 2, :]
    rows = inverses.reshape(3, 3, -1)
    return np.stack([row[0] * x + row[1] * y + row[2] * z for row in rows], axis=-2)


def images_of(
    volumes: Shapes, numbers: Ids, placements: Placements, rows: Ids
) -> Iterator[Images]:
    """Yield batches of images: volume `numbers[i]` in the space of the mesh in row `rows[i]`."""
    is_small = isinstance(volumes, Spheres | HalfSpaces | Capsules)
    size = _TOGETHER if is_small else _HEXAHEDRA
    for some in blocks(len(numbers), size):
        few = _images(volumes, numbers[some], placements, rows[some])
        for images in few:
            if len(images.pairs):
                yield Images(some.start + images.pairs, images.shapes, images.slacks, images.exact)


def _images(volumes: Shapes, numbers: Ids, placements: Placements, rows: Ids) -> list[Images]:
    if isinstance(volumes, HalfSpaces):
        return _parted(*_planes(volumes, numbers, placements, rows), np.ones(len(rows), bool))
    inverses = gather(placements.inverses, rows)
    shifts = gather(placements.matrices[3::4], rows)
    points, radii = _corners(volumes, numbers)
    radii = np.broadcast_to(radii, len(rows))
    sizes = np.abs(points).max(axis=0) + radii + np.abs(shifts)
    slacks = placements.slacks[rows] + _ROUNDING * _most(inverses, sizes)
    seen = taken_back(inverses, points - shifts)
    widths = radii * np.sqrt((inverses.reshape(3, 3, -1) ** 2).sum(axis=1))
    hulls = Boxes.from_rows(boxes_grown(bounds_of_points(seen), widths))
    most, least = placements.most[rows], placements.least[rows]
    shapes, wider, exact = _kept(volumes, seen, radii, most, least)
    return _parted(shapes, slacks + wider, exact, hulls, slacks)


def _most(inverses: Floats, sizes: Floats) -> Floats:
    """Return an upper bound, (h,), of coordinates of inverses (9, h) times vectors (3, h)."""
    return taken_back(np.abs(inverses), sizes).max(axis=0)


def _parted(
    shapes: Shapes,
    slacks: Floats,
    exact: Flags,
    hulls: Shapes | None = None,
    hull_slacks: Floats | None = None,
) -> list[Images]:
    """Split the pairs into exact images, hulls, and pairs without an image."""
    sure = exact & np.isfinite(slacks)
    parts = [_some(sure, shapes, slacks, True)]
    left = ~sure
    if hulls is not None and hull_slacks is not None:
        unsure = left & np.isfinite(hull_slacks)
        parts.append(_some(unsure, hulls, hull_slacks, False))
        left &= ~unsure
    (none,) = left.nonzero()
    return [*parts, Images(none, None, slacks[none], False)]


def _some(flags: Flags, shapes: Shapes, slacks: Floats, exact: bool) -> Images:
    (some,) = flags.nonzero()
    return Images(some, shapes if flags.all() else shapes[some], slacks[some], exact)


def _corners(volumes: Shapes, numbers: Ids) -> tuple[Floats, Floats]:
    """Return volumes as convex hulls of points (p, 3, h), grown by radii, (h,) or (1,)."""
    rows = volumes.take_rows(numbers)
    if isinstance(volumes, Capsules):
        return rows[:6].reshape(2, 3, -1), rows[6]
    if isinstance(volumes, Frusta):
        return rows.reshape(8, 3, -1), np.zeros(1)
    if isinstance(volumes, OrientedBoxes):
        return corners_of(rows).swapaxes(0, 1)[_RING], np.zeros(1)
    if isinstance(volumes, Spheres):
        return rows[None, :3], rows[3]
    points, radii = volumes.corners_and_radius(numbers)
    return points[_RING], radii


def _kept(
    volumes: Shapes, seen: Floats, radii: Floats, most: Floats, least: Floats
) -> tuple[Shapes, Floats, Flags]:
    """Return images as spheres, capsules or hexahedra, extra slacks, and flags of exact images."""
    if isinstance(volumes, Spheres | Capsules):
        with np.errstate(all="ignore"):
            large, small = radii / least, radii / most
            even = (most <= least * _SIMILAR) & np.isfinite(large)
            middle, rest = (large + small) / 2, large - small
        rows = np.concatenate((*seen, middle[None]))
        kind = Spheres if isinstance(volumes, Spheres) else Capsules
        return kind.from_rows(rows), rest, even
    if len(seen) < 8 or radii.any():
        return volumes[:0], np.zeros(1), np.zeros(len(most), bool)
    frusta = Frusta.from_rows(seen.reshape(24, -1))
    with np.errstate(all="ignore"):
        even = (most <= least * _EVEN) & frusta.is_solid
    return frusta, np.zeros(1), even


def _planes(
    volumes: HalfSpaces, numbers: Ids, placements: Placements, rows: Ids
) -> tuple[HalfSpaces, Floats]:
    """Return half-spaces, transformed by transposed matrices, and slacks.

    A slack is infinite if a half-space has no image.
    """
    planes = gather(volumes.plane_rows, numbers)
    matrices = gather(placements.matrices, rows)
    grid, shifts = matrices.reshape(3, 4, -1)[:, :3], matrices[3::4]
    normals = (planes[:3, None] * grid).sum(axis=0)
    offsets = dot(planes[:3], shifts) + planes[3]
    size = magnitudes(placements.boxes[:, rows])
    wrong = dot(np.abs(planes[:3]), size + np.abs(shifts)) + np.abs(planes[3])
    length = np.abs(normals).sum(axis=0)
    slacks = np.divide(wrong * _ROUNDING, length, out=np.full(len(rows), np.inf), where=length > 0)
    slacks += placements.slacks[rows]
    return HalfSpaces.from_rows(np.concatenate((normals, offsets[None]))), slacks
