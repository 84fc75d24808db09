"""Objects and instances in color, read from the index of the scene once it has come to rest."""

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

# A session id of a scene first, then what tells its requests apart.
Key = tuple[Hashable, ...]


class PaintRequest(NamedTuple):
    """Objects that an overlay wants to paint.

    Attributes
    ----------
    key : tuple of int
        The session id of the scene, and what tells this request from others.
    uids : callable
        Returns the session ids of the objects; what they instance counts.
    color : tuple of float
        In which color.
    only_instances : bool
        Whether the objects themselves are left out.
    """

    key: Key
    uids: Callable[[], Sequence[int]]
    color: Color
    only_instances: bool = False


class _Read(NamedTuple):
    """The objects of a request in a color, and the version of the scene they were read from.

    An interrupted reading is not done, and is tried once more; then there is nothing to paint.
    """

    color: Color
    version: Version
    paint: batches.Paint | None
    is_done: bool = True


_NAME = "painted objects"
# Each returns what it wants to paint of a scene now.
_overlays: list[Callable[[bpy.types.Scene], list[PaintRequest]]] = []


def paint_for(
    requests: Callable[[bpy.types.Scene], list[PaintRequest]],
) -> Callable[[bpy.types.Scene], list[PaintRequest]]:
    """Read what this asks for whenever the scene has come to rest; a decorator."""
    _overlays.append(requests)
    return requests


def paint_of(request: PaintRequest) -> batches.Paint | None:
    """Return the objects of a request; None until they are read."""
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
    """Drop what no overlay asks to paint any more, and what was read of another version."""
    keys = ((_NAME, *request.key) for request in _requests(scene))
    keep_uploads(_NAME, scene, [key for key in keys if not _has_changed(scene, key)])


def _has_changed(scene: bpy.types.Scene, key: Key) -> bool:
    known: _Read | None = upload_of(key)
    return known is not None and known.version.state(scene) is State.CHANGED


@at_rest
def unread_objects() -> Steps[None] | None:
    """Return how to read the objects that a window waits to show; None if none does."""
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
    """Return the triangles of objects and of their instances, in their color."""
    flags = np.isin(target.owners, request.uids()) & (target.possibles > 0)
    if request.only_instances:
        flags &= target.is_instance
    rows = np.flatnonzero(flags)
    starts, ends = target.starts[rows], target.starts[rows + 1]
    numbers = [np.arange(*span) for span in zip(starts.tolist(), ends.tolist(), strict=True)]
    items = np.concatenate([np.empty(0, np.intp), *numbers])
    return batches.Paint(target, items, request.color, limits().triangles)
