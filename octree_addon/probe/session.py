"""Live question of the session: asked at each movement; its index is updated in steps."""

from collections.abc import Callable, Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from time import perf_counter
from typing import Any, NamedTuple

import bpy

from ...core import Running, between
from .. import tuning
from ..scene_index import unread_triangles
from ..scope import is_too_much, too_much_text, viewport_of
from ..snapshots import SceneTarget, TargetSteps, scene_steps
from ..ui import Listeners, clear_status, listen, schedule, settings_of
from . import status
from .picture import ProbePicture
from .pointer import Spot
from .shapes import Shape, settings_asked

# Returns the shape to ask with, for the current target.
Wish = Callable[[bpy.types.Context, SceneTarget], Shape]
TOOL = "octree.probe"
# Seconds between checks of the active tool.
_WATCH = 0.25
# Fraction of an update that is reading; the rest is building octrees of meshes.
_READING = 0.4


class Answered(NamedTuple):
    """A live answer with its target, the settings and the shape of the question, and its picture.

    `objects` is the number of objects in the file: it shows removals by scripts before Blender
    evaluates the scene.
    """

    target: SceneTarget
    settings: tuple[Any, ...]
    shape: Shape
    picture: ProbePicture
    objects: int


@dataclass
class Live:
    """The live question.

    Attributes
    ----------
    spot : Spot
        Position of the pointer.
    wish : callable
        Returns the shape to ask with.
    scene : int
        Session id of the scene.
    is_held : bool
        True if an operator asks, False for the tool.
    answered : Answered, optional
        The answer to the present question; None while it is unknown.
    hint : str
        Reason for a missing answer.
    steps : generator, optional
        The running update of the index.
    may_read_all : bool
        True if the user agreed to read more than the preferences allow.
    target : SceneTarget, optional
        The scene as read last, with the octrees of all its meshes.
    target_of : tuple
        The `target_key` that the target was read for.
    """

    spot: Spot
    wish: Wish
    scene: int
    is_held: bool = False
    answered: Answered | None = None
    hint: str = ""
    steps: Running[SceneTarget] | None = None
    may_read_all: bool = False
    target: SceneTarget | None = None
    target_of: tuple[Any, ...] = ()


_live: list[Live] = []
# Functions that are called with True when a session begins and with False when it ends.
_listeners: list[Callable[[bool], None]] = []


def current() -> Live | None:
    """Return the live question; None if there is none."""
    return _live[0] if _live else None


def listen_to(listener: Callable[[bool], None]) -> None:
    """Register a function to call with True when a session begins, with False when it ends."""
    _listeners.append(listener)


def ask(
    context: bpy.types.Context,
    spot: Spot,
    wish: Wish,
    *,
    held: bool = False,
    may_read_all: bool = False,
) -> Live:
    """Ask a question at a pixel, at once or as soon as the scene is read; return the session.

    `held` marks questions of an operator. `may_read_all` ignores the limit of the preferences.
    """
    live = current()
    if live is None:
        live = Live(spot, wish, context.scene.session_uid)
        _live.append(live)
        listen(LISTENERS, True)
        for listener in _listeners:
            listener(True)
        schedule(watch, _WATCH)
    live.spot, live.wish, live.scene, live.is_held = spot, wish, context.scene.session_uid, held
    live.may_read_all = live.may_read_all or may_read_all
    if not held:
        status.show_keys(context)
    work(live, tuning.current.probe_movement)
    return live


def work(live: Live, seconds: float) -> None:
    """Answer, or update the index for some seconds and continue soon, in the spot's context."""
    context = bpy.context
    live.answered = None
    try:
        target = ready_target(live, seconds)
        if target is not None:
            shape = live.wish(context, target)
            picture = shape.answer(context, target)
            settings, objects = settings_asked(context.scene), len(bpy.data.objects)
            live.answered = Answered(target, settings, shape, picture, objects)
            live.hint = ""
    except ValueError as error:  # another question may have read the scene meanwhile
        live.steps, live.target, live.hint = None, None, str(error)
    if live.steps is not None:
        schedule(go_on, 0.0)
    redraw(live)


def ready_target(live: Live, seconds: float) -> SceneTarget | None:
    """Return the scene as it is now; None if reading it takes longer than `seconds`."""
    wanted = target_key(bpy.context)
    if is_fresh(live) and live.target_of == wanted:
        return live.target
    if live.steps is None or live.target_of != wanted:
        refusal = too_much()
        if refusal and not live.may_read_all:
            live.hint = f"{refusal}: click to be asked whether to read it"
            return None
        live.target, live.target_of = None, wanted
        live.steps = Running(prepared_steps(bpy.context))
    return _advance(live, seconds)


