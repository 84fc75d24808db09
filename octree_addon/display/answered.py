"""Answer overlay: what was found in color, all else faded; both step back for a row or the probe.

What the last question found are triangles. Of all other answers whose rows are objects, these are
colored: they are read from the index of the scene once it has come to rest.
"""

import bpy
import numpy as np

from .. import questions, result_list
from ..answers.view import View
from ..preferences import colors
from ..result_list import ActiveResult
from ..ui import settings_of
from . import active_row, batches, painted_objects
from .layers import Redraw

# How much all else fades; and how much of its color an answer keeps where it steps back.
_FADE, _BACK = 0.45, 0.3


def draw_answer(redraw: Redraw) -> None:
    """Draw the answer that the list of results shows, if the scene is as it was asked."""
    painted_objects.drop_others(redraw.scene)
    answer, in_front = redraw.settings.answer, redraw.settings.display.in_front
    if redraw.active is None or not answer.found:
        return
    steps_back = redraw.has_stage_taken
    strength = _BACK if steps_back else 1.0
    query = redraw.query if redraw.is_current and redraw.shows_last else None
    requests = [] if query else _requests_of(redraw.active)
    paints = [each for each in map(painted_objects.paint_of, requests) if each is not None]
    if (query or paints) and answer.fade and not steps_back:
        active_row.fade(_FADE)
    if query is not None:
        batches.draw_found(
            redraw.scene, query, in_front, with_missed=answer.missed, strength=strength
        )
    for paint in paints:
        batches.draw_paint(paint, in_front, strength)


def is_last(active: ActiveResult) -> bool:
    """Return whether the active result is the answer to the last question."""
    return bool(active.result.number == settings_of(active.scene).question_number)


@painted_objects.paint_for
def objects_found(scene: bpy.types.Scene) -> list[painted_objects.PaintRequest]:
    """Return the objects of the active result to be colored, if the scene is as it was asked."""
    active = result_list.active_of(scene)
    return _requests_of(active) if active else []


def _requests_of(active: ActiveResult) -> list[painted_objects.PaintRequest]:
    scene, result, view = active.scene, active.result, active.view
    if not settings_of(scene).answer.found:
        return []
    if not view.kind.colors_objects(scene, result, view.rows):
        return []
    is_drawn = is_last(active) and questions.get(scene) is not None  # as triangles
    if is_drawn or not result_list.version_of_result(scene, result).is_same(scene):
        return []
    key = scene.session_uid, result.number
    return [painted_objects.PaintRequest(key, lambda: uids_of(view), colors().found)]


def uids_of(view: View) -> list[int]:
    """Return the session ids of the objects of a result, 0 for those that are gone."""
    return [view.uids[number] for number in np.unique(view.rows.objects).tolist()]
