"""Pairs shown by Live: filtered by a ground, by a collection or by the active object.

The octree stores all pairs; they are filtered when they are drawn.
"""

from typing import Any

import bpy
import numpy as np

from ..arrays import Ids
from ..built_tree import BuiltTree
from .follower import Follower, Pairs

# An object that touches at least this fraction of the others, and this number, may be a ground.
_MOST, _FEWEST = 0.5, 4


def ids_of(built: BuiltTree, *session_uids: int) -> Ids:
    """Return the ids of the items of objects, given by session ids."""
    uids = np.array([each.session_uid for each in built.source.objects], np.intp)
    places = np.flatnonzero(np.isin(uids[built.source.object_of_item], session_uids))
    ids = built.octree.ids
    return places if ids is None else ids[places]


def left_out(settings: Any) -> tuple[int, ...]:
    """Return the session ids of the objects whose pairs are not shown."""
    members = settings.grounds.all_objects if settings.grounds else ()
    ground = (settings.ground,) if settings.ground else ()
    return tuple(item.session_uid for item in (*ground, *members))


def shown_pairs(
    settings: Any, built: BuiltTree, follower: Follower, active: bpy.types.Object | None
) -> Pairs:
    """Return the begun, lasting and ended pairs of the last update that the settings allow."""
    pairs: Pairs = follower.last_update.pairs
    without = left_out(settings)
    if without:
        ids = ids_of(built, *without)
        pairs = _taken(pairs, ids, wanted=False)
    if settings.active_only:
        pairs = _taken(pairs, ids_of(built, active.session_uid if active else 0), wanted=True)
    return pairs


def _taken(pairs: Pairs, ids: Ids, *, wanted: bool) -> Pairs:
    """Return the pairs that contain one of the ids or, if not `wanted`, none of them."""
    began, lasted, ended = (each[:, np.isin(each, ids).any(axis=0) == wanted] for each in pairs)
    return began, lasted, ended


def ground_of(built: BuiltTree, pairs: Ids) -> str:
    """Return the name of the object that most others touch in pairs (2, h); empty without one."""
    count = len(built.octree)
    ids, touched = np.unique(pairs, return_counts=True)
    if not len(ids) or touched.max() < max(_MOST * (count - 1), _FEWEST):
        return ""
    place = built.places_of(ids[[touched.argmax()]])
    source = built.source
    return source.objects[int(source.object_of_item[place[0]])].name
