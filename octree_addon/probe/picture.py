"""Live answers as arrays: found triangles or boxes, outline, lines, points, and a text."""

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
# Limits for triangles that are tested, and that are drawn; beyond them, an answer consists of
# whole objects, drawn as boxes.
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
        A description in one line.
    faces : ndarray of float32, shape (3 t, 3)
        Corners of the found triangles; empty if they are too many.
    boxes : Outline, optional
        Boxes around the found objects, drawn in place of too many triangles.
    outline : Outline, optional
        The shape of the question.
    segments : ndarray of float32, shape (2 s, 3)
        Ends of lines: a distance, a normal.
    points : ndarray of float32, shape (p, 3)
        Positions of hits.
    lengths : tuple of str
        Texts of the lines, if they are dimensions.
    hue : tuple of float, optional
        Color of faces and boxes, if not that of the probe.
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
    """Found items of a target.

    Attributes
    ----------
    rows : ndarray of intp, shape (r,)
        Rows of the found placements, sorted.
    items : ndarray of intp, shape (h,), optional
        Found triangles, sorted; None if there were too many to test.
    """

    rows: Ids
    items: Ids | None


def found_in(target: SceneTarget, volume: object, relation: str) -> PickedItems:
    """Return the placements in a volume and, unless they are too many, their triangles there."""
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
    """Return triangles together with their placements."""
    return PickedItems(np.unique(target.placements_of(items)), np.sort(items))


def shown(target: SceneTarget, found: PickedItems) -> tuple[Corners, Outline | None]:
    """Return the triangles to draw or, if they are too many, boxes around the placements."""
    if found.items is None or len(found.items) > MOST_DRAWN:
        return _nothing(), boxes_around(target, found.rows)
    return corners_of(target, found.items), None


def corners_of(target: SceneTarget, items: Ids) -> Corners:
    """Return the corners, (3 t, 3), of triangles in world space. O(t), a step per placement."""
    of_rows = target.placements_of(items)
    parts = [_nothing()]
    for row in np.unique(of_rows).tolist():
        mesh = target.placements.meshes[row].triangles
        faces = mesh.faces[items[of_rows == row] - target.starts[row]]
        matrix = target.placements.matrices[row].reshape(4, 4)  # stored column by column
        corners = mesh.vertices[faces.ravel()].astype(np.float32)
        parts.append(corners @ matrix[:3, :3] + matrix[3, :3])
    return np.concatenate(parts)


def boxes_around(target: SceneTarget, rows: Ids) -> Outline:
    """Return world-aligned boxes around placements, as an outline."""
    bounds = target.octree.bounds_of(target.octree.ids[rows])
    corners = np.where(_BOX, bounds.upper[:, None], bounds.lower[:, None])
    edges = 8 * np.arange(len(rows), dtype=np.uint32)[:, None, None] + _EDGES
    return Outline(
        corners.reshape(-1, 3).astype(np.float32), edges.reshape(-1, 2).astype(np.uint32)
    )


def told(context: bpy.types.Context, target: SceneTarget, found: PickedItems) -> str:
    """Return a text such as "Tower, 12 triangles", "3 objects, 240 triangles", "2,510 objects"."""
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
    """Return the name of a placement's object; for an instance, its instancer and a number."""
    name = _name(context.view_layer, int(target.owners[row]))
    if not target.is_instance[row]:
        return name
    return numbered(name, target.persistent_ids[row].tolist())


# Cached names of objects by session id, maybe outdated.
_names: dict[int, str] = {}


def _name(layer: bpy.types.ViewLayer, uid: int) -> str:
    """Return the name of an object; if the cached one is outdated, read the names of all."""
    item: bpy.types.Object | None = layer.objects.get(_names.get(uid, ""))
    if item is None or item.session_uid != uid:
        _names.clear()
        _names.update((each.session_uid, each.name) for each in layer.objects)
    return _names.get(uid, "an object that is gone")
