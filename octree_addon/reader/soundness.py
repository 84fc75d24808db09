"""Soundness of meshes: a mesh is sound if Blender's `Mesh.validate` has nothing to correct.

Files and scripts may contain unsound meshes: a polygon with a repeated vertex, two polygons on the
same vertices, NaN or infinite coordinates. Blender displays such meshes, and crashes on some.
"""

from collections.abc import Iterable
from typing import Any

import bpy
import numpy as np
from numpy.typing import NDArray

from ..arrays import Ids
from .materials import polygon_materials
from .mesh_layers import MeshLayers, ShapeKey, shape_keys, topology
from .meshes import bulk

# Shifts and factors that mix the bits of a number. (D. Stafford, "Better Bit Mixing", 2011, 13.)
_MIX = ((30, 0xBF58476D1CE4E5B9), (27, 0x94D049BB133111EB), (31, 1))
_NONE = np.empty(0, np.int32)


def is_sound(mesh: bpy.types.Mesh) -> bool:
    """Return whether a mesh that is not in edit mode, original or evaluated, is sound."""
    counts = len(mesh.vertices), len(mesh.edges), len(mesh.loops), len(mesh.polygons)
    starts = bulk(mesh.polygons, "loop_start", counts[3], np.int32)
    return _are_finite(shape_keys(mesh)) and _is_sound(
        bulk(mesh.vertices, "co", 3 * counts[0], np.float32),
        topology(mesh, ".edge_verts", 2 * counts[1]).reshape(-1, 2),
        topology(mesh, ".corner_vert", counts[2]),
        np.append(starts, counts[2]).astype(np.intp),
        polygon_materials(mesh),
    )


def are_sound(layers: MeshLayers) -> bool:
    """Return whether the mesh from which the layers were read is sound."""
    slots = [each.values for each in layers.columns if each.name == "material_index"]
    return _are_finite(layers.keys) and _is_sound(*layers[:3], layers.polygon_starts, *slots)


def polygon_turns(vertices: NDArray[np.signedinteger[Any]], starts: Ids) -> Ids:
    """Return the number of earlier polygons with the same set of vertices, (p,).

    `vertices`, (c,), is the vertex of each corner. `starts`, (p + 1,), is the first corner of each
    polygon, then the number of corners. The order of the vertices in a polygon does not matter.
    """
    turns = np.zeros(len(starts) - 1, np.intp)
    if len(turns) < 2:
        return turns
    # Hash each vertex set as a sum of mixed indices. Collisions: one in a million large meshes.
    mixed = vertices.astype(np.uint64) + np.uint64(1)
    for shift, factor in _MIX:
        mixed = (mixed ^ (mixed >> np.uint64(shift))) * np.uint64(factor)
    sums = np.add.reduceat(mixed, starts[:-1])
    if _are_distinct(sums):
        return turns
    order = np.argsort(sums, kind="stable")
    runs = np.flatnonzero(np.append(True, np.diff(sums[order]) != 0))
    turns[order] = np.arange(len(sums)) - np.repeat(runs, np.diff(np.append(runs, len(sums))))
    return turns


def _is_sound(
    positions: NDArray[np.float32],
    edges: NDArray[np.int32],
    vertices: NDArray[np.int32],
    starts: Ids,
    slots: NDArray[np.int32] = _NONE,
) -> bool:
    ends = edges.astype(np.int64)
    return bool(
        np.isfinite(positions).all()
        and (np.diff(starts) >= 3).all()
        and slots.min(initial=0) >= 0
        and (edges[:, 0] != edges[:, 1]).all()
        and _are_distinct(ends.min(axis=1) << 32 | ends.max(axis=1))
        and _are_distinct(np.repeat(np.arange(len(starts) - 1), np.diff(starts)) << 32 | vertices)
        and not polygon_turns(vertices, starts).any()
    )


def _are_finite(keys: Iterable[ShapeKey]) -> bool:
    return all(np.isfinite(each.positions).all() for each in keys)


def _are_distinct(numbers: NDArray[np.integer[Any]]) -> bool:
    # A stable sort is fast here, since corners are nearly sorted.
    ordered = np.sort(numbers, kind="stable")
    return bool((ordered[1:] != ordered[:-1]).all())
