"""Scene reader: Blender -> arrays; read source, triangles, objects, differences, changes."""

from .boxes import (
    Instances,
    layer_ids,
    layer_matrices,
    layer_places,
    may_instance,
    read_instances,
    world_boxes,
)
from .changes import EVERYTHING, Changes, Comparison, changes_of, update_flags
from .meshes import MeshArrays, bulk, evaluated_mesh, mesh_arrays
from .objects import ReadObjects, evaluated_box, object_bounds, read_objects, taken_types
from .source import (
    NOT_SCENE,
    Key,
    ObjectSource,
    Source,
    SourceObject,
    TriangleSource,
    counts_as_scene,
    seen_objects,
)
from .triangles import count_triangles, is_editable, read_triangles

__all__ = [
    "EVERYTHING",
    "NOT_SCENE",
    "Changes",
    "Comparison",
    "Instances",
    "Key",
    "MeshArrays",
    "ObjectSource",
    "ReadObjects",
    "Source",
    "SourceObject",
    "TriangleSource",
    "bulk",
    "changes_of",
    "count_triangles",
    "counts_as_scene",
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
    "update_flags",
    "world_boxes",
]
