"""Blender's scene as arrays; read in this order: meshes, source, scene."""

from .meshes import MeshArrays, mesh_arrays
from .scene import count_triangles, object_bounds, read_triangles
from .source import Source, SourceObject

__all__ = [
    "MeshArrays",
    "Source",
    "SourceObject",
    "count_triangles",
    "mesh_arrays",
    "object_bounds",
    "read_triangles",
]
