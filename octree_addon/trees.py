"""Least recently used (LRU) cache of built trees, and whether they are out of date.

A tree is not stored in the file. The file, and each undo step, keeps the number of the scene's
tree and the names of the objects that it was built from. So `get` alone decides what is shown. The
last few trees of a scene stay in memory: after an undo the number of an earlier one is there again
and so is the tree. In another file a number without its tree is no tree, and `is_missing` says so.
"""

import secrets
from collections import Counter
from collections.abc import Callable, Iterable, Iterator
from time import perf_counter
from typing import TYPE_CHECKING, Any

import bpy
from bpy.props import IntProperty, StringProperty

from ..core import Running, Steps
from . import references, tuning
from .built_tree import BuiltTree, is_shown, layer_of
from .scene_index import at_rest
from .ui import SessionStore, notify, settings_of


class TreeRecord:
    """Number and sources of a scene's built octree: a mixin of `OctreeSettings`."""

    if TYPE_CHECKING:
        source_names: str
        tree_number: int
    else:
        source_names: StringProperty(description="What the tree was built from: references")
        tree_number: IntProperty(description="Number of the scene's tree; 0 is none", min=0)


# By the session_uid of the scene and the number of the tree: the least recently used first; why it
# could not be built again; whether it had to make room.
_kept: SessionStore[BuiltTree] = SessionStore()
_errors: SessionStore[str] = SessionStore()
_dropped: SessionStore[bool] = SessionStore()
# Builds of missing trees.
_pending: SessionStore[Running[BuiltTree]] = SessionStore()
# Called with a scene, its old tree and its new one after a tree was built again.
rebuild_listeners: list[Callable[[bpy.types.Scene, BuiltTree, BuiltTree], None]] = []


def store(scene: bpy.types.Scene, built: BuiltTree, objects: Iterable[bpy.types.Object]) -> None:
    """Keep a new tree of the scene and, in the file, the objects that it was built from."""
    settings, old = settings_of(scene), get(scene)
    # At random, so that no undo step and no other file can bring back the same.
    settings.tree_number = secrets.randbelow(2**31 - 1) + 1
    remember_sources(scene, objects)
    restore(scene, built)
    for listener in rebuild_listeners if old else ():
        listener(scene, old, built)


def remember_sources(scene: bpy.types.Scene, objects: Iterable[bpy.types.Object]) -> None:
    """Let the file know what the scene's tree was built from, without becoming its user."""
    settings = settings_of(scene)
    uids = [item.session_uid for item in objects]
    settings.source_names = references.reference_text(scene, uids)


def restore(scene: bpy.types.Scene, built: BuiltTree) -> None:
    """Keep a tree under the number that the scene has already, leaving the file as it is."""
    _kept[key_of(scene)] = built
    _drop_surplus(scene)
    _errors.pop(key_of(scene), None)
    notify()


def build_later(scene: bpy.types.Scene, steps: Steps[BuiltTree]) -> None:
    """Begin to build the scene's missing tree: all is read by the first step, taken now."""
    _pending[key_of(scene)] = Running(steps)
    build_pending(0.0)


def build_pending(seconds: float) -> bool:
    """Build missing trees for some time; tell whether all are done."""
    deadline = perf_counter() + seconds
    while _pending:
        key, running = _pending.popitem()
        try:
            if running.step():
                _pending[key] = running
        except ValueError as error:
            for scene in _scenes_of(key):
                set_rebuild_error(scene, str(error))
        if running.is_done:
            for scene in _scenes_of(key):
                restore(scene, running.result)
        if perf_counter() > deadline:
            break
    return not _pending


def is_pending(scene: bpy.types.Scene) -> bool:
    """Tell whether the scene's missing tree is being built."""
    return key_of(scene) in _pending


def _scenes_of(key: tuple[int, ...]) -> list[bpy.types.Scene]:
    """Return the scene that misses a tree, unless it has gone or has another one now."""
    return [scene for scene in bpy.data.scenes if key_of(scene) == key]


def key_of(scene: bpy.types.Scene) -> tuple[int, int]:
    """Return the session id of the scene and the number of its tree."""
    return scene.session_uid, settings_of(scene).tree_number


