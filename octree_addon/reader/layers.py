"""View layers: session ids, matrices and boxes of all objects in bulk; and what they show."""

from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from typing import Any

import bpy
import numpy as np
from numpy.typing import NDArray

from ..arrays import Floats, Ids


@contextmanager
def outside_views() -> Iterator[None]:
    """Let `Object.visible_get` without a viewport go by the view layer alone.

    Blender asks the 3D view of the context, too: pressed in a local view, a button would read
    another scene than a timer does. No generator may yield in here.
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
    """Return the places of objects with these session ids in a view layer, (k,)."""
    places = {uid: place for place, uid in enumerate(layer_ids(layer).tolist())}
    return np.array([places[uid] for uid in ids], np.intp)


def read_layer_matrices(layer: bpy.types.ViewLayer) -> NDArray[np.float32]:
    """Return the world matrices of the objects of a view layer, as last evaluated, (l, 16).

    As Blender stores them, column after column.
    """
    return _bulk(layer, "matrix_world", 16, np.float32)


def layer_boxes(layer: bpy.types.ViewLayer) -> Floats:
    """Return the boxes of the objects of a view layer in their own space, (6, l)."""
    corners = _bulk(layer, "bound_box", 24, np.float32)
    # The first corner is the lower one on every axis, the seventh the upper one.
    return np.concatenate((corners[:, :3], corners[:, 18:21]), axis=1).T.astype(np.float64)


def _bulk(layer: bpy.types.ViewLayer, name: str, width: int, dtype: type) -> NDArray[Any]:
    values: NDArray[Any] = np.empty((len(layer.objects), width), dtype)
    layer.objects.foreach_get(name, values.ravel())
    return values
