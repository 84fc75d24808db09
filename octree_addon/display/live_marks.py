"""Live marks: outlined bounding boxes of objects that overlap at the moment."""

from typing import NamedTuple

import bpy
import numpy as np

from .. import live
from ..built_tree import BuiltTree
from ..live import Follower, Pairs
from .boxes import DrawnBoxes, draw_boxes, upload
from .layers import Redraw, uploaded
from .lines import blended
from .visible import is_local, visible_objects

# Magenta, unlike selections, axes and answers; thin lines, since there may be many boxes.
_COLOR = np.array([(1.0, 0.2, 0.75)], np.float32)
_WIDTH, _BEHIND = 1.0, 0.35


class Marks(NamedTuple):
    """Uploaded boxes of overlapping objects, and the state that they depend on."""

    follower: Follower
    update: object
    choice: object
    boxes: DrawnBoxes | None


def draw_live_marks(redraw: Redraw) -> None:
    """Outline overlapping objects, faintly behind surfaces, if Live and its marks are on."""
    built, settings = redraw.built, redraw.settings.live
    follower = live.get(redraw.scene) if built else None
    if built is None or follower is None or not (settings.pairs and settings.mark):
        return
    active = bpy.context.view_layer.objects.active if settings.active_only else None
    # Only local view needs a filter: objects hidden otherwise are not in the octree.
    alone = visible_objects() if is_local(bpy.context) else None
    choice = settings.active_only, live.left_out(settings), active and active.session_uid, alone

    def made() -> Marks:
        boxes = boxes_of(live.shown_pairs(settings, built, follower, active), built, alone)
        return Marks(follower, follower.last_update, choice, boxes)

    marks = uploaded(
        ("live marks", redraw.scene.session_uid),
        lambda known: known[:3] == (follower, follower.last_update, choice),
        made,
    )
    if marks.boxes is not None:
        with blended("LESS_EQUAL"):
            draw_boxes(marks.boxes, 1.0, _WIDTH)
        with blended("GREATER"):
            draw_boxes(marks.boxes, _BEHIND, _WIDTH)


def boxes_of(
    pairs: Pairs, built: BuiltTree, alone: frozenset[int] | None = None
) -> DrawnBoxes | None:
    """Upload the boxes of objects in pairs that have begun or lasted; None without any.

    With `alone`, only the boxes of objects with these session ids are uploaded.
    """
    began, lasted, _ = pairs
    items = built.places_of(np.unique(np.concatenate((began, lasted), axis=1)))
    if alone is not None:
        uids = np.array([each.session_uid for each in built.source.objects], np.intp)
        items = items[np.isin(uids[built.source.object_of_item[items]], list(alone))]
    rows = built.octree.items.bounds().rows[:, items].astype(np.float32)
    return upload(rows, _COLOR.repeat(len(items), axis=0))
