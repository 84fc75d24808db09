"""Axis-aligned boxes of objects in object and world space: (6, n), lower then upper."""

from collections.abc import Sequence
from typing import Any

import bpy
import numpy as np
from numpy.typing import NDArray

from ..arrays import Floats, Ids


def layer_ids(layer: bpy.types.ViewLayer) -> NDArray[np.intc]:
    """Return the session id of every object of a view layer, (l,)."""
    return _bulk(layer, "session_uid", 1, np.intc)[:, 0]


def layer_places(layer: bpy.types.ViewLayer, ids: Sequence[int]) -> Ids:
    """Return the places of objects with these session ids in a view layer, (k,)."""
    places = {uid: place for place, uid in enumerate(layer_ids(layer).tolist())}
    return np.array([places[uid] for uid in ids], np.intp)


def layer_matrices(layer: bpy.types.ViewLayer) -> Floats:
    """Return the world matrices of the objects of a view layer, as last evaluated, (l, 4, 4)."""
    matrices = _bulk(layer, "matrix_world", 16, np.float32).reshape(-1, 4, 4)
    return matrices.astype(np.float64).swapaxes(1, 2)  # Blender stores column after column


def layer_boxes(layer: bpy.types.ViewLayer) -> Floats:
    """Return the boxes of the objects of a view layer in their own space, (6, l)."""
    corners = _bulk(layer, "bound_box", 24, np.float32)
    # The first corner is the lower one on every axis, the seventh the upper one.
    return np.concatenate((corners[:, :3], corners[:, 18:21]), axis=1).T.astype(np.float64)


def _bulk(layer: bpy.types.ViewLayer, name: str, width: int, dtype: type) -> NDArray[Any]:
    values: NDArray[Any] = np.empty((len(layer.objects), width), dtype)
    layer.objects.foreach_get(name, values.ravel())
    return values


def own_box(item: bpy.types.Object) -> Floats:
    """Return the evaluated box of one object in its own space, (6,)."""
    corners = item.bound_box
    return np.array((*corners[0], *corners[6]))


def world_boxes(boxes: Floats, matrices: Floats) -> Floats:
    """Return the world-space boxes around boxes that are placed by matrices.

    Parameters
    ----------
    boxes : ndarray of float64, shape (6, n)
        In their own spaces.
    matrices : ndarray of float64, shape (n, 4, 4) or (n, 3, 4)
        Affine, to world space; the last row does not matter.

    Returns
    -------
    ndarray of float64, shape (6, n)
        The bounds of the eight corners of each, without making them. Arvo, "Transforming
        Axis-Aligned Bounding Boxes", Graphics Gems, 1990.
    """
    linear = np.ascontiguousarray(matrices[:, :3, :3].transpose(1, 2, 0))
    with np.errstate(invalid="ignore", over="ignore"):  # callers check for what is not finite
        one, other = linear * boxes[:3], linear * boxes[3:]
        origin = matrices[:, :3, 3].T
        lower = origin + np.minimum(one, other).sum(axis=1)
        upper = origin + np.maximum(one, other).sum(axis=1)
    return np.concatenate((lower, upper))
