"""Live sessions: octrees that follow the scene are started, updated, merged and stopped."""

import bpy

from ...core import DynamicOctree
from .. import trees
from ..built_tree import BuiltTree
from ..reader import SceneChanges
from ..ui import settings_of
from .follower import Follower


def start(scene: bpy.types.Scene, depsgraph: bpy.types.Depsgraph) -> Follower:
    """Make the scene's octree of objects follow a view layer; return its up-to-date follower.

    The depsgraph determines the view layer.

    Raises
    ------
    ValueError
        If the scene has no octree of objects.
    """
    built = trees.get(scene)
    if built is None or not built.holds_objects:
        raise ValueError("Only an octree of objects can be live: build one first")
    assert isinstance(built.tree, DynamicOctree)
    follower = Follower(built.tree, built.source, depsgraph.view_layer.name)
    follower.catch_up(scene, depsgraph)
    built.source = follower.source
    trees.set_follower(built, follower)
    return follower


def stop(scene: bpy.types.Scene) -> None:
    """Stop following, for the scene's octree and for octrees that an undo may restore."""
    for built in trees.kept_of(scene):
        if built.is_live:
            trees.set_follower(built, None)


def stop_all() -> None:
    """Stop all octrees without notification, when changes of the scene are no longer recorded."""
    for built in trees.live_trees():
        built.follower = None
        built.doubt()


def get(scene: bpy.types.Scene) -> Follower | None:
    """Return the follower of the scene's octree, if the octree is live."""
    built = trees.get(scene)
    return None if built is None else built.follower


def keep_following(scene: bpy.types.Scene, old: BuiltTree, new: BuiltTree) -> None:
    """Make a rebuilt octree follow the scene if the one before did."""
    if old.is_live and new.holds_objects:
        start(scene, bpy.context.evaluated_depsgraph_get())


def follow(scene: bpy.types.Scene, depsgraph: bpy.types.Depsgraph, changes: SceneChanges) -> bool:
    """Bring the scene's octree up to date after an update; return whether it has changed.

    Updates of a render or of another view layer are ignored.
    """
    built, follower = trees.get(scene), get(scene)
    if built is None or follower is None or not _concerns(follower, scene, depsgraph):
        return False
    try:
        has_changed = follower.update(scene, depsgraph, reshown=changes.reshown)
    except Exception:  # Blender would print it in every frame
        stop(scene)
        raise
    built.source = follower.source
    return has_changed


def _concerns(follower: Follower, scene: bpy.types.Scene, depsgraph: bpy.types.Depsgraph) -> bool:
    is_layer = len(scene.view_layers) == 1 or depsgraph.view_layer.name == follower.layer
    return depsgraph.mode == "VIEWPORT" and is_layer


def merge_deferred() -> None:
    """Merge the cells of all live octrees with deferred merging."""
    for built in trees.live_trees():
        if built.options["merge"] == "deferred":
            built.follower.tree.prune()


def merge_interval() -> float | None:
    """Return the seconds until the next merge of cells; None if no octree defers it."""
    intervals = [
        settings_of(scene).live.interval
        for scene in bpy.data.scenes
        if (built := trees.get(scene)) and built.is_live and built.options["merge"] == "deferred"
    ]
    return min(intervals, default=None)
