"""Walk over frames that restores the scene: frame, camera, and unkeyed changes of values."""

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
    """The present value of one animated number, string or boolean."""

    owner: Any
    path: str
    element: int
    value: Any


def unkeyed_values(scene: bpy.types.Scene) -> list[Value]:
    """Return the present value of each animated property, each once; O(animation curves).

    The properties are those of the scene and of all data in the file except other scenes. Invalid
    paths are skipped.
    """
    found: dict[tuple[int, str, int], Value] = {}
    for owner in _animated(scene):
        for path, element in _channels(owner.animation_data):
            value = _read(owner, path, element)
            if value is not None:
                found[owner.as_pointer(), path, element] = Value(owner, path, element, value)
    return list(found.values())


def write_values(values: list[Value]) -> None:
    """Restore the values of `unkeyed_values` that have changed since."""
    for owner, path, element, value in values:
        if _read(owner, path, element) != value:
            _write(owner, path, element, value)


def _animated(scene: bpy.types.Scene) -> Iterator[Any]:
    """Yield the data-blocks and node trees with animation that follows the frame of a scene."""
    users = bpy.data.user_map(subset=list(bpy.data.actions))  # type: ignore[call-arg]
    for owner in dict.fromkeys(itertools.chain.from_iterable(users.values())):
        if isinstance(owner, bpy.types.Scene) and owner != scene:
            continue
        for each in (owner, getattr(owner, "node_tree", None)):
            if getattr(each, "animation_data", None):
                yield each


def _channels(animation: Any) -> Iterator[tuple[str, int]]:
    """Yield the path and the array index of each curve in an action and in NLA strips."""
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
    """Return the frames from start to end, inclusive; raise a `ValueError` if end < start."""
    if end < start:
        raise ValueError(f"The last frame, {end}, is before the first, {start}")
    return tuple(range(start, end + 1, step))


def walk(scene: bpy.types.Scene, frames: Sequence[int]) -> Generator[int, None, None]:
    """Set one frame after the other; restore the scene when the generator ends or is closed.

    Parameters
    ----------
    scene : bpy.types.Scene
        The scene whose frame is set. Frame, subframe, camera (which markers may switch) and
        unkeyed changes of animated properties are restored.
    frames : sequence of int
        Frames to set. If it is the present frame only, the scene is not touched.

    Yields
    ------
    frame : int
        The frame that is set.
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
    """Set one frame after the other, read the scene in each, and process the data.

    Parameters
    ----------
    context : bpy.types.Context
        Context of the scene. Between steps, the scene is at one of the frames. When the steps end
        or are closed, the scene is restored, and no built octree is outdated by the walk.
    frames : sequence of int
        As in `walk`.
    read, look : callable
        `read(context)` returns steps that read the scene. `look(data, number)` returns steps that
        process the data of the frame with this index.
    reading : float
        The fraction of the work that is reading.

    Yields
    ------
    fraction : float
        The fraction done.
    """
    step = 1 / max(len(frames), 1)
    with changed_back(context.view_layer), closing(walk(context.scene, frames)) as walking:
        for number, _ in enumerate(walking):
            start, middle = number * step, (number + reading) * step
            yield start
            found = yield from between(start, middle, read(context))
            yield from between(middle, start + step, look(found, number))


def go_to_frame(scene: bpy.types.Scene, frame: int) -> None:
    """Set the frame of a scene, if it is not the present frame."""
    if scene.frame_current != frame or scene.frame_subframe:
        scene.frame_set(frame)
