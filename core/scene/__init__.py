"""Many placed meshes in two levels: an octree over their boxes, and one of each mesh."""

from .tree import SceneOctree

__all__ = ["SceneOctree"]
