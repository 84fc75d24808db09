"""World-space triangles of a scene: each mesh read once, baked by each of its matrices."""

from collections.abc import Iterable, Mapping
from dataclasses import dataclass, field
from typing import Any

import bpy
import numpy as np
from numpy.typing import NDArray

from ..arrays import Floats, Ids
from .meshes import MeshArrays, evaluated_mesh, has_polygons_of, mesh_arrays, triangle_count
from .source import (
    SourceObject,
    TriangleSource,
    dependencies,
    is_true_instance,
    placements,
    seen_objects,
)

Rows = list[tuple[float, ...]]


@dataclass(eq=False)
class SharedMesh:
    """A mesh read once, with one entry in each list for every placement.

    Attributes
    ----------
    arrays : MeshArrays
        Its triangles, in its own space.
    matrices : list of four rows of four float
        From its own space to world space.
    objects : list of int
        Indices of the objects that the placements belong to.
    instances : list of bool
        Whether the placement is an instance.
    editable : list of bool
        Whether its polygons are those of the object's original mesh.
    """

    arrays: MeshArrays
    matrices: list[Rows] = field(default_factory=list)
    objects: list[int] = field(default_factory=list)
    instances: list[bool] = field(default_factory=list)
    editable: list[bool] = field(default_factory=list)

    @property
    def vertex_count(self) -> int:
        """Vertices of all placements."""
        return len(self.objects) * len(self.arrays.positions)

    @property
    def triangle_count(self) -> int:
        """Triangles of all placements."""
        return len(self.objects) * len(self.arrays.triangles)


def baked(
    meshes: list[SharedMesh],
    objects: tuple[SourceObject, ...],
    skipped: Mapping[str, int],
    ids: frozenset[int],
) -> TriangleSource:
    """Bake every placement by its matrix, all of a mesh in one step.

    The order is that of the meshes, each with a triangle and a placement at least, and of the
    placements of each. What is skipped, and the ids, are passed on.
    """
    vertices = np.empty((sum(shared.vertex_count for shared in meshes), 3))
    faces = np.empty((sum(shared.triangle_count for shared in meshes), 3), np.intp)
    polygons = np.empty(len(faces), np.intp)
    vertex = triangle = 0
    # A vertex that is not finite affects itself alone; the core sets its triangles aside.
    with np.errstate(invalid="ignore", over="ignore"):
        for shared in meshes:
            vertex_end, end = vertex + shared.vertex_count, triangle + shared.triangle_count
            _place_vertices(shared, vertices[vertex:vertex_end])
            _place_triangles(shared, vertex, faces[triangle:end])
            _place_polygons(shared, polygons[triangle:end])
            vertex, triangle = vertex_end, end
    lengths = [len(shared.arrays.triangles) for shared in meshes for _ in shared.objects]
    return TriangleSource(
        vertices=vertices,
        faces=faces,
        polygon_of_triangle=polygons,
        placement_start=np.cumsum([0, *lengths]),
        object_of_placement=_joined([shared.objects for shared in meshes], np.intp),
        is_instance=_joined([shared.instances for shared in meshes], np.bool_),
        objects=objects,
        skipped=skipped,
        ids=ids,
    )


def _place_vertices(shared: SharedMesh, target: Floats) -> None:
    matrices = np.array(shared.matrices, np.float64)
    linear = matrices[:, :3, :3].swapaxes(1, 2)
    placed = target.reshape(len(matrices), -1, 3)
    np.matmul(shared.arrays.positions.astype(np.float64), linear, out=placed)
    placed += matrices[:, None, :3, 3]


def _place_triangles(shared: SharedMesh, vertex: int, target: Ids) -> None:
    count, arrays = len(shared.objects), shared.arrays
    first = vertex + len(arrays.positions) * np.arange(count)
    np.add(arrays.triangles, first[:, None, None], out=target.reshape(count, -1, 3))


def _place_polygons(shared: SharedMesh, target: Ids) -> None:
    polygons = target.reshape(len(shared.objects), -1)
    polygons[:] = -1
    polygons[np.array(shared.editable)] = shared.arrays.polygons


