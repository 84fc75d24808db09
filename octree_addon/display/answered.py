"""Overlay of answers: found objects in color, everything else faded.

An active row or the probe makes answers fainter. The last question has triangles; for any other
result whose rows are objects, the triangles are read from the scene index by an idle task.
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

# Fading of everything else; opacity factor of an answer that is drawn faintly.
_FADE, _BACK = 0.45, 0.3


def draw_answer(redraw: Redraw) -> None:
    """Draw the answer that the list of results shows, if the scene has not changed since."""
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
    """Return requests to paint the objects of the active result, if the scene is unchanged."""
    active = result_list.active_of(scene)
    return _requests_of(active) if active else []


def _requests_of(active: ActiveResult) -> list[painted_objects.PaintRequest]:
    scene, result, view = active.scene, active.result, active.view
    if not settings_of(scene).answer.found:
        return []
    if not view.kind.colors_objects(scene, result, view.rows):
        return []
    is_drawn = is_last(active) and questions.get(scene) is not None  # by its own triangles
    if is_drawn or not result_list.version_of_result(scene, result).is_same(scene):
        return []
    key = scene.session_uid, result.number
    return [painted_objects.PaintRequest(key, lambda: uids_of(view), colors().found)]


def uids_of(view: View) -> list[int]:
    """Return the session ids of the objects of a result, 0 for objects that no longer exist."""
    return [view.uids[number] for number in np.unique(view.rows.objects).tolist()]
