"""Bulk reads of all layers of a mesh: topology, attributes, groups, shape keys, normals."""

from collections.abc import Callable, Iterator, Mapping
from hashlib import sha1
from typing import Any, NamedTuple

import bpy
import numpy as np
from numpy.typing import NDArray

from ...core import Steps
from .. import tuning
from ..arrays import Floats, Ids
from ..ui import ChangedMeanwhileError
from .meshes import bulk, evaluated_mesh, triangle_corners

# By attribute type: the property that holds a value, its number of components, and their dtype.
ATTRIBUTE_KINDS: dict[str, tuple[str, int, type]] = {
    "FLOAT": ("value", 1, np.float32),
    "FLOAT2": ("vector", 2, np.float32),
    "FLOAT_VECTOR": ("vector", 3, np.float32),
    "FLOAT_COLOR": ("color", 4, np.float32),
    "BYTE_COLOR": ("color", 4, np.float32),
    "QUATERNION": ("value", 4, np.float32),
    "FLOAT4X4": ("value", 16, np.float32),
    "INT": ("value", 1, np.int32),
    "INT8": ("value", 1, np.int32),
    "INT32_2D": ("value", 2, np.int32),
    "BOOLEAN": ("value", 1, np.bool_),
}
# Attributes that `MeshLayers` holds in fields of their own, and prefixes of transient attributes,
# such as selections.
_OWN = {"position", ".edge_verts", ".corner_vert", ".corner_edge", "custom_normal"}
_PASSING = (".select_", ".uv_select_", ".vs.", ".es.", ".pn.", ".velocity")


class MeshColumn(NamedTuple):
    """One attribute of a mesh.

    Attributes
    ----------
    name, domain, kind : str
        Name, domain and data type in Blender, such as "UVMap", "CORNER", "FLOAT2".
    values : ndarray, shape (n, k)
        A row for each point, edge, face or corner. Strings are an array of objects, (n, 1).
    """

    name: str
    domain: str
    kind: str
    values: NDArray[Any]


class ShapeKey(NamedTuple):
    """One shape key: its vertex positions, (v, 3), its settings by name, and its relative key.

    `relative_to` is an index into all keys of the mesh.
    """

    name: str
    positions: NDArray[np.float32]
    settings: dict[str, Any]
    relative_to: int


class GroupWeights(NamedTuple):
    """Weights of vertex groups: `vertices`, `groups`, `weights`, (w,) each, sorted by vertex."""

    vertices: Ids
    groups: Ids
    weights: Floats


class MeshLayers(NamedTuple):
    """All data of one mesh, in local space.

    Attributes
    ----------
    positions : ndarray of float32, shape (v, 3)
        Positions of the vertices.
    edges : ndarray of int32, shape (e, 2)
        The vertices of each edge.
    corner_vertices, corner_edges : ndarray of int32, shape (c,)
        The vertex of each corner, and the edge to the next corner of its polygon.
    polygon_starts : ndarray of intp, shape (p + 1,)
        The first corner of each polygon, then the number of all corners.
    triangle_corners : ndarray of int32, shape (t, 3)
        The corners of each triangle of Blender's tessellation.
    triangle_polygons : ndarray of int32, shape (t,)
        The polygon that contains each triangle.
    normals : ndarray of float32, shape (c, 3)
        The shading normal of each corner.
    columns : tuple of MeshColumn
        The other attributes, including materials, seams, sharp edges and face sets.
    groups : GroupWeights
        Weights of the vertex groups.
    keys : tuple of ShapeKey
        The shape keys, the basis first; may be empty.
    actives : Mapping of str to str
        Names of the active UV map and color attribute, and of the ones for rendering.
    """

    positions: NDArray[np.float32]
    edges: NDArray[np.int32]
    corner_vertices: NDArray[np.int32]
    corner_edges: NDArray[np.int32]
    polygon_starts: Ids
    triangle_corners: NDArray[np.int32]
    triangle_polygons: NDArray[np.int32]
    normals: NDArray[np.float32]
    columns: tuple[MeshColumn, ...]
    groups: GroupWeights
    keys: tuple[ShapeKey, ...]
    actives: dict[str, str]

    def digest(self) -> bytes:
        """Return a digest of the layers, equal for equal layers."""
        sums = sha1(usedforsecurity=False)
        for array in (*self[:8], *self.groups, *(each.positions for each in self.keys)):
            sums.update(np.ascontiguousarray(array).tobytes())
        for column in self.columns:
            values = column.values
            sums.update(repr(column[:3]).encode())
            sums.update(
                repr(values.tolist()).encode() if values.dtype == object else values.tobytes()
            )
        sums.update(repr([(each.name, each.settings) for each in self.keys]).encode())
        return sums.digest()


_NO_WEIGHTS = GroupWeights(np.empty(0, np.intp), np.empty(0, np.intp), np.empty(0))