def _joined(lists: list[list[Any]], dtype: type) -> NDArray[Any]:
    return np.array([value for values in lists for value in values], dtype)


_HAVE_FACES = {"MESH", "CURVE", "SURFACE", "FONT", "META"}


@dataclass(eq=False)
class _Owner:
    """What is gathered about an object during the walk."""

    number: int
    name: str
    instances: int = 0
    editable: bool = False


def read_triangles(
    depsgraph: bpy.types.Depsgraph,
    objects: Iterable[bpy.types.Object],
    *,
    viewport: bpy.types.SpaceView3D | None = None,
) -> TriangleSource:
    """Read the evaluated triangles of objects, and of what they instance, in world space.

    The objects are original ones; repeated ones count once, and the local view of `viewport`, if
    any, hides those outside it. Each mesh is read once, however many placements it has, in the
    order of first appearance.
    """
    wanted, skipped = seen_objects(depsgraph, objects, viewport)
    ids = set(dependencies(wanted.values()))
    owners: dict[int, _Owner] = {}
    meshes: dict[int, SharedMesh] = {}
    for instance, owner in placements(depsgraph, wanted):
        ids.update(dependencies([instance.object.original]))
        if instance.object.type == "MESH":
            _gather(instance, owner, owners, meshes)
    skipped.update(_reason(item) for uid, item in wanted.items() if uid not in owners)
    found = tuple(
        SourceObject(uid, owner.name, owner.instances, owner.editable)
        for uid, owner in owners.items()
    )
    filled = [shared for shared in meshes.values() if shared.objects]
    return baked(filled, found, skipped, frozenset(ids))


def count_triangles(
    depsgraph: bpy.types.Depsgraph,
    objects: Iterable[bpy.types.Object],
    *,
    viewport: bpy.types.SpaceView3D | None = None,
) -> int:
    """Count what `read_triangles` would read; O(placements), whatever the size of the meshes."""
    wanted, _ = seen_objects(depsgraph, objects, viewport)
    total = 0
    for instance, _ in placements(depsgraph, wanted):
        if instance.object.type == "MESH":
            with evaluated_mesh(instance.object) as mesh:
                total += triangle_count(mesh)
    return total


def _gather(
    instance: bpy.types.DepsgraphObjectInstance,
    owner: bpy.types.Object,
    owners: dict[int, _Owner],
    meshes: dict[int, SharedMesh],
) -> None:
    """Note one placement, and its mesh when it is a new one."""
    # Not the session id, which some evaluated meshes lack; addresses hold as long as the graph.
    key = instance.object.data.as_pointer()
    if key not in meshes:
        with evaluated_mesh(instance.object) as mesh:
            meshes[key] = SharedMesh(mesh_arrays(mesh))
    shared = meshes[key]
    if not len(shared.arrays.triangles):
        return
    entry = owners.setdefault(owner.session_uid, _Owner(len(owners), owner.name))
    is_instance, editable = is_true_instance(instance), is_editable(instance, owner)
    entry.instances += is_instance
    entry.editable |= editable
    # Row by row: NumPy is several times slower on a Matrix.
    matrix = instance.matrix_world
    shared.matrices.append([matrix[row][:] for row in range(4)])
    shared.objects.append(entry.number)
    shared.instances.append(is_instance)
    shared.editable.append(editable)


def is_editable(instance: bpy.types.DepsgraphObjectInstance, owner: bpy.types.Object) -> bool:
    """Tell whether evaluated faces are those of the object's own mesh, to be selected there."""
    original = owner.data
    if instance.is_instance or original.library is not None:
        return False
    assert isinstance(original, bpy.types.Mesh)
    if not owner.modifiers:  # anything else that acts on a mesh only moves vertices
        return True
    with evaluated_mesh(instance.object) as mesh:
        return has_polygons_of(mesh, original)


def _reason(item: bpy.types.Object) -> str:
    """Say why a visible object gave no triangle: its type if none of that type does."""
    has_faces = item.type in _HAVE_FACES or item.instance_type != "NONE"
    return "without faces" if has_faces else item.type