def _advance(live: Live, seconds: float) -> SceneTarget | None:
    deadline = perf_counter() + seconds
    assert live.steps is not None
    while perf_counter() < deadline and live.steps.step():
        pass
    if live.steps.is_done:
        live.target, live.steps, live.may_read_all = live.steps.result, None, False
        return live.target
    live.hint = f"Reading the scene: {live.steps.value:.0%}"
    return None


def too_much() -> str:
    """Return the amount to read as text if it exceeds the preferences, else an empty string."""
    triangles = unread_triangles(bpy.context, of_original=asks_original(bpy.context))
    return too_much_text(triangles) if is_too_much(triangles) else ""


def target_key(context: bpy.types.Context) -> tuple[Any, ...]:
    """Return the key of a target: scene, view layer, local view, and original or evaluated."""
    viewport = viewport_of(context)
    local = viewport.as_pointer() if viewport and viewport.local_view else 0
    return context.scene.session_uid, context.view_layer.name, local, asks_original(context)


def asks_original(context: bpy.types.Context) -> bool:
    """Return whether the tab asks original meshes."""
    return bool(settings_of(context.scene).tab.meshes == "ORIGINAL")


def prepared_steps(context: bpy.types.Context) -> TargetSteps:
    """Read the visible scene, and build the octrees of all its meshes; yield the fraction done."""
    reading = scene_steps(context, viewport_of(context), of_original=asks_original(context))
    target: SceneTarget = yield from between(0.0, _READING, reading)
    yield from between(_READING, 1.0, target.octree.prepare_steps())
    return target


def is_fresh(live: Live) -> bool:
    """Return whether the target is up to date with the scene."""
    target = live.target
    if target is None or target.index.pending:
        return False
    return target.index.is_placed_at(target.revision)


def shows_truth(live: Live) -> bool:
    """Return whether the last answer is valid; if not, schedule a new one."""
    is_whole = live.answered is not None and live.answered.objects == len(bpy.data.objects)
    if live.answered is not None and is_whole and is_fresh(live):
        # While the pointer is in the tool header, settings change without a movement in the view.
        if live.is_held or live.answered.settings == settings_asked(bpy.context.scene):
            return True
    if live.hint == "" and not is_elsewhere_busy():
        schedule(go_on, 0.0)
    return False


def is_elsewhere_busy() -> bool:
    """Return whether a modal operator of Blender runs; the scene is not read at its steps."""
    windows = bpy.context.window_manager.windows
    names = [each.bl_idname for window in windows for each in window.modal_operators]
    return any(not name.startswith("OCTREE_OT_") for name in names)


def go_on() -> float | None:
    """Continue the update, or ask again; a timer, called between redraws."""
    live = current()
    if live is None:
        return None
    with at_spot(live.spot) as is_there:
        if not is_there:
            end()
            return None
        work(live, tuning.current.probe_turn)
    return None if live.steps is None else 0.0


@contextmanager
def at_spot(spot: Spot) -> Iterator[bool]:
    """Make the region of a spot the context and yield True; yield False if it is gone."""
    for window in bpy.context.window_manager.windows:
        for area in window.screen.areas if window.as_pointer() == spot.window else ():
            for region in area.regions if area.as_pointer() == spot.area else ():
                if region.as_pointer() == spot.region and area.type == "VIEW_3D":
                    with bpy.context.temp_override(window=window, area=area, region=region):
                        yield True
                    return
    yield False


def is_on(context: bpy.types.Context) -> bool:
    """Return whether the probe is the active tool of the current mode."""
    if context.workspace is None:
        return False
    tool = context.workspace.tools.from_space_view3d_mode(context.mode, create=False)
    return tool is not None and tool.idname == TOOL


def watch() -> float | None:
    """End the session if the tool or its 3D view is no longer active; a timer."""
    live = current()
    if live is None:
        return None
    if not live.is_held:
        with at_spot(live.spot) as is_there:
            if not (is_there and is_on(bpy.context)):
                end()
                return None
    return _WATCH


def redraw(live: Live) -> None:
    """Redraw all 3D views of the scene."""
    for window in bpy.context.window_manager.windows:
        if window.scene.session_uid == live.scene:
            for area in window.screen.areas:
                if area.type == "VIEW_3D":
                    area.tag_redraw()


def before_load(*_: Any) -> None:
    """End the session before another file is opened, when Blender drops the listener."""
    end()


def end() -> None:
    """End the session: stop its update, timers and drawings."""
    for live in _live:
        if live.steps is not None:
            live.steps.close()
        redraw(live)
    if _live:
        _live.clear()
        clear_status()
        for listener in _listeners:
            listener(False)
    schedule(go_on, None)
    schedule(watch, None)


def stop() -> None:
    """End the session, and remove all listeners."""
    end()
    listen(LISTENERS, False)
    _listeners.clear()


# Installed by the first session; kept at its end, which may be a call of `load_pre` itself.
LISTENERS: Listeners = (("load_pre", before_load),)
