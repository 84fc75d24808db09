"""The built trees of the session, and whether they are out of date: scene -> `BuiltTree`.

A tree is not stored in the file. The file, and each undo step, keeps the number of the scene's
tree and the objects that it was built from. So `get` alone decides what is shown: after an undo,
or in another file, a number without its tree is no tree, and `is_missing` says so.
"""

import secrets
from collections.abc import Callable, Iterable, Iterator, Mapping, Set
from contextlib import contextmanager
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

import bpy
import numpy as np
from bpy.props import CollectionProperty, IntProperty, PointerProperty
from numpy.typing import NDArray

from ..core import DynamicOctree, Octree, Statistics, statistics
from .reader import Source
from .ui import settings_of


class OctreeObject(bpy.types.PropertyGroup):
    """One object in a collection of them; none once it is deleted."""

    if TYPE_CHECKING:
        object: bpy.types.Object | None
    else:
        object: PointerProperty(type=bpy.types.Object)


class TreeRecord:
    """What a scene remembers of its tree: a mixin of `OctreeSettings`."""

    if TYPE_CHECKING:
        sources: Any  # of OctreeObject; the stubs know no collection that grows
        tree_number: int
    else:
        sources: CollectionProperty(type=OctreeObject)
        tree_number: IntProperty(description="Which tree belongs to the scene; 0 is none", min=0)


@dataclass(eq=False)
class BuiltTree:
    """A tree with what it was made of; each build makes another, equal to none.

    Attributes
    ----------
    tree : Octree or DynamicOctree
        Of triangles, which does not change, or of objects, which may.
    source : Source
        The objects that its items are of, in the order of `octree.items`.
    options : Mapping of str to Any
        What it was built with.
    build_seconds : float
        How long that took.
    stale : bool
        Whether the scene has changed since.
    is_live : bool
        Whether it follows the scene, and never is stale.
    """

    tree: Octree | DynamicOctree
    source: Source
    options: Mapping[str, Any]
    build_seconds: float
    stale: bool = False
    is_live: bool = False
    _counted: tuple[Octree, Statistics] | None = None

    @property
    def octree(self) -> Octree:
        """The tree as it is now; of one that changes, another one after each change."""
        return self.tree.octree if isinstance(self.tree, DynamicOctree) else self.tree

    @property
    def statistics(self) -> Statistics:
        """The numbers that panels show, counted when first asked for."""
        octree = self.octree
        if self._counted is None or self._counted[0] is not octree:
            self._counted = octree, statistics(octree)
        return self._counted[1]

    def places_of(self, items: NDArray[np.intp]) -> NDArray[np.intp]:
        """Return where items, as answers call them, stand in `octree.items` and `source`."""
        ids = self.octree.ids
        return items if ids is None else np.searchsorted(ids, items)


# By the session_uid of the scene: a tree, or why it could not be built again; each is valid for
# one tree number.
_trees: dict[int, tuple[int, BuiltTree]] = {}
_errors: dict[int, tuple[int, str]] = {}
_listeners: list[Callable[[], None]] = []
# Called with a scene, its old tree and its new one after a tree was built again.
rebuild_listeners: list[Callable[[bpy.types.Scene, BuiltTree, BuiltTree], None]] = []


def listen(listener: Callable[[], None]) -> None:
    """Call `listener` after every change of this memory."""
    _listeners.append(listener)


def stop_listening(listener: Callable[[], None]) -> None:
    """Take back `listen`."""
    _listeners.remove(listener)


def _notify() -> None:
    for listener in _listeners:
        listener()


def store(scene: bpy.types.Scene, built: BuiltTree, objects: Iterable[bpy.types.Object]) -> None:
    """Keep a new tree of the scene and, in the file, the objects that it was built from."""
    settings, old = settings_of(scene), get(scene)
    # At random, so that no undo step and no other file can bring back the same.
    settings.tree_number = secrets.randbelow(2**31 - 1) + 1
    _remember(settings, objects)
    restore(scene, built)
    for listener in rebuild_listeners if old else ():
        listener(scene, old, built)


def _remember(settings: TreeRecord, objects: Iterable[bpy.types.Object]) -> None:
    settings.sources.clear()
    for scene_object in objects:
        settings.sources.add().object = scene_object


