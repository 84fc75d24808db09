"""Decimation of meshes by Blender's modifier (edge collapse), with fixed vertices.

The modifier collapses no edge at a vertex of weight 0, so fixed vertices keep their positions bit
by bit; this is verified afterwards.
"""

from collections.abc import Sequence
from typing import Any, NamedTuple

import bpy
import numpy as np
from numpy.typing import NDArray

from .. import tuning
from ..arrays import Flags
from ..chunks import Draft
from ..reader import is_sound, triangle_count
from ..written_meshes import keep_normals

# Temporary attributes and the temporary vertex group.
_NUMBER, _NORMAL, _FIXED = "octree_number", "octree_normal", "octree_fixed"


class ReductionWish(NamedTuple):
    """A mesh to be reduced, and flags of its fixed vertices, (v,)."""

    mesh: bpy.types.Mesh
    fixed: Flags


def reduced_meshes(
    scene: bpy.types.Scene, wishes: Sequence[ReductionWish], share: float
) -> list[bpy.types.Mesh]:
    """Return new meshes that keep about a `share` of the vertices that are not fixed.

    Shape keys and vertex groups are left out. A mesh is copied unreduced if decimation would lose
    a fixed vertex or make the mesh invalid. The meshes are evaluated in `scene`, which no window
    should show.
    """
    layer, home, made = scene.view_layers[0], scene.collection, Draft()
    found: list[bpy.types.Mesh] = []
    try:
        items = [_shown(wish, share, made) for wish in wishes]
        for item in items:
            home.objects.link(item)
        layer.update()
        for wish, item in zip(wishes, items, strict=True):
            found.append(_result(item, wish, layer))
    except BaseException:
        bpy.data.batch_remove(found)
        raise
    finally:
        made.drop()
    return found


def _result(
    item: bpy.types.Object, wish: ReductionWish, layer: bpy.types.ViewLayer
) -> bpy.types.Mesh:
    mesh = bpy.data.meshes.new_from_object(item.evaluated_get(layer.depsgraph))
    if len(item.modifiers) and not _has_fixed(mesh, wish):
        bpy.data.meshes.remove(mesh)
        item.modifiers.clear()
        layer.update()
        mesh = bpy.data.meshes.new_from_object(item.evaluated_get(layer.depsgraph))
    _finish(mesh)
    return mesh


def _shown(wish: ReductionWish, share: float, made: Draft) -> bpy.types.Object:
    """Return an object with a copy of a mesh and, if it is to be reduced, the modifier."""
    mesh = wish.mesh.copy()
    made.data.append(mesh)
    fixed = np.flatnonzero(wish.fixed)
    numbers = np.zeros(len(mesh.vertices), np.int32)
    numbers[fixed] = np.arange(1, len(fixed) + 1)
    _write(mesh, _NUMBER, "INT", "POINT", numbers)
    _write(mesh, _NORMAL, "FLOAT_VECTOR", "CORNER", _normals(mesh).ravel())
    item = bpy.data.objects.new("reduced", mesh)
    made.data.append(item)
    triangles, free = triangle_count(mesh), len(numbers) - len(fixed)
    # Each collapse removes a vertex and two triangles.
    wanted = max(triangles - 2 * (1 - share) * free, tuning.current.level_triangles)
    if wanted < triangles:
        group = item.vertex_groups.new(name=_FIXED)
        group.add(fixed.tolist(), 1.0, "REPLACE")
        modifier: Any = item.modifiers.new("reduced", "DECIMATE")
        modifier.ratio = wanted / triangles
        modifier.vertex_group, modifier.invert_vertex_group = group.name, True
        modifier.vertex_group_factor = 1.0
        modifier.use_collapse_triangulate = True
    return item


def _has_fixed(mesh: bpy.types.Mesh, wish: ReductionWish) -> bool:
    """Return whether all fixed vertices are left; restore their positions if they moved."""
    wanted = _positions(wish.mesh)[wish.fixed]
    numbers = np.zeros(len(mesh.vertices), np.int32)
    attribute: Any = mesh.attributes.get(_NUMBER)
    if attribute is None or not mesh.polygons or not is_sound(mesh):
        return False
    attribute.data.foreach_get("value", numbers)
    places = np.flatnonzero(numbers > 0)
    if not np.array_equal(np.sort(numbers[places]), np.arange(1, len(wanted) + 1)):
        return False
    positions = _positions(mesh)
    stayed = wanted[numbers[places] - 1]
    if not np.array_equal(positions[places].view(np.int32), stayed.view(np.int32)):
        positions[places] = stayed
        mesh.vertices.foreach_set("co", positions.ravel())
        mesh.update()
    return True


def _finish(mesh: bpy.types.Mesh) -> None:
    """Give smooth faces their former corner normals, and remove temporary attributes."""
    attribute: Any = mesh.attributes.get(_NORMAL)
    wanted = np.zeros((len(mesh.loops), 3), np.float32)
    if attribute is not None:
        attribute.data.foreach_get("vector", wanted.ravel())
    for name in (_NUMBER, _NORMAL):
        if name in mesh.attributes:
            mesh.attributes.remove(mesh.attributes[name])
    is_smooth = np.zeros(len(mesh.polygons), np.bool_)
    sizes = np.zeros(len(mesh.polygons), np.int32)
    vertices = np.zeros(len(mesh.loops), np.int32)
    mesh.polygons.foreach_get("use_smooth", is_smooth)
    mesh.polygons.foreach_get("loop_total", sizes)
    mesh.loops.foreach_get("vertex_index", vertices)
    flat = np.empty((len(mesh.polygons), 3), np.float32)
    mesh.polygon_normals.foreach_get("vector", flat.ravel())
    lengths = np.linalg.norm(wanted, axis=1, keepdims=True)
    kept = (lengths > 0) & np.repeat(is_smooth, sizes)[:, None]
    normals = np.where(kept, wanted / np.where(kept, lengths, 1.0), np.repeat(flat, sizes, axis=0))
    if mesh.has_custom_normals:  # decimation has assigned them to the wrong corners
        mesh.normals_split_custom_set(normals.tolist())
    else:
        keep_normals(mesh, vertices, normals)


def _write(mesh: bpy.types.Mesh, name: str, kind: str, domain: str, values: NDArray[Any]) -> None:
    former: Any = mesh.attributes.get(name)
    if former is not None:
        mesh.attributes.remove(former)
    attribute: Any = mesh.attributes.new(name, kind, domain)  # type: ignore[arg-type]
    attribute.data.foreach_set("vector" if kind == "FLOAT_VECTOR" else "value", values)


def _positions(mesh: bpy.types.Mesh) -> NDArray[np.float32]:
    positions = np.empty((len(mesh.vertices), 3), np.float32)
    mesh.vertices.foreach_get("co", positions.ravel())
    return positions


def _normals(mesh: bpy.types.Mesh) -> NDArray[np.float32]:
    normals = np.empty((len(mesh.loops), 3), np.float32)
    mesh.corner_normals.foreach_get("vector", normals.ravel())
    return normals
