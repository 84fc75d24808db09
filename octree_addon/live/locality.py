"""How much of the tree one object has to do with: total against local counts."""

from typing import NamedTuple
from weakref import WeakKeyDictionary

import numpy as np

from ...core import Octree, query
from ..trees import BuiltTree


class Locality(NamedTuple):
    """What an object would have to be tested against, with a tree and without one.

    Attributes
    ----------
    total : int
        All items but its own.
    near : int
        Those in the cells that it touches: its potential colliders.
    touching : int
        Those whose boxes touch one of its own.
    """

    total: int
    near: int
    touching: int


_known: WeakKeyDictionary[BuiltTree, tuple[Octree, int, Locality | None]] = WeakKeyDictionary()


def locality_of(built: BuiltTree, session_uid: int) -> Locality | None:
    """Count what one object has to do with.

    Parameters
    ----------
    built : BuiltTree
        A tree of objects.
    session_uid : int
        Of the object.

    Returns
    -------
    Locality or None
        None if it is not in the tree. Counted once, until the tree changes.
    """
    counted = _known.get(built)
    if counted is None or counted[0] is not built.octree or counted[1] != session_uid:
        counted = built.octree, session_uid, _count(built, session_uid)
        _known[built] = counted
    return counted[2]


def _count(built: BuiltTree, session_uid: int) -> Locality | None:
    octree = built.octree
    uids = np.array([each.session_uid for each in built.source.objects])
    mine = np.flatnonzero(uids[built.source.object_of_item] == session_uid)
    if len(mine) == 0:
        return None
    boxes = octree.items[mine]
    near, touching = (
        np.setdiff1d(built.places_of(query(octree, boxes, relation=relation)[1]), mine)
        for relation in ("candidates", "touching")
    )
    return Locality(len(octree) - len(mine), len(near), len(touching))
