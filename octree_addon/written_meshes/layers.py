"""Layers of meshes written in bulk (foreach_set): attributes, shape keys, normals."""

from collections.abc import Sequence
from typing import Any

import bpy
import numpy as np
from numpy.typing import NDArray

from ..arrays import Floats
from ..reader import ATTRIBUTE_KINDS, MeshColumn, MeshLayers
from .assembly import ChunkArrays
from .topology import new_mesh

# Attribute types whose values are interpolated.
_SMOOTH = {
    "FLOAT",
    "FLOAT2",
    "FLOAT_VECTOR",
    "FLOAT_COLOR",
    "BYTE_COLOR",
    "QUATERNION",
    "FLOAT4X4",
}
# Normals are written if one differs from Blender's own by more than the first value. Normals of
# one vertex count as equal up to the second value.
_NORMALS_DIFFER, _NORMALS_ARE_ONE = 1e-4, 1e-6
_LARGEST = float(np.finfo(np.float32).max)


def chunk_positions(
    layers: MeshLayers, arrays: ChunkArrays, made: Floats, matrix: Floats
) -> NDArray[np.float32]:
    """Return the positions of a chunk's vertices in the local space of its source, (v, 3).

    Parameters
    ----------
    layers : MeshLayers
        The source mesh.
    arrays : ChunkArrays
        The chunk.
    made : ndarray of float64, shape (m, 3)
        World positions of the new vertices, exactly on the walls, in the order of their numbers.
    matrix : ndarray of float64, shape (4, 4)
        World matrix of the source. If it is singular, or if the source has shape keys, positions
        of new vertices are interpolated instead.
    """
    positions: NDArray[Any] = arrays.points.of(layers.positions, smooth=True)
    fresh = np.flatnonzero(arrays.numbers >= len(layers.positions))
    if len(fresh) and not layers.keys and np.linalg.matrix_rank(matrix[:3, :3]) == 3:
        world = made[arrays.numbers[fresh] - len(layers.positions)] - matrix[:3, 3]
        back = world @ np.linalg.inv(matrix[:3, :3]).T
        positions[fresh] = np.clip(back, -_LARGEST, _LARGEST)
    return positions


def write_mesh(
    name: str,
    layers: MeshLayers,
    arrays: ChunkArrays,
    positions: NDArray[np.float32],
    materials: Sequence[bpy.types.Material | None],
    *,
    all_slots: bool = False,
) -> bpy.types.Mesh:
    """Return a new mesh of a chunk, with the materials in use, or with all slots."""
    mesh = new_mesh(
        name,
        positions,
        arrays.edges,
        corner_vertices=arrays.corner_vertices,
        corner_edges=arrays.corner_edges,
        polygon_starts=arrays.polygon_starts,
    )
    try:
        count = len(materials)
        used = list(range(count)) if all_slots else _used_materials(layers, arrays, count)
        for number in used:
            mesh.materials.append(materials[number])
        for column in layers.columns:
            _write_column(mesh, column, arrays, used)
        _write_actives(mesh, layers.actives)
        mesh.update()
        keep_normals(mesh, arrays.corner_vertices, arrays.corners.of_normals(layers.normals))
    except BaseException:
        bpy.data.meshes.remove(mesh)
        raise
    return mesh


def _used_materials(layers: MeshLayers, arrays: ChunkArrays, count: int) -> list[int]:
    """Return the material slots, below `count`, that the polygons of a chunk use."""
    column = next((each for each in layers.columns if each.name == "material_index"), None)
    if not count:
        return []
    if column is None or not len(arrays.polygons):
        return [0]
    return np.unique(np.clip(column.values[arrays.polygons, 0], 0, count - 1)).tolist()


