"""Scene reader: Blender -> arrays.

Read meshes, mesh_layers, soundness, objects, layers, placements, boxes and scene, then
shown_meshes, materials and changes.
"""

from ..arrays import UNUSED
from .boxes import (
    BoxPlacements,
    ReadBoxes,
    evaluated_box,
    object_bounds,
    read_boxes,
    taken_types,
)
from .changes import (
    EVERYTHING,
    SceneChanges,
    awaits_evaluation,
    changes_of,
    names_more_than_tags,
)
from .find_instance import PlacedMesh, find_instance
from .layers import layer_ids, outside_views, read_layer_matrices
from .materials import (
    RowMaterials,
    lets_light_through,
    polygon_materials,
    row_materials,
    texels_of,
)
from .mesh_layers import (
    ATTRIBUTE_KINDS,
    GroupWeights,
    MeshColumn,
    MeshLayers,
    ShapeKey,
    layer_steps,
    mesh_layers,
)
from .meshes import (
    ReadMesh,
    evaluated_mesh,
    mesh_arrays,
    polygon_corners,
    triangle_count,
)
from .objects import MAKERS, NOT_SCENE, counts_as_scene, may_instance, seen_objects
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
from .shown_meshes import read_rows, row_uv_areas
from .soundness import are_sound, is_sound, polygon_turns

__all__ = [
    "ATTRIBUTE_KINDS",
    "EVERYTHING",
    "MAKERS",
    "NOT_SCENE",
    "UNUSED",
    "BoxPlacements",
    "GroupWeights",
    "MeshColumn",
    "MeshLayers",
    "PlacedItems",
    "PlacedMesh",
    "ReadBoxes",
    "ReadMesh",
    "RowMaterials",
    "SceneChanges",
    "SceneMesh",
    "ScenePlacements",
    "SceneReader",
    "ShapeKey",
    "Snapshot",
    "are_sound",
    "awaits_evaluation",
    "changes_of",
    "counts_as_scene",
    "entry_count",
    "evaluated_box",
    "evaluated_mesh",
    "find_instance",
    "is_sound",
    "layer_ids",
    "layer_steps",
    "lets_light_through",
    "matrices_of",
    "may_instance",
    "mesh_arrays",
    "mesh_layers",
    "names_more_than_tags",
    "object_bounds",
    "outside_views",
    "polygon_corners",
    "polygon_materials",
    "polygon_turns",
    "read_boxes",
    "read_layer_matrices",
    "read_matrices",
    "read_rows",
    "row_bytes",
    "row_materials",
    "row_uv_areas",
    "seen_objects",
    "taken_types",
    "texels_of",
    "triangle_count",
    "visibility_of",
]
