"""Reports of moves: a result row for each object to move, and a summary in one sentence.

A unit is a group of objects that move together.
"""

from collections.abc import Sequence

import bpy
import numpy as np

from ..arrays import Floats, Ids
from ..result_list import Column, Rows, no_instances
from ..snapshots import SceneTarget
from ..ui import plural
from .units import Movers

MOVED, NOTE = "Moved", "Note"
# Maximum number of names in a sentence; the list of results has all of them.
_NAMED = 4


def move_rows(
    movers: Movers,
    distances: Floats,
    notes: Sequence[str],
    below: tuple[str, Sequence[str]] | None = None,
) -> Rows:
    """Return a row for each moved object, the farthest move first, then for each that stayed.

    Parameters
    ----------
    movers : Movers
        The units that moved, and the reasons why other objects stayed.
    distances : ndarray of float64, shape (u,)
        Distance of each unit.
    notes : sequence of str
        A note for each unit, or an empty string.
    below : tuple of str and sequence of str, optional
        A column header, and a name for each unit.
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
    """Return the first names, and how many more there are, as text."""
    more = len(names) - _NAMED
    text = ", ".join(names[:_NAMED])
    return f"{text} and {more:,} more" if more > 0 else text


def left_text(scene: bpy.types.Scene, movers: Movers) -> str:
    """Return a text of the objects left in place, with reasons; empty if there are none."""
    if not movers.left:
        return ""
    names = {item.session_uid: item.name for item in scene.objects}
    said = [f"{names.get(uid, 'gone')} ({reason})" for uid, reason in movers.left.items()]
    return f"{len(said):,} left in place: {named(said)}"


def hidden_text(context: bpy.types.Context) -> str:
    """Return a text of how many hidden objects were no obstacles; empty if there are none."""
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
    """Return the object names of placements; an empty name for row -1."""
    names = {item.session_uid: item.name for item in scene.objects}
    owners = target.placements.owners
    return [names.get(int(owners[row]), "") if row >= 0 else "" for row in rows.tolist()]
