"""The indexes of the session, made when first asked for: view layer -> `SceneIndex`."""

from collections.abc import Generator, Iterable
from typing import Any

import bpy

from ..reader import changes_of
from ..ui import Listeners, listen
from .index import SceneIndex

# By the session_uid of the scene, the name of the view layer, and whether of original meshes.
_indexes: dict[tuple[int, str, bool], SceneIndex] = {}


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
    if depsgraph.mode == "VIEWPORT":
        index = _index_of(depsgraph)
    else:
        index = SceneIndex(lambda: depsgraph)
    index.update()
    return index


def index_steps(
    context: bpy.types.Context, *, of_original: bool = False
) -> Generator[float, None, SceneIndex]:
    """Bring the index of the context's view layer up to date step by step, and return it.

    That of meshes as they are shown, or another one of original meshes, without modifiers.
    """
    index = _index_of(context.evaluated_depsgraph_get(), of_original=of_original)
    yield from index.update_steps()
    return index


def fingerprint_steps(context: bpy.types.Context) -> Generator[float, None, str]:
    """Read what has changed of the context's scene, and return its fingerprint."""
    index = yield from index_steps(context)
    return index.fingerprint()


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
    return _index_of(depsgraph, of_original=of_original).unread_triangles()


def _index_of(depsgraph: bpy.types.Depsgraph, *, of_original: bool = False) -> SceneIndex:
    uid, layer = depsgraph.scene.original.session_uid, depsgraph.view_layer.name
    key = uid, layer, of_original
    if key not in _indexes:
        _indexes[key] = SceneIndex(lambda: _depsgraph_of(uid, layer), of_original=of_original)
        listen(LISTENERS, True)
    return _indexes[key]


def _depsgraph_of(scene_uid: int, layer: str) -> bpy.types.Depsgraph:
    """Return the evaluated state of a view layer; a `ValueError` if it is gone."""
    context = bpy.context
    if (context.scene.session_uid, context.view_layer.name) == (scene_uid, layer):
        return context.evaluated_depsgraph_get()
    for scene in bpy.data.scenes:
        if scene.session_uid == scene_uid and layer in scene.view_layers:
            scene.view_layers[layer].update()
            return scene.view_layers[layer].depsgraph
    raise ValueError(f"The view layer {layer} of this index is gone")


def note_changes(scene: bpy.types.Scene, depsgraph: bpy.types.Depsgraph) -> None:
    """Note what an evaluation has changed; it is read when a question needs it."""
    if depsgraph.mode != "VIEWPORT":
        return
    for of_original in (False, True):
        key = scene.original.session_uid, depsgraph.view_layer.name, of_original
        if key in _indexes:
            _indexes[key].pending.note(changes_of(depsgraph))


def doubt(*_: Any) -> None:
    """Trust nothing that was read: an undo does not say what it changed."""
    for index in _indexes.values():
        index.pending.all = True


def before_load(*_: Any) -> None:
    """End every index before another file is opened; Blender then drops the listeners."""
    _end(list(_indexes))


def forget() -> None:
    """End every index, and leave nothing behind."""
    _end(list(_indexes))
    listen(LISTENERS, False)


def _end(keys: Iterable[tuple[int, str, bool]]) -> None:
    for key in keys:
        _indexes.pop(key).end()


def keep_only(scenes: Iterable[bpy.types.Scene]) -> None:
    """End the indexes of all other scenes, and of view layers that are gone."""
    kept = {(scene.session_uid, layer.name) for scene in scenes for layer in scene.view_layers}
    _end([key for key in _indexes if key[:2] not in kept])
    if not _indexes:
        listen(LISTENERS, False)


# While there is an index. Blender drops them itself when another file is opened.
LISTENERS: Listeners = (
    ("depsgraph_update_post", note_changes),
    ("frame_change_post", note_changes),
    ("undo_post", doubt),
    ("redo_post", doubt),
    ("load_pre", before_load),
)
