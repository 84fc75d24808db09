"""Objects that a 3D view shows, by local view, collections and hiding; cached per evaluation."""

from typing import NamedTuple

import bpy

from ..scene_index import evaluations
from .layers import upload_of, uploaded


class _Known(NamedTuple):
    """The objects that a view showed, and the number of the evaluation they were read after."""

    evaluation: int
    uids: frozenset[int]


def visible_objects() -> frozenset[int]:
    """Return the session ids of the objects that the 3D view of the context shows.

    Until an object is shown or hidden, the same set object is returned, so that it can be a cache
    key. Each change of visibility comes with an evaluation of the scene.
    """
    context, now = bpy.context, evaluations()
    space = context.space_data
    switches: tuple[object, ...] = ()
    if isinstance(space, bpy.types.SpaceView3D):
        is_alone = space.local_view is not None
        switches = space.as_pointer(), is_alone, space.use_local_collections
    key = "visible", context.scene.session_uid, context.view_layer.name, *switches
    before: _Known | None = upload_of(key)

    def looked() -> _Known:
        uids = frozenset(item.session_uid for item in context.visible_objects)
        is_same = before is not None and before.uids == uids
        return _Known(now, before.uids if before is not None and is_same else uids)

    return uploaded(key, lambda known: known.evaluation == now, looked).uids


def is_local(context: bpy.types.Context) -> bool:
    """Return whether the 3D view of the context is in local view."""
    space = context.space_data
    return isinstance(space, bpy.types.SpaceView3D) and space.local_view is not None
