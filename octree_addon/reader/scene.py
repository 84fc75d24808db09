"""Triangles of a scene: which objects show which mesh, where."""

from collections.abc import Iterable
from dataclasses import dataclass

import bpy

from .baking import SharedMesh, baked
from .meshes import evaluated_mesh, has_polygons_of, mesh_arrays, triangle_count
from .source import SourceObject, TriangleSource
from .walk import is_copy, lineage, placements, seen_objects

_HAVE_FACES = {"MESH", "CURVE", "SURFACE", "FONT", "META"}


@dataclass(eq=False)
class _Owner:
    """What is gathered about an object while its placements come by."""

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

    Parameters
    ----------
    depsgraph : bpy.types.Depsgraph
        The evaluated state of the view layer.
    objects : iterable of bpy.types.Object
        Original objects; repeated ones count once.
    viewport : bpy.types.SpaceView3D, optional
        A 3D view whose local view hides the objects outside it.

    Returns
    -------
    TriangleSource
        Each mesh read once however many placements show it, in the order of first appearance.
    """
    wanted, skipped = seen_objects(depsgraph, objects, viewport)
    ids = set(lineage(wanted.values()))
    owners: dict[int, _Owner] = {}
    meshes: dict[int, SharedMesh] = {}
    for instance, owner in placements(depsgraph, wanted):
        ids.update(lineage([instance.object.original]))
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
    """Count what `read_triangles` would read, without reading it.

    Parameters
    ----------
    depsgraph : bpy.types.Depsgraph
        The evaluated state of the view layer.
    objects : iterable of bpy.types.Object
        Original objects; repeated ones count once.
    viewport : bpy.types.SpaceView3D, optional
        A 3D view whose local view hides the objects outside it.

    Returns
    -------
    int
        Number of triangles; O(placements), whatever the meshes hold.
    """
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
    # Not the session id, which some evaluated meshes lack; none moves while the graph stands.
    key = instance.object.data.as_pointer()
    if key not in meshes:
        with evaluated_mesh(instance.object) as mesh:
            meshes[key] = SharedMesh(mesh_arrays(mesh))
    shared = meshes[key]
    if not len(shared.arrays.triangles):
        return
    entry = owners.setdefault(owner.session_uid, _Owner(len(owners), owner.name))
    copied, editable = is_copy(instance), is_editable(instance, owner)
    entry.instances += copied
    entry.editable |= editable
    # Row by row: NumPy takes several times as long over a Matrix.
    matrix = instance.matrix_world
    shared.matrices.append([matrix[row][:] for row in range(4)])
    shared.objects.append(entry.number)
    shared.instances.append(copied)
    shared.editable.append(editable)


def is_editable(instance: bpy.types.DepsgraphObjectInstance, owner: bpy.types.Object) -> bool:
    """Tell whether the faces that are seen can be selected in the object's own mesh."""
    original = owner.data
    if instance.is_instance or original.library is not None:
        return False
    assert isinstance(original, bpy.types.Mesh)
    if not owner.modifiers:  # what else acts on a mesh moves its vertices only
        return True
    with evaluated_mesh(instance.object) as mesh:
        return has_polygons_of(mesh, original)


def _reason(item: bpy.types.Object) -> str:
    """Say why an object that is seen gave no triangle."""
    has_faces = item.type in _HAVE_FACES or item.instance_type != "NONE"
    return "without faces" if has_faces else "of another type"
