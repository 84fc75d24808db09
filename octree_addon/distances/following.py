"""Updates of dimensions: pairs with a moved object are measured again, once for each change.

The lines in the view and the rows of the list show the same distances.
"""

from dataclasses import replace
from typing import Any, NamedTuple

import bpy
import numpy as np

from ...core import Distances, distances
from .. import references
from ..answers.kept import numbered_answer
from ..arrays import Flags, Floats, Ids
from ..result_list import Column
from ..scene_index import Version, version_of
from ..ui import SessionStore
from .measuring import DRAWN, Dimensions


class _Followed(NamedTuple):
    """Dimensions as first measured, their last update, and the scene version of the update."""

    asked: Dimensions
    now: Dimensions
    version: Version


# The last update of each scene.
_last: SessionStore[_Followed] = SessionStore(most=8)


def column_now(scene: bpy.types.Scene, result: Any, column: Column) -> Column:
    """Return a result column with current values in the rows that have dimensions."""
    answer = numbered_answer(scene, result.number, Dimensions)
    if answer is None:
        return column
    last = _last.get((scene.session_uid,))
    if last is None or last.asked is not answer.found or not last.version.is_same(scene):
        followed(scene, answer.found)
        last = _last[scene.session_uid,]
    drawn = last.now.result_columns()
    found = next(each for each in drawn if each.name == column.name)
    return column._replace(values=np.concatenate((found.values, column.values[DRAWN:])))


def followed(scene: bpy.types.Scene, asked: Dimensions) -> tuple[Dimensions, Flags]:
    """Return the dimensions for the current poses of objects, and flags of the valid ones.

    Only pairs with a moved object are measured again. A pair is invalid if one of its objects is
    reshaped, hidden or gone; a pair with an instance, once anything in the scene has changed.
    """
    depsgraph = bpy.context.evaluated_depsgraph_get()
    last = _last.get((scene.session_uid,))
    before = last.now if last is not None and last.asked is asked else asked
    now, flags = _measured_again(scene, depsgraph, before)
    _last.put((scene.session_uid,), _Followed(asked, now, version_of(scene)))
    return now, flags


def _measured_again(
    scene: bpy.types.Scene, depsgraph: bpy.types.Depsgraph, before: Dimensions
) -> tuple[Dimensions, Flags]:
    owners, octree = before.owners, before.target.octree
    uids = np.unique(owners)
    items = references.objects_of(scene, uids.tolist())
    there = [_is_there(scene, item, before.version) for item in items]
    flags = np.array(there, np.bool_)[np.searchsorted(uids, owners)].all(axis=0)
    if not before.version.is_same(scene):
        flags &= ~before.target.is_instance[before.rows].any(axis=0)
    ids, matrices = _moved(depsgraph, before, dict(zip(uids.tolist(), items, strict=True)), flags)
    if not len(ids):
        return before, flags
    octree.move(ids, matrices)
    (some,) = (flags & np.isin(before.pairs, ids).any(axis=0)).nonzero()
    return replace(before, found=_replaced(before, some)), flags


def _is_there(scene: bpy.types.Scene, item: bpy.types.Object | None, version: Version) -> bool:
    """Return whether an object exists, is visible, and has its former shape."""
    if item is None or not item.visible_get():
        return False
    uids = frozenset([item.session_uid])
    return replace(version, objects=uids, may_move=True).is_same(scene)


def _moved(
    depsgraph: bpy.types.Depsgraph, before: Dimensions, items: dict[int, Any], flags: Flags
) -> tuple[Ids, Floats]:
    """Return the ids of placements that have moved, (m,), and their new matrices, (m, 4, 4)."""
    target = before.target
    rows = np.unique(before.rows[:, flags])
    rows = rows[~target.is_instance[rows]]
    ids, uids = target.octree.ids[rows], target.owners[rows].tolist()
    now = [np.array(items[uid].evaluated_get(depsgraph).matrix_world, np.float64) for uid in uids]
    if not now:
        return ids, np.empty((0, 4, 4))
    matrices = np.stack(now)
    moved = (target.octree.matrices_of(ids) != matrices).any(axis=(1, 2))
    return ids[moved], matrices[moved]


def _replaced(before: Dimensions, some: Ids) -> Distances:
    """Return the distances with some of the pairs measured again."""
    again = distances(before.target.octree, before.pairs[:, some])
    values: dict[str, Any] = {name: value.copy() for name, value in vars(before.found).items()}
    for name, value in vars(again).items():
        if name == "points" or values[name].ndim == 2:
            values[name][:, some] = value
        else:
            values[name][some] = value
    return Distances(**values)
