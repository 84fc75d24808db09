"""Triangles as the add-on reads them, with what it promises of every answer."""

from typing import Any

import bpy
from blender_scenes import depsgraph

from octree_ext.octree_addon.reader import (
    SourceObject,
    TriangleSource,
    count_triangles,
    read_triangles,
)


def read(*objects: bpy.types.Object, **options: Any) -> TriangleSource:
    """Read objects of the scene as it is now."""
    source = read_triangles(depsgraph(), objects, **options)
    assert count_triangles(depsgraph(), objects, **options) == len(source.faces)
    assert source.placement_start[-1] == len(source.faces)
    assert len(source.object_of_item) == len(source.faces) == len(source.polygon_of_triangle)
    return source


def only_object(source: TriangleSource) -> SourceObject:
    """Return the one object that was read."""
    (found,) = source.objects
    return found
