"""Scene reader: Blender -> arrays; read source, meshes and boxes, then triangles, objects."""

from .boxes import (
    Instances,
    layer_ids,
    layer_matrices,
    layer_places,
    may_instance,
    read_instances,
    world_boxes,
)
from .meshes import (
    MeshArrays,
    MeshVertices,
    bulk,
    evaluated_mesh,
    mesh_arrays,
    mesh_triangles,
    mesh_vertices,
    triangle_count,
)
from .objects import ReadObjects, evaluated_box, object_bounds, read_objects, taken_types
from .source import Key, ObjectSource, Source, SourceObject, TriangleSource, seen_objects
from .triangles import count_triangles, is_editable, read_triangles

__all__ = [
    "Instances",
    "Key",
    "MeshArrays",
    "MeshVertices",
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
    "mesh_triangles",
    "mesh_vertices",
    "object_bounds",
    "read_instances",
    "read_objects",
    "read_triangles",
    "seen_objects",
    "taken_types",
    "triangle_count",
    "world_boxes",
]
