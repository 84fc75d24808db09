"""Bulk reads of the objects of a view layer: session ids, matrices, boxes."""

from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from typing import Any

import bpy
import numpy as np
from numpy.typing import NDArray

from ..arrays import Floats, Ids


@contextmanager
def outside_views() -> Iterator[None]:
    """Restrict `Object.visible_get` without a viewport to the view layer.

    Otherwise Blender also considers the 3D view of the context: a button pressed in a local view
    would read another scene than a timer. A generator must not yield inside this context.
    """
    if bpy.context.area is None:
        yield
        return
    with bpy.context.temp_override(area=None):
        yield


def layer_ids(layer: bpy.types.ViewLayer) -> NDArray[np.intc]:
    """Return the session id of every object of a view layer, (l,)."""
    return _bulk(layer, "session_uid", 1, np.intc)[:, 0]


def layer_places(layer: bpy.types.ViewLayer, ids: Sequence[int]) -> Ids:
    """Return the indices in `layer.objects` of the objects with these session ids, (k,)."""
    places = {uid: place for place, uid in enumerate(layer_ids(layer).tolist())}
    return np.array([places[uid] for uid in ids], np.intp)


def read_layer_matrices(layer: bpy.types.ViewLayer) -> NDArray[np.float32]:
    """Return the world matrices of the objects of a view layer, as last evaluated, (l, 16).

    Each row holds a matrix in column-major order, as in Blender.
    """
    return _bulk(layer, "matrix_world", 16, np.float32)


def layer_boxes(layer: bpy.types.ViewLayer) -> Floats:
    """Return the boxes of the objects of a view layer in local space, (6, l)."""
    corners = _bulk(layer, "bound_box", 24, np.float32)
    # The first corner is the minimum on every axis, the seventh corner the maximum.
    return np.concatenate((corners[:, :3], corners[:, 18:21]), axis=1).T.astype(np.float64)


def _bulk(layer: bpy.types.ViewLayer, name: str, width: int, dtype: type) -> NDArray[Any]:
    values: NDArray[Any] = np.empty((len(layer.objects), width), dtype)
    layer.objects.foreach_get(name, values.ravel())
    return values
