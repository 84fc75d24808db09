"""Stepped (modal) operators, their settings; handlers, timers and redraws.

An operator takes the scene's settings, runs, and writes them back. Long work goes on step by step
from a timer, with progress and Esc.
"""

from collections.abc import Callable, Generator, Iterator
from time import perf_counter
from typing import TYPE_CHECKING, Any, Literal, TypeVar

import bpy

Listeners = tuple[tuple[str, Callable[..., None]], ...]
Steps = Generator[float, None, Any]
Result = TypeVar("Result")
Status = set[Literal["RUNNING_MODAL", "CANCELLED", "FINISHED", "PASS_THROUGH", "INTERFACE"]]

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
# Seconds of work: before the keyboard is looked at for the first time, and then each time.
_PATIENCE, _SLICE = 0.5, 0.05


def settings_of(scene: bpy.types.Scene) -> Any:
    """Return what the scene remembers: `OctreeSettings`, put together from all features."""
    return scene.octree  # type: ignore[attr-defined]


def tag_redraw(_: Any = None, context: bpy.types.Context | None = None) -> None:
    """Redraw every 3D view; also the callback of settings that change the picture."""
    for window in bpy.context.window_manager.windows:
        for area in window.screen.areas:
            if area.type == "VIEW_3D":
                area.tag_redraw()


def take(operator: bpy.types.Operator, settings: Any) -> None:
    """Fill the properties that the caller left alone from settings of the same names.

    An explicit value wins; what Blender itself remembers of an earlier call does not count.
    Operators cannot point at data: where the settings do, the operator has the name.
    """
    for name, kind in _shared(operator, settings):
        if not operator.properties.is_property_set(name):
            value = getattr(settings, name)
            setattr(operator, name, (value.name if value else "") if kind else value)


def write_back(operator: bpy.types.Operator, settings: Any) -> None:
    """Keep in settings of the same names what the operator ran with, as `take` took it."""
    for name, kind in _shared(operator, settings):
        value = getattr(operator, name)
        if kind:
            owner = settings.id_data if kind == "objects" else bpy.data
            value = getattr(owner, kind).get(value)
        setattr(settings, name, value)


def _shared(operator: bpy.types.Operator, settings: Any) -> Iterator[tuple[str, str]]:
    """Yield the names that both have; with a pointer's, where what it points at is found."""
    known = operator.properties.bl_rna.properties
    for each in settings.bl_rna.properties:
        if each.identifier in known and not each.is_readonly:
            is_pointer = each.type == "POINTER"
            yield each.identifier, f"{each.fixed_type.identifier.lower()}s" if is_pointer else ""


def given_values(operator: bpy.types.Operator) -> dict[str, Any]:
    """Return the values of the properties that the caller set, by name."""
    properties = operator.properties
    names = [each.identifier for each in properties.bl_rna.properties if not each.is_readonly]
    return {name: getattr(operator, name) for name in names if properties.is_property_set(name)}


def offer_anyway(context: bpy.types.Context, operator: Any, title: str) -> None:
    """Offer to go on with `any_size`, in a menu; moving away from it declines."""
    name, given = operator.bl_idname, {**given_values(operator), "any_size": True}

    def offer(popup: bpy.types.UIPopupMenu, _: bpy.types.Context) -> None:
        popup.layout.operator_context = "INVOKE_DEFAULT"
        button = popup.layout.operator(name, text="Go On")
        for key, value in given.items():
            setattr(button, key, value)

    context.window_manager.popup_menu(offer, title=title, icon="QUESTION")


def memory_text(size: float) -> str:
    """Write roughly how much memory something takes, such as "about 1.2 GB"."""
    return f"about {size / 1e9:.1f} GB" if size >= 1e8 else f"about {max(size / 1e6, 1):.0f} MB"


def named_object(scene: bpy.types.Scene, name: str) -> bpy.types.Object:
    """Return the object that a text property names; a `ValueError` if the scene has none."""
    item: bpy.types.Object | None = scene.objects.get(name)
    if item is None:
        raise ValueError(f"The scene has no object named {name}")
    return item


def plural(count: int, noun: str) -> str:
    """Write a count and its noun, with an s unless it is one."""
    return f"{count:,} {noun}" if count == 1 else f"{count:,} {noun}s"


# A mixin is registered with the operator that it is mixed into, never for itself.
if TYPE_CHECKING:
    Mixin = bpy.types.Operator
else:
    Mixin = object


def run(steps: Generator[float, None, Result]) -> Result:
    """Take all steps of any long work at once and return what they return."""
    while True:
        try:
            next(steps)
        except StopIteration as end:
            result: Result = end.value
            return result


def between(
    start: float, stop: float, steps: Generator[float, None, Result]
) -> Generator[float, None, Result]:
    """Take steps as a part of longer work: yield fractions from start to stop, return the same."""
    while True:
        try:
            yield start + (stop - start) * next(steps)
        except StopIteration as end:
            result: Result = end.value
            return result


