"""Updates of a depsgraph: the data-blocks that they name, which may have changed.

It costs next to nothing, and is often wrong: so does a change of mode, or an undo. What has
changed is known once those that are named were read again and compared.
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
        Session ids of the data-blocks; None is all of them.
    reshown : bool
        Whether objects may have come, gone, or been shown or hidden.
    by_hand : bool
        Whether that is all, and only by the user's hand: mostly, objects were selected.
    """

    moved: frozenset[int] | None
    reshaped: frozenset[int] | None
    reshown: bool
    by_hand: bool = False

    @property
    def has_any(self) -> bool:
        """Whether anything may have moved, or have another shape."""
        return self.moved is None or self.reshaped is None or bool(self.moved or self.reshaped)


EVERYTHING = SceneChanges(None, None, reshown=True)


def changes_of(depsgraph: bpy.types.Depsgraph) -> SceneChanges:
    """Return what the last update of a depsgraph names; cheap, whatever it was."""
    updates = list(islice(depsgraph.updates, tuning.current.updates_looked_at + 1))
    if len(updates) > tuning.current.updates_looked_at:
        return _changes_of_many(depsgraph)
    moved: set[int] = set()
    reshaped: set[int] = set()
    reshown, scenes = False, 0
    for update in updates:
        item, is_moved = update.id, update.is_updated_transform
        is_reshaped = update.is_updated_geometry
        # The scene is there whenever objects came, went, were shown or hidden; or were selected.
        if isinstance(item, bpy.types.Scene):
            reshown, scenes = True, scenes + 1
            continue
        if is_moved:
            moved.add(item.original.session_uid)
        if is_reshaped:
            reshaped.add(item.original.session_uid)
        if isinstance(item, bpy.types.Object):
            # One updated for another reason may have been hidden, by a key or a driver.
            reshown |= not (is_moved or is_reshaped)
    by_hand = reshown and scenes == len(updates)
    return SceneChanges(frozenset(moved), frozenset(reshaped), reshown, by_hand)


def _changes_of_many(depsgraph: bpy.types.Depsgraph) -> SceneChanges:
    moved, reshaped = (
        update_flags(depsgraph, f"is_updated_{kind}") for kind in ("transform", "geometry")
    )
    none = frozenset[int]()
    reshown = isinstance(depsgraph.updates[0].id, bpy.types.Scene)
    # Of what has neither flag objects tell; an action that plays does not.
    others = compress(depsgraph.updates, ~(moved | reshaped))
    reshown |= any(isinstance(each.id, bpy.types.Object) for each in others)
    return SceneChanges(
        None if moved.any() else none, None if reshaped.any() else none, reshown=reshown
    )


def update_flags(depsgraph: bpy.types.Depsgraph, name: str) -> NDArray[np.bool_]:
    """Return one flag of all updates."""
    updates: Any = depsgraph.updates
    flags = np.empty(len(updates), np.bool_)
    updates.foreach_get(name, flags)
    return flags


def names_more_than_tags(depsgraph: bpy.types.Depsgraph) -> bool:
    """Tell whether its last update names more than objects that were selected, shown or hidden."""
    return any(map(_is_more_than_tagged, depsgraph.updates))


def _is_more_than_tagged(update: bpy.types.DepsgraphUpdate) -> bool:
    if isinstance(update.id, bpy.types.Scene):
        return False
    is_only_tagged = isinstance(update.id, bpy.types.Object | bpy.types.Collection)
    return update.is_updated_geometry or update.is_updated_transform or not is_only_tagged


def awaits_evaluation(layer: bpy.types.ViewLayer) -> bool:
    """Tell whether a script has changed anything but scenes that nobody has evaluated yet."""
    depsgraph: bpy.types.Depsgraph | None = layer.depsgraph
    return depsgraph is not None and any(map(depsgraph.id_type_updated, _kinds()))


@cache
def _kinds() -> list[Any]:
    """Return the names of all kinds of data but scenes."""
    rna: Any = bpy.types.Depsgraph.bl_rna
    kind = rna.functions["id_type_updated"].parameters["id_type"]
    return [name for name in kind.enum_items.keys() if name != "SCENE"]
