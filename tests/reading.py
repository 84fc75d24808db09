"""Triangles as the add-on reads them, with what it promises of every answer."""

from dataclasses import dataclass
from typing import Any

import bpy
import numpy as np
from blender_scenes import depsgraph

from octree_ext.core import run
from octree_ext.octree_addon.scene_index import (
    Source,
    SourceObject,
    count_triangles,
    triangle_source_steps,
)


@dataclass(frozen=True, eq=False)
class Read:
    """The triangles of objects, and what they are of."""

    source: Source
    triangles: Any

    def __getattr__(self, name: str) -> Any:
        return getattr(self.source, name)

    @property
    def is_instance(self) -> Any:
        """Which placements are instances."""
        return self.source.placements.is_instance

    @property
    def vertices(self) -> Any:
        """The vertices, in world space."""
        return self.triangles.vertices

    @property
    def faces(self) -> Any:
        """The vertices of each triangle."""
        return self.triangles.faces

    @property
    def polygon_of_triangle(self) -> Any:
        """The polygon of the original mesh that each is of; -1 where there is no way back."""
        placements = self.source.placements
        parts = [
            mesh.polygons if known else np.full(len(mesh.triangles), -1)
            for mesh, known in zip(placements.meshes, placements.has_faces, strict=True)
        ]
        return np.concatenate([np.empty(0, np.intp), *parts])


def read(*objects: bpy.types.Object, **options: Any) -> Read:
    """Read objects of the scene as it is now."""
    found = Read(*run(triangle_source_steps(depsgraph(), objects, **options)))
    assert count_triangles(depsgraph(), objects, **options) == len(found.faces)
    assert found.placements.starts[-1] == len(found.faces) == found.item_count
    assert len(found.object_of_item) == len(found.faces) == len(found.polygon_of_triangle)
    return found


def only_object(source: Any) -> SourceObject:
    """Return the one object that was read."""
    (found,) = source.objects
    return found
