"""Live answers as arrays: found triangles or boxes, outline, lines, points, and words."""

from dataclasses import dataclass, field
from typing import NamedTuple

import bpy
import numpy as np
from numpy.typing import NDArray

from .. import tuning
from ..arrays import Flags, Ids
from ..questions import Outline
from ..result_list import numbered
from ..snapshots import SceneTarget
from ..ui import plural

Corners = NDArray[np.float32]
# Beyond these an answer is told and drawn by whole objects: triangles that are looked at, and
# triangles that are drawn.
MOST_TESTED, MOST_DRAWN = 2_000_000, 40_000
_BOX = np.array([(x, y, z) for z in (0, 1) for x, y in ((0, 0), (1, 0), (1, 1), (0, 1))], np.bool_)
_EDGES = np.array([(0, 1), (1, 2), (2, 3), (3, 0), (4, 5), (5, 6), (6, 7), (7, 4),
                   (0, 4), (1, 5), (2, 6), (3, 7)], np.uint32)  # fmt: skip


def _nothing() -> Corners:
    return np.empty((0, 3), np.float32)


@dataclass(frozen=True)
class ProbePicture:
    """The live answer of a question, ready to be drawn.

    Attributes
    ----------
    words : str
        What it is, in one line.
    faces : ndarray of float32, shape (3 t, 3)
        The corners of the triangles found, if they are few.
    boxes : Outline, optional
        Boxes around the objects found, if they are many.
    outline : Outline, optional
        The shape that is asked.
    segments : ndarray of float32, shape (2 s, 3)
        Ends of lines: a distance, a normal.
    points : ndarray of float32, shape (p, 3)
        Places of hits.
    lengths : tuple of str
        What stands at each of the lines, if they are dimensions.
    hue : tuple of float, optional
        What color faces and boxes have, if not that of the probe.
    """

    words: str
    faces: Corners = field(default_factory=_nothing)
    boxes: Outline | None = None
    outline: Outline | None = None
    segments: Corners = field(default_factory=_nothing)
    points: Corners = field(default_factory=_nothing)
    lengths: tuple[str, ...] = ()
    hue: tuple[float, float, float] | None = None


class PickedItems(NamedTuple):
    """The items of a target that were found.

    Attributes
    ----------
    rows : ndarray of intp, shape (r,)
        The placements, sorted.
    items : ndarray of intp, shape (h,), optional
        The triangles, sorted; None if there are too many to look at each.
    """

    rows: Ids
    items: Ids | None


def found_in(target: SceneTarget, volume: object, relation: str) -> PickedItems:
    """Ask about a volume: which placements touch it, and which triangles, if they may be few."""
    if len(target.owners) > tuning.current.probe_objects or len(target) > MOST_TESTED:
        rows = target.placements_of(target.objects_in_volume(volume))
        if len(rows) > tuning.current.probe_objects or target.possibles[rows].sum() > MOST_TESTED:
            return PickedItems(rows, None)
    items = target.in_volume(volume, relation)
    counts, possibles = target.counts(items)
    is_found = counts > 0
    if relation == "inside":
        is_found &= counts == possibles
    return PickedItems(np.flatnonzero(is_found), items)


def of_items(target: SceneTarget, items: Ids) -> PickedItems:
    """Return some triangles with the placements that they are of."""
    return PickedItems(np.unique(target.placements_of(items)), np.sort(items))


def shown(target: SceneTarget, found: PickedItems) -> tuple[Corners, Outline | None]:
    """Return what is drawn of an answer: triangles or, of too many, boxes around placements."""
    if found.items is None or len(found.items) > MOST_DRAWN:
        return _nothing(), boxes_around(target, found.rows)
    return corners_of(target, found.items), None


def corners_of(target: SceneTarget, items: Ids) -> Corners:
    """Return the corners, (3 t, 3), of triangles in the world; O(t) and a step a placement."""
    of_rows = target.placements_of(items)
    parts = [_nothing()]
    for row in np.unique(of_rows).tolist():
        mesh = target.placements.meshes[row].triangles
        faces = mesh.faces[items[of_rows == row] - target.starts[row]]
        matrix = target.placements.matrices[row].reshape(4, 4)  # column after column
        corners = mesh.vertices[faces.ravel()].astype(np.float32)
        parts.append(corners @ matrix[:3, :3] + matrix[3, :3])
    return np.concatenate(parts)


def boxes_around(target: SceneTarget, rows: Ids) -> Outline:
    """Return boxes around placements, along the axes of the world."""
    bounds = target.octree.bounds_of(target.octree.ids[rows])
    corners = np.where(_BOX, bounds.upper[:, None], bounds.lower[:, None])
    edges = 8 * np.arange(len(rows), dtype=np.uint32)[:, None, None] + _EDGES
    return Outline(
        corners.reshape(-1, 3).astype(np.float32), edges.reshape(-1, 2).astype(np.uint32)
    )


def told(context: bpy.types.Context, target: SceneTarget, found: PickedItems) -> str:
    """Say what was found: "Tower, 12 triangles", "3 objects, 240 triangles", "2,510 objects"."""
    if not len(found.rows):
        return "nothing"
    one = len(found.rows) == 1
    many = name_of(context, target, int(found.rows[0])) if one else _count(target, found.rows)
    if found.items is None:
        return f"{many}, too much to show more than boxes"
    text = f"{many}, {plural(len(found.items), 'triangle')}"
    return text + " (boxes are shown)" * (len(found.items) > MOST_DRAWN)


def _count(target: SceneTarget, rows: Ids) -> str:
    instanced: Flags = target.is_instance[rows]
    if instanced.all():
        return plural(len(rows), "instance")
    return plural(len(rows), "object")


def name_of(context: bpy.types.Context, target: SceneTarget, row: int) -> str:
    """Return the name of a placement's object; of an instance, that of its instancer, numbered."""
    name = _name(context.view_layer, int(target.owners[row]))
    if not target.is_instance[row]:
        return name
    return numbered(name, target.persistent_ids[row].tolist())


# The names that objects had when they were last looked for, by session id.
_names: dict[int, str] = {}


def _name(layer: bpy.types.ViewLayer, uid: int) -> str:
    """Return the name of an object; all are only looked at if it has another one than before."""
    item: bpy.types.Object | None = layer.objects.get(_names.get(uid, ""))
    if item is None or item.session_uid != uid:
        _names.clear()
        _names.update((each.session_uid, each.name) for each in layer.objects)
    return _names.get(uid, "an object that is gone")
