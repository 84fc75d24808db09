"""Idle tasks: stepped work that one timer runs once scenes have not changed for a while.

The tasks compare scenes with stored octrees and results.
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
# Returns the steps of the next task; None if nothing is pending.
Work = Callable[[], Steps[Any] | None]
# Seconds without a change after which tasks run even while editing operators are active, and
# seconds of work per timer call.
_PATIENCE, _SLICE = 5.0, 0.02
# Name prefixes of operators that may change the scene at every mouse movement.
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
# The task in progress, if any: at most one.
_running: list[Running[Any]] = []


def at_rest(work: Work) -> Work:
    """Register an idle task; a decorator."""
    _works.append(work)
    return work


def rest_soon() -> None:
    """Schedule the pending idle tasks."""
    schedule(come_to_rest, tuning.current.rest)


def come_to_rest() -> float | None:
    """Run idle tasks for a time slice if the scene is idle; return the delay until the next call.

    Returns None if all tasks are done.
    """
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
    """Run idle tasks for up to `seconds`, unless an index is being read.

    Returns whether all tasks are done.
    """
    deadline = perf_counter() + seconds
    while _has_begun():
        _take_step()
        if perf_counter() > deadline:
            break
    return not _running and _next_work() is None


def steps_in(window: bpy.types.Window, steps: Steps[Result]) -> Steps[Result]:
    """Run steps with a window as context; yield what the steps yield.

    Raises
    ------
    ReferenceError
        If the window was closed or shows another scene.
    """
    uid, running = window.scene.session_uid, Running(steps)
    while True:
        # Blender frees a closed window: look it up before any of its properties is read.
        windows = list(bpy.context.window_manager.windows)
        if window not in windows or window.scene.session_uid != uid:
            raise ReferenceError("The window is closed, or shows another scene")
        with bpy.context.temp_override(window=window):
            if not running.step():
                return running.result
        yield running.value


def _has_begun() -> bool:
    """Start the next task if none is running; return whether a task is running afterwards."""
    if not _running and not is_being_read() and (steps := _next_work()):
        _running.append(Running(steps))
    return bool(_running)


def _next_work() -> Steps[Any] | None:
    return next(filter(None, (work() for work in _works)), None)


def _take_step() -> None:
    """Take one step; drop a task that has ended, was overtaken by a reader, or lost its data."""
    remains = False
    try:
        remains = _running[0].step()
    except (ValueError, ReferenceError):
        pass
    finally:
        if not remains:
            _running.clear()


def is_busy() -> bool:
    """Return whether an animation plays or an editing operator runs in any window."""
    windows = bpy.context.window_manager.windows
    running = [each for window in windows for each in window.modal_operators]
    names = [each.bl_idname.upper().replace(".", "_OT_") for each in running]
    return any(name.startswith(_EDITING) for name in names) or any(
        window.screen.is_animation_playing for window in windows
    )


@at_forgetting
def drop_work() -> None:
    """Drop the running task and stop the timer."""
    _running.clear()
    schedule(come_to_rest, None)
