"""Tracked items: the objects and instances in a live tree, and which of them an update moved."""

from collections.abc import Sequence
from itertools import islice
from typing import Any

import bpy
import numpy as np
from numpy.typing import NDArray

from ..arrays import Floats
from ..reader import (
    Key,
    ReadObjects,
    may_instance,
    read_instances,
    seen_objects,
    taken_types,
)
from ..scope import current_objects
from .plain_objects import PlainObjects

# Items, by number, and their boxes in the world, (6, k).
Moved = tuple[NDArray[np.intp], Floats]
_NONE: Moved = (np.empty(0, np.intp), np.empty((6, 0)))
_FLAGS = ("is_updated_transform", "is_updated_geometry")
# Up to this share of the objects, reading them one by one is faster than all at once.
_FEW = 1 / 16


class TrackedItems:
    """The objects and instances that are the items of a tree.

    Parameters
    ----------
    layer : bpy.types.ViewLayer
        Where they are.
    found : ReadObjects
        As they were read.
    kinds : sequence of str
        As for `read_objects`.
    keys : sequence of Key
        Of the items, in the order of the tree.
    """

    def __init__(
        self,
        layer: bpy.types.ViewLayer,
        found: ReadObjects,
        kinds: Sequence[str],
        keys: Sequence[Key],
    ) -> None:
        rows = {key: row for row, key in enumerate(keys)}
        self._taken = taken_types(kinds)
        self._seen, self._instancers = found.seen, found.instancers
        self._watched = found.watched
        self._plain = PlainObjects(layer, found.ids, found.own, keys)
        self._instances = tuple(key for key in found.source.keys if len(key) > 1)
        self._instance_rows = np.array([rows[key] for key in self._instances], np.intp)

    def moved(self, scene: bpy.types.Scene, depsgraph: bpy.types.Depsgraph) -> Moved | None:
        """Return the items that may have moved.

        Parameters
        ----------
        scene : bpy.types.Scene
            The scene of the tree.
        depsgraph : bpy.types.Depsgraph
            With the updates.

        Returns
        -------
        rows, boxes : ndarray of intp, shape (k,), and of float64, shape (6, k)
            Items, each once, and their boxes in the world; None if the items are no longer the
            same, so that all has to be read again.
        """
        # Blender walks through all updates to count them, and to find one by its number: walk
        # through them once.
        limit = int(_FEW * len(self._plain.rows))
        few = list(islice(depsgraph.updates, limit + 1))
        if not few:
            return _NONE
        if self._is_another(few[0], scene, depsgraph):
            return None
        if len(few) <= limit:
            plain = self._few_moved(few, depsgraph)
            instances_may_move = self._concerns_instances(few)
        else:
            plain = self._many_moved(depsgraph)
            instances_may_move = bool(self._watched)
        instances = self._instances_moved(depsgraph) if instances_may_move else _NONE
        if plain is None or instances is None:
            return None
        rows, boxes = zip(plain, instances, strict=True)
        return np.concatenate(rows), np.concatenate(boxes, axis=1)

    def _is_another(
        self,
        first: bpy.types.DepsgraphUpdate,
        scene: bpy.types.Scene,
        depsgraph: bpy.types.Depsgraph,
    ) -> bool:
        """Tell whether objects were added or removed, or became or ceased to be instancers."""
        # The scene is the first update whenever something was added, removed, shown or hidden;
        # and when something was selected, which sets no flag.
        if not isinstance(first.id, bpy.types.Scene):
            return False
        current = current_objects(scene, depsgraph.view_layer)
        wanted, _ = seen_objects(depsgraph, current, None)
        if wanted.keys() != self._seen:
            return True
        if not any(_flags(depsgraph, name).any() for name in _FLAGS):
            return False
        instancers = {uid for uid, item in wanted.items() if may_instance(item)}
        return instancers != self._instancers

    def _concerns_instances(self, few: list[bpy.types.DepsgraphUpdate]) -> bool:
        watched = self._watched
        return bool(watched) and any(each.id.original.session_uid in watched for each in few)

    def _few_moved(
        self, few: list[bpy.types.DepsgraphUpdate], depsgraph: bpy.types.Depsgraph
    ) -> Moved | None:
        self._plain.reshape(few, depsgraph)
        return self._items_of(*self._plain.some_boxes(few))

    def _many_moved(self, depsgraph: bpy.types.Depsgraph) -> Moved | None:
        layer = depsgraph.view_layer
        if not self._plain.is_known(layer):
            return None
        if _flags(depsgraph, "is_updated_geometry").any():
            self._plain.reshape(depsgraph.updates, depsgraph)
        return self._items_of(*self._plain.all_boxes(layer))

    def _items_of(self, slots: NDArray[np.intp], boxes: Floats) -> Moved | None:
        """Return the items in these slots; None if one has lost or gained a shape."""
        rows, finite = self._plain.rows[slots], np.isfinite(boxes).all(axis=0)
        if not np.array_equal(rows >= 0, finite):
            return None
        items = np.flatnonzero(finite)
        return rows[items], boxes[:, items]

    def _instances_moved(self, depsgraph: bpy.types.Depsgraph) -> Moved | None:
        """Return all instances; None if they are not the same as before."""
        found = read_instances(depsgraph, self._seen, self._taken)
        return (self._instance_rows, found.boxes) if found.keys == self._instances else None


def _flags(depsgraph: bpy.types.Depsgraph, name: str) -> NDArray[np.bool_]:
    """Return one flag of all updates."""
    updates: Any = depsgraph.updates
    flags = np.empty(len(updates), np.bool_)
    updates.foreach_get(name, flags)
    return flags
