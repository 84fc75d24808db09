"""Blender's scene as arrays; read in this order: meshes, source, scene."""

from .meshes import MeshArrays, evaluated_mesh, mesh_arrays
from .scene import count_triangles, is_editable, object_bounds, read_triangles
from .source import Source, SourceObject

__all__ = [
    "MeshArrays",
    "Source",
    "SourceObject",
    "count_triangles",
    "evaluated_mesh",
    "is_editable",
    "mesh_arrays",
    "object_bounds",
    "read_triangles",
]