def restore(scene: bpy.types.Scene, built: BuiltTree) -> None:
    """Keep a tree under the number that the scene has already, leaving the file as it is."""
    _trees[scene.session_uid] = (settings_of(scene).tree_number, built)
    _errors.pop(scene.session_uid, None)
    _notify()


def get(scene: bpy.types.Scene) -> BuiltTree | None:
    """Return the scene's tree, if it is in memory."""
    number, built = _trees.get(scene.session_uid, (0, None))
    return built if number == settings_of(scene).tree_number else None


def source_objects(scene: bpy.types.Scene) -> list[bpy.types.Object]:
    """Return the objects that the scene's tree was built from, those still in the scene."""
    present = {scene_object.session_uid for scene_object in scene.objects}
    objects = [source.object for source in settings_of(scene).sources]
    return [each for each in objects if each and each.session_uid in present]


def drop_lost_objects(scene: bpy.types.Scene) -> None:
    """Let go of the objects that have left the scene, for the file would keep them alive."""
    settings = settings_of(scene)
    kept = source_objects(scene)
    if len(kept) < len(settings.sources):
        _remember(settings, kept)


def is_missing(scene: bpy.types.Scene) -> bool:
    """Tell whether the scene has a tree that is not in memory, for no known reason."""
    return bool(settings_of(scene).tree_number) and not get(scene) and not rebuild_error(scene)


def set_rebuild_error(scene: bpy.types.Scene, reason: str) -> None:
    """Note why the missing tree of the scene could not be built again."""
    _errors[scene.session_uid] = (settings_of(scene).tree_number, reason)
    _notify()


def rebuild_error(scene: bpy.types.Scene) -> str:
    """Return why the scene's missing tree could not be built again, or nothing."""
    number, reason = _errors.get(scene.session_uid, (0, ""))
    return reason if number == settings_of(scene).tree_number else ""


def set_live(built: BuiltTree, is_live: bool) -> None:
    """Mark a tree as following the scene, or as no longer following it."""
    built.is_live = is_live
    _notify()


def clear(scene: bpy.types.Scene) -> None:
    """Forget the scene's tree, in memory and in the file."""
    settings = settings_of(scene)
    settings.tree_number = 0
    settings.sources.clear()
    _trees.pop(scene.session_uid, None)
    _errors.pop(scene.session_uid, None)
    _notify()


def keep_only(scenes: Iterable[bpy.types.Scene]) -> None:
    """Drop the trees of all other scenes from memory."""
    kept = {scene.session_uid for scene in scenes}
    gone = (_trees.keys() | _errors.keys()) - kept
    for uid in gone:
        _trees.pop(uid, None)
        _errors.pop(uid, None)
    if gone:
        _notify()


def forget() -> None:
    """Drop everything from memory, without a notice."""
    _trees.clear()
    _errors.clear()


def all_built() -> list[BuiltTree]:
    """Return the trees of all scenes."""
    return [built for _, built in _trees.values()]


def is_empty() -> bool:
    """Tell whether no tree of any scene is in memory."""
    return not _trees


def mark_if_objects_lost(scene: bpy.types.Scene) -> None:
    """Mark the tree as out of date if one of its objects has left the scene."""
    built = get(scene)
    if built is None or built.stale or built.is_live:
        return
    if len(source_objects(scene)) < len(settings_of(scene).sources):
        built.stale = True
        _notify()


def mark_stale(changed_ids: Set[int]) -> None:
    """Mark the trees as out of date that depend on data-blocks with these session_uids."""
    outdated = [
        built
        for _, built in _trees.values()
        if not (built.stale or built.is_live or changed_ids.isdisjoint(built.source.ids))
    ]
    for built in outdated:
        built.stale = True
    if outdated:
        _notify()


@contextmanager
def preserving_staleness(built: BuiltTree | None, layer: bpy.types.ViewLayer) -> Iterator[None]:
    """Keep our own writing from putting the tree, if there is one, out of date.

    Blender cannot be told that only a selection or an attribute has changed, or that a value is
    what it was before.
    """
    stale = built is not None and built.stale
    try:
        yield
    finally:
        layer.update()
        if built is not None:
            built.stale = stale
