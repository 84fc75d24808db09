"""Stepped (modal) operators: long work in steps from a timer, with progress and Esc; also redo.

Blender's redo panel undoes an operator and calls its `execute` again, which cannot go modal. If
that `execute` returns CANCELLED, Blender restores the former state. Long work therefore returns
CANCELLED there. After a short time without further changes in the panel, `octree.work_ahead`
computes the result in steps, and then makes Blender redo the operator, which finds the result.
"""

from collections.abc import Callable, Iterator, Sequence
from contextlib import AbstractContextManager, ExitStack, contextmanager
from dataclasses import dataclass
from time import perf_counter
from typing import Any

import bpy

from ...core import Running, Steps, run
from .. import tuning
from .feature import Feature
from .operators import RefusingOperator, Status, given_values, listen, schedule
from .progress import (
    OCTREE_OT_cancel_work,
    end_progress,
    is_cancelled,
    is_over_tab,
    show_progress,
)
from .session_store import at_forgetting
from .status_text import clear_status, write_status

# Events that pass while an operator works, as they only turn the view. All others are blocked, so
# that the scene does not change.
_NAVIGATION = {
    "MOUSEMOVE",
    "MIDDLEMOUSE",
    "WHEELUPMOUSE",
    "WHEELDOWNMOUSE",
    "TRACKPADPAN",
    "TRACKPADZOOM",
    "NDOF_MOTION",
}
_INTERVAL = 0.01
# Seconds without another change in the redo panel after which the work for it begins.
_REST = 0.3


# Operators that are between two turns of their work.
_waiting: list["SteppedOperator"] = []
# A witness is called when work begins, and returns a `Finishing`: a function that makes the
# context manager in which the work is finished.
Finishing = Callable[[bpy.types.Context], AbstractContextManager[None]]
_witnesses: list[Callable[[bpy.types.Context], Finishing]] = []


def is_any_waiting() -> bool:
    """Return whether any operator is between two turns, so that others may change the scene."""
    return bool(_waiting)


def witness_work(
    begin: Callable[[bpy.types.Context], Finishing],
) -> Callable[[bpy.types.Context], Finishing]:
    """Register a function to be called when stepped work begins; a decorator.

    The function returns a `Finishing`, whose context manager surrounds `finish`.
    """
    _witnesses.append(begin)
    return begin


class ChangedMeanwhileError(ValueError):
    """Raised by steps that cannot continue, as the scene was changed or read between two steps."""

    def __init__(self) -> None:
        super().__init__("The scene has changed meanwhile: ask again")


