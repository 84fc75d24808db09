"""Answer overlay: what was found in color, all else faded; both step back for a row or the probe.

What the last question found are triangles. Of all other answers whose rows are objects, these are
colored: they are read from the index of the scene once it has come to rest.
"""

from collections.abc import Callable
from typing import Any

import bpy
import numpy as np

from .. import questions, results
from ..preferences import colors
from ..questions import Query
from ..scene_index import holds
from ..ui import settings_of
from . import active_row, batches, painted_objects

# How much all else fades; and how much of its color an answer keeps where it steps back.
_FADE, _BACK = 0.45, 0.3
# Who shows something that an answer steps back for.
_others: list[Callable[[], bool]] = []


def step_back_for(shows: Callable[[], bool]) -> None:
    """Let answers step back while this holds, from now on."""
    _others.append(shows)


def draw_answer(scene: bpy.types.Scene, query: Query | None) -> None:
    """Draw the answer that the list of results shows, if the scene is as it was asked.

    Parameters
    ----------
    scene : bpy.types.Scene
        The scene that is drawn.
    query : Query, optional
        Its last question, if that holds. It is drawn if it is the active result.
    """
    settings = settings_of(scene)
    answer, in_front = settings.answer, settings.display.in_front
    steps_back = active_row.is_drawn(scene) or any(shows() for shows in _others)
    strength = _BACK if steps_back else 1.0
    if not is_shown(scene):
        query = None
    requests = [] if query else objects_found(scene)
    paints = [each for each in map(painted_objects.paint_of, requests) if each is not None]
    if (query or paints) and answer.fade and not steps_back:
        active_row.fade(_FADE)
    if query is not None:
        batches.draw_found(query, in_front, with_missed=answer.missed, strength=strength)
    for paint in paints:
        batches.draw_paint(paint, in_front, strength)


def is_shown(scene: bpy.types.Scene) -> bool:
    """Tell whether the list of results shows the answer to the last question."""
    result = results.active_result(scene)
    return result is not None and result.number == settings_of(scene).question_number


@painted_objects.paint_for
def objects_found(scene: bpy.types.Scene) -> list[painted_objects.PaintRequest]:
    """Return the objects of the active result to be colored, if the scene is as it was asked."""
    result = results.active_result(scene)
    if result is None or not settings_of(scene).answer.found:
        return []
    view = results.view_of(scene, result)
    if not view.kind.colors_objects(scene, result, view.rows):
        return []
    is_drawn = is_shown(scene) and questions.get(scene) is not None  # as triangles
    if is_drawn or not holds(scene, result.number, result.fingerprint):
        return []
    key = scene.session_uid, result.number
    return [painted_objects.PaintRequest(key, lambda: uids_of(scene, result), colors().found)]


def uids_of(scene: bpy.types.Scene, result: Any) -> list[int]:
    """Return the session ids of the objects of a result that are still there."""
    view = results.view_of(scene, result)
    return [view.uids[number] for number in np.unique(view.rows.objects).tolist()]
