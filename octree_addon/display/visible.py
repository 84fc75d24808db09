"""Objects that a 3D view shows, by local view, collections and hiding; read once an evaluation."""

from typing import NamedTuple

import bpy

from ..scene_index import evaluations
from .uploads import uploads

# More than there are 3D views in most windows.
_MOST = 16


class _Known(NamedTuple):
    """The objects that a view showed, and after which evaluation."""

    evaluation: int
    uids: frozenset[int]


# By the scene, its view layer, the 3D view, and the switches of that view.
_known: dict[tuple[object, ...], _Known] = uploads({})


def visible_objects() -> frozenset[int]:
    """Return the session ids of the objects that the 3D view of the context shows.

    The set is the same one while no object is shown or hidden. Each change of what is visible
    comes with an evaluation of the scene.
    """
    context, now = bpy.context, evaluations()
    space = context.space_data
    switches: tuple[object, ...] = ()
    if isinstance(space, bpy.types.SpaceView3D):
        is_alone = space.local_view is not None
        switches = space.as_pointer(), is_alone, space.use_local_collections
    key = context.scene.session_uid, context.view_layer.name, switches
    known = _known.get(key)
    if known is not None and known.evaluation == now:
        return known.uids
    uids = frozenset(item.session_uid for item in context.visible_objects)
    if known is not None and known.uids == uids:
        uids = known.uids
    if len(_known) >= _MOST:
        _known.clear()
    _known[key] = _Known(now, uids)
    return uids


def is_local(context: bpy.types.Context) -> bool:
    """Return whether the 3D view shows some objects alone."""
    space = context.space_data
    return isinstance(space, bpy.types.SpaceView3D) and space.local_view is not None
