"""Blender's scene as arrays; read in this order: meshes, source, walk, scene; boxes, objects."""

from .boxes import Floats, layer_ids, layer_matrices, layer_places, world_boxes
from .instances import Instances, may_instance, read_instances
from .meshes import MeshArrays, bulk, evaluated_mesh, mesh_arrays
from .objects import ReadObjects, evaluated_box, object_bounds, read_objects, taken_types
from .scene import count_triangles, is_editable, read_triangles
from .source import Key, ObjectSource, Source, SourceObject, TriangleSource
from .walk import seen_objects

__all__ = [
    "Floats",
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