def mesh_layers(mesh: bpy.types.Mesh, *, groups: bool = False) -> MeshLayers:
    """Copy all layers of a mesh that is not in edit mode into fresh arrays.

    Parameters
    ----------
    mesh : bpy.types.Mesh
        Evaluated or original.
    groups : bool, optional
        Read the weights of vertex groups, vertex by vertex; for meshes whose object has groups.
    """
    counts = len(mesh.vertices), len(mesh.edges), len(mesh.loops), len(mesh.polygons)
    starts = np.append(bulk(mesh.polygons, "loop_start", counts[3], np.int32), counts[2])
    return MeshLayers(
        bulk(mesh.vertices, "co", 3 * counts[0], np.float32).reshape(-1, 3),
        topology(mesh, ".edge_verts", 2 * counts[1]).reshape(-1, 2),
        topology(mesh, ".corner_vert", counts[2]),
        topology(mesh, ".corner_edge", counts[2]),
        starts.astype(np.intp),
        *triangle_corners(mesh),
        bulk(mesh.corner_normals, "vector", 3 * counts[2], np.float32).reshape(-1, 3),
        tuple(_columns(mesh)),
        _weights(mesh) if groups else _NO_WEIGHTS,
        shape_keys(mesh),
        _actives(mesh),
    )


def topology(mesh: bpy.types.Mesh, name: str, length: int) -> NDArray[np.int32]:
    """Read an integer attribute, (length,); empty meshes may lack the attribute."""
    attribute: Any = mesh.attributes.get(name)
    return bulk(attribute.data, "value", length, np.int32) if length else np.empty(0, np.int32)


def shown_layers(evaluated: bpy.types.Object, *, own: bool) -> MeshLayers:
    """Read all layers of an evaluated object's mesh, or with `own` of its original mesh."""
    original = evaluated.original
    has_groups = bool(original.type == "MESH" and original.vertex_groups)
    if own:
        assert isinstance(original.data, bpy.types.Mesh)
        return mesh_layers(original.data, groups=has_groups)
    with evaluated_mesh(evaluated) as mesh:
        return mesh_layers(mesh, groups=has_groups)


def _columns(mesh: bpy.types.Mesh) -> Iterator[MeshColumn]:
    for attribute in mesh.attributes:
        name, kind, data = attribute.name, attribute.data_type, attribute.data  # type: ignore[attr-defined]
        if name in _OWN or name.startswith(_PASSING):
            continue
        if kind == "STRING":
            texts = np.array([[each.value] for each in data], object).reshape(-1, 1)
            yield MeshColumn(name, attribute.domain, kind, texts)
        elif kind in ATTRIBUTE_KINDS:
            field, width, dtype = ATTRIBUTE_KINDS[kind]
            values = bulk(data, field, width * len(data), dtype).reshape(-1, width)
            yield MeshColumn(name, attribute.domain, kind, values)


def _weights(mesh: bpy.types.Mesh) -> GroupWeights:
    """Return the vertex group weights of a mesh; Blender has no bulk access to them."""
    entries = [
        (vertex.index, entry.group, entry.weight)
        for vertex in mesh.vertices
        for entry in vertex.groups
    ]
    table = np.array(entries, np.float64).reshape(-1, 3)
    return GroupWeights(table[:, 0].astype(np.intp), table[:, 1].astype(np.intp), table[:, 2])


def shape_keys(mesh: bpy.types.Mesh) -> tuple[ShapeKey, ...]:
    """Read the shape keys of a mesh, the basis first; may be empty."""
    if mesh.shape_keys is None:
        return ()
    blocks = list(mesh.shape_keys.key_blocks)
    names = ("slider_min", "slider_max", "value", "mute", "vertex_group", "interpolation")
    return tuple(
        ShapeKey(
            block.name,
            bulk(block.data, "co", 3 * len(block.data), np.float32).reshape(-1, 3),
            {name: getattr(block, name) for name in names},
            blocks.index(block.relative_key),
        )
        for block in blocks
    )


def _actives(mesh: bpy.types.Mesh) -> dict[str, str]:
    found = {"color": mesh.attributes.active_color_name or ""}
    found["default_color"] = mesh.attributes.default_color_name or ""
    for layer in mesh.uv_layers:
        if layer.active:
            found["uv"] = layer.name
        if layer.active_render:
            found["rendered_uv"] = layer.name
    return found


def layer_steps(
    depsgraph_of: Callable[[], bpy.types.Depsgraph], wanted: Mapping[int, bool]
) -> Steps[dict[int, MeshLayers]]:
    """Read the mesh layers of object instances, by their index in the depsgraph.

    The values of `wanted` are True for instances whose original mesh is read. A mesh shared by
    several instances is read once. Yields the fraction done. Raises a `ValueError` if an instance
    has disappeared.
    """
    found: dict[int, MeshLayers] = {}
    by_data: dict[tuple[int, bool], MeshLayers] = {}
    while len(found) < len(wanted):
        before = len(found)
        _read_some(depsgraph_of(), wanted, found, by_data)
        if len(found) == before:
            raise ChangedMeanwhileError
        yield len(found) / len(wanted)
    return found


def _read_some(
    depsgraph: bpy.types.Depsgraph,
    wanted: Mapping[int, bool],
    found: dict[int, MeshLayers],
    by_data: dict[tuple[int, bool], MeshLayers],
) -> None:
    """Read at least one more mesh; stop at a limit of vertices."""
    vertices, most = 0, tuning.current.vertices_read
    for number, instance in enumerate(depsgraph.object_instances):
        if number not in wanted or number in found:
            continue
        item = instance.object
        key = item.data.as_pointer(), wanted[number]
        if key not in by_data:
            if vertices > most:
                return
            by_data[key] = shown_layers(item, own=wanted[number])
            vertices += len(by_data[key].positions)
        found[number] = by_data[key]
