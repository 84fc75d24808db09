"""Change detection: which objects and instances of a live tree an update moved."""

from collections.abc import Sequence
from itertools import islice

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
    update_flags,
)
from ..scope import current_objects
from .plain_objects import PlainObjects, Updates

# Items, by number, and their boxes in the world, (6, k).
Moved = tuple[NDArray[np.intp], Floats]
_NONE: Moved = (np.empty(0, np.intp), np.empty((6, 0)))
_FLAGS = ("is_updated_transform", "is_updated_geometry")
# Up to this share of the objects, reading them one by one is faster than all at once; and up to
# this number it hardly matters.
_FEW, _ALWAYS_FEW = 1 / 16, 32


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
        self._instances = found.instances
        self._instance_rows = np.array([rows[key] for key in self._instances.keys], np.intp)

    def moved(self, scene: bpy.types.Scene, depsgraph: bpy.types.Depsgraph) -> Moved | None:
        """Return the items that may have moved, (k,), each once, and their boxes, (6, k).

        None if the items are no longer the same, so that everything has to be read again.
        """
        # Blender walks through all updates to count them, and to find one by its number: walk
        # through them once.
        limit = max(int(_FEW * len(self._plain.rows)), _ALWAYS_FEW)
        few = list(islice(depsgraph.updates, limit + 1))
        if not few:
            return _NONE
        if self._has_other_items(few[0], scene, depsgraph):
            return None
        if len(few) <= limit:
            plain, instances = (
                self._few_moved(few, depsgraph),
                self._instances_near(few, depsgraph),
            )
        else:
            plain, instances = self._many_moved(depsgraph), self._all_instances(depsgraph)
        if plain is None or instances is None:
            return None
        rows, boxes = zip(plain, instances, strict=True)
        return np.concatenate(rows), np.concatenate(boxes, axis=1)

    def _has_other_items(
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
        if not any(update_flags(depsgraph, name).any() for name in _FLAGS):
            return False
        instancers = {uid for uid, item in wanted.items() if may_instance(item)}
        return instancers != self._instancers

    def _few_moved(
        self, few: list[bpy.types.DepsgraphUpdate], depsgraph: bpy.types.Depsgraph
    ) -> Moved | None:
        self._plain.reshape(few, depsgraph)
        return self._items_of(*self._plain.some_boxes(few))

    def _many_moved(self, depsgraph: bpy.types.Depsgraph) -> Moved | None:
        layer = depsgraph.view_layer
        if not self._plain.is_known(layer):
            return None
        if update_flags(depsgraph, "is_updated_geometry").any():
            self._plain.reshape(depsgraph.updates, depsgraph)
        return self._items_of(*self._plain.all_boxes(layer))

    def _items_of(self, slots: NDArray[np.intp], boxes: Floats) -> Moved | None:
        """Return the items in these slots; None if one has lost or gained a shape."""
        rows, finite = self._plain.rows[slots], np.isfinite(boxes).all(axis=0)
        if not np.array_equal(rows >= 0, finite):
            return None
        items = np.flatnonzero(finite)
        return rows[items], boxes[:, items]

    def _instances_near(self, updates: Updates, depsgraph: bpy.types.Depsgraph) -> Moved | None:
        """Return the instances, if any of these updates is about what they depend on."""
        near = [each for each in updates if each.id.original.session_uid in self._watched]
        if not near:
            return _NONE
        return self._instances_moved(depsgraph, are_same=not any(map(_may_replace, updates)))

    def _all_instances(self, depsgraph: bpy.types.Depsgraph) -> Moved | None:
        """Return the instances after many updates."""
        if not self._watched:
            return _NONE
        replacing = [each for each in depsgraph.updates if _may_replace(each)]
        return self._instances_moved(depsgraph, are_same=not replacing)

    def _instances_moved(self, depsgraph: bpy.types.Depsgraph, *, are_same: bool) -> Moved | None:
        """Return all instances; None if they are not the same as before.

        If it is known that they are, their matrices are enough.
        """
        if are_same:
            boxes = self._instances.moved_boxes(depsgraph)
            return None if boxes is None else (self._instance_rows, boxes)
        found = read_instances(depsgraph, self._seen, self._taken)
        if found.keys != self._instances.keys:
            return None
        self._instances = found
        return self._instance_rows, found.boxes


def _may_replace(update: bpy.types.DepsgraphUpdate) -> bool:
    """Tell whether an update may bring other instances, or others of their shapes."""
    # Of a group that an object was moved in, Blender says that its geometry has changed. Of one
    # that has gained or lost an object, and of all that is shown or hidden, the scene comes too.
    if isinstance(update.id, bpy.types.Scene):
        return True
    return update.is_updated_geometry and not isinstance(update.id, bpy.types.Collection)
