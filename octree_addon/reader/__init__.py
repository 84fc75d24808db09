"""Scene reader: Blender -> arrays; source, meshes, boxes; then triangles, objects, scene."""

from .boxes import (
    Instances,
    layer_ids,
    layer_matrices,
    layer_places,
    may_instance,
    read_instances,
    world_boxes,
)
from .find_instance import PlacedMesh, find_instance
from .fingerprint import scene_fingerprint
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
from .scene import (
    SceneMesh,
    ScenePlacements,
    SceneReader,
    matrices_of,
    read_layer_matrices,
    read_matrices,
    row_bytes,
)
from .source import UNUSED, Key, ObjectSource, Source, SourceObject, TriangleSource, seen_objects
from .triangles import count_triangles, is_editable, read_triangles

__all__ = [
    "UNUSED",
    "Instances",
    "Key",
    "MeshArrays",
    "MeshVertices",
    "ObjectSource",
    "PlacedMesh",
    "ReadObjects",
    "SceneMesh",
    "ScenePlacements",
    "SceneReader",
    "Source",
    "SourceObject",
    "TriangleSource",
    "bulk",
    "count_triangles",
    "evaluated_box",
    "evaluated_mesh",
    "find_instance",
    "is_editable",
    "layer_ids",
    "layer_matrices",
    "layer_places",
    "matrices_of",
    "may_instance",
    "mesh_arrays",
    "mesh_triangles",
    "mesh_vertices",
    "object_bounds",
    "read_instances",
    "read_layer_matrices",
    "read_matrices",
    "read_objects",
    "read_triangles",
    "row_bytes",
    "scene_fingerprint",
    "seen_objects",
    "taken_types",
    "triangle_count",
    "world_boxes",
]
