"""Welding of meshes of neighboring chunks: layers concatenated, seam vertices merged if equal.

A vertex of a seam has the same position in each chunk that has it. If one chunk has two vertices
there, the surface is open or touches itself, and none of them is merged.
"""

from collections.abc import Sequence
from typing import Any

import bpy
import numpy as np
from numpy.typing import NDArray

from ...core import ChunkPolygons
from ..arrays import Flags, Ids
from ..reader import MeshColumn, MeshLayers, mesh_layers
from ..written_meshes import chunk_arrays, loose_parts, write_mesh

_ELEMENTS = ("POINT", "EDGE", "FACE", "CORNER")


def open_vertices(layers: MeshLayers) -> Flags:
    """Flag vertices on an edge with fewer than two polygons, or in no polygon, (v,)."""
    sides = np.bincount(layers.corner_edges, minlength=len(layers.edges))
    found = np.zeros(len(layers.positions), np.bool_)
    found[layers.edges[sides < 2].ravel()] = True
    used = np.zeros(len(layers.positions), np.bool_)
    used[layers.corner_vertices] = True
    return found | ~used


def welded_mesh(name: str, meshes: Sequence[bpy.types.Mesh]) -> bpy.types.Mesh:
    """Return a new mesh with all polygons and materials of meshes that share a space."""
    parts = [mesh_layers(mesh) for mesh in meshes]
    materials = [list(mesh.materials) for mesh in meshes]
    slots = list(dict.fromkeys(each for some in materials for each in some))
    layers = _together(parts, [[slots.index(each) for each in some] for some in materials])
    vertices = _first_at_place(parts)[layers.corner_vertices]
    corners, polygons = np.arange(len(vertices)), len(layers.polygon_starts) - 1
    weights = np.zeros((len(vertices), 3))
    weights[:, 0] = 1.0
    whole = ChunkPolygons(
        np.arange(polygons),
        np.zeros(polygons, np.intp),
        np.ones(polygons, np.bool_),
        layers.polygon_starts,
        vertices,
        np.repeat(corners[:, None], 3, axis=1),
        weights,
        corners,
    )
    # Loose parts are left out: coarser levels have faces only.
    beyond = (np.full(len(each), -1) for each in loose_parts(layers))
    arrays = next(each for each in chunk_arrays(layers, whole, *beyond) if each.cell == 0)
    return write_mesh(name, layers, arrays, layers.positions[arrays.numbers], slots)


def _first_at_place(parts: Sequence[MeshLayers]) -> Ids:
    """Return the vertex that each vertex becomes, (v,): the first at its place, or itself."""
    starts = np.cumsum([0, *(len(each.positions) for each in parts)])
    becomes = np.arange(starts[-1])
    rims = [np.flatnonzero(open_vertices(each)) for each in parts]
    numbers = np.concatenate([rim + start for rim, start in zip(rims, starts, strict=False)])
    # Adding 0.0 turns -0.0 into 0.0, since bytes are compared.
    places = np.concatenate(
        [each.positions[rim] + 0.0 for each, rim in zip(parts, rims, strict=True)]
    )
    _, first, group = np.unique(
        np.ascontiguousarray(places, np.float32).view("V12").ravel(),
        return_index=True,
        return_inverse=True,
    )
    of_part = np.repeat(np.arange(len(parts)), [len(rim) for rim in rims])
    codes, counts = np.unique(group.ravel() * len(parts) + of_part, return_counts=True)
    alone = np.ones(len(first), np.bool_)
    alone[codes[counts > 1] // len(parts)] = False
    moved = alone[group.ravel()]
    becomes[numbers[moved]] = numbers[first[group.ravel()[moved]]]
    return becomes


def _together(parts: Sequence[MeshLayers], slots: Sequence[Sequence[int]]) -> MeshLayers:
    """Return the concatenated layers of all parts; `slots` are new material numbers per part."""
    vertices, edges, corners = (
        np.cumsum([0, *(len(each[field]) for each in parts)]) for field in (0, 1, 2)
    )

    def moved(field: int, starts: Ids) -> NDArray[Any]:
        return np.concatenate(
            [each[field] + start for each, start in zip(parts, starts, strict=False)]
        ).astype(np.int32)

    starts = [each.polygon_starts[:-1] + at for each, at in zip(parts, corners, strict=False)]
    return parts[0]._replace(
        positions=np.concatenate([each.positions for each in parts]),
        edges=moved(1, vertices),
        corner_vertices=moved(2, vertices),
        corner_edges=moved(3, edges),
        polygon_starts=np.append(np.concatenate(starts), corners[-1]),
        normals=np.concatenate([each.normals for each in parts]),
        columns=tuple(_columns(parts, slots)),
        keys=(),
    )


def _columns(parts: Sequence[MeshLayers], slots: Sequence[Sequence[int]]) -> list[MeshColumn]:
    """Return the columns that any part has, concatenated; a part without one gets zeros."""
    kinds = {each.name: each for part in parts for each in part.columns}
    if any(len(some) for some in slots):
        values = np.zeros((0, 1), np.int32)
        kinds["material_index"] = MeshColumn("material_index", "FACE", "INT", values)
    found = []
    for name, like in kinds.items():
        rows = []
        for part, numbers in zip(parts, slots, strict=True):
            values = _values(part, like)
            if name == "material_index" and numbers:
                values = np.array(numbers, np.int32)[np.clip(values, 0, len(numbers) - 1)]
            rows.append(values)
        found.append(like._replace(values=np.concatenate(rows)))
    return found


def _values(part: MeshLayers, like: MeshColumn) -> NDArray[Any]:
    for each in part.columns:
        if each[:3] == like[:3]:
            return each.values
    counts = len(part.positions), len(part.edges), len(part.polygon_starts) - 1
    count = (*counts, len(part.corner_vertices))[_ELEMENTS.index(like.domain)]
    values = np.zeros((count, like.values.shape[1]), like.values.dtype)
    if values.dtype == object:
        values[:] = b""
    return values