class SteppedOperator(RefusingOperator):
    """An operator that works in steps, so that Blender stays responsive; a mixin.

    Buttons and changes in the redo panel work step by step. Scripts, and Blender in background,
    take all steps at once.
    """

    doing = "Building octree"
    _running: Running[Any] | None = None
    _timer: bpy.types.Timer | None = None
    # Time when the last turn ended.
    _turned = 0.0
    # Frame when the work began. Work on other frames shows the frame in its progress.
    _frame = 0
    # True if the button shows the progress, and the tab is disabled.
    is_shown = True
    # Makers of the context managers in which `finish` runs.
    _finishing: Sequence[Finishing] = ()
    # Values of the properties when the operator last finished; result computed ahead for a redo.
    _done_with: dict[str, Any] | None = None
    _ahead: "_Ahead | None" = None

    @property
    def _name(self) -> str:
        """The key of the progress and of Cancel, such as "octree.find_seen"."""
        return f"octree.{type(self).__name__.rpartition('_OT_')[2]}"

    def steps(self, context: bpy.types.Context) -> Steps[Any]:
        """Return the work, not yet begun; it yields the fraction done, and returns the result."""
        raise NotImplementedError

    def finish(self, context: bpy.types.Context, result: Any) -> Status:
        """Apply the result of the steps: change the scene, save and report."""
        raise NotImplementedError

    def invoke(self, context: bpy.types.Context, event: bpy.types.Event) -> Status:
        return self.execute(context) if bpy.app.background else self.start(context)

    def execute(self, context: bpy.types.Context) -> Status:
        if self.options.is_repeat and not bpy.app.background:
            return self._redo(context)
        try:
            result = run(self._steps_again(context))
        except ValueError as error:
            return self.refuse(error)
        return self._end(context, result)

    def _redo(self, context: bpy.types.Context) -> Status:
        """Finish at once with a result computed ahead, or after quick work.

        Longer work returns CANCELLED, so that Blender restores the former state, and is scheduled
        to be computed ahead.
        """
        ahead, self._ahead = self._ahead, None
        if ahead is not None and ahead.values == given_values(self):
            self._finishing = ahead.finishing
            return self._end(context, ahead.result)
        self._running = None
        try:
            running = self._work(context, tuning.current.turn)
        except ValueError as error:
            return self.refuse(error)
        finally:
            self._drop()
        if running.is_done:
            return self._end(context, running.result)
        work_ahead_later(self, context)
        return {"CANCELLED"}

    def start(self, context: bpy.types.Context) -> Status:
        """Work for a first turn, and go modal if more work is left."""
        self._frame = context.scene.frame_current
        status = self._advance(context, tuning.current.first_turn)
        if status == {"RUNNING_MODAL"}:
            manager = context.window_manager
            manager.progress_begin(0, 100)
            self._timer = manager.event_timer_add(_INTERVAL, window=context.window)
            manager.modal_handler_add(self)
        return status

    def modal(self, context: bpy.types.Context, event: bpy.types.Event) -> Status:
        if event.type == "ESC" or (self.is_shown and is_cancelled(self._name)):
            self.cancel(context)
            self.report({"INFO"}, "Cancelled: nothing has changed")
            return {"CANCELLED"}
        if event.type == "TIMER":
            return self._advance(context, tuning.current.turn + self._drawn())
        may_cancel = event.type == "LEFTMOUSE" and is_over_tab(context, event)
        passes = event.type in _NAVIGATION or may_cancel
        return {"PASS_THROUGH"} if passes else {"RUNNING_MODAL"}

    def _drawn(self) -> float:
        """Return the seconds that Blender has drawn since the last turn, up to a limit.

        The next turn is longer by this time, so that slow redraws take at most half of the time.
        """
        return min(perf_counter() - self._turned, tuning.current.longest_drawn)

    def cancel(self, context: bpy.types.Context) -> None:
        """Drop the work; Blender calls this if the window closes or another file is opened."""
        self._drop()
        self._wait(False)
        if self._timer:
            context.window_manager.event_timer_remove(self._timer)
            context.window_manager.progress_end()
            self._timer = None
        if self.is_shown:
            end_progress(self._name)
        clear_status()

    def _drop(self) -> None:
        if self._running:
            self._running.close()
            self._running = None

    def _advance(self, context: bpy.types.Context, seconds: float) -> Status:
        """Work for some seconds; clean up if the work ends or fails."""
        context.view_layer.update()  # so that changes by others are noted before this turn
        self._wait(False)
        try:
            running = self._work(context, seconds)
        except ValueError as error:
            self.cancel(context)
            return self.refuse(error)
        except BaseException:
            self.cancel(context)
            raise
        if running.is_done:
            self.cancel(context)
            return self._end(context, running.result)
        context.window_manager.progress_update(100 * running.value)
        frame = context.scene.frame_current
        at, what = f"Frame {frame}", self.doing
        if frame != self._frame:
            what = f"{what}, {at.lower()}"
        write_status(context, f"{what}: {running.value:.0%} (Esc to cancel)")
        if self.is_shown:
            what = self.doing if frame == self._frame else at
            show_progress(self._name, running.value, what)
        self._turned = perf_counter()
        self._wait(True)
        return {"RUNNING_MODAL"}

    def _wait(self, wanted: bool) -> None:
        """Add this operator to those between two turns, or remove it."""
        _waiting[:] = [each for each in _waiting if each is not self]
        if wanted:
            _waiting.append(self)

    def _steps_again(self, context: bpy.types.Context) -> Steps[Any]:
        """Take all steps; after a `ChangedMeanwhileError`, once more from the beginning."""
        try:
            return (yield from self._begun_steps(context))
        except ChangedMeanwhileError:
            pass
        return (yield from self._begun_steps(context))

    def _begun_steps(self, context: bpy.types.Context) -> Steps[Any]:
        context.view_layer.update()
        self._finishing = [begin(context) for begin in _witnesses]
        return self.steps(context)

    def _work(self, context: bpy.types.Context, seconds: float) -> Running[Any]:
        deadline = perf_counter() + seconds
        running = self._running = self._running or Running(self._steps_again(context))
        while running.step() and perf_counter() < deadline:
            pass
        return running

    def _end(self, context: bpy.types.Context, result: Any) -> Status:
        try:
            with ExitStack() as stack:
                for finishing in self._finishing:
                    stack.enter_context(finishing(context))
                status = self.finish(context, result)
        except (ValueError, OSError) as error:
            return self.refuse(error)
        if status == {"FINISHED"}:
            self._done_with = given_values(self)
        return status


@dataclass(frozen=True, eq=False)
class _Ahead:
    """The result of work computed ahead, with the operator's values and its `Finishing`s."""

    values: dict[str, Any]
    result: Any
    finishing: Sequence[Finishing]


