"""Who is in a tree that follows the scene, and what an update did to them."""

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
from .standing import Standing

# Items, by number, and their boxes in the world, (6, k).
Moved = tuple[NDArray[np.intp], Floats]
_NOBODY: Moved = (np.empty(0, np.intp), np.empty((6, 0)))
_FLAGS = ("is_updated_transform", "is_updated_geometry")
# So many objects are read one by one in the time that all of them take at once, as a share.
_FEW = 1 / 16


class Crowd:
    """The objects and instances that are the items of a tree.

    Parameters
    ----------
    layer : bpy.types.ViewLayer
        Where they are.
    found : ReadObjects
        As they were read.
    kinds : sequence of str
        With what, as for `read_objects`.
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
        self._standing = Standing(layer, found.ids, found.own, keys)
        self._copies = tuple(key for key in found.source.keys if len(key) > 1)
        self._copy_rows = np.array([rows[key] for key in self._copies], np.intp)

    def moved(self, scene: bpy.types.Scene, depsgraph: bpy.types.Depsgraph) -> Moved | None:
        """Return the items that may have moved.

        Parameters
        ----------
        scene : bpy.types.Scene
            Whose tree it is.
        depsgraph : bpy.types.Depsgraph
            With what has been updated.

        Returns
        -------
        rows, boxes : ndarray of intp, shape (k,), and of float64, shape (6, k)
            Items, each once, and their boxes in the world; None if others are to be items now, so
            that all has to be read anew.
        """
        # Blender counts the updates, and finds each by its number, by walking through all there
        # is: that is done once here.
        limit = int(_FEW * len(self._standing.rows))
        few = list(islice(depsgraph.updates, limit + 1))
        if not few:
            return _NOBODY
        if self._is_another(few[0], scene, depsgraph):
            return None
        if len(few) <= limit:
            standing = self._few_moved(few, depsgraph)
            copies_may_move = self._concerns_copies(few)
        else:
            standing = self._many_moved(depsgraph)
            copies_may_move = bool(self._watched)
        copies = self._copies_moved(depsgraph) if copies_may_move else _NOBODY
        if standing is None or copies is None:
            return None
        rows, boxes = zip(standing, copies, strict=True)
        return np.concatenate(rows), np.concatenate(boxes, axis=1)

    def _is_another(
        self,
        first: bpy.types.DepsgraphUpdate,
        scene: bpy.types.Scene,
        depsgraph: bpy.types.Depsgraph,
    ) -> bool:
        """Tell whether objects have come or gone, or have begun or ceased to bring instances."""
        # The scene comes first, whenever something has been added, removed, shown or hidden; and
        # when something has been selected, which flags nothing.
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

    def _concerns_copies(self, few: list[bpy.types.DepsgraphUpdate]) -> bool:
        watched = self._watched
        return bool(watched) and any(each.id.original.session_uid in watched for each in few)

    def _few_moved(
        self, few: list[bpy.types.DepsgraphUpdate], depsgraph: bpy.types.Depsgraph
    ) -> Moved | None:
        self._standing.reshape(few, depsgraph)
        return self._items_of(*self._standing.some_boxes(few))

    def _many_moved(self, depsgraph: bpy.types.Depsgraph) -> Moved | None:
        layer = depsgraph.view_layer
        if not self._standing.is_known(layer):
            return None
        if _flags(depsgraph, "is_updated_geometry").any():
            self._standing.reshape(depsgraph.updates, depsgraph)
        return self._items_of(*self._standing.all_boxes(layer))

    def _items_of(self, slots: NDArray[np.intp], boxes: Floats) -> Moved | None:
        """Return the items in these slots; none if one has lost its shape, or found one."""
        rows, finite = self._standing.rows[slots], np.isfinite(boxes).all(axis=0)
        if not np.array_equal(rows >= 0, finite):
            return None
        items = np.flatnonzero(finite)
        return rows[items], boxes[:, items]

    def _copies_moved(self, depsgraph: bpy.types.Depsgraph) -> Moved | None:
        """Return all instances; none if there are others than there were."""
        copies = read_instances(depsgraph, self._seen, self._taken)
        return (self._copy_rows, copies.boxes) if copies.keys == self._copies else None


def _flags(depsgraph: bpy.types.Depsgraph, name: str) -> NDArray[np.bool_]:
    """Return one flag of all updates."""
    updates: Any = depsgraph.updates
    flags = np.empty(len(updates), np.bool_)
    updates.foreach_get(name, flags)
    return flags
