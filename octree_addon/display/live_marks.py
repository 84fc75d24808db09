"""Live marks: the bounding boxes of objects that overlap now, outlined as they move."""

from typing import NamedTuple
from weakref import WeakKeyDictionary

import bpy
import numpy as np

from .. import live
from ..built_tree import BuiltTree
from ..live import Follower, Pairs
from ..ui import settings_of
from .boxes import DrawnBoxes, draw_boxes, upload
from .lines import blended
from .uploads import uploads
from .visible import is_local, visible_objects

# Magenta: no color of a selection, an axis or an answer. Thin, as there may be many.
_COLOR = np.array([(1.0, 0.2, 0.75)], np.float32)
_WIDTH, _BEHIND = 1.0, 0.35


class Marks(NamedTuple):
    """The boxes of what overlaps, and the update and the choice that they are of."""

    update: object
    choice: object
    boxes: DrawnBoxes | None


_marks: WeakKeyDictionary[Follower, Marks] = uploads(WeakKeyDictionary())


def draw_live_marks(scene: bpy.types.Scene, built: BuiltTree) -> None:
    """Outline what overlaps, if the octree is live and this is wanted; faintly behind surfaces."""
    follower, settings = live.get(scene), settings_of(scene).live
    if follower is None or not (settings.pairs and settings.mark):
        return
    active = bpy.context.view_layer.objects.active if settings.active_only else None
    # What is hidden otherwise is not in the tree.
    alone = visible_objects() if is_local(bpy.context) else None
    choice = settings.active_only, live.left_out(settings), active and active.session_uid, alone
    marks = _marks.get(follower)
    if marks is None or (marks.update, marks.choice) != (follower.last_update, choice):
        boxes = boxes_of(live.shown_pairs(settings, built, follower, active), built, alone)
        marks = _marks[follower] = Marks(follower.last_update, choice, boxes)
    if marks.boxes is not None:
        with blended("LESS_EQUAL"):
            draw_boxes(marks.boxes, 1.0, _WIDTH)
        with blended("GREATER"):
            draw_boxes(marks.boxes, _BEHIND, _WIDTH)


def boxes_of(
    pairs: Pairs, built: BuiltTree, alone: frozenset[int] | None = None
) -> DrawnBoxes | None:
    """Upload the boxes of what overlaps, of pairs that began, lasted and ended.

    With `alone`, boxes of these objects only, by their session ids.
    """
    began, lasted, _ = pairs
    items = built.places_of(np.unique(np.concatenate((began, lasted), axis=1)))
    if alone is not None:
        uids = np.array([each.session_uid for each in built.source.objects], np.intp)
        items = items[np.isin(uids[built.source.object_of_item[items]], list(alone))]
    rows = built.octree.items.bounds().rows[:, items].astype(np.float32)
    return upload(rows, _COLOR.repeat(len(items), axis=0))
