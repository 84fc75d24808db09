"""Least recently used (LRU) cache of built trees, and their comparison with scenes.

Trees are kept in memory only. The file and each undo step store the number of the scene's tree and
the names of the objects that it was built from; `get` returns the tree of the present number.

The last few trees of a scene stay in memory, so that an undo, which restores an earlier number,
also restores the tree. After a file is opened, a number has no tree in memory: `is_missing`.
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
    """The number and the sources of a scene's built octree: a mixin of `OctreeSettings`."""

    if TYPE_CHECKING:
        source_names: str
        tree_number: int
    else:
        source_names: StringProperty(description="What the tree was built from: references")
        tree_number: IntProperty(description="Number of the scene's tree; 0 is none", min=0)


# Stores by the session id of the scene and the number of the tree: trees, the least recently used
# first; reasons why trees could not be rebuilt; flags of trees dropped from memory.
_kept: SessionStore[BuiltTree] = SessionStore()
_errors: SessionStore[str] = SessionStore()
_dropped: SessionStore[bool] = SessionStore()
# Running builds of missing trees.
_pending: SessionStore[Running[BuiltTree]] = SessionStore()
# Functions called with a scene, its old tree and its new tree after a new build.
rebuild_listeners: list[Callable[[bpy.types.Scene, BuiltTree, BuiltTree], None]] = []


def store(scene: bpy.types.Scene, built: BuiltTree, objects: Iterable[bpy.types.Object]) -> None:
    """Store a new tree of the scene in memory, and its number and sources in the file."""
    settings, old = settings_of(scene), get(scene)
    # Random, so that no undo step and no other file has the same number.
    settings.tree_number = secrets.randbelow(2**31 - 1) + 1
    remember_sources(scene, objects)
    restore(scene, built)
    for listener in rebuild_listeners if old else ():
        listener(scene, old, built)


def remember_sources(scene: bpy.types.Scene, objects: Iterable[bpy.types.Object]) -> None:
    """Write weak references to the objects that the scene's tree was built from."""
    settings = settings_of(scene)
    uids = [item.session_uid for item in objects]
    settings.source_names = references.reference_text(scene, uids)


def restore(scene: bpy.types.Scene, built: BuiltTree) -> None:
    """Store a tree in memory under the scene's present number; the file does not change."""
    _kept[key_of(scene)] = built
    _drop_surplus(scene)
    _errors.pop(key_of(scene), None)
    notify()


def build_later(scene: bpy.types.Scene, steps: Steps[BuiltTree]) -> None:
    """Begin to build the scene's missing tree; the first step, taken now, reads the scene."""
    _pending[key_of(scene)] = Running(steps)
    build_pending(0.0)


def build_pending(seconds: float) -> bool:
    """Build missing trees for some seconds; return whether all are done."""
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
    """Return whether the scene's missing tree is being built."""
    return key_of(scene) in _pending


def _scenes_of(key: tuple[int, ...]) -> list[bpy.types.Scene]:
    """Return the scene with this key; empty if it is gone or has another tree now."""
    return [scene for scene in bpy.data.scenes if key_of(scene) == key]


def key_of(scene: bpy.types.Scene) -> tuple[int, int]:
    """Return the session id of the scene and the number of its tree."""
    return scene.session_uid, settings_of(scene).tree_number


def _drop_surplus(scene: bpy.types.Scene) -> None:
    """Drop the least recently used trees beyond the limits, except present trees of scenes."""
    get(scene)  # makes it the most recently used
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
    """Return the scene's tree, and mark it as most recently used; None if not in memory."""
    key = key_of(scene)
    built = _kept.get(key)
    if built and next(reversed(_kept)) != key:
        _kept[key] = _kept.pop(key)
    return built


def was_dropped(scene: bpy.types.Scene) -> bool:
    """Return whether the scene's tree was dropped from memory for newer ones."""
    return key_of(scene) in _dropped and not get(scene)


def kept_of(scene: bpy.types.Scene) -> list[BuiltTree]:
    """Return the scene's present and former trees in memory."""
    return _kept.of(scene)


def source_objects(scene: bpy.types.Scene) -> list[bpy.types.Object]:
    """Return the sources of the scene's tree that are still in the scene."""
    settings = settings_of(scene)
    uids = references.referenced(scene, settings.source_names)
    return [item for item in references.objects_of(scene, uids) if item is not None]


def named_sources() -> Iterator[tuple[bpy.types.Scene, Any, str]]:
    """Yield each property with references to sources of trees: scene, owner and name."""
    for scene in bpy.data.scenes:
        yield scene, settings_of(scene), "source_names"


references.hold(named_sources)


def is_missing(scene: bpy.types.Scene) -> bool:
    """Return whether the scene's tree is not in memory, and no attempt to rebuild it failed."""
    return bool(settings_of(scene).tree_number) and not get(scene) and not rebuild_error(scene)


def set_rebuild_error(scene: bpy.types.Scene, reason: str) -> None:
    """Store the reason why the missing tree of the scene could not be rebuilt."""
    _errors[key_of(scene)] = reason
    notify()


def rebuild_error(scene: bpy.types.Scene) -> str:
    """Return the reason why the scene's missing tree could not be rebuilt; empty for none."""
    return _errors.get(key_of(scene), "")


def clear(scene: bpy.types.Scene) -> None:
    """Remove the scene's tree from the file; it stays in memory for an undo."""
    settings = settings_of(scene)
    settings.tree_number = 0
    settings.source_names = ""
    notify()


def all_built() -> list[BuiltTree]:
    """Return the present trees of all scenes."""
    scenes = bpy.data.scenes if _kept else ()
    return [built for scene in scenes if (built := get(scene))]


def is_empty() -> bool:
    """Return whether no scene has its present tree in memory."""
    return not all_built()


def is_settled() -> bool:
    """Return whether no tree of a shown scene needs a comparison."""
    return not _unsettled()


def _unsettled() -> list[tuple[BuiltTree, bpy.types.ViewLayer]]:
    """Return the trees that need a comparison, each with its shown view layer."""
    unknown = [(each, layer_of(each)) for each in all_built() if not each.is_settled]
    return [(built, layer) for built, layer in unknown if layer and is_shown(layer)]


@at_rest
def unsettled_tree() -> Steps[None] | None:
    """Return the work of comparing one tree with its scene, an idle task; None if none is due."""
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
    """Set the follower that makes a tree live; None makes the tree fixed again."""
    built.follower = follower
    built.doubt()
    notify()
