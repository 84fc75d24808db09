"""Placed meshes in two levels: an octree over their bounding boxes, and an octree of each mesh."""

from .baking import baked_triangles, baked_triangles_steps
from .objects import (
    objects_touching,
    objects_touching_steps,
    overlapping_objects,
    overlapping_objects_steps,
)
from .tree import SceneOctree

__all__ = [
    "SceneOctree",
    "baked_triangles",
    "baked_triangles_steps",
    "objects_touching",
    "objects_touching_steps",
    "overlapping_objects",
    "overlapping_objects_steps",
]
