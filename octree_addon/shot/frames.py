"""The walk through the frames of a shot, which leaves the scene where it was."""

from collections.abc import Generator, Sequence
from typing import Any

import bpy

from .unkeyed import unkeyed_values, write_values

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
