"""Many placed meshes in two levels: an octree over their boxes, and one of each mesh."""

from .objects import objects_touching, overlapping_objects, overlapping_objects_steps
from .tree import SceneOctree

__all__ = [
    "SceneOctree",
    "objects_touching",
    "overlapping_objects",
    "overlapping_objects_steps",
]
