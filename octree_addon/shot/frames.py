"""Animated values that the user changed without a key: a change of frame would lose them."""

import itertools
from collections.abc import Generator, Iterator, Sequence
from typing import Any, NamedTuple

import bpy

from ..curves import action_curves

_SINGLE = (bool, int, float, str)


class Value(NamedTuple):
    """One animated number, text or switch, as it stands at the present frame."""

    owner: Any
    path: str
    element: int
    value: Any


def unkeyed_values(scene: bpy.types.Scene) -> list[Value]:
    """Return every animated value as it stands.

    Parameters
    ----------
    scene : bpy.types.Scene
        All that its frame animates: the scene itself, and whatever else is in the file.

    Returns
    -------
    list of Value
        Each once; O(animation curves). Paths that lead nowhere are left out.
    """
    found: dict[tuple[int, str, int], Value] = {}
    for owner in _animated(scene):
        for path, element in _channels(owner.animation_data):
            value = _read(owner, path, element)
            if value is not None:
                found[owner.as_pointer(), path, element] = Value(owner, path, element, value)
    return list(found.values())


def write_values(values: list[Value]) -> None:
    """Write those values that have become others.

    Parameters
    ----------
    values : list of Value
        From `unkeyed_values`.
    """
    for owner, path, element, value in values:
        if _read(owner, path, element) != value:
            _write(owner, path, element, value)


def _animated(scene: bpy.types.Scene) -> Iterator[Any]:
    """Yield what has curves, and a frame of this scene changes."""
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


Changes = set[int]


def frame_numbers(start: int, end: int, step: int) -> tuple[int, ...]:
    """Return the frames from start to end.

    Parameters
    ----------
    start, end : int
        Both are part of it.
    step : int
        At least 1.

    Returns
    -------
    tuple of int
        At least one.

    Raises
    ------
    ValueError
        If the end comes before the start.
    """
    if end < start:
        raise ValueError(f"The shot ends at frame {end}, before it starts at {start}")
    return tuple(range(start, end + 1, step))


def walk(
    scene: bpy.types.Scene, frames: Sequence[int]
) -> Generator[tuple[int, Changes], None, None]:
    """Set one frame after the other, and at the end, however it comes, go back.

    Parameters
    ----------
    scene : bpy.types.Scene
        Whose frame is set. Back are the frame and its subframe, the camera, which markers may
        switch, and values of animated properties that were changed without a key.
    frames : sequence of int
        A single frame that is the present one leaves the scene alone.

    Yields
    ------
    frame : int
        That the scene stands at now.
    changed : set of int
        Session ids of what has changed its geometry since the frame before.
    """
    if [*frames] == [scene.frame_current] and not scene.frame_subframe:
        yield scene.frame_current, set()
        return
    frame, subframe, camera = scene.frame_current, scene.frame_subframe, scene.camera
    values = unkeyed_values(scene)
    try:
        for each in frames:
            yield each, _set_frame(scene, each)
    finally:
        scene.frame_set(frame, subframe=subframe)
        scene.camera = camera
        write_values(values)


def _set_frame(scene: bpy.types.Scene, frame: int) -> Changes:
    """Set the frame, and listen to what the evaluation says."""
    changed: Changes = set()

    def note(_: Any, depsgraph: bpy.types.Depsgraph) -> None:
        changed.update(
            update.id.original.session_uid
            for update in depsgraph.updates
            if update.is_updated_geometry
        )

    # A handler, because the list of updates is empty by the time that frame_set returns.
    listeners: list[Any] = bpy.app.handlers.frame_change_post
    listeners.append(note)
    try:
        scene.frame_set(frame)
    finally:
        listeners.remove(note)
    return changed
