"""New meshes from arrays, in bulk (foreach_set), validated before anything else is set on them.

Setting normals on an invalid mesh makes Blender read beyond the end of arrays and crash.
"""

from collections.abc import Sequence
from typing import Any

import bpy
import numpy as np
from numpy.typing import NDArray

from ..arrays import Ids

_NONE = np.empty(0, np.intp)


def new_mesh(
    name: str,
    positions: NDArray[np.floating[Any]],
    edges: NDArray[np.integer[Any]] = _NONE,
    *,
    corner_vertices: NDArray[np.integer[Any]] | Sequence[int] = _NONE,
    corner_edges: NDArray[np.integer[Any]] = _NONE,
    polygon_starts: Ids | Sequence[int] = _NONE,
) -> bpy.types.Mesh:
    """Return a new mesh with this geometry and nothing else.

    Parameters
    ----------
    name : str
        Name of the mesh.
    positions : ndarray of float, shape (v, 3)
        Positions of the vertices.
    edges : ndarray of int, shape (e, 2)
        The vertices of each edge.
    corner_vertices : array_like of int, shape (c,)
        The vertices of the corners of all polygons.
    corner_edges : ndarray of int, shape (c,)
        The edge from each corner to the next. If missing, Blender computes the edges of polygons.
    polygon_starts : array_like of int, shape (p,)
        The first corner of each polygon.

    Raises
    ------
    ValueError
        If the mesh is not valid. The mesh is removed again.
    """
    mesh = bpy.data.meshes.new(name)
    try:
        _fill(mesh, positions, edges, corner_vertices, corner_edges, polygon_starts)
        require_valid(mesh)
    except BaseException:
        bpy.data.meshes.remove(mesh)
        raise
    return mesh


def _fill(
    mesh: bpy.types.Mesh, positions: Any, edges: Any, vertices: Any, borders: Any, starts: Any
) -> None:
    mesh.vertices.add(len(positions))
    mesh.edges.add(len(edges))
    mesh.loops.add(len(vertices))
    mesh.polygons.add(len(starts))
    mesh.vertices.foreach_set("co", np.ascontiguousarray(positions, np.float32).ravel())
    # Blender copies these attributes in bulk; other accessors are filled element by element.
    topology = {".edge_verts": edges, ".corner_vert": vertices, ".corner_edge": borders}
    for attribute, values in topology.items():
        if len(values):
            layer: Any = mesh.attributes[attribute]
            layer.data.foreach_set("value", np.ascontiguousarray(values, np.int32).ravel())
    mesh.polygons.foreach_set("loop_start", np.asarray(starts, np.int32))
    mesh.update(calc_edges=len(borders) < len(vertices))


def require_valid(mesh: bpy.types.Mesh) -> None:
    """Validate a mesh with Blender.

    Raises
    ------
    ValueError
        If the mesh was invalid. Blender has then corrected it, so its arrays may have changed.
    """
    positions = np.empty(3 * len(mesh.vertices), np.float32)
    mesh.vertices.foreach_get("co", positions)
    # Blender 4 sets NaN and infinity to 0 without reporting it.
    if not np.isfinite(positions).all() or mesh.validate():
        raise ValueError(f"The mesh {mesh.name} cannot be written: it would not be valid")
