"""Blender's scene as arrays: read source, meshes and boxes, then triangles and objects."""

from .boxes import (
    Instances,
    layer_ids,
    layer_matrices,
    layer_places,
    may_instance,
    read_instances,
    world_boxes,
)
from .meshes import MeshArrays, bulk, evaluated_mesh, mesh_arrays
from .objects import ReadObjects, evaluated_box, object_bounds, read_objects, taken_types
from .source import Key, ObjectSource, Source, SourceObject, TriangleSource, seen_objects
from .triangles import count_triangles, is_editable, read_triangles

__all__ = [
    "Instances",
    "Key",
    "MeshArrays",
    "ObjectSource",
    "ReadObjects",
    "Source",
    "SourceObject",
    "TriangleSource",
    "bulk",
    "count_triangles",
    "evaluated_box",
    "evaluated_mesh",
    "is_editable",
    "layer_ids",
    "layer_matrices",
    "layer_places",
    "may_instance",
    "mesh_arrays",
    "object_bounds",
    "read_instances",
    "read_objects",
    "read_triangles",
    "seen_objects",
    "taken_types",
    "world_boxes",
]
