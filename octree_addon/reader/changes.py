"""Depsgraph updates: the data-blocks that an update names, which may have changed.

Updates are cheap to read, but they overestimate: a change of mode, for example, also names meshes.
To find real changes, the named data-blocks have to be read and compared.
"""

from functools import cache
from itertools import compress, islice
from typing import Any, NamedTuple

import bpy
import numpy as np
from numpy.typing import NDArray

from .. import tuning


class SceneChanges(NamedTuple):
    """Data-blocks that an update of the scene may have changed.

    Attributes
    ----------
    moved, reshaped : frozenset of int, optional
        Session ids of data-blocks with a changed transform, or geometry; None stands for all.
    reshown : bool
        True if objects may have been added, removed, shown or hidden.
    by_hand : bool
        True if the update names scenes only: mostly, the user has selected objects.
    """

    moved: frozenset[int] | None
    reshaped: frozenset[int] | None
    reshown: bool
    by_hand: bool = False

    @property
    def has_any(self) -> bool:
        """True if any object may have moved or changed its shape."""
        return self.moved is None or self.reshaped is None or bool(self.moved or self.reshaped)


EVERYTHING = SceneChanges(None, None, reshown=True)


def changes_of(depsgraph: bpy.types.Depsgraph) -> SceneChanges:
    """Return the changes named by the last update of a depsgraph, cheap even if it names many."""
    updates = list(islice(depsgraph.updates, tuning.current.updates_looked_at + 1))
    if len(updates) > tuning.current.updates_looked_at:
        return _changes_of_many(depsgraph)
    moved: set[int] = set()
    reshaped: set[int] = set()
    reshown, scenes = False, 0
    for update in updates:
        item, is_moved = update.id, update.is_updated_transform
        is_reshaped = update.is_updated_geometry
        # Blender names the scene when objects were added, removed, shown, hidden or selected.
        if isinstance(item, bpy.types.Scene):
            reshown, scenes = True, scenes + 1
            continue
        if is_moved:
            moved.add(item.original.session_uid)
        if is_reshaped:
            reshaped.add(item.original.session_uid)
        if isinstance(item, bpy.types.Object):
            # An object updated for another reason may have been hidden by a keyframe or a driver.
            reshown |= not (is_moved or is_reshaped)
    by_hand = reshown and scenes == len(updates)
    return SceneChanges(frozenset(moved), frozenset(reshaped), reshown, by_hand)


def _changes_of_many(depsgraph: bpy.types.Depsgraph) -> SceneChanges:
    moved, reshaped = (
        update_flags(depsgraph, f"is_updated_{kind}") for kind in ("transform", "geometry")
    )
    none = frozenset[int]()
    reshown = isinstance(depsgraph.updates[0].id, bpy.types.Scene)
    # Of the data-blocks without both flags only objects matter, not actions that play.
    others = compress(depsgraph.updates, ~(moved | reshaped))
    reshown |= any(isinstance(each.id, bpy.types.Object) for each in others)
    return SceneChanges(
        None if moved.any() else none, None if reshaped.any() else none, reshown=reshown
    )


def update_flags(depsgraph: bpy.types.Depsgraph, name: str) -> NDArray[np.bool_]:
    """Return one flag of all updates of a depsgraph, such as "is_updated_geometry", (u,)."""
    updates: Any = depsgraph.updates
    flags = np.empty(len(updates), np.bool_)
    updates.foreach_get(name, flags)
    return flags


def names_more_than_tags(depsgraph: bpy.types.Depsgraph) -> bool:
    """Return whether the last update names more than selected, shown or hidden objects."""
    return any(map(_is_more_than_tagged, depsgraph.updates))


def _is_more_than_tagged(update: bpy.types.DepsgraphUpdate) -> bool:
    if isinstance(update.id, bpy.types.Scene):
        return False
    is_only_tagged = isinstance(update.id, bpy.types.Object | bpy.types.Collection)
    return update.is_updated_geometry or update.is_updated_transform or not is_only_tagged


def awaits_evaluation(layer: bpy.types.ViewLayer) -> bool:
    """Return whether a script has changed data, other than scenes, that is not evaluated yet."""
    depsgraph: bpy.types.Depsgraph | None = layer.depsgraph
    return depsgraph is not None and any(map(depsgraph.id_type_updated, _kinds()))


@cache
def _kinds() -> list[Any]:
    """Return the names of all types of data-blocks except scenes."""
    rna: Any = bpy.types.Depsgraph.bl_rna
    kind = rna.functions["id_type_updated"].parameters["id_type"]
    return [name for name in kind.enum_items.keys() if name != "SCENE"]
