"""Wireframe outlines of query shapes for the GPU: points (v, 3) and edges (e, 2)."""

from typing import NamedTuple

import numpy as np
from numpy.typing import ArrayLike, NDArray

from ...core import Capsules, Frusta, Spheres
from ..arrays import Floats

_HEXAHEDRON = [(0, 1), (1, 2), (2, 3), (3, 0), (4, 5), (5, 6), (6, 7), (7, 4)]
_HEXAHEDRON += [(0, 4), (1, 5), (2, 6), (3, 7)]
_CIRCLE = 64  # corners


Volume = Capsules | Frusta | Spheres


class Outline(NamedTuple):
    """Lines in world space.

    Attributes
    ----------
    points : ndarray of float32, shape (v, 3)
        The ends of the lines.
    edges : ndarray of uint32, shape (e, 2)
        Indices of the two points of each line.
    """

    points: NDArray[np.float32]
    edges: NDArray[np.uint32]


def volume_outline(volume: Volume) -> Outline:
    """Return the outline of one volume."""
    if isinstance(volume, Frusta):
        return hexahedron_outline(volume.corners[0])
    if isinstance(volume, Capsules):
        return capsule_outline(volume.starts[0], volume.ends[0], float(volume.radii[0]))
    return sphere_outline(volume.centers[0], float(volume.radii[0]))


def hexahedron_outline(corners: ArrayLike) -> Outline:
    """Return the edges of a frustum or a box with corners, (8, 3), in the order of `Frusta`."""
    return Outline(np.ascontiguousarray(corners, np.float32), np.array(_HEXAHEDRON, np.uint32))


def sphere_outline(center: ArrayLike, radius: float) -> Outline:
    """Return three circles around a sphere, one in each coordinate plane."""
    angles = np.linspace(0, 2 * np.pi, _CIRCLE, endpoint=False)
    circle = np.stack((np.cos(angles), np.sin(angles), np.zeros(_CIRCLE)), axis=1)
    circles = np.concatenate([np.roll(circle, axis, axis=1) for axis in range(3)])
    return Outline((np.asarray(center) + radius * circles).astype(np.float32), _rings(3))


def capsule_outline(start: ArrayLike, end: ArrayLike, radius: float) -> Outline:
    """Return the outline of a capsule: a circle at each end, and two stadiums around both ends."""
    ends = np.asarray(start, np.float64), np.asarray(end, np.float64)
    along, across, up = _frame(ends[1] - ends[0])
    angles = np.linspace(0, 2 * np.pi, _CIRCLE, endpoint=False)[:, None]
    half = np.linspace(0, np.pi, _CIRCLE // 2)[:, None]
    rings = [each + radius * (np.cos(angles) * across + np.sin(angles) * up) for each in ends]
    for side in (across, up):
        cap = radius * (np.cos(half) * side + np.sin(half) * along)
        rings.append(np.concatenate((ends[0] - cap, ends[1] + cap)))
    return Outline(np.concatenate(rings).astype(np.float32), _rings(len(rings)))


def _frame(way: Floats) -> tuple[Floats, Floats, Floats]:
    """Return a vector's direction, or +Z if its length is 0, and two perpendicular to it."""
    length = float(np.sqrt((way * way).sum()))
    along = way / length if length else np.array([0.0, 0.0, 1.0])
    across = np.cross(along, np.eye(3)[np.abs(along).argmin()])
    across /= np.sqrt((across * across).sum())
    return along, across, np.cross(along, across)


def _rings(count: int) -> NDArray[np.uint32]:
    """Return the edges of closed polylines of `_CIRCLE` points each."""
    corners = np.arange(count * _CIRCLE, dtype=np.uint32).reshape(count, _CIRCLE)
    return np.stack((corners, np.roll(corners, -1, axis=1)), axis=2).reshape(-1, 2)


def segment_outline(start: ArrayLike, end: ArrayLike) -> Outline:
    """Return the outline of a segment: one line."""
    return Outline(np.array([start, end], np.float32), np.array([(0, 1)], np.uint32))
