"""Items that lie wholly in a volume, borders included."""

from ..arrays import Flags, Floats, Ids
from ..shapes import Frusta, Shapes
from .frusta import box_corners, distances


def triangles_in_boxes(items: Shapes, ids: Ids, volumes: Shapes, numbers: Ids) -> Flags:
    """Return which triangles have all corners in the box."""
    corners = items._rows_of(ids).reshape(3, 3, -1)
    return _between(corners.min(axis=0), corners.max(axis=0), volumes, numbers)


def boxes_in_boxes(items: Shapes, ids: Ids, volumes: Shapes, numbers: Ids) -> Flags:
    """Return which boxes lie in the box on every axis."""
    rows = items._rows_of(ids)
    return _between(rows[:3], rows[3:], volumes, numbers)


def spheres_in_boxes(items: Shapes, ids: Ids, volumes: Shapes, numbers: Ids) -> Flags:
    """Return which spheres lie in the box on every axis."""
    rows = items._rows_of(ids)
    return _between(rows[:3] - rows[3], rows[:3] + rows[3], volumes, numbers)


def _between(lower: Floats, upper: Floats, volumes: Shapes, numbers: Ids) -> Flags:
    boxes = volumes._rows_of(numbers)
    return ((lower >= boxes[:3]) & (upper <= boxes[3:])).all(axis=0)


def triangles_in_spheres(items: Shapes, ids: Ids, volumes: Shapes, numbers: Ids) -> Flags:
    """Return which triangles have all corners in the sphere."""
    corners = items._rows_of(ids).reshape(3, 3, -1)
    return _near(corners, volumes._rows_of(numbers))


def boxes_in_spheres(items: Shapes, ids: Ids, volumes: Shapes, numbers: Ids) -> Flags:
    """Return which boxes have all corners in the sphere."""
    return _near(box_corners(items._rows_of(ids)), volumes._rows_of(numbers))


def _near(points: Floats, spheres: Floats) -> Flags:
    apart = points - spheres[:3]
    return ((apart * apart).sum(axis=1) <= spheres[3] ** 2).all(axis=0)


def spheres_in_spheres(items: Shapes, ids: Ids, volumes: Shapes, numbers: Ids) -> Flags:
    """Return which centres are no farther apart than the difference of the radii."""
    one, other = items._rows_of(ids), volumes._rows_of(numbers)
    apart, spare = one[:3] - other[:3], other[3] - one[3]
    return (spare >= 0) & ((apart * apart).sum(axis=0) <= spare**2)


def triangles_in_frusta(items: Shapes, ids: Ids, volumes: Frusta, numbers: Ids) -> Flags:
    """Return which triangles have all corners inside all planes."""
    corners = items._rows_of(ids).reshape(3, 3, -1)
    return (distances(corners, volumes, numbers) >= 0).all(axis=(0, 1))


def boxes_in_frusta(items: Shapes, ids: Ids, volumes: Frusta, numbers: Ids) -> Flags:
    """Return which boxes have all corners inside all planes."""
    corners = box_corners(items._rows_of(ids))
    return (distances(corners, volumes, numbers) >= 0).all(axis=(0, 1))


def spheres_in_frusta(items: Shapes, ids: Ids, volumes: Frusta, numbers: Ids) -> Flags:
    """Return which centres are at least a radius inside all planes."""
    rows = items._rows_of(ids)
    distance = distances(rows[None, :3], volumes, numbers)[0]
    normals = volumes.plane_rows[:, :3][:, :, numbers]
    needed = rows[3] ** 2 * (normals * normals).sum(axis=1)
    return ((distance >= 0) & (distance * distance >= needed)).all(axis=0)
