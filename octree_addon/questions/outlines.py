"""Outlines as line segments, ready for the graphics card: points (v, 3), edges (e, 2)."""

from typing import NamedTuple

import numpy as np
from numpy.typing import ArrayLike, NDArray

_HEXAHEDRON = [(0, 1), (1, 2), (2, 3), (3, 0), (4, 5), (5, 6), (6, 7), (7, 4)]
_HEXAHEDRON += [(0, 4), (1, 5), (2, 6), (3, 7)]
_CIRCLE = 64  # corners


class Outline(NamedTuple):
    """Lines in world space.

    Attributes
    ----------
    points : ndarray of float32, shape (v, 3)
        Their ends.
    edges : ndarray of uint32, shape (e, 2)
        The two points that each joins.
    """

    points: NDArray[np.float32]
    edges: NDArray[np.uint32]


def hexahedron_outline(corners: ArrayLike) -> Outline:
    """Return the edges of a frustum or a box; its corners (8, 3) are in the order of `Frusta`."""
    return Outline(np.ascontiguousarray(corners, np.float32), np.array(_HEXAHEDRON, np.uint32))


def sphere_outline(center: ArrayLike, radius: float) -> Outline:
    """Return a circle in each of the planes of two axes."""
    angles = np.linspace(0, 2 * np.pi, _CIRCLE, endpoint=False)
    circle = np.stack((np.cos(angles), np.sin(angles), np.zeros(_CIRCLE)), axis=1)
    circles = np.concatenate([np.roll(circle, axis, axis=1) for axis in range(3)])
    corners = np.arange(3 * _CIRCLE, dtype=np.uint32).reshape(3, _CIRCLE)
    edges = np.stack((corners, np.roll(corners, -1, axis=1)), axis=2).reshape(-1, 2)
    return Outline((np.asarray(center) + radius * circles).astype(np.float32), edges)


def segment_outline(start: ArrayLike, end: ArrayLike) -> Outline:
    """Return one line."""
    return Outline(np.array([start, end], np.float32), np.array([(0, 1)], np.uint32))
