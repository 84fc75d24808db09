"""Scene reader: Blender -> arrays.

Read meshes, objects, layers, placements, boxes and scene, then changes.
"""

from .boxes import (
    BoxPlacements,
    ReadBoxes,
    evaluated_box,
    object_bounds,
    read_boxes,
    taken_types,
)
from .changes import EVERYTHING, SceneChanges, changes_of
from .find_instance import PlacedMesh, find_instance
from .layers import layer_ids, read_layer_matrices
from .materials import RowMaterials, lets_light_through, polygon_materials, row_materials
from .meshes import (
    MeshVertices,
    ReadMesh,
    bulk,
    evaluated_mesh,
    is_editable,
    mesh_arrays,
    mesh_triangles,
    mesh_vertices,
    polygon_corners,
    triangle_count,
)
from .objects import NOT_SCENE, UNUSED, counts_as_scene, may_instance, seen_objects
from .placements import (
    PlacedItems,
    SceneMesh,
    ScenePlacements,
    Snapshot,
    entry_count,
    matrices_of,
    read_matrices,
    row_bytes,
    visibility_of,
)
from .scene import SceneReader

__all__ = [
    "EVERYTHING",
    "NOT_SCENE",
    "UNUSED",
    "BoxPlacements",
    "MeshVertices",
    "PlacedItems",
    "PlacedMesh",
    "ReadBoxes",
    "ReadMesh",
    "RowMaterials",
    "SceneChanges",
    "SceneMesh",
    "ScenePlacements",
    "SceneReader",
    "Snapshot",
    "bulk",
    "changes_of",
    "counts_as_scene",
    "entry_count",
    "evaluated_box",
    "evaluated_mesh",
    "find_instance",
    "is_editable",
    "layer_ids",
    "lets_light_through",
    "matrices_of",
    "may_instance",
    "mesh_arrays",
    "mesh_triangles",
    "mesh_vertices",
    "object_bounds",
    "polygon_corners",
    "polygon_materials",
    "read_boxes",
    "read_layer_matrices",
    "read_matrices",
    "row_bytes",
    "row_materials",
    "seen_objects",
    "taken_types",
    "triangle_count",
    "visibility_of",
]
