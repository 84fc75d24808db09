"""Colored objects and instances, read from the scene index by an idle task."""

from collections.abc import Callable, Hashable, Iterator, Sequence
from dataclasses import replace
from typing import NamedTuple

import bpy
import numpy as np

from ...core import Steps
from ..preferences import Color, limits
from ..scene_index import State, Version, at_rest, rest_soon, steps_in, version_of
from ..snapshots import SceneTarget, scene_steps
from ..ui import tag_redraw
from . import batches
from .layers import keep_uploads, put_upload, upload_of

# The session id of a scene, followed by parts that identify a request.
Key = tuple[Hashable, ...]


class PaintRequest(NamedTuple):
    """A request of an overlay to paint objects.

    Attributes
    ----------
    key : tuple of int
        The session id of the scene, and parts that identify the request.
    uids : callable
        Returns the session ids of the objects; their instances are painted, too.
    color : tuple of float
        Color of the objects.
    only_instances : bool
        True if the objects themselves are left out.
    """

    key: Key
    uids: Callable[[], Sequence[int]]
    color: Color
    only_instances: bool = False


class _Read(NamedTuple):
    """The painted objects of a request, and the version of the scene they were read from.

    If reading was interrupted, `is_done` is False and it is tried once more; then the request has
    nothing to paint.
    """

    color: Color
    version: Version
    paint: batches.Paint | None
    is_done: bool = True


_NAME = "painted objects"
# Functions that return the requests of an overlay for a scene.
_overlays: list[Callable[[bpy.types.Scene], list[PaintRequest]]] = []


def paint_for(
    requests: Callable[[bpy.types.Scene], list[PaintRequest]],
) -> Callable[[bpy.types.Scene], list[PaintRequest]]:
    """Register a function whose requests are read whenever the scene is at rest; a decorator."""
    _overlays.append(requests)
    return requests


def paint_of(request: PaintRequest) -> batches.Paint | None:
    """Return the painted objects of a request; None until they are read."""
    if _is_unread(bpy.context.scene, request):
        rest_soon()
        return None
    read: _Read = upload_of((_NAME, *request.key))
    return read.paint


def _is_unread(scene: bpy.types.Scene, request: PaintRequest) -> bool:
    known: _Read | None = upload_of((_NAME, *request.key))
    if known is None or not known.is_done or known.color != request.color:
        return True
    return not known.version.is_same(scene)


def drop_others(scene: bpy.types.Scene) -> None:
    """Drop uploads that no overlay requests any more, and those of an outdated version."""
    keys = ((_NAME, *request.key) for request in _requests(scene))
    keep_uploads(_NAME, scene, [key for key in keys if not _has_changed(scene, key)])


def _has_changed(scene: bpy.types.Scene, key: Key) -> bool:
    known: _Read | None = upload_of(key)
    return known is not None and known.version.state(scene) is State.CHANGED


@at_rest
def unread_objects() -> Steps[None] | None:
    """Return the steps of reading objects that a window waits for; None if there are none."""
    if bpy.app.background:
        return None
    for window in bpy.context.window_manager.windows:
        drop_others(window.scene)
        for request in _requests(window.scene):
            if _is_unread(window.scene, request):
                return _steps(window, request)
    return None


def _requests(scene: bpy.types.Scene) -> Iterator[PaintRequest]:
    for requests in _overlays:
        yield from requests(scene)


def _steps(window: bpy.types.Window, request: PaintRequest) -> Steps[None]:
    """Read the objects of a request from the index of the scene that a window shows."""
    before: _Read | None = upload_of((_NAME, *request.key))
    version = replace(version_of(window.scene), own=True)
    was_interrupted = (
        before is not None and not before.is_done and before.version.is_same(window.scene)
    )
    try:
        target = yield from steps_in(window, scene_steps(bpy.context, None))
        paint = painted(target.frozen(), request)
        put_upload((_NAME, *request.key), _Read(request.color, version, paint))
    except ValueError:
        unread = _Read(request.color, version, None, is_done=was_interrupted)
        put_upload((_NAME, *request.key), unread)
    tag_redraw()


def painted(target: SceneTarget, request: PaintRequest) -> batches.Paint:
    """Return the triangles of the objects of a request, and of their instances, as a paint."""
    flags = np.isin(target.owners, request.uids()) & (target.possibles > 0)
    if request.only_instances:
        flags &= target.is_instance
    rows = np.flatnonzero(flags)
    starts, ends = target.starts[rows], target.starts[rows + 1]
    numbers = [np.arange(*span) for span in zip(starts.tolist(), ends.tolist(), strict=True)]
    items = np.concatenate([np.empty(0, np.intp), *numbers])
    return batches.Paint(target, items, request.color, limits().triangles)
