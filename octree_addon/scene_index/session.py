"""The indexes of the session, made when first asked for: view layer -> `SceneIndex`."""

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

# By the session_uid of the scene, the name of the view layer, and whether of original meshes.
_indexes: dict[tuple[int, str, bool], SceneIndex] = {}
# The share of bringing an index up to date that is reading; the rest is placing what was read.
_READING = 0.8
_KINDS = (False, True)  # as meshes are shown, and original ones
# Called with the scene, its depsgraph and what an update of that names.
Subscriber = Callable[[bpy.types.Scene, bpy.types.Depsgraph, SceneChanges], None]
_subscribers: list[Subscriber] = []
# When anything was last noted that may have changed a scene, by `perf_counter`.
_noted_at = [-math.inf]


def scene_index(depsgraph: bpy.types.Depsgraph | None = None) -> SceneIndex:
    """Return the index of all meshes placed in a scene, brought up to date.

    Parameters
    ----------
    depsgraph : bpy.types.Depsgraph, optional
        The evaluated state of a view layer, such as `context.evaluated_depsgraph_get()`; by
        default that of the context. A depsgraph of a render is read afresh each time.

    Returns
    -------
    SceneIndex
        The same one for the same view layer; its `update()` brings it up to date again.

    Notes
    -----
    The first call reads every visible mesh once and costs what reading costs; another one costs
    what has changed since. Nothing is kept in the file; opening another file ends it.
    """
    depsgraph = depsgraph or bpy.context.evaluated_depsgraph_get()
    index = index_of(depsgraph)
    index.update()
    return index


def index_steps(context: bpy.types.Context, *, of_original: bool = False) -> Steps[SceneIndex]:
    """Bring the index of the context's view layer and its octree up to date, and return it.

    That of meshes as they are shown, or another one of original meshes, without modifiers. Yields
    the fraction done.
    """
    index = index_of(context.evaluated_depsgraph_get(), of_original=of_original)
    yield from between(0.0, _READING, index.update_steps())
    yield from between(_READING, 1.0, index.place_steps())
    return index


def is_read(context: bpy.types.Context) -> bool:
    """Tell whether the index of the context's view layer is there, and knows all meshes."""
    index = _indexes.get((context.scene.session_uid, context.view_layer.name, False))
    return index is not None and index.is_read


def is_being_read() -> bool:
    """Tell whether any index is half way through reading."""
    return any(index.is_being_read for index in _indexes.values())


def unread_triangles(context: bpy.types.Context, *, of_original: bool = False) -> int:
    """Count the triangles that the context's index would have to read now; O(placements)."""
    depsgraph = context.evaluated_depsgraph_get()
    return index_of(depsgraph, of_original=of_original).unread_triangles()


def index_of(depsgraph: bpy.types.Depsgraph, *, of_original: bool = False) -> SceneIndex:
    """Return the index of a view layer as it is, of a render a fresh one."""
    if depsgraph.mode != "VIEWPORT":
        return SceneIndex(lambda: depsgraph, of_original=of_original)
    return index_of_layer(
        depsgraph.scene.original.session_uid,
        depsgraph.view_layer.name,
        of_original=of_original,
    )


def index_of_layer(uid: int, layer: str, *, of_original: bool = False) -> SceneIndex:
    """Return the same by the session id of the scene and the name of the view layer."""
    key = uid, layer, of_original
    if key not in _indexes:
        _indexes[key] = SceneIndex(lambda: _depsgraph_of(uid, layer), of_original=of_original)
        listen_if_needed()
    return _indexes[key]


def known_index(uid: int, layer: str) -> SceneIndex | None:
    """Return it if it is there."""
    return _indexes.get((uid, layer, False))


def seconds_at_rest() -> float:
    """Return how long ago anything was noted that may have changed a scene."""
    return perf_counter() - _noted_at[0]


def _depsgraph_of(scene_uid: int, layer: str) -> bpy.types.Depsgraph:
    """Return the evaluated state of a view layer; a `ValueError` if it is gone."""
    context = bpy.context
    if (context.scene.session_uid, context.view_layer.name) == (scene_uid, layer):
        return context.evaluated_depsgraph_get()
    found = view_layer_named(scene_uid, layer)
    found.update()
    return found.depsgraph


def view_layer_named(scene_uid: int, name: str) -> bpy.types.ViewLayer:
    """Return a view layer by the session id of its scene; a `ValueError` if it is gone.

    Steps look theirs up anew: Blender frees view layers without telling Python, and an undo makes
    others of the same names.
    """
    for scene in bpy.data.scenes:
        if scene.session_uid == scene_uid and name in scene.view_layers:
            return scene.view_layers[name]
    raise ValueError(f"The view layer {name} is gone")


def note_update(scene: bpy.types.Scene, depsgraph: bpy.types.Depsgraph) -> None:
    """Note what an update has changed; setting a frame does not come here."""
    if depsgraph.mode == "VIEWPORT":
        note_sight(scene.original, depsgraph)
        note_changes(scene, depsgraph)


def note_changes(scene: bpy.types.Scene, depsgraph: bpy.types.Depsgraph) -> None:
    """Note what an evaluation has changed, to be read when it is needed, and tell subscribers."""
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
    """Note what scripts have changed that nobody has evaluated: the frame would hide it."""
    if history.watches_views and any(map(awaits_evaluation, scene.view_layers)):
        note_seen(scene)


def doubt(*_: Any) -> None:
    """Trust nothing that was read: an undo does not say what it changed."""
    _noted_at[0] = perf_counter()
    for index in _indexes.values():
        index.note(None)
    note_undo()


def subscribe(subscriber: Subscriber) -> None:
    """Call `subscriber` after each evaluation of a scene, once indexes know; twice is once."""
    if subscriber not in _subscribers:
        _subscribers.append(subscriber)
        listen_if_needed()


def unsubscribe(subscriber: Subscriber) -> None:
    """Take back `subscribe`, if it was done."""
    if subscriber in _subscribers:
        _subscribers.remove(subscriber)
        listen_if_needed()


def listen_if_needed() -> None:
    """Listen to evaluations while anybody wants to know of them."""
    listen(LISTENERS, bool(_indexes or _subscribers or history.layers))


def before_load(*_: Any) -> None:
    """Drop all that is known of the session before another file is opened, and the listeners.

    These Blender drops itself, as they are not persistent. Removing one here, from the very list
    that is being called, would skip the next one in it.
    """
    forget_session()
    _subscribers.clear()


@at_forgetting
def end_indexes() -> None:
    """End every index; who subscribed is told of changes nevertheless."""
    _end(list(_indexes))


def _end(keys: Iterable[tuple[int, str, bool]]) -> None:
    for key in keys:
        _indexes.pop(key).end()


def keep_only(scenes: Iterable[bpy.types.Scene]) -> None:
    """End the indexes of all other scenes, and of view layers that are gone."""
    kept = {(scene.session_uid, layer.name) for scene in scenes for layer in scene.view_layers}
    for key in history.layers.keys() - kept:
        del history.layers[key]
    gone = [key for key in _indexes if key[:2] not in kept]
    if gone:
        _end(gone)
        listen_if_needed()


# While there is an index, a subscriber or a version: the one listener to evaluations.
# Blender drops it itself when another file is opened.
LISTENERS: Listeners = (
    ("depsgraph_update_post", note_update),
    ("frame_change_pre", before_frame),
    ("frame_change_post", note_changes),
    ("undo_post", doubt),
    ("redo_post", doubt),
    ("load_pre", before_load),
)
