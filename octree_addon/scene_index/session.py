"""Indexes of the session, created on first use: view layer -> `SceneIndex`."""

import math
from collections.abc import Callable, Iterable
from time import perf_counter
from typing import Any

import bpy

from ...core import Steps, between
from ..reader import SceneChanges, awaits_evaluation, changes_of
from ..ui import Listeners, at_forgetting, forget_session, listen
from .index import SceneIndex
from .readings import history, note, note_seen, note_sight, note_undo

# Indexes by (session id of the scene, name of the view layer, whether of original meshes).
_indexes: dict[tuple[int, str, bool], SceneIndex] = {}
# The fraction of an index update spent on reading; the rest is spent on the octree.
_READING = 0.8
_KINDS = (False, True)  # evaluated meshes, original meshes
# A subscriber is called with the scene, its depsgraph and the changes of an update.
Subscriber = Callable[[bpy.types.Scene, bpy.types.Depsgraph, SceneChanges], None]
_subscribers: list[Subscriber] = []
# Time of the last possible change of any scene, by `perf_counter`.
_noted_at = [-math.inf]


def scene_index(depsgraph: bpy.types.Depsgraph | None = None) -> SceneIndex:
    """Return the updated index of all meshes placed in a scene.

    Parameters
    ----------
    depsgraph : bpy.types.Depsgraph, optional
        The evaluated state of a view layer, such as `context.evaluated_depsgraph_get()`; by
        default the depsgraph of the context. A depsgraph of a render gets a new index each time.

    Returns
    -------
    SceneIndex
        The same instance for the same view layer. Call its `update()` after changes of the scene.

    Notes
    -----
    The first call reads every visible mesh once. The cost of later calls depends on the changes
    since the last one. The index is not saved in the file; it ends when another file is opened.
    """
    depsgraph = depsgraph or bpy.context.evaluated_depsgraph_get()
    index = index_of(depsgraph)
    index.update()
    return index


def index_steps(context: bpy.types.Context, *, of_original: bool = False) -> Steps[SceneIndex]:
    """Update the index of the context's view layer and its octree, and return the index.

    With `of_original` it is the separate index of original meshes, without modifiers. Yields the
    fraction done.
    """
    index = index_of(context.evaluated_depsgraph_get(), of_original=of_original)
    yield from between(0.0, _READING, index.update_steps())
    yield from between(_READING, 1.0, index.place_steps())
    return index


def is_read(context: bpy.types.Context) -> bool:
    """Return whether the context's view layer has an index that needs no mesh to be read."""
    index = _indexes.get((context.scene.session_uid, context.view_layer.name, False))
    return index is not None and index.is_read


def is_being_read() -> bool:
    """Return whether any index is being updated."""
    return any(index.is_being_read for index in _indexes.values())


def unread_triangles(context: bpy.types.Context, *, of_original: bool = False) -> int:
    """Count the triangles that an update of the context's index has to read; O(placements)."""
    depsgraph = context.evaluated_depsgraph_get()
    return index_of(depsgraph, of_original=of_original).unread_triangles()


def index_of(depsgraph: bpy.types.Depsgraph, *, of_original: bool = False) -> SceneIndex:
    """Return the index of a view layer without updating it.

    A depsgraph of a render gets a new index.
    """
    if depsgraph.mode != "VIEWPORT":
        return SceneIndex(lambda: depsgraph, of_original=of_original)
    return index_of_layer(
        depsgraph.scene.original.session_uid,
        depsgraph.view_layer.name,
        of_original=of_original,
    )


def index_of_layer(uid: int, layer: str, *, of_original: bool = False) -> SceneIndex:
    """Return the index of a view layer without updating it; create the index if necessary.

    `uid` is the session id of the scene, `layer` the name of the view layer.
    """
    key = uid, layer, of_original
    if key not in _indexes:
        _indexes[key] = SceneIndex(lambda: _depsgraph_of(uid, layer), of_original=of_original)
        listen_if_needed()
    return _indexes[key]


def known_index(uid: int, layer: str) -> SceneIndex | None:
    """Return the index of evaluated meshes of a view layer; None if there is no such index."""
    return _indexes.get((uid, layer, False))


def seconds_at_rest() -> float:
    """Return the seconds since the last possible change of any scene."""
    return perf_counter() - _noted_at[0]