def _write_column(
    mesh: bpy.types.Mesh, column: MeshColumn, arrays: ChunkArrays, used: Sequence[int]
) -> None:
    values = _column_values(column, arrays)
    if column.name == "material_index":
        slots = np.clip(values, 0, max(used, default=0))
        values = np.searchsorted(used, slots).astype(np.int32) if used else slots * 0
    attributes = mesh.attributes
    attribute: Any = attributes.get(column.name)
    if attribute is None:
        attribute = attributes.new(column.name, column.kind, column.domain)  # type: ignore[arg-type]
    if column.kind == "STRING":
        for element, text in zip(attribute.data, values[:, 0].tolist(), strict=True):
            element.value = text
    elif len(values):
        attribute.data.foreach_set(
            ATTRIBUTE_KINDS[column.kind][0], np.ascontiguousarray(values).ravel()
        )


def _column_values(column: MeshColumn, arrays: ChunkArrays) -> NDArray[Any]:
    smooth = column.kind in _SMOOTH
    if column.domain == "POINT":
        values = arrays.points.of(column.values, smooth=smooth)
    elif column.domain == "CORNER":
        values = arrays.corners.of(column.values, smooth=smooth)
    elif column.domain == "FACE":
        return column.values[arrays.polygons]
    else:  # an edge across a face has no source, so its values are 0
        sources = arrays.edge_sources
        values = np.zeros((len(sources), column.values.shape[1]), column.values.dtype)
        if column.values.dtype == object:
            values[:] = b""
        values[sources >= 0] = column.values[sources[sources >= 0]]
        return values
    if column.kind == "QUATERNION":
        lengths = np.linalg.norm(values, axis=1, keepdims=True)
        values = np.divide(values, lengths, out=values, where=lengths > 0)
    return values


def _write_actives(mesh: bpy.types.Mesh, actives: dict[str, str]) -> None:
    for layer in mesh.uv_layers:
        if layer.name == actives.get("uv"):
            layer.active = True
        if layer.name == actives.get("rendered_uv"):
            layer.active_render = True
    names = mesh.attributes.keys()
    if actives["color"] in names:
        mesh.attributes.active_color_name = actives["color"]
    if actives["default_color"] in names:
        mesh.attributes.default_color_name = actives["default_color"]


def keep_normals(
    mesh: bpy.types.Mesh, corner_vertices: NDArray[np.int32], wanted: NDArray[np.float32]
) -> None:
    """Shade corners with these normals (c, 3); add custom normals only where necessary."""
    corners = len(corner_vertices)
    if not corners:
        return
    own = np.empty((corners, 3), np.float32)
    mesh.corner_normals.foreach_get("vector", own.ravel())
    wanted = np.where(np.isfinite(wanted), wanted, own)
    differ = np.abs(own - wanted).max(axis=1) > _NORMALS_DIFFER
    if not differ.any():
        return
    # Blender takes lists only. A list by vertex is shorter, as a vertex has about six corners.
    of_vertices = np.zeros((len(mesh.vertices), 3), np.float32)
    of_vertices[corner_vertices] = wanted
    if np.abs(of_vertices[corner_vertices] - wanted).max() <= _NORMALS_ARE_ONE:
        mesh.normals_split_custom_set_from_vertices(of_vertices.tolist())
        return
    # A zero vector makes Blender keep the corner's own normal.
    rows: list[Any] = [(0.0, 0.0, 0.0)] * corners
    (places,) = differ.nonzero()
    for place, normal in zip(places.tolist(), wanted[places].tolist(), strict=True):
        rows[place] = normal
    mesh.normals_split_custom_set(rows)


def write_keys(item: bpy.types.Object, layers: MeshLayers, arrays: ChunkArrays) -> None:
    """Add the shape keys of a source mesh to an object.

    Vertices with NaN or infinity in a key keep their base position.
    """
    if not layers.keys:
        return
    made, own = [], arrays.points.of(layers.positions, smooth=True)
    for key in layers.keys:
        block = item.shape_key_add(name=key.name, from_mix=False)
        positions = arrays.points.of(key.positions, smooth=True)
        positions = np.where(np.isfinite(positions), positions, own)
        block.data.foreach_set("co", positions.ravel())
        made.append(block)
        for name, value in key.settings.items():
            setattr(block, name, value)
    for block, key in zip(made, layers.keys, strict=True):
        block.relative_key = made[key.relative_to]
