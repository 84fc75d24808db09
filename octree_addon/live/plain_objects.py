"""Plain (not instanced) objects: their boxes in the world, read one by one or all at once."""

from collections.abc import Iterable, Iterator
from typing import Any

import bpy
import numpy as np
from numpy.typing import NDArray

from ..arrays import Floats
from ..reader import (
    Key,
    evaluated_box,
    layer_ids,
    layer_matrices,
    layer_places,
    world_boxes,
)

Row = tuple[float, ...]
Updates = Iterable[bpy.types.DepsgraphUpdate]


class PlainObjects:
    """The objects that are items themselves, not instances; each has a slot.

    Parameters
    ----------
    layer : bpy.types.ViewLayer
        Where they are.
    ids : ndarray of intc, shape (k,)
        Their session ids.
    own : ndarray of float64, shape (6, k)
        Their boxes in their own space; NaN without a shape.
    keys : iterable of Key
        Of the items of the tree. An object without a shape at present is not among them.
    """

    def __init__(
        self, layer: bpy.types.ViewLayer, ids: NDArray[np.intc], own: Floats, keys: Iterable[Key]
    ) -> None:
        rows, numbers = {key: row for row, key in enumerate(keys)}, ids.tolist()
        self.rows = np.array([rows.get((uid,), -1) for uid in numbers], np.intp)
        self._own = own.copy()
        self._slots = {uid: slot for slot, uid in enumerate(numbers)}
        self._layer_ids = layer_ids(layer)
        self._places = layer_places(layer, numbers)

    def is_known(self, layer: bpy.types.ViewLayer) -> bool:
        """Tell whether the view layer has the same objects, in the same order, as it had."""
        return np.array_equal(layer_ids(layer), self._layer_ids)

    def reshape(self, updates: Updates, depsgraph: bpy.types.Depsgraph) -> None:
        """Read again the own boxes of the objects whose shape has changed."""
        for slot, item in self._known(each for each in updates if each.is_updated_geometry):
            self._own[:, slot] = evaluated_box(item, depsgraph)

    def some_boxes(self, updates: Updates) -> tuple[NDArray[np.intp], Floats]:
        """Return the slots of the objects that were updated, and their boxes in the world."""
        slots: list[int] = []
        rows: list[Row] = []
        for slot, item in self._known(updates):
            slots.append(slot)
            matrix = item.matrix_world  # row by row: NumPy takes several times as long for it
            rows += matrix[0][:], matrix[1][:], matrix[2][:]
        chosen = np.array(slots, np.intp)
        return chosen, world_boxes(self._own[:, chosen], np.array(rows).reshape(-1, 3, 4))

    def all_boxes(self, layer: bpy.types.ViewLayer) -> tuple[NDArray[np.intp], Floats]:
        """Return all slots, and the boxes in the world."""
        matrices = layer_matrices(layer)[self._places]
        return np.arange(len(self.rows)), world_boxes(self._own, matrices)

    def _known(self, updates: Updates) -> Iterator[tuple[int, Any]]:
        """Yield the slots of those that were updated, and the original objects."""
        for update in updates:
            item = update.id.original  # which has the new matrix already
            slot = self._slots.get(item.session_uid)  # no two data-blocks share one
            if slot is not None:
                yield slot, item
