"""Blender's scene as arrays; read in this order: meshes, source, walk, scene; boxes, objects."""

from .boxes import layer_ids, layer_matrices, world_boxes
from .instances import may_instance, read_instances
from .meshes import MeshArrays, evaluated_mesh, mesh_arrays
from .objects import ReadObjects, evaluated_box, object_bounds, read_objects
from .scene import count_triangles, is_editable, read_triangles
from .source import Key, ObjectSource, Source, SourceObject, TriangleSource

__all__ = [
    "Key",
    "MeshArrays",
    "ObjectSource",
    "ReadObjects",
    "Source",
    "SourceObject",
    "TriangleSource",
    "count_triangles",
    "evaluated_box",
    "evaluated_mesh",
    "is_editable",
    "layer_ids",
    "layer_matrices",
    "may_instance",
    "mesh_arrays",
    "object_bounds",
    "read_instances",
    "read_objects",
    "read_triangles",
    "world_boxes",
]
