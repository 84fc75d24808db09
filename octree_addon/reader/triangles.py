"""World-space triangles of a scene: each mesh read once, baked by each of its matrices."""

from collections.abc import Generator, Iterable
from dataclasses import dataclass, field
from typing import Any

import bpy
import numpy as np
from numpy.typing import NDArray

from ...core import between, run
from ..arrays import Floats, Ids
from .boxes import may_instance
from .meshes import (
    MeshArrays,
    digest_steps,
    evaluated_mesh,
    has_polygons_of,
    mesh_arrays,
    mesh_digest,
    triangle_count,
)
from .source import (
    Key,
    MeshRecord,
    SourceObject,
    TriangleSource,
    dependencies,
    is_true_instance,
    key_of,
    layer_of,
    numbered_placements,
    placement_matrices,
    placements,
    seen_objects,
)

SourceSteps = Generator[float, None, TriangleSource]
# A mesh of more triangles than this is worth steps of its own.
_MANY = 100_000
# Of smaller ones this many are looked at in a step.
_MESHES = 1000


@dataclass(eq=False)
class SharedMesh:
    """A mesh read once, with one element in each list for every placement.

    Attributes
    ----------
    arrays : MeshArrays
        Its triangles, in its own space.
    entries : list of int
        Their numbers among all entries of the depsgraph.
    objects : list of int
        Indices of the objects that the placements belong to.
    instances : list of bool
        Whether the placement is an instance.
    editable : list of bool
        Whether its polygons are those of the object's original mesh.
    """

    arrays: MeshArrays
    entries: list[int] = field(default_factory=list)
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


def baking_steps(
    meshes: list[SharedMesh],
    matrices: Floats,
    objects: tuple[SourceObject, ...],
    **passed_on: Any,
) -> SourceSteps:
    """Bake every placement by its matrix, all of a mesh at a time; yields the fraction done.

    The order is that of the meshes, each with a triangle and a placement at least, and of the
    placements of each. `matrices` are those of all entries; the rest is passed on.
    """
    vertices = np.empty((sum(shared.vertex_count for shared in meshes), 3))
    faces = np.empty((sum(shared.triangle_count for shared in meshes), 3), np.intp)
    polygons = np.empty(len(faces), np.intp)
    vertex = triangle = 0
    for number, shared in enumerate(meshes):
        vertex_end, end = vertex + shared.vertex_count, triangle + shared.triangle_count
        _place_vertices(shared, matrices, vertices[vertex:vertex_end])
        if end - triangle > _MANY:
            yield triangle / len(faces)
        _place_triangles(shared, vertex, faces[triangle:end])
        _place_polygons(shared, polygons[triangle:end])
        if end - triangle > _MANY or number % _MESHES == 0:
            yield end / len(faces)
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
        **passed_on,
    )


def _place_vertices(shared: SharedMesh, matrices: Floats, target: Floats) -> None:
    # Row by row: a product of matrices that are this narrow takes NumPy four times as long.
    rows = matrices[shared.entries].transpose(1, 2, 0)[..., None]
    placed = target.reshape(rows.shape[2], -1, 3)
    x, y, z = shared.arrays.positions.T.astype(np.float64, order="C")
    # A vertex that is not finite affects itself alone; the core sets its triangles aside.
    with np.errstate(invalid="ignore", over="ignore"):
        for axis in range(3):
            placed[..., axis] = (
                x * rows[axis, 0] + y * rows[axis, 1] + z * rows[axis, 2] + rows[axis, 3]
            )


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


@dataclass(eq=False)
class _Walk:
    """What is gathered during the walk.

    Instanced objects are noted by address, meshes too; placements by number and mesh.
    """

    watched: set[int]
    instanced: set[int] = field(default_factory=set)
    owners: dict[int, _Owner] = field(default_factory=dict)
    meshes: dict[int, SharedMesh] = field(default_factory=dict)
    placed: dict[Key, tuple[int, int]] = field(default_factory=dict)


def read_triangles(
    depsgraph: bpy.types.Depsgraph,
    objects: Iterable[bpy.types.Object],
    *,
    viewport: bpy.types.SpaceView3D | None = None,
) -> TriangleSource:
    """Do what `triangle_steps` does, all at once."""
    return run(triangle_steps(depsgraph, objects, viewport=viewport))


