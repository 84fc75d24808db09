"""Live sessions: followers of trees, switched on and off, updated and merged."""

from weakref import WeakKeyDictionary

import bpy

from ...core import DynamicOctree
from .. import trees
from ..built_tree import BuiltTree
from ..reader import SceneChanges
from ..ui import settings_of
from .follower import Follower

# A follower lives as long as its tree.
_followers: WeakKeyDictionary[BuiltTree, Follower] = WeakKeyDictionary()


def start(scene: bpy.types.Scene, depsgraph: bpy.types.Depsgraph) -> Follower:
    """Make the scene's tree of objects follow it from now on; return its up-to-date follower.

    The view layer of the depsgraph is followed. A `ValueError` says that there is no such tree.
    """
    built = trees.get(scene)
    if built is None or not built.holds_objects:
        raise ValueError("Only an octree of objects can be live: build one first")
    assert isinstance(built.tree, DynamicOctree)
    follower = Follower(built.tree, built.source, depsgraph.view_layer.name)
    follower.catch_up(scene, depsgraph)
    built.source = follower.source
    _followers[built] = follower
    trees.set_live(built, True)
    return follower


def stop(scene: bpy.types.Scene) -> None:
    """Stop the scene's tree from following it, and those that an undo may bring back."""
    for built in trees.kept_of(scene):
        if _followers.pop(built, None):
            trees.set_live(built, False)


def stop_all() -> None:
    """Stop all trees, without a notice: nothing is noted any more that they could follow."""
    while _followers:
        built, _ = _followers.popitem()
        built.is_live = False
        built.doubt()


def get(scene: bpy.types.Scene) -> Follower | None:
    """Return the follower of the scene's tree, if the tree is live."""
    built = trees.get(scene)
    return None if built is None else _followers.get(built)


def keep_following(scene: bpy.types.Scene, old: BuiltTree, new: BuiltTree) -> None:
    """Make a tree that was built again follow the scene if the one before did."""
    if old in _followers and new.holds_objects:
        start(scene, bpy.context.evaluated_depsgraph_get())


def follow(scene: bpy.types.Scene, depsgraph: bpy.types.Depsgraph, changes: SceneChanges) -> bool:
    """Bring the scene's tree up to date after an update, and tell whether it has changed.

    Updates of a render or of another view layer are ignored.
    """
    built, follower = trees.get(scene), get(scene)
    if built is None or follower is None or not _concerns(follower, scene, depsgraph):
        return False
    try:
        has_changed = follower.update(scene, depsgraph, reshown=changes.reshown)
    except Exception:  # Blender would print it at every frame
        stop(scene)
        raise
    built.source = follower.source
    return has_changed


def _concerns(follower: Follower, scene: bpy.types.Scene, depsgraph: bpy.types.Depsgraph) -> bool:
    is_layer = len(scene.view_layers) == 1 or depsgraph.view_layer.name == follower.layer
    return depsgraph.mode == "VIEWPORT" and is_layer


def merge_deferred() -> None:
    """Merge the cells of all trees that defer it."""
    for built, follower in _followers.items():
        if built.options["merge"] == "deferred":
            follower.tree.prune()


def merge_interval() -> float | None:
    """Return the seconds until cells are merged next; None if no tree defers it."""
    intervals = [
        settings_of(scene).live.interval
        for scene in bpy.data.scenes
        if (built := trees.get(scene)) in _followers and built.options["merge"] == "deferred"
    ]
    return min(intervals, default=None)