def mode_obstacle(context: bpy.types.Context, *, may_edit: bool) -> str:
    """Say which mode to go to; nothing in Object Mode or, if it may be, Edit Mode of a mesh."""
    if context.mode == "OBJECT" or (may_edit and context.mode == "EDIT_MESH"):
        return ""
    return "Go to Object Mode" + ", or to Edit Mode of a mesh" * may_edit


class RefusingOperator(Mixin):
    """The part of an operator that says why it cannot run, or did nothing; a mixin."""

    @classmethod
    def obstacle(cls, context: bpy.types.Context) -> str:
        """Say why the operator cannot run; nothing if it can."""
        raise NotImplementedError

    @classmethod
    def poll(cls, context: bpy.types.Context) -> bool:
        reason = cls.obstacle(context)
        if reason:
            cls.poll_message_set(reason)
        return not reason

    def refuse(self, error: ValueError | OSError) -> Status:
        """Say why nothing was done."""
        self.report({"ERROR"}, str(error))
        return {"CANCELLED"}


class SteppedOperator(RefusingOperator):
    """The part of an operator that works while Blender stays awake; a mixin.

    A button goes on step by step. A script, the redo panel and Blender without a window take all
    steps at once.
    """

    doing = "Building octree"
    _running: Steps | None = None
    _timer: bpy.types.Timer | None = None

    def steps(self, context: bpy.types.Context) -> Steps:
        """Return the work, not yet begun: it yields the fraction done, and returns its result."""
        raise NotImplementedError

    def finish(self, context: bpy.types.Context, result: Any) -> Status:
        """Do what remains to do with the result."""
        raise NotImplementedError

    def invoke(self, context: bpy.types.Context, event: bpy.types.Event) -> Status:
        return self.execute(context) if bpy.app.background else self.start(context)

    def execute(self, context: bpy.types.Context) -> Status:
        try:
            result = run(self.steps(context))
        except ValueError as error:
            return self.refuse(error)
        return self._end(context, result)

    def start(self, context: bpy.types.Context) -> Status:
        """Work for half a second, and go modal if that is not enough."""
        status = self._advance(context, _PATIENCE)
        if status == {"RUNNING_MODAL"}:
            manager = context.window_manager
            manager.progress_begin(0, 100)
            self._timer = manager.event_timer_add(_INTERVAL, window=context.window)
            manager.modal_handler_add(self)
        return status

    def modal(self, context: bpy.types.Context, event: bpy.types.Event) -> Status:
        if event.type == "ESC":
            self.cancel(context)
            self.report({"INFO"}, "Cancelled: nothing has changed")
            return {"CANCELLED"}
        if event.type == "TIMER":
            return self._advance(context, _SLICE)
        return {"PASS_THROUGH"} if event.type in _NAVIGATION else {"RUNNING_MODAL"}

    def cancel(self, context: bpy.types.Context) -> None:
        """Drop the work; Blender calls this when the window closes or another file is opened."""
        if self._running:
            self._running.close()
        if self._timer:
            context.window_manager.event_timer_remove(self._timer)
            context.window_manager.progress_end()
        if context.workspace:
            context.workspace.status_text_set(None)

    def _advance(self, context: bpy.types.Context, seconds: float) -> Status:
        """Work for a while; however the work ends, leave nothing running."""
        try:
            fraction = self._work(context, seconds)
        except StopIteration as end:
            self.cancel(context)
            return self._end(context, end.value)
        except ValueError as error:
            self.cancel(context)
            return self.refuse(error)
        except BaseException:
            self.cancel(context)
            raise
        context.window_manager.progress_update(100 * fraction)
        context.workspace.status_text_set(f"{self.doing}: {fraction:.0%} (Esc to cancel)")
        return {"RUNNING_MODAL"}

    def _work(self, context: bpy.types.Context, seconds: float) -> float:
        deadline = perf_counter() + seconds
        if self._running is None:
            self._running = self.steps(context)
        fraction = next(self._running)
        while perf_counter() < deadline:
            fraction = next(self._running)
        return fraction

    def _end(self, context: bpy.types.Context, result: Any) -> Status:
        try:
            return self.finish(context, result)
        except ValueError as error:
            return self.refuse(error)


def listen(listeners: Listeners, wanted: bool) -> None:
    """Add these to Blender's handlers, each once, or remove them."""
    for name, listener in listeners:
        called = getattr(bpy.app.handlers, name)
        if wanted and listener not in called:
            called.append(listener)
        elif not wanted and listener in called:
            called.remove(listener)


def is_listening(listeners: Listeners) -> bool:
    """Tell whether all of these are among Blender's handlers."""
    return all(listener in getattr(bpy.app.handlers, name) for name, listener in listeners)


def schedule(timer: Callable[[], float | None], seconds: float | None) -> None:
    """Register a timer, once, to be called after this time; None unregisters it."""
    is_registered = bpy.app.timers.is_registered(timer)
    if seconds is not None and not is_registered:
        bpy.app.timers.register(timer, first_interval=seconds)
    elif seconds is None and is_registered:
        bpy.app.timers.unregister(timer)
