"""The walk through the dependency graph: which objects show which mesh, where."""

from collections import Counter
from collections.abc import Iterable, Iterator
from dataclasses import dataclass

import bpy
import numpy as np

from ...core import Boxes
from .baking import SharedMesh, baked
from .meshes import evaluated_mesh, has_polygons_of, mesh_arrays, triangle_count
from .source import Source, SourceObject

_HAVE_FACES = {"MESH", "CURVE", "SURFACE", "FONT", "META"}
_UNUSED = 2**31 - 1  # what fills up a persistent id
_CUBE = np.array([(x, y, z) for x in (-1.0, 1.0) for y in (-1.0, 1.0) for z in (-1.0, 1.0)])


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
) -> Source:
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
    Source
        Each mesh read once however many placements show it, in the order of first appearance.
    """
    wanted, skipped = _seen(depsgraph, objects, viewport)
    ids = set(_lineage(wanted.values()))
    owners: dict[int, _Owner] = {}
    meshes: dict[int, SharedMesh] = {}
    for instance, owner in _placements(depsgraph, wanted):
        ids.update(_lineage([instance.object.original]))
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
    wanted, _ = _seen(depsgraph, objects, viewport)
    total = 0
    for instance, _ in _placements(depsgraph, wanted):
        if instance.object.type == "MESH":
            with evaluated_mesh(instance.object) as mesh:
                total += triangle_count(mesh)
    return total


def object_bounds(depsgraph: bpy.types.Depsgraph, item: bpy.types.Object) -> Boxes:
    """Return the world-space box around the evaluated bounding box of an object.

    Parameters
    ----------
    depsgraph : bpy.types.Depsgraph
        The evaluated state of the view layer.
    item : bpy.types.Object
        An original object; an empty is as large as it is drawn.

    Returns
    -------
    Boxes
        One box.
    """
    evaluated = item.evaluated_get(depsgraph)
    if item.type == "EMPTY":
        corners = item.empty_display_size * _CUBE
    else:
        corners = np.array([tuple(corner) for corner in evaluated.bound_box])
    matrix = np.array(evaluated.matrix_world)
    corners = corners @ matrix[:3, :3].T + matrix[:3, 3]
    return Boxes(corners.min(axis=0)[None], corners.max(axis=0)[None])


def _seen(
    depsgraph: bpy.types.Depsgraph,
    objects: Iterable[bpy.types.Object],
    viewport: bpy.types.SpaceView3D | None,
) -> tuple[dict[int, bpy.types.Object], Counter[str]]:
    """Sort the objects into those that can be seen, by session id, and the rest, by reason."""
    layer, local = depsgraph.view_layer, viewport is not None and viewport.local_view
    in_layer = {item.session_uid for item in layer.objects}
    seen: dict[int, bpy.types.Object] = {}
    unseen: Counter[str] = Counter()
    for item in dict.fromkeys(objects):
        if item.session_uid not in in_layer:
            unseen["in another view layer"] += 1
        elif not item.visible_get(view_layer=layer, viewport=viewport):
            unseen["outside the local view" if local else "hidden"] += 1
        else:
            seen[item.session_uid] = item
    return seen, unseen


def _placements(
    depsgraph: bpy.types.Depsgraph, wanted: dict[int, bpy.types.Object]
) -> Iterator[tuple[bpy.types.DepsgraphObjectInstance, bpy.types.Object]]:
    """Yield what the wanted objects show, themselves and their instances, with the object.

    Curves, texts, surfaces and metaballs come twice, as themselves and as an instance of type
    MESH; only entries of that type have triangles. What is yielded dies with the next step.
    """
    for instance in depsgraph.object_instances:
        owner = (instance.parent if instance.is_instance else instance.object).original
        if instance.show_self and owner.session_uid in wanted:
            yield instance, owner


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
    copied, editable = _is_copy(instance), is_editable(instance, owner)
    entry.instances += copied
    entry.editable |= editable
    # Row by row: NumPy takes several times as long over a Matrix.
    matrix = instance.matrix_world
    shared.matrices.append([matrix[row][:] for row in range(4)])
    shared.objects.append(entry.number)
    shared.instances.append(copied)
    shared.editable.append(editable)


def _is_copy(instance: bpy.types.DepsgraphObjectInstance) -> bool:
    """Tell a real instance from the mesh of a curve, text, surface or metaball itself."""
    if not instance.is_instance:
        return False
    itself = instance.object.original == instance.parent.original
    return not itself or instance.persistent_id[1] != _UNUSED


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


def _lineage(objects: Iterable[bpy.types.Object]) -> Iterator[int]:
    """Yield the session ids of the objects and of what they are made of and hang on."""
    for item in objects:
        ancestor: bpy.types.Object | None = item
        while ancestor is not None:
            yield ancestor.session_uid
            ancestor = ancestor.parent
        for part in (item.data, item.instance_collection):
            if part is not None:
                yield part.session_uid


def _reason(item: bpy.types.Object) -> str:
    """Say why an object that is seen gave no triangle."""
    has_faces = item.type in _HAVE_FACES or item.instance_type != "NONE"
    return "without faces" if has_faces else "of another type"
