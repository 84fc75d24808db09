"""Work at rest (idle-time scheduling): one timer does it once scenes have not changed for a while.

All of it is work in steps that compares scenes with what was known of them.
"""

from collections.abc import Callable
from time import perf_counter
from typing import Any, TypeVar

import bpy

from ...core import Running, Steps
from .. import tuning
from ..ui import at_forgetting, schedule, tag_redraw
from .session import is_being_read, seconds_at_rest

Result = TypeVar("Result")
# Returns what is to be done next; None if there is nothing.
Work = Callable[[], Steps[Any] | None]
# Seconds without a change after which work is done even if operators run that may go on to change
# the scene; and how long at a time.
_PATIENCE, _SLICE = 5.0, 0.02
# How the names of operators begin that may change the scene at every movement of the mouse.
_EDITING = tuple(
    f"{kind}_OT_"
    for kind in (
        "ARMATURE",
        "CURVE",
        "MESH",
        "OBJECT",
        "OCTREE",
        "PAINT",
        "POSE",
        "RENDER",
        "SCULPT",
        "TRANSFORM",
    )
)
_works: list[Work] = []
# What is being done.
_running: list[Running[Any]] = []


def at_rest(work: Work) -> Work:
    """Do this from now on whenever the scene has come to rest; a decorator."""
    _works.append(work)
    return work


def rest_soon() -> None:
    """Have all work done that there is, once nothing has changed for a while."""
    schedule(come_to_rest, tuning.current.rest)


def come_to_rest() -> float | None:
    """Work for a while if the scene has come to rest; return when to go on."""
    rest = tuning.current.rest
    left = rest - seconds_at_rest()
    if left > 0:
        return left
    if is_busy() and seconds_at_rest() < _PATIENCE:
        return rest
    if catch_up(_SLICE):
        tag_redraw()
        return None
    return 0.0 if _running else rest


def catch_up(seconds: float) -> bool:
    """Work for some time, but not while a question reads; tell whether all is done."""
    deadline = perf_counter() + seconds
    while _has_begun():
        _take_step()
        if perf_counter() > deadline:
            break
    return not _running and _next_work() is None


def steps_in(window: bpy.types.Window, steps: Steps[Result]) -> Steps[Result]:
    """Do work in a window; a `ReferenceError` once that is closed or shows another scene."""
    uid, running = window.scene.session_uid, Running(steps)
    while True:
        # Blender frees a window that is closed: it is looked up before anything is read of it.
        windows = list(bpy.context.window_manager.windows)
        if window not in windows or window.scene.session_uid != uid:
            raise ReferenceError("The window is closed, or shows another scene")
        with bpy.context.temp_override(window=window):
            if not running.step():
                return running.result
        yield running.value


def _has_begun() -> bool:
    """Begin what is next if nothing is being done; tell whether anything is then."""
    if not _running and not is_being_read() and (steps := _next_work()):
        _running.append(Running(steps))
    return bool(_running)


def _next_work() -> Steps[Any] | None:
    return next(filter(None, (work() for work in _works)), None)


def _take_step() -> None:
    """Take one step; drop the work if a question has begun to read, or what it needs is gone."""
    remains = False
    try:
        remains = _running[0].step()
    except (ValueError, ReferenceError):
        pass
    finally:
        if not remains:
            _running.clear()


def is_busy() -> bool:
    """Tell whether an animation plays, or an operator drags, edits or calculates in any window."""
    windows = bpy.context.window_manager.windows
    running = [each for window in windows for each in window.modal_operators]
    names = [each.bl_idname.upper().replace(".", "_OT_") for each in running]
    return any(name.startswith(_EDITING) for name in names) or any(
        window.screen.is_animation_playing for window in windows
    )


@at_forgetting
def drop_work() -> None:
    """Drop what is being done, and wait no more."""
    _running.clear()
    schedule(come_to_rest, None)
