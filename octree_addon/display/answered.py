"""Answer overlay: what was found in color, all else faded; both step back for a row or the probe.

What a question of the octree found are triangles. What all others found are the objects of their
rows: these are read from the index of the scene once it has come to rest.
"""

from collections.abc import Callable
from typing import Any, NamedTuple

import bpy
import numpy as np

from ...core import Steps
from .. import results
from ..preferences import colors, limits
from ..questions import Query
from ..scene_index import at_rest, holds, rest_soon, revision, steps_in
from ..targets import SceneTarget, scene_steps
from ..ui import settings_of, tag_redraw
from . import active_row, batches
from .lines import blended
from .uploads import uploads

# How much all else fades; and how much of its color an answer keeps where it steps back.
_FADE, _BACK = 0.45, 0.3
# Questions whose rows are objects that were found; those of all others have two, or are triangles.
OF_OBJECTS = frozenset(("find_seen", "find_never_seen", "select_floating"))


class _Objects(NamedTuple):
    """The objects of a result as they were read, of which revision of the scene.

    What was interrupted once is not done, and is read once more; then there are none.
    """

    revision: int
    painted: batches.Painted | None
    is_done: bool = True


# By the session id of the scene and the number of the result.
_objects: dict[tuple[int, int], _Objects] = uploads({})
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
    painted, result = None, results.active_result(scene)
    _drop_others()
    if not is_shown(scene):
        query = None
    if result is not None and result.question in OF_OBJECTS:
        painted = painted_objects(scene, result)
    if (query or painted) and answer.fade and not steps_back:
        active_row.fade(_FADE)
    if query is not None:
        batches.draw_found(query, in_front, with_missed=answer.missed, strength=strength)
    elif painted is not None:
        with blended("NONE" if in_front else "LESS_EQUAL"), batches.nearer():
            batches.draw_painted(painted, strength)


def is_shown(scene: bpy.types.Scene) -> bool:
    """Tell whether the list of results shows the answer to the last question."""
    result = results.active_result(scene)
    return result is not None and result.number == settings_of(scene).question_number


def painted_objects(scene: bpy.types.Scene, result: Any) -> batches.Painted | None:
    """Return the objects of a result; None until they are read, or once the scene has changed."""
    if not holds(scene, result.number, result.fingerprint):
        return None
    known = _objects.get((scene.session_uid, result.number))
    if _is_unread(known):
        rest_soon()
    return None if known is None or _is_unread(known) else known.painted


def _is_unread(known: _Objects | None) -> bool:
    if known is None or known.revision != revision() or not known.is_done:
        return True
    return known.painted is not None and known.painted.color != colors().found


def _drop_others() -> None:
    """Leave nothing on the graphics card of results that no list shows, or of earlier scenes."""
    if not _objects:
        return
    shown = [(scene, results.active_result(scene)) for scene in bpy.data.scenes]
    kept = {(scene.session_uid, result.number) for scene, result in shown if result is not None}
    for key, known in list(_objects.items()):
        if key not in kept or known.revision != revision():
            del _objects[key]


@at_rest
def unread_objects() -> Steps[None] | None:
    """Return how to read the objects that a window waits to show, if any does."""
    _drop_others()
    for window in bpy.context.window_manager.windows:
        scene = window.scene
        result = results.active_result(scene)
        if result is None or result.question not in OF_OBJECTS or bpy.app.background:
            continue
        if not settings_of(scene).answer.found:
            continue
        if not holds(scene, result.number, result.fingerprint):
            continue
        if _is_unread(_objects.get((scene.session_uid, result.number))):
            return _read(window, result.number)
    return None


def _read(window: bpy.types.Window, number: int) -> Steps[None]:
    """Read the objects of a result in a window from the index, and upload them."""
    key, now = (window.scene.session_uid, number), revision()
    before = _objects.pop(key, None)
    was_interrupted = before is not None and before.revision == now and not before.is_done
    try:
        target = yield from steps_in(window, scene_steps(bpy.context, None))
        result = results.active_result(window.scene)
        if result is None or result.number != number:
            return
        _objects[key] = _Objects(now, _paint(target, uids_of(window.scene, result)))
    except ValueError:
        _objects[key] = _Objects(now, None, is_done=was_interrupted)
    tag_redraw()


def uids_of(scene: bpy.types.Scene, result: Any) -> list[int]:
    """Return the session ids of the objects of a result that are still there."""
    view = results.view_of(scene, result)
    return [view.uids[number] for number in np.unique(view.rows.objects).tolist()]


def _paint(target: SceneTarget, uids: list[int]) -> batches.Painted:
    """Upload the triangles of objects and their instances; of too many, boxes around them."""
    rows = np.flatnonzero(np.isin(target.owners, uids) & (target.possibles > 0))
    starts, ends = target.starts[rows], target.starts[rows + 1]
    numbers = [np.arange(*span) for span in zip(starts.tolist(), ends.tolist(), strict=True)]
    items = np.concatenate([np.empty(0, np.intp), *numbers])
    return batches.paint_items(target, items, colors().found, limits().triangles)
