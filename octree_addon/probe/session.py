"""Live question of the session: asked at each movement, of an index that catches up in steps."""

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

# Returns what is asked, of what is there now.
Wish = Callable[[bpy.types.Context, SceneTarget], Shape]
TOOL = "octree.probe"
# Seconds until the tool is looked for.
_WATCH = 0.25
# The share of catching up that is reading; the rest is building octrees of meshes.
_READING = 0.4


class Answered(NamedTuple):
    """A live answer: what was asked, of what, with which settings; and what is shown of it.

    `objects` is how many there were: of what a script removes no evaluation tells at once.
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
        Where the pointer is.
    wish : callable
        What is asked there.
    scene : int
        Session id of the scene.
    is_held : bool
        Whether an operator asks, not the tool.
    answered : Answered, optional
        The last answer, if it is one to the wish.
    hint : str
        Why there is none.
    steps : generator, optional
        The catching up that goes on.
    may_read_all : bool
        Whether the user has agreed to read more than the preferences allow.
    target : SceneTarget, optional
        What was read, with the octrees of all its meshes; and what it was read for.
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
# Called when a session begins, and with False when it ends: who draws it.
_listeners: list[Callable[[bool], None]] = []


def current() -> Live | None:
    """Return what is asked now; None if nothing is."""
    return _live[0] if _live else None


def listen_to(listener: Callable[[bool], None]) -> None:
    """Call `listener` with True when a session begins, with False when it ends."""
    _listeners.append(listener)


def ask(
    context: bpy.types.Context,
    spot: Spot,
    wish: Wish,
    *,
    held: bool = False,
    may_read_all: bool = False,
) -> Live:
    """Ask something at a pixel, at once or as soon as the scene has been read; return the session.

    `held` is for what an operator asks, not the tool; `may_read_all` for what the user agrees to.
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
    """Answer, or catch up for some seconds and go on soon; the context is that of the spot."""
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
    except ValueError as error:  # such as another question that has read the scene meanwhile
        live.steps, live.target, live.hint = None, None, str(error)
    if live.steps is not None:
        schedule(go_on, 0.0)
    redraw(live)


def ready_target(live: Live, seconds: float) -> SceneTarget | None:
    """Return the scene as it is now; None if reading it takes longer than some seconds."""
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
    """Say what would have to be read if that is more than the preferences allow, or nothing."""
    triangles = unread_triangles(bpy.context, of_original=asks_original(bpy.context))
    return too_much_text(triangles) if is_too_much(triangles) else ""


def target_key(context: bpy.types.Context) -> tuple[Any, ...]:
    """Return what a target is read for: a scene, a view layer, a local view, and which meshes."""
    viewport = viewport_of(context)
    local = viewport.as_pointer() if viewport and viewport.local_view else 0
    return context.scene.session_uid, context.view_layer.name, local, asks_original(context)


def asks_original(context: bpy.types.Context) -> bool:
    """Tell whether the tab asks original meshes."""
    return bool(settings_of(context.scene).tab.meshes == "ORIGINAL")


def prepared_steps(context: bpy.types.Context) -> TargetSteps:
    """Read what the view shows, and build what any question about it will need."""
    reading = scene_steps(context, viewport_of(context), of_original=asks_original(context))
    target: SceneTarget = yield from between(0.0, _READING, reading)
    yield from between(_READING, 1.0, target.octree.prepare_steps())
    return target


def is_fresh(live: Live) -> bool:
    """Tell whether what was read is the scene as it is now."""
    target = live.target
    if target is None or target.index.pending:
        return False
    return target.index.is_placed_at(target.revision)


def shows_truth(live: Live) -> bool:
    """Tell whether the last answer still holds; if not, it is asked again soon."""
    is_whole = live.answered is not None and live.answered.objects == len(bpy.data.objects)
    if live.answered is not None and is_whole and is_fresh(live):
        # In the header of the tool the pointer does not move over the scene.
        if live.is_held or live.answered.settings == settings_asked(bpy.context.scene):
            return True
    if live.hint == "" and not is_elsewhere_busy():
        schedule(go_on, 0.0)
    return False


def is_elsewhere_busy() -> bool:
    """Tell whether any operator drags or edits: its scene is not read at each of its steps."""
    windows = bpy.context.window_manager.windows
    names = [each.bl_idname for window in windows for each in window.modal_operators]
    return any(not name.startswith("OCTREE_OT_") for name in names)


def go_on() -> float | None:
    """Go on catching up, or ask again; a timer, called between two drawings."""
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
    """Let the context be the region of a spot; False if it is gone."""
    for window in bpy.context.window_manager.windows:
        for area in window.screen.areas if window.as_pointer() == spot.window else ():
            for region in area.regions if area.as_pointer() == spot.area else ():
                if region.as_pointer() == spot.region and area.type == "VIEW_3D":
                    with bpy.context.temp_override(window=window, area=area, region=region):
                        yield True
                    return
    yield False


def is_on(context: bpy.types.Context) -> bool:
    """Tell whether the tool of the context's mode is the probe."""
    if context.workspace is None:
        return False
    tool = context.workspace.tools.from_space_view3d_mode(context.mode, create=False)
    return tool is not None and tool.idname == TOOL


def watch() -> float | None:
    """End the session once no window has the tool or its 3D view any more; a timer."""
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
    """Draw the 3D views that show the scene."""
    for window in bpy.context.window_manager.windows:
        if window.scene.session_uid == live.scene:
            for area in window.screen.areas:
                if area.type == "VIEW_3D":
                    area.tag_redraw()


def before_load(*_: Any) -> None:
    """End the session before another file is opened; Blender then drops the listener."""
    end()


def end() -> None:
    """Ask nothing any more, and leave nothing behind."""
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
    """End the session, and listen no more."""
    end()
    listen(LISTENERS, False)
    _listeners.clear()


# From the first session on: the list is being called when a file ends one.
LISTENERS: Listeners = (("load_pre", before_load),)