@dataclass(frozen=True, eq=False)
class _Wish:
    """A change in the redo panel of an operator, with the addresses of its window and area."""

    operator: SteppedOperator
    window: int
    area: int

    @property
    def holds(self) -> bool:
        """True while the operator is the last one, which the redo panel shows."""
        operators = bpy.context.window_manager.operators
        return bool(operators) and operators[-1] == self.operator

    @contextmanager
    def context(self) -> Iterator[None]:
        """Override the context with the area of the change.

        If the area is gone, with a 3D view of its window; if the window is gone, of the first one.
        """
        windows = list(bpy.context.window_manager.windows)
        window = next((each for each in windows if each.as_pointer() == self.window), windows[0])
        areas = [each for each in window.screen.areas if each.as_pointer() == self.area]
        areas += [each for each in window.screen.areas if each.type == "VIEW_3D"]
        if not areas:
            with bpy.context.temp_override(window=window):
                yield
            return
        region = next(each for each in areas[0].regions if each.type == "WINDOW")
        with bpy.context.temp_override(window=window, area=areas[0], region=region):
            yield


# At most one element each: the last change, until its work begins; the change whose result is
# ready for a redo; True after an undo since the work began.
_wished: list[_Wish] = []
_ready: list[_Wish] = []
_undone: list[bool] = []


def work_ahead_later(operator: SteppedOperator, context: bpy.types.Context) -> None:
    """Schedule the work for a change in the redo panel, after a time without further changes."""
    assert context.window is not None
    area = context.area.as_pointer() if context.area else 0
    _wished[:] = [_Wish(operator, context.window.as_pointer(), area)]
    schedule(_begin, None)
    schedule(_begin, _REST)


def _begin() -> float | None:
    if not (_wished and _wished[0].holds):
        _wished.clear()
        return None
    if _is_busy():
        return _REST
    with _wished[0].context():
        bpy.ops.octree.work_ahead("INVOKE_DEFAULT")  # type: ignore[attr-defined]
    return None


def _is_busy() -> bool:
    """Return whether a modal operator runs in any window; `octree.work_ahead` counts too."""
    return any(len(window.modal_operators) for window in bpy.context.window_manager.windows)


def _redo_ready() -> float | None:
    if not (_ready and _ready[0].holds):
        _ready.clear()
        return None
    if _is_busy():
        return _REST
    with _ready.pop().context():
        # True enables undo: without it, the repeated operator would push no undo step.
        bpy.ops.ed.undo_redo("EXEC_DEFAULT", True)
    return None


@at_forgetting
def drop_redo() -> None:
    """Drop all changes and results of the redo panel, and remove timers and listeners."""
    end_progress()
    _wished.clear()
    _ready.clear()
    schedule(_begin, None)
    schedule(_redo_ready, None)
    listen(_LISTENERS, False)


def _note_undo(*_: Any) -> None:
    _undone[:] = [True]


_LISTENERS = (("undo_post", _note_undo), ("redo_post", _note_undo))


class OCTREE_OT_work_ahead(SteppedOperator, bpy.types.Operator):
    """Compute the result for a change in the redo panel step by step, then redo at once.

    The user can work meanwhile. Another operator or an undo ends the computation; any other change
    of the scene makes the answer outdated.
    """

    bl_idname = "octree.work_ahead"
    bl_label = "Work Ahead"
    bl_description = "Work out what was changed in Adjust Last Operation, step by step"
    bl_options = {"INTERNAL"}
    is_shown = False
    _wish: _Wish
    _values: dict[str, Any]

    @classmethod
    def obstacle(cls, context: bpy.types.Context) -> str:
        return "" if _wished else "Nothing was changed in Adjust Last Operation"

    def invoke(self, context: bpy.types.Context, event: bpy.types.Event) -> Status:
        self._wish = _wished.pop()
        self._values = given_values(self._wish.operator)
        self.doing = self._wish.operator.doing
        _undone.clear()
        listen(_LISTENERS, True)
        return self.start(context)

    def steps(self, context: bpy.types.Context) -> Steps[Any]:
        return self._wish.operator.steps(context)

    def modal(self, context: bpy.types.Context, event: bpy.types.Event) -> Status:
        if _wished or _undone or not self._wish.holds:
            self.cancel(context)
            return {"CANCELLED"}
        status = super().modal(context, event)
        if event.type == "ESC":
            self._take_back()
        is_going_on = status == {"RUNNING_MODAL"} and event.type != "TIMER"
        return {"PASS_THROUGH"} if is_going_on else status

    def cancel(self, context: bpy.types.Context) -> None:
        listen(_LISTENERS, False)
        super().cancel(context)

    def finish(self, context: bpy.types.Context, result: Any) -> Status:
        self._wish.operator._ahead = _Ahead(self._values, result, self._finishing)
        _ready[:] = [self._wish]
        schedule(_redo_ready, 0.0)
        return {"FINISHED"}

    def _take_back(self) -> None:
        """Restore the values in the redo panel with which the operator last finished."""
        operator = self._wish.operator
        for name, value in (operator._done_with or {}).items():
            setattr(operator, name, value)


FEATURE = Feature(classes=(OCTREE_OT_work_ahead, OCTREE_OT_cancel_work))
