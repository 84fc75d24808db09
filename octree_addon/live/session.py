"""Which trees follow the scene: switched on and off, and told of every update."""

from weakref import WeakKeyDictionary

import bpy

from ...core import DynamicOctree
from .. import trees
from ..reader import ObjectSource
from ..trees import BuiltTree
from ..ui import settings_of
from .follower import Follower

# Who follows goes with the tree.
_followers: WeakKeyDictionary[BuiltTree, Follower] = WeakKeyDictionary()


def start(scene: bpy.types.Scene, depsgraph: bpy.types.Depsgraph) -> Follower:
    """Have the scene's tree follow it from now on.

    Parameters
    ----------
    scene : bpy.types.Scene
        With a tree of objects.
    depsgraph : bpy.types.Depsgraph
        The evaluated state of the view layer that it is to follow.

    Returns
    -------
    Follower
        Which has caught up with the scene.

    Raises
    ------
    ValueError
        If the scene has no tree of objects.
    """
    built = trees.get(scene)
    if built is None or not isinstance(built.source, ObjectSource):
        raise ValueError("Only an octree of objects can follow them: build one first")
    assert isinstance(built.tree, DynamicOctree)
    follower = Follower(built.tree, built.source, depsgraph.view_layer.name)
    follower.catch_up(scene, depsgraph)
    built.source, built.stale = follower.source, False
    _followers[built] = follower
    trees.set_live(built, True)
    return follower


def stop(scene: bpy.types.Scene) -> None:
    """Have the scene's tree follow no longer."""
    built = trees.get(scene)
    if built is not None:
        _followers.pop(built, None)
        trees.set_live(built, False)


def get(scene: bpy.types.Scene) -> Follower | None:
    """Return who has the scene's tree follow it, if it does."""
    built = trees.get(scene)
    return None if built is None else _followers.get(built)


def distrust(scene: bpy.types.Scene) -> None:
    """Have the scene's tree, if it is live, read all anew at the next update."""
    follower = get(scene)
    if follower is not None:
        follower.distrust()


def follow(scene: bpy.types.Scene, depsgraph: bpy.types.Depsgraph) -> bool:
    """Have the scene's tree take over an update.

    Parameters
    ----------
    scene : bpy.types.Scene
        What was updated.
    depsgraph : bpy.types.Depsgraph
        With the updates. Those of a render, and of another view layer, are nothing to a tree.

    Returns
    -------
    bool
        Whether the tree has changed.
    """
    built, follower = trees.get(scene), get(scene)
    if built is None or follower is None or not _concerns(follower, scene, depsgraph):
        return False
    try:
        has_changed = follower.update(scene, depsgraph)
    except Exception:  # Blender would print it at every frame
        stop(scene)
        built.stale = True
        raise
    built.source = follower.source
    return has_changed


def _concerns(follower: Follower, scene: bpy.types.Scene, depsgraph: bpy.types.Depsgraph) -> bool:
    is_layer = len(scene.view_layers) == 1 or depsgraph.view_layer.name == follower.layer
    return depsgraph.mode == "VIEWPORT" and is_layer


def merge_deferred() -> None:
    """Merge the cells of all trees that put it off."""
    for built, follower in _followers.items():
        if built.options["merge"] == "deferred":
            follower.tree.prune()


def merge_interval() -> float | None:
    """Return after how many seconds cells are to be merged next; none if no tree puts it off."""
    intervals = [
        settings_of(scene).live.interval
        for scene in bpy.data.scenes
        if (built := trees.get(scene)) in _followers and built.options["merge"] == "deferred"
    ]
    return min(intervals, default=None)
