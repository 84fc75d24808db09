"""Scene reader: Blender -> arrays.

Read meshes, source, boxes, triangles, objects, placements, scene, then changes.
"""

from .boxes import (
    Instances,
    layer_ids,
    layer_matrices,
    layer_places,
    may_instance,
    read_instances,
    read_layer_matrices,
    world_boxes,
)
from .changes import EVERYTHING, Changes, Comparison, changes_of, update_flags
from .find_instance import PlacedMesh, find_instance
from .materials import RowMaterials, lets_light_through, polygon_materials, row_materials
from .meshes import (
    MeshArrays,
    MeshVertices,
    bulk,
    evaluated_mesh,
    mesh_arrays,
    mesh_triangles,
    mesh_vertices,
    polygon_corners,
    triangle_count,
)
from .objects import ReadObjects, evaluated_box, object_bounds, read_objects, taken_types
from .placements import (
    SceneMesh,
    ScenePlacements,
    entry_count,
    matrices_of,
    read_matrices,
    row_bytes,
    visibility_of,
)
from .scene import SceneReader
from .source import (
    NOT_SCENE,
    UNUSED,
    Key,
    ObjectSource,
    Source,
    SourceObject,
    TriangleSource,
    counts_as_scene,
    seen_objects,
)
from .triangles import count_triangles, is_editable, read_triangles, triangle_steps

__all__ = [
    "EVERYTHING",
    "NOT_SCENE",
    "UNUSED",
    "Changes",
    "Comparison",
    "Instances",
    "Key",
    "MeshArrays",
    "MeshVertices",
    "ObjectSource",
    "PlacedMesh",
    "ReadObjects",
    "RowMaterials",
    "SceneMesh",
    "ScenePlacements",
    "SceneReader",
    "Source",
    "SourceObject",
    "TriangleSource",
    "bulk",
    "changes_of",
    "count_triangles",
    "counts_as_scene",
    "entry_count",
    "evaluated_box",
    "evaluated_mesh",
    "find_instance",
    "is_editable",
    "layer_ids",
    "layer_matrices",
    "layer_places",
    "lets_light_through",
    "matrices_of",
    "may_instance",
    "mesh_arrays",
    "mesh_triangles",
    "mesh_vertices",
    "object_bounds",
    "polygon_corners",
    "polygon_materials",
    "read_instances",
    "read_layer_matrices",
    "read_matrices",
    "read_objects",
    "read_triangles",
    "row_bytes",
    "row_materials",
    "seen_objects",
    "taken_types",
    "triangle_count",
    "triangle_steps",
    "update_flags",
    "visibility_of",
    "world_boxes",
]
