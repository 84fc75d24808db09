"""Boxes around the origin against segments and turned boxes, by separating axes.

Gottschalk, Lin and Manocha, "OBBTree: A Hierarchical Structure for Rapid Interference Detection",
1996: their own axes, and the cross products of an axis of each.
"""

from collections.abc import Iterator

import numpy as np

from ..arrays import Flags, Floats, cross, dot

_UNITS = np.eye(3)[:, :, None]


def parted(
    half: Floats, middle: Floats, axes: Floats, reach: Floats, radii: Floats
) -> tuple[Flags, Flags]:
    """Return where an axis separates two solids, and where by more than the radius.

    Parameters
    ----------
    half : ndarray of float64, shape (3, h)
        Half sizes of boxes around the origin.
    middle : ndarray of float64, shape (3, h)
        Middles of the other solids.
    axes : ndarray of float64, shape (k, 3, h)
        Perpendicular to each other: three axes of a turned box, or one of a segment.
    reach : ndarray of float64, shape (k, h)
        How many times these axes the others extend from their middles.
    radii : ndarray of float64, shape (h,)
        Not negative.

    Returns
    -------
    apart, far : ndarray of bool, shape (h,)
        Those that are not apart share a point, those that are far are farther apart than the
        radius; the rest lie apart, at a distance that is not known.
    """
    apart, far = np.zeros((2, half.shape[1]), bool)
    for axis in _candidates(axes):
        gap = np.abs(dot(axis, middle)) - dot(np.abs(axis), half)
        for ours, size in zip(axes, reach, strict=True):
            gap -= size * np.abs(dot(axis, ours))
        apart |= gap > 0
        far |= (gap > 0) & (gap * gap > radii * radii * dot(axis, axis))
    return apart, far


def _candidates(axes: Floats) -> Iterator[Floats]:
    """Yield normals of faces, and cross products of edges, (3, h) each."""
    yield from _UNITS
    # A segment has no faces; its own direction would do no harm, and part nothing.
    yield from axes
    for axis in axes:
        for unit in _UNITS:
            yield cross(np.broadcast_to(unit, axis.shape), axis)
