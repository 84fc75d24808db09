"""Bulk reads of one mesh: `positions` (v, 3), `corners` (c,), `triangles` (t, 3)."""

from collections.abc import Iterator
from contextlib import contextmanager
from hashlib import sha1
from typing import Any, NamedTuple

import bmesh
import bpy
import numpy as np
from numpy.typing import NDArray

from ...core import SUMMED_TOGETHER, Steps, checksums, split_quads
from .. import tuning

# Number of indices looked up at once, so that the converted indices stay in the CPU cache.
_BLOCK = 1 << 16
# Types in which positions, triangles and polygons are stored, for digests and samples.
_KINDS = (np.float64, np.int64, np.int32)
# Size of the digest of a mesh (SHA-1).
DIGEST_BYTES = 20
# Approximate number of rows of each array in a sample.
_SAMPLE = 64


class ReadMesh(NamedTuple):
    """The triangles of one mesh, in local space.

    Attributes
    ----------
    positions : ndarray of float32, shape (v, 3)
        Positions of the vertices.
    triangles : ndarray of int32 or intp, shape (t, 3)
        The vertices of each triangle.
    polygons : ndarray of int32, shape (t,)
        The polygon that contains each triangle.
    """

    positions: NDArray[np.float32]
    triangles: NDArray[np.signedinteger[Any]]
    polygons: NDArray[np.int32]


def mesh_arrays(mesh: bpy.types.Mesh) -> ReadMesh:
    """Copy the triangles of a mesh that is not in edit mode into fresh arrays.

    The mesh may be evaluated, returned by `to_mesh`, or original. Without polygons all arrays are
    empty.
    """
    if not mesh.polygons:
        return ReadMesh(
            np.empty((0, 3), np.float32), np.empty((0, 3), np.int32), np.empty(0, np.int32)
        )
    positions = _positions(mesh)
    return ReadMesh(positions, *_triangles(mesh, positions))


def triangle_corners(mesh: bpy.types.Mesh) -> tuple[NDArray[np.int32], NDArray[np.int32]]:
    """Return the corners of each triangle of a mesh, (t, 3), and its polygon, (t,).

    The triangles are those of `mesh_arrays`. The mesh must not be in edit mode.
    """
    if not mesh.polygons:
        return np.empty((0, 3), np.int32), np.empty(0, np.int32)
    corners = _corner_vertices(mesh)
    triangles, polygons = _split(mesh, _positions(mesh), corners, by_corner=True)
    return triangles.astype(np.int32, "C", copy=False), polygons


def _triangles(
    mesh: bpy.types.Mesh, positions: NDArray[np.float32]
) -> tuple[NDArray[np.signedinteger[Any]], NDArray[np.int32]]:
    """Return the `triangles` and `polygons` of `ReadMesh` for a mesh with these positions."""
    corners = _corner_vertices(mesh)
    if triangle_count(mesh) == len(mesh.polygons) and _has_faces_alone(mesh):
        return corners.reshape(-1, 3), np.arange(len(mesh.polygons), dtype=np.int32)
    return _split(mesh, positions, corners)


def _split(
    mesh: bpy.types.Mesh,
    positions: NDArray[np.float32],
    corners: NDArray[np.int32],
    *,
    by_corner: bool = False,
) -> tuple[NDArray[np.signedinteger[Any]], NDArray[np.int32]]:
    """Return Blender's triangulation of all polygons, (t, 3), and the polygon of each triangle.

    Triangles hold vertices, or with `by_corner` corners.
    """
    polygons = _triangle_polygons(mesh)
    if len(polygons) > tuning.current.split_triangles and _has_faces_alone(mesh):
        rows = split_quads(positions, corners, polygons, by_corner=by_corner)
        if rows is not None:
            return rows.T, polygons
    mesh.calc_loop_triangles()
    loops = bulk(mesh.loop_triangles, "loops", 3 * len(polygons), np.uint32)
    if by_corner:
        return loops.view(np.int32).reshape(-1, 3), polygons
    triangles = np.empty(len(loops), np.int32)
    for start in range(0, len(loops), _BLOCK):
        part = slice(start, start + _BLOCK)
        np.take(corners, loops[part], out=triangles[part], mode="clip")
    return triangles.reshape(-1, 3), polygons


def _has_faces_alone(mesh: bpy.types.Mesh) -> bool:
    """Return whether all polygons have at least three corners; scripts can create smaller ones."""
    starts = bulk(mesh.polygons, "loop_start", len(mesh.polygons), np.int32)
    return bool((np.diff(starts, append=len(mesh.loops)) >= 3).all())