def _drop_surplus(scene: bpy.types.Scene) -> None:
    """Drop the trees used longest ago, except what is the tree of a scene."""
    get(scene)  # the most recent one
    current = {key_of(each) for each in bpy.data.scenes}
    former = [key for key in reversed(_kept) if key not in current]
    counts: Counter[int] = Counter()
    left = tuning.current.former_bytes
    for key in former:
        counts[key[0]] += 1
        left -= _kept[key].nbytes
        if counts[key[0]] > tuning.current.former_trees or left < 0:
            del _kept[key]
            _dropped[key] = True


def get(scene: bpy.types.Scene) -> BuiltTree | None:
    """Return the scene's tree, if it is in memory."""
    key = key_of(scene)
    built = _kept.get(key)
    if built and next(reversed(_kept)) != key:
        _kept[key] = _kept.pop(key)
    return built


def was_dropped(scene: bpy.types.Scene) -> bool:
    """Tell whether the scene's tree was in memory, and had to make room for later ones."""
    return key_of(scene) in _dropped and not get(scene)


def kept_of(scene: bpy.types.Scene) -> list[BuiltTree]:
    """Return the scene's tree and its former ones, as far as they are in memory."""
    return _kept.of(scene)


def source_objects(scene: bpy.types.Scene) -> list[bpy.types.Object]:
    """Return the objects that the scene's tree was built from, those still in the scene."""
    settings = settings_of(scene)
    uids = references.referenced(scene, settings.source_names)
    return [item for item in references.objects_of(scene, uids) if item is not None]


def named_sources() -> Iterator[tuple[bpy.types.Scene, Any, str]]:
    """Yield where the references to what trees were built from stand."""
    for scene in bpy.data.scenes:
        yield scene, settings_of(scene), "source_names"


references.hold(named_sources)


def is_missing(scene: bpy.types.Scene) -> bool:
    """Tell whether the scene has a tree that is not in memory, for no known reason."""
    return bool(settings_of(scene).tree_number) and not get(scene) and not rebuild_error(scene)


def set_rebuild_error(scene: bpy.types.Scene, reason: str) -> None:
    """Note why the missing tree of the scene could not be built again."""
    _errors[key_of(scene)] = reason
    notify()


def rebuild_error(scene: bpy.types.Scene) -> str:
    """Return why the scene's missing tree could not be built again, or nothing."""
    return _errors.get(key_of(scene), "")


def clear(scene: bpy.types.Scene) -> None:
    """Forget the scene's tree in the file; in memory it stays for an undo."""
    settings = settings_of(scene)
    settings.tree_number = 0
    settings.source_names = ""
    notify()


def all_built() -> list[BuiltTree]:
    """Return the trees of all scenes."""
    scenes = bpy.data.scenes if _kept else ()
    return [built for scene in scenes if (built := get(scene))]


def is_empty() -> bool:
    """Tell whether no scene has a tree in memory; former ones do not count."""
    return not all_built()


def is_settled() -> bool:
    """Tell whether it is known of the trees of all shown scenes if they are out of date."""
    return not _unsettled()


def _unsettled() -> list[tuple[BuiltTree, bpy.types.ViewLayer]]:
    """Return the trees of shown scenes that are to be compared, with what is shown."""
    unknown = [(each, layer_of(each)) for each in all_built() if not each.is_settled]
    return [(built, layer) for built, layer in unknown if layer and is_shown(layer)]


@at_rest
def unsettled_tree() -> Steps[None] | None:
    """Return how to compare a tree with its scene, if that is to be done with any."""
    return next((_settle_steps(*each) for each in _unsettled()), None)


def _settle_steps(built: BuiltTree, layer: bpy.types.ViewLayer) -> Steps[None]:
    before = built.was_stale
    yield from built.settle_steps(layer)
    if built.was_stale != before:
        notify()


def live_trees() -> list[BuiltTree]:
    """Return the trees that follow their scenes, former ones included."""
    return [built for built in _kept.values() if built.is_live]


def set_follower(built: BuiltTree, follower: Any) -> None:
    """Let a tree follow the scene, or without a follower no longer."""
    built.follower = follower
    built.doubt()
    notify()
