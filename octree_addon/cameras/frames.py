"""Walk over frames that restores the scene: frame, camera, values changed without a key."""

import itertools
from collections.abc import Callable, Generator, Iterator, Sequence
from contextlib import closing
from typing import Any, NamedTuple, TypeVar

import bpy

from ...core import Steps, between
from ..curves import action_curves
from ..scene_index import changed_back

What = TypeVar("What")
_SINGLE = (bool, int, float, str)


class Value(NamedTuple):
    """One animated number, text or switch at the present frame."""

    owner: Any
    path: str
    element: int
    value: Any


def unkeyed_values(scene: bpy.types.Scene) -> list[Value]:
    """Return every animated value as it is now, each once; O(animation curves).

    Read is what the scene's frame animates: the scene itself, and all else in the file. Paths that
    lead nowhere are left out.
    """
    found: dict[tuple[int, str, int], Value] = {}
    for owner in _animated(scene):
        for path, element in _channels(owner.animation_data):
            value = _read(owner, path, element)
            if value is not None:
                found[owner.as_pointer(), path, element] = Value(owner, path, element, value)
    return list(found.values())


def write_values(values: list[Value]) -> None:
    """Write those of the values of `unkeyed_values` that have changed since."""
    for owner, path, element, value in values:
        if _read(owner, path, element) != value:
            _write(owner, path, element, value)


def _animated(scene: bpy.types.Scene) -> Iterator[Any]:
    """Yield what has curves that follow a frame of this scene."""
    users = bpy.data.user_map(subset=list(bpy.data.actions))  # type: ignore[call-arg]
    for owner in dict.fromkeys(itertools.chain.from_iterable(users.values())):
        if isinstance(owner, bpy.types.Scene) and owner != scene:
            continue
        for each in (owner, getattr(owner, "node_tree", None)):
            if getattr(each, "animation_data", None):
                yield each


def _channels(animation: Any) -> Iterator[tuple[str, int]]:
    """Yield what an action, or the strips of the NLA, may set."""
    strips = [strip for track in animation.nla_tracks for strip in track.strips]
    for source in (animation, *strips):
        for curve in action_curves(source.action, getattr(source, "action_slot", None)):
            yield curve.data_path, curve.array_index


def _read(owner: Any, path: str, element: int) -> Any:
    try:
        value = owner.path_resolve(path)
        return value if isinstance(value, _SINGLE) else value[element]
    except (ValueError, IndexError, TypeError):
        return None


def _write(owner: Any, path: str, element: int, value: Any) -> None:
    present = owner.path_resolve(path)
    if not isinstance(present, _SINGLE):
        present[element] = value
    elif path.endswith('"]'):  # a custom property
        holder, _, name = path[:-2].rpartition('["')
        _part(owner, holder)[name] = value
    else:
        holder, _, name = path.rpartition(".")
        setattr(_part(owner, holder), name, value)


def _part(owner: Any, path: str) -> Any:
    return owner.path_resolve(path) if path else owner


def frame_numbers(start: int, end: int, step: int) -> tuple[int, ...]:
    """Return the frames from start to end, both included; refuse an end before the start."""
    if end < start:
        raise ValueError(f"The last frame, {end}, is before the first, {start}")
    return tuple(range(start, end + 1, step))


def walk(scene: bpy.types.Scene, frames: Sequence[int]) -> Generator[int, None, None]:
    """Set one frame after the other, and at any end, also an early one, go back.

    Parameters
    ----------
    scene : bpy.types.Scene
        Whose frame is set. Restored are frame and subframe, the camera, which markers may switch,
        and values of animated properties that were changed without a key.
    frames : sequence of int
        The present frame alone leaves the scene untouched.

    Yields
    ------
    frame : int
        The present one.
    """
    if [*frames] == [scene.frame_current] and not scene.frame_subframe:
        yield scene.frame_current
        return
    frame, subframe, camera = scene.frame_current, scene.frame_subframe, scene.camera
    values = unkeyed_values(scene)
    try:
        for each in frames:
            scene.frame_set(each)
            yield each
    finally:
        scene.frame_set(frame, subframe=subframe)
        scene.camera = camera
        write_values(values)


def frame_steps(
    context: bpy.types.Context,
    frames: Sequence[int],
    read: Callable[[bpy.types.Context], Steps[What]],
    look: Callable[[What, int], Steps[None]],
    *,
    reading: float = 0.2,
) -> Steps[None]:
    """Set one frame after the other, read the scene in each, and look at what was read.

    Parameters
    ----------
    context : bpy.types.Context
        Its scene is at one of the frames between two steps. When the steps end or are closed, it
        is back where it was, and no built octree is out of date by that.
    frames : sequence of int
        As for `walk`.
    read, look : callable
        Steps that read, and that look at what was read in the frame of a number, from 0 on.
    reading : float
        The share of the work that is reading.

    Yields
    ------
    fraction : float
        How much is done.
    """
    step = 1 / max(len(frames), 1)
    with changed_back(context.view_layer), closing(walk(context.scene, frames)) as walking:
        for number, _ in enumerate(walking):
            start, middle = number * step, (number + reading) * step
            yield start
            found = yield from between(start, middle, read(context))
            yield from between(middle, start + step, look(found, number))


def go_to_frame(scene: bpy.types.Scene, frame: int) -> None:
    """Set the frame, unless it is the present one already."""
    if scene.frame_current != frame or scene.frame_subframe:
        scene.frame_set(frame)