def digest_steps(*arrays: NDArray[Any]) -> Steps[bytes]:
    """Return a digest, `DIGEST_BYTES` bytes, of the triangles and polygons of a mesh.

    The arrays are the three of `ReadMesh`, in any precision. Yields the fraction done; a small
    mesh is digested in one step, without a yield.
    """
    digest = sha1(usedforsecurity=False)
    most = -(-tuning.current.rows_digested // SUMMED_TOGETHER) * SUMMED_TOGETHER
    for number, (array, kind) in enumerate(zip(arrays, _KINDS, strict=True)):
        numbers = np.ascontiguousarray(array.T, kind).reshape(-1)
        whole = len(numbers) * numbers.itemsize // 8 * 8 // numbers.itemsize
        words = numbers[:whole].view(np.int64)
        digest.update(numbers[whole:].data)
        for start in range(0, len(words), most):
            if start:
                yield (number + start / len(words)) / len(arrays)
            part = words[start : start + most]
            digest.update(part.data if len(words) <= SUMMED_TOGETHER else checksums(part).data)
        digest.update(b"|")
    return digest.digest()


def sample_of(arrays: ReadMesh) -> bytes:
    """Return sampled rows of a mesh as bytes; O(1).

    Equal meshes have equal samples. Different meshes rarely have equal samples.
    """
    some = (
        each[:: 1 + len(each) // _SAMPLE].astype(kind).tobytes()
        for each, kind in zip(arrays, _KINDS, strict=True)
    )
    return b"|".join((repr([len(each) for each in arrays]).encode(), *some))


def triangle_count(mesh: bpy.types.Mesh) -> int:
    """Count the triangles of a mesh that is not in edit mode; O(1)."""
    return len(mesh.loops) - 2 * len(mesh.polygons)


@contextmanager
def evaluated_mesh(evaluated: bpy.types.Object) -> Iterator[bpy.types.Mesh]:
    """Provide the displayed mesh of an evaluated object or instance of type MESH.

    In edit mode it is the current cage. The mesh is valid inside the `with` block only.
    """
    mesh = evaluated.data
    assert isinstance(mesh, bpy.types.Mesh)
    if not mesh.is_editmode:
        yield mesh
        return
    try:
        # An evaluated mesh in edit mode without modifiers is empty: its geometry is in a BMesh.
        yield evaluated.to_mesh()
    finally:
        evaluated.to_mesh_clear()


def has_polygons_of(mesh: bpy.types.Mesh, original: bpy.types.Mesh) -> bool:
    """Return whether an evaluated mesh has the same polygons as its original mesh.

    The polygons are compared corner by corner: modifiers may move vertices, but neither add,
    remove nor reorder elements. Polygon numbers of one mesh are then valid for the other.
    O(corners).
    """
    corners = _edit_corners(original) if original.is_editmode else _corners(original)
    return all(map(np.array_equal, corners, _corners(mesh)))


def polygon_corners(mesh: bpy.types.Mesh) -> tuple[NDArray[np.int32], NDArray[np.intp]]:
    """Return the vertex of each corner, polygon after polygon, and each polygon's corner count.

    A mesh in edit mode is read in its edited state.
    """
    corners, polygons = _edit_corners(mesh) if mesh.is_editmode else _corners(mesh)
    # A polygon of k corners is made of k - 2 triangles.
    return corners, np.bincount(polygons) + 2 * (len(polygons) > 0)


def _corners(mesh: bpy.types.Mesh) -> tuple[NDArray[np.int32], NDArray[np.int32]]:
    """Return the vertex of each corner, and the polygon of each triangle.

    A polygon with k triangles has k + 2 corners.
    """
    if not mesh.polygons:
        return np.empty(0, np.int32), np.empty(0, np.int32)
    return _corner_vertices(mesh), _triangle_polygons(mesh)


def _edit_corners(mesh: bpy.types.Mesh) -> tuple[NDArray[np.int32], NDArray[np.int32]]:
    """Return the same as `_corners` for a mesh in edit mode, where its arrays are outdated."""
    # `update_from_editmode` would tag the mesh as changed, which would outdate every result.
    edit = bmesh.from_edit_mesh(mesh)
    edit.verts.index_update()
    sizes = np.fromiter((len(face.loops) for face in edit.faces), np.int32, len(edit.faces))
    vertices = (loop.vert.index for face in edit.faces for loop in face.loops)
    polygons = np.arange(len(sizes), dtype=np.int32).repeat(sizes - 2)
    return np.fromiter(vertices, np.int32, int(sizes.sum())), polygons


def _positions(mesh: bpy.types.Mesh) -> NDArray[np.float32]:
    values = bulk(_values(mesh, "position"), "vector", 3 * len(mesh.vertices), np.float32)
    return values.reshape(-1, 3)


def _corner_vertices(mesh: bpy.types.Mesh) -> NDArray[np.int32]:
    return bulk(_values(mesh, ".corner_vert"), "value", len(mesh.loops), np.int32)


def _triangle_polygons(mesh: bpy.types.Mesh) -> NDArray[np.int32]:
    # `len(mesh.loop_triangles)` would compute the triangulation.
    return bulk(mesh.loop_triangle_polygons, "value", triangle_count(mesh), np.int32)


def _values(mesh: bpy.types.Mesh, attribute: str) -> Any:
    return mesh.attributes[attribute].data  # type: ignore[attr-defined]  # in its subclasses


def bulk(collection: Any, name: str, length: int, dtype: type) -> NDArray[Any]:
    """Copy one property of all elements into a fresh array of shape (length,).

    Blender copies memory directly only if kind, size and sign of the dtype match its own type.
    Any other buffer is filled element by element, a hundred times slower.
    """
    buffer: NDArray[Any] = np.empty(length, dtype)
    collection.foreach_get(name, buffer)
    return buffer
