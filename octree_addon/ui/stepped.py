"""Stepped (modal) operators: long work goes on from a timer, with progress and Esc; redo, too.

Blender's redo panel takes back what an operator did and calls its `execute` again, all at once;
if that is canceled, Blender brings back what there was. So what takes long is canceled there. Once
the panel rests it is worked out ahead, step by step, and then done again, at once.
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

# What only turns the view may go on meanwhile. All else waits: the scene stays as it was read.
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


# Operators whose work waits for its next turn.
_waiting: list["SteppedOperator"] = []
# Each is called when work begins, and returns a context to finish it in.
Finishing = Callable[[bpy.types.Context], AbstractContextManager[None]]
_witnesses: list[Callable[[bpy.types.Context], Finishing]] = []


def is_any_waiting() -> bool:
    """Return whether any work waits for its next turn: others may change the scene meanwhile."""
    return bool(_waiting)


def witness_work(
    begin: Callable[[bpy.types.Context], Finishing],
) -> Callable[[bpy.types.Context], Finishing]:
    """Call this whenever stepped work begins, and finish the work in the context that it returns.

    A decorator.
    """
    _witnesses.append(begin)
    return begin


class ChangedMeanwhileError(ValueError):
    """Raised by steps that cannot go on, as the scene was changed or read again between two."""

    def __init__(self) -> None:
        super().__init__("The scene has changed meanwhile: ask again")


class SteppedOperator(RefusingOperator):
    """The part of an operator that works while Blender stays awake; a mixin.

    A button goes on step by step, and so does a change in the redo panel. A script and Blender
    without a window take all steps at once.
    """

    doing = "Building octree"
    _running: Running[Any] | None = None
    _timer: bpy.types.Timer | None = None
    # When the last turn ended.
    _turned = 0.0
    # The frame when the work began: where it is another, that is what is looked at.
    _frame = 0
    # Whether the button shows the progress, and the tab waits.
    is_shown = True
    # Contexts to finish the work in.
    _finishing: Sequence[Finishing] = ()
    # What it was called with when it was done last, and what was worked out ahead for a redo.
    _done_with: dict[str, Any] | None = None
    _ahead: "_Ahead | None" = None

    @property
    def _name(self) -> str:
        """What its progress and its Cancel go by, such as "octree.find_seen"."""
        return f"octree.{type(self).__name__.rpartition('_OT_')[2]}"

    def steps(self, context: bpy.types.Context) -> Steps[Any]:
        """Return the work, not yet begun: it yields the fraction done, and returns its result."""
        raise NotImplementedError

    def finish(self, context: bpy.types.Context, result: Any) -> Status:
        """Do what remains to do with the result."""
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
        """Do at once what was worked out ahead, or is quick; of all else let Blender undo this."""
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
        """Work for a moment, and go modal if that is not enough."""
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
        """Return how long Blender has drawn since the last turn, up to a limit.

        So long we work longer: where a redraw takes its time, it takes half of all at most.
        """
        return min(perf_counter() - self._turned, tuning.current.longest_drawn)

    def cancel(self, context: bpy.types.Context) -> None:
        """Drop the work; Blender calls this when the window closes or another file is opened."""
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
        """Work for a while; however the work ends, leave nothing running."""
        context.view_layer.update()  # what others have done is told before
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
        """Have noted what others change from now on, or no more."""
        _waiting[:] = [each for each in _waiting if each is not self]
        if wanted:
            _waiting.append(self)

    def _steps_again(self, context: bpy.types.Context) -> Steps[Any]:
        """Take all steps; if the scene has changed meanwhile, once more from the beginning."""
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
    """The result of an operator's work, and the values that it was called with.

    And the contexts to finish it in.
    """

    values: dict[str, Any]
    result: Any
    finishing: Sequence[Finishing]


@dataclass(frozen=True, eq=False)
class _Wish:
    """A change in the redo panel of an operator; the addresses of the window and the area."""

    operator: SteppedOperator
    window: int
    area: int

    @property
    def holds(self) -> bool:
        """Whether the operator is still the last one, which the redo panel shows."""
        operators = bpy.context.window_manager.operators
        return bool(operators) and operators[-1] == self.operator

    @contextmanager
    def context(self) -> Iterator[None]:
        """Work in its area, or in the first window if that is gone."""
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


# The last change that nobody has begun to work on, and the work that waits to be done again.
_wished: list[_Wish] = []
_ready: list[_Wish] = []
_undone: list[bool] = []


def work_ahead_later(operator: SteppedOperator, context: bpy.types.Context) -> None:
    """Begin to work out what the redo panel asks for once it has been left alone for a while."""
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
    """Tell whether any operator is at work in any window; ours that works ahead soon ends."""
    return any(len(window.modal_operators) for window in bpy.context.window_manager.windows)


def _redo_ready() -> float | None:
    if not (_ready and _ready[0].holds):
        _ready.clear()
        return None
    if _is_busy():
        return _REST
    with _ready.pop().context():
        # Called without undo, it would leave none to what it does again.
        bpy.ops.ed.undo_redo("EXEC_DEFAULT", True)
    return None


@at_forgetting
def drop_redo() -> None:
    """Leave nothing behind."""
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
    """Work out what the redo panel asks for, step by step; then it is done again, at once.

    All that the user does meanwhile goes on. Another operator or an undo ends the work; whatever
    else changes the scene makes its answer old.
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
        """Let the redo panel show again what was done."""
        operator = self._wish.operator
        for name, value in (operator._done_with or {}).items():
            setattr(operator, name, value)


FEATURE = Feature(classes=(OCTREE_OT_work_ahead, OCTREE_OT_cancel_work))