def _depsgraph_of(scene_uid: int, layer: str) -> bpy.types.Depsgraph:
    """Return the evaluated state of a view layer; raise a `ValueError` if the layer is gone."""
    context = bpy.context
    if (context.scene.session_uid, context.view_layer.name) == (scene_uid, layer):
        return context.evaluated_depsgraph_get()
    found = view_layer_named(scene_uid, layer)
    found.update()
    return found.depsgraph


def view_layer_named(scene_uid: int, name: str) -> bpy.types.ViewLayer:
    """Return a view layer by the session id of its scene; raise a `ValueError` if it is gone.

    Steps look up their view layer after each `yield`: Blender frees view layers without notice to
    Python, and an undo replaces them by others of the same names.
    """
    for scene in bpy.data.scenes:
        if scene.session_uid == scene_uid and name in scene.view_layers:
            return scene.view_layers[name]
    raise ValueError(f"The view layer {name} is gone")


def note_update(scene: bpy.types.Scene, depsgraph: bpy.types.Depsgraph) -> None:
    """Record the changes of a scene update; not called for a change of frame."""
    if depsgraph.mode == "VIEWPORT":
        note_sight(scene.original, depsgraph)
        note_changes(scene, depsgraph)


def note_changes(scene: bpy.types.Scene, depsgraph: bpy.types.Depsgraph) -> None:
    """Record the changes of an evaluation in all indexes, and call the subscribers."""
    if depsgraph.mode != "VIEWPORT":
        return
    _noted_at[0] = perf_counter()
    uid, layer = scene.original.session_uid, depsgraph.view_layer.name
    changes = changes_of(depsgraph)
    note((uid, layer), changes)
    for kind in _KINDS:
        if (uid, layer, kind) in _indexes:
            _indexes[uid, layer, kind].note(changes)
    for subscriber in _subscribers:
        subscriber(scene, depsgraph, changes)


def before_frame(scene: bpy.types.Scene, *_: Any) -> None:
    """Record changes by scripts that are not evaluated yet, before a new frame conceals them."""
    if history.watches_views and any(map(awaits_evaluation, scene.view_layers)):
        note_seen(scene)


def doubt(*_: Any) -> None:
    """Mark everything as possibly changed, since an undo does not report its changes."""
    _noted_at[0] = perf_counter()
    for index in _indexes.values():
        index.note(None)
    note_undo()


def subscribe(subscriber: Subscriber) -> None:
    """Call `subscriber` after each evaluation of a scene, after the indexes have recorded it.

    A repeated subscription has no effect.
    """
    if subscriber not in _subscribers:
        _subscribers.append(subscriber)
        listen_if_needed()


def unsubscribe(subscriber: Subscriber) -> None:
    """Remove a subscriber, if it is subscribed."""
    if subscriber in _subscribers:
        _subscribers.remove(subscriber)
        listen_if_needed()


def listen_if_needed() -> None:
    """Install the listeners while there is an index, a subscriber or a watched layer."""
    listen(LISTENERS, bool(_indexes or _subscribers or history.layers))


def before_load(*_: Any) -> None:
    """Drop all data of the session and all subscribers before another file is opened.

    Blender removes the listeners itself, as they are not persistent. If this handler removed a
    listener from the list that Blender is iterating over, Blender would skip the next one.
    """
    forget_session()
    _subscribers.clear()


@at_forgetting
def end_indexes() -> None:
    """End every index; subscribers stay subscribed."""
    _end(list(_indexes))


def _end(keys: Iterable[tuple[int, str, bool]]) -> None:
    for key in keys:
        _indexes.pop(key).end()


def keep_only(scenes: Iterable[bpy.types.Scene]) -> None:
    """End the indexes of all scenes but these, and of deleted view layers."""
    kept = {(scene.session_uid, layer.name) for scene in scenes for layer in scene.view_layers}
    for key in history.layers.keys() - kept:
        del history.layers[key]
    gone = [key for key in _indexes if key[:2] not in kept]
    if gone:
        _end(gone)
        listen_if_needed()


# Installed while there is an index, a subscriber or a watched layer.
# Blender removes the handlers itself when another file is opened.
LISTENERS: Listeners = (
    ("depsgraph_update_post", note_update),
    ("frame_change_pre", before_frame),
    ("frame_change_post", note_changes),
    ("undo_post", doubt),
    ("redo_post", doubt),
    ("load_pre", before_load),
)
