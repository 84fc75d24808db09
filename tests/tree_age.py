"""Whether the tree of a scene is out of date, shown in a window or not."""

from octree_ext.core import run
from octree_ext.octree_addon import trees
from octree_ext.octree_addon.built_tree import layer_of


def is_stale(scene):
    """Compare the tree of a scene with it, and tell whether it is out of date; not without one."""
    built = trees.get(scene)
    layer = layer_of(built) if built else None
    if layer is not None:
        run(built.settle_steps(layer))
    return built is not None and built.was_stale
