"""Bulk reads of the meshes of placements: each evaluated mesh is read once."""

from collections.abc import Callable
from typing import TypeVar

import bpy
import numpy as np

from ..arrays import Floats
from .meshes import bulk, evaluated_mesh, triangle_corners, triangle_count
from .placements import ScenePlacements

_Own = TypeVar("_Own")
_Shared = TypeVar("_Shared")


def read_rows(
    depsgraph: bpy.types.Depsgraph,
    placements: ScenePlacements,
    shared: Callable[[bpy.types.Mesh], _Shared],
    own: Callable[[bpy.types.Object, _Shared], _Own],
) -> list[_Own]:
    """Return one value for each of n placements of a depsgraph.

    The placements must stem from the present state of the depsgraph. `shared` is called once for
    each evaluated mesh; `own` is called for each placement, with its evaluated object and the
    result of `shared`.
    """
    rows = {entry: row for row, entry in enumerate(placements.entries.tolist())}
    found: dict[int, _Own] = {}
    known: dict[int, _Shared] = {}
    # Hot loop over possibly tens of thousands of instances: avoid attribute accesses.
    for number, instance in enumerate(depsgraph.object_instances):
        row = rows.get(number)
        if row is None:
            continue
        item = instance.object
        address = item.data.as_pointer()
        if address not in known:
            with evaluated_mesh(item) as mesh:
                known[address] = shared(mesh)
        found[row] = own(item, known[address])
    return [found[row] for row in sorted(found)]


def row_uv_areas(depsgraph: bpy.types.Depsgraph, placements: ScenePlacements) -> list[Floats]:
    """Return the UV areas of the triangles, (t,), of each of n placements.

    The areas are measured in the UV map for rendering; the unit square has area 1. They are 0
    without a UV map, and for NaN or infinite coordinates.
    """
    return read_rows(depsgraph, placements, _uv_areas, lambda _, areas: areas)


def _uv_areas(mesh: bpy.types.Mesh) -> Floats:
    layer = next((each for each in mesh.uv_layers if each.active_render), None)
    if layer is None:
        return np.zeros(triangle_count(mesh))
    triangles, _ = triangle_corners(mesh)
    map_ = bulk(layer.uv, "vector", 2 * len(mesh.loops), np.float32).astype(np.float64)
    places = map_.reshape(-1, 2)[triangles]
    (x, y), (z, w) = (places[:, 1] - places[:, 0]).T, (places[:, 2] - places[:, 0]).T
    areas: Floats = np.nan_to_num(np.abs(x * w - y * z) / 2, posinf=0.0)
    return areas
