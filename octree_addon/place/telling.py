"""Moves in words: a row for each object that was or was not moved, and one sentence."""

from collections.abc import Sequence

import bpy
import numpy as np

from ..arrays import Floats, Ids
from ..result_list import Column, Rows, no_instances
from ..snapshots import SceneTarget
from ..ui import plural
from .units import Movers

MOVED, NOTE = "Moved", "Note"
# Names in a sentence; the list has all of them.
_NAMED = 4


def move_rows(
    movers: Movers,
    distances: Floats,
    notes: Sequence[str],
    below: tuple[str, Sequence[str]] | None = None,
) -> Rows:
    """Return a row for each object that was to move, the farthest first; then those that stayed.

    Parameters
    ----------
    movers : Movers
        Who moved, and why others did not.
    distances : ndarray of float64, shape (u,)
        How far.
    notes : sequence of str
        What else there is to say of each unit.
    below : tuple of str and sequence of str, optional
        A header, and for each unit a name.
    """
    order = np.argsort(-distances[movers.root_units], kind="stable")
    units = movers.root_units[order].tolist()
    stayed = len(movers.left)
    uids = [*movers.root_uids[order].tolist(), *movers.left]
    columns = [Column(MOVED, "LENGTH", np.append(distances[units], np.zeros(stayed)))]
    if below is not None:
        names = [*(below[1][unit] for unit in units), *[""] * stayed]
        columns.append(_words(below[0], names))
    columns.append(_words(NOTE, [*(notes[unit] for unit in units), *movers.left.values()]))
    return Rows(np.array(uids, np.intp)[None], no_instances(len(uids)), tuple(columns))


def _words(header: str, texts: list[str]) -> Column:
    distinct = tuple(dict.fromkeys(texts))
    place = {text: number for number, text in enumerate(distinct)}
    return Column(header, "", np.array([place[text] for text in texts], np.int64), distinct)


def named(names: Sequence[str]) -> str:
    """Write the first names, and how many more there are."""
    more = len(names) - _NAMED
    text = ", ".join(names[:_NAMED])
    return f"{text} and {more:,} more" if more > 0 else text


def left_text(scene: bpy.types.Scene, movers: Movers) -> str:
    """Say who was left in place, and why; nothing if nobody was."""
    if not movers.left:
        return ""
    names = {item.session_uid: item.name for item in scene.objects}
    said = [f"{names.get(uid, 'gone')} ({reason})" for uid, reason in movers.left.items()]
    return f"{len(said):,} left in place: {named(said)}"


def hidden_text(context: bpy.types.Context) -> str:
    """Say how many objects with faces are no obstacle since they are not shown; or nothing."""
    kinds = {"MESH", "CURVE", "SURFACE", "FONT", "META"}
    space = context.space_data
    viewport = space if isinstance(space, bpy.types.SpaceView3D) else None
    layer = context.view_layer
    count = sum(
        item.type in kinds and not item.visible_get(view_layer=layer, viewport=viewport)
        for item in layer.objects
    )
    return f"{plural(count, 'hidden object')} not looked at" if count else ""


def names_of(scene: bpy.types.Scene, target: SceneTarget, rows: Ids) -> list[str]:
    """Return the names of the objects of placements; an empty one for -1."""
    names = {item.session_uid: item.name for item in scene.objects}
    owners = target.placements.owners
    return [names.get(int(owners[row]), "") if row >= 0 else "" for row in rows.tolist()]