def triangle_steps(
    depsgraph: bpy.types.Depsgraph,
    objects: Iterable[bpy.types.Object],
    *,
    viewport: bpy.types.SpaceView3D | None = None,
) -> SourceSteps:
    """Read the evaluated triangles of objects, and of what they instance, in world space.

    The objects are original ones; repeated ones count once, and the local view of `viewport`, if
    any, hides those outside it. Each mesh is read once, however many placements it has, in the
    order of first appearance. Yields the fraction done; Blender's data are read before the first.
    """
    wanted, skipped = seen_objects(depsgraph, objects, viewport)
    walk = _Walk(_watched(wanted.values()))
    for number, instance, owner in numbered_placements(depsgraph, wanted):
        item = instance.object
        if instance.is_instance and item.as_pointer() not in walk.instanced:
            walk.instanced.add(item.as_pointer())
            walk.watched.update(dependencies([item.original]))
        if item.type == "MESH":
            _gather(number, instance, owner, walk)
    skipped.update(_reason(item) for uid, item in wanted.items() if uid not in walk.owners)
    matrices = placement_matrices(depsgraph)
    found: dict[str, Any] = {
        "skipped": skipped,
        "ids": frozenset(dependencies(wanted.values())) | walk.watched,
        "wanted": frozenset(wanted),
        "watched": frozenset(walk.watched),
        "layer": layer_of(depsgraph),
    }
    yield 0.0
    record = yield from between(0.0, 0.5, _record_steps(walk, matrices))
    owners = tuple(
        SourceObject(uid, owner.name, owner.instances, owner.editable)
        for uid, owner in walk.owners.items()
    )
    meshes = [shared for shared in walk.meshes.values() if shared.objects]
    baking = baking_steps(meshes, matrices, owners, record=record, **found)
    return (yield from between(0.5, 1.0, baking))


def _watched(objects: Iterable[bpy.types.Object]) -> set[int]:
    """Return the session ids of those whose triangles are, or may be, those of instances."""
    return {
        item.session_uid
        for item in objects
        if may_instance(item) or (item.type in _HAVE_FACES and item.type != "MESH")
    }


def _record_steps(walk: _Walk, matrices: Floats) -> Generator[float, None, MeshRecord]:
    """Return what has to stay for the triangles to be the same; yields the fraction done."""
    digests: dict[int, bytes] = {}
    for pointer, shared in walk.meshes.items():
        at = len(digests) / len(walk.meshes)
        if len(shared.arrays.triangles) > _MANY:
            after = at + 1 / len(walk.meshes)
            digests[pointer] = yield from between(at, after, digest_steps(shared.arrays))
        else:
            digests[pointer] = mesh_digest(shared.arrays)
            if len(digests) % _MESHES == 0:
                yield at
    numbers = [number for number, _ in walk.placed.values()]
    return MeshRecord(
        rows={key: row for row, key in enumerate(walk.placed)},
        matrices=matrices[numbers],
        digests=tuple(digests[pointer] for _, pointer in walk.placed.values()),
    )


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
    number: int,
    instance: bpy.types.DepsgraphObjectInstance,
    owner: bpy.types.Object,
    walk: _Walk,
) -> None:
    """Note one placement, and its mesh when it is a new one."""
    # Not the session id, which some evaluated meshes lack; addresses hold as long as the graph.
    pointer, uid = instance.object.data.as_pointer(), owner.session_uid
    if pointer not in walk.meshes:
        with evaluated_mesh(instance.object) as mesh:
            walk.meshes[pointer] = SharedMesh(mesh_arrays(mesh))
    walk.placed[key_of(instance, uid)] = number, pointer
    shared = walk.meshes[pointer]
    if not len(shared.arrays.triangles):
        return
    entry = walk.owners.setdefault(uid, _Owner(len(walk.owners), owner.name))
    is_instance, editable = is_true_instance(instance), is_editable(instance, owner)
    entry.instances += is_instance
    entry.editable |= editable
    shared.entries.append(number)
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
