"""Copies of objects without never-seen faces and objects; the originals are not changed.

Faces are deleted in a BMesh, which preserves UVs, attributes, custom normals, vertex groups, shape
keys and materials of the other faces. A mesh that several objects share is copied once.
"""

from collections import Counter
from collections.abc import Iterable, Mapping
from dataclasses import dataclass, field
from typing import Any

import bmesh
import bpy
import numpy as np

from ...arrays import Flags
from ...hiding import show_copies
from ...reader import polygon_corners
from ...written_meshes import sound_copy
from .safety import Kept, grown
from .settings import CopyOptions


@dataclass(eq=False)
class Copies:
    """Data created so far, to be removed if an error occurs.

    Attributes
    ----------
    made : list of bpy.types.ID
        New data-blocks in order of creation; removed in reverse order.
    objects : dict of object to object
        The copy of each object.
    meshes : dict of mesh to mesh
        The copy of each mesh, shared by the copies of its users.
    counts : Counter of str
        Deleted `faces`; objects `copied`, `left_out`, `applied` (modifiers applied), and `whole`
        (kept with all faces, since the samples of their faces are not known); unseen faces
        `gone_along` with left-out objects, of meshes without a copy.
    """

    made: list[Any] = field(default_factory=list)
    objects: dict[bpy.types.Object, bpy.types.Object] = field(default_factory=dict)
    meshes: dict[bpy.types.Mesh, bpy.types.Mesh] = field(default_factory=dict)
    counts: Counter[str] = field(default_factory=lambda: Counter(faces=0, left_out=0))


def planned_counts(
    context: bpy.types.Context,
    objects: Iterable[bpy.types.Object],
    kept: Kept,
    options: CopyOptions,
) -> Counter[str]:
    """Return the counts of `copy_seen`, without changing anything."""
    counts: Counter[str] = Counter(faces=0, left_out=0)
    meshes: set[bpy.types.Mesh] = set()
    gone: set[bpy.types.Mesh] = set()
    depsgraph = context.evaluated_depsgraph_get()
    for item in objects:
        mesh = item.data
        if _is_left_out(item, kept, options):
            counts["left_out"] += 1
            gone.update([mesh] if isinstance(mesh, bpy.types.Mesh) else [])
            continue
        counts["copied"] += 1
        if not isinstance(mesh, bpy.types.Mesh):
            continue
        if _may_apply(item, kept, options):
            evaluated: Any = item.evaluated_get(depsgraph).data
            flags = kept.own[item.session_uid]
            if len(evaluated.polygons) == len(flags):
                remaining = grown(flags, *polygon_corners(evaluated), options.rings)
                counts.update(applied=1, faces=int((~remaining).sum()))
                continue
        counts["whole"] += _flags_of(mesh, kept) is None
        meshes.add(mesh)
    counts["faces"] += _unseen_faces(meshes, kept)
    counts["gone_along"] = _unseen_faces(gone - meshes, kept)
    return counts


def _unseen_faces(meshes: Iterable[bpy.types.Mesh], kept: Kept) -> int:
    flags = (_flags_of(mesh, kept) for mesh in meshes)
    return sum(int((~each).sum()) for each in flags if each is not None)


def _is_left_out(item: bpy.types.Object, kept: Kept, options: CopyOptions) -> bool:
    return options.whole == "LEAVE_OUT" and not kept.objects.get(item.session_uid, True)


def _flags_of(mesh: bpy.types.Mesh, kept: Kept) -> Flags | None:
    """Return flags of the kept faces of a mesh; None if nothing is known about them."""
    # An inactive object may be in edit mode, too; its mesh is outdated.
    return None if mesh.is_editmode else kept.meshes.get(mesh.session_uid)


def _may_apply(item: bpy.types.Object, kept: Kept, options: CopyOptions) -> bool:
    """Return whether to apply the modifiers of an object and delete faces of the result."""
    mesh: Any = item.data
    is_wanted = options.modifiers == "APPLY" and bool(item.modifiers) and not mesh.is_editmode
    return is_wanted and _flags_of(mesh, kept) is None and item.session_uid in kept.own


def copy_seen(
    context: bpy.types.Context,
    objects: Iterable[bpy.types.Object],
    kept: Kept,
    options: CopyOptions,
    name: str,
) -> tuple[bpy.types.Collection, Copies]:
    """Copy objects into a new collection of the scene, without never-seen objects and faces.

    Parameters
    ----------
    context : bpy.types.Context
        The context, in Object Mode.
    objects : iterable of bpy.types.Object
        The tested objects.
    kept : Kept
        The objects and faces to keep.
    options : CopyOptions
        Options of the copies.
    name : str
        Name of the collection. If the name is taken, Blender adds a number.

    Returns
    -------
    collection : bpy.types.Collection
        The new collection.
    copies : Copies
        The copies and the counts.

    Raises
    ------
    Exception
        Any error, passed on after all new data are removed.
    """
    copies = Copies()
    try:
        gone: set[bpy.types.Mesh] = set()
        for item in objects:
            if _is_left_out(item, kept, options):
                copies.counts["left_out"] += 1
                gone.update([item.data] if isinstance(item.data, bpy.types.Mesh) else [])
            else:
                _copy_object(context, item, kept, options, copies)
        copies.counts["copied"] = len(copies.objects)
        copies.counts["gone_along"] = _unseen_faces(gone - copies.meshes.keys(), kept)
        if not copies.objects:
            raise ValueError("Nothing would be left: no object was seen")
        _copy_parents(copies.objects)
        show_copies(copies.objects.items())
        collection = bpy.data.collections.new(name)
        copies.made.append(collection)
        for copy in copies.objects.values():
            collection.objects.link(copy)
        context.scene.collection.children.link(collection)
    except BaseException:
        bpy.data.batch_remove(copies.made[::-1])
        raise
    return collection, copies


def _copy_object(
    context: bpy.types.Context,
    item: bpy.types.Object,
    kept: Kept,
    options: CopyOptions,
    copies: Copies,
) -> None:
    mesh, uid = item.data, item.session_uid
    copy = item.copy()
    copies.made.append(copy)
    copies.objects[item] = copy
    if not isinstance(mesh, bpy.types.Mesh):
        return
    flags = _flags_of(mesh, kept)
    if _may_apply(item, kept, options):
        applied = _applied(context, item, kept.own[uid], options.rings, copies)
        if applied is not None:
            copy.modifiers.clear()
            copy.data = applied
            return
    copies.counts["whole"] += flags is None
    if mesh not in copies.meshes:
        copies.meshes[mesh] = _copy_mesh(item, mesh, flags, copies)
    copy.data = copies.meshes[mesh]


def _copy_mesh(
    item: bpy.types.Object, mesh: bpy.types.Mesh, flags: Flags | None, copies: Copies
) -> bpy.types.Mesh:
    """Copy the mesh of an object with the faces flagged in `flags`, or with all if None."""
    made = None if mesh.is_editmode else sound_copy(mesh, _groups(item))
    copy = mesh.copy() if made is None else made.mesh
    copies.made.append(copy)
    if flags is not None and not flags.all():
        copies.counts["faces"] += int((~flags).sum())
        delete_faces(copy, ~(flags if made is None else flags[made.polygons]))
    return copy


def _groups(item: bpy.types.Object) -> list[str]:
    return [group.name for group in item.vertex_groups]


def _applied(
    context: bpy.types.Context,
    item: bpy.types.Object,
    flags: Flags,
    rings: int,
    copies: Copies,
) -> bpy.types.Mesh | None:
    """Return a new mesh with modifiers applied, without unseen faces.

    Returns None if the number of faces has changed since they were tested.
    """
    depsgraph = context.evaluated_depsgraph_get()
    applied = bpy.data.meshes.new_from_object(
        item.evaluated_get(depsgraph), preserve_all_data_layers=True, depsgraph=depsgraph
    )
    if len(applied.polygons) != len(flags):
        bpy.data.meshes.remove(applied)
        return None
    remaining = grown(flags, *polygon_corners(applied), rings)
    copies.counts["faces"] += int((~remaining).sum())
    copies.counts["applied"] += 1
    made = sound_copy(applied, _groups(item))
    if made is not None:
        bpy.data.meshes.remove(applied)
        applied, remaining = made.mesh, remaining[made.polygons]
    copies.made.append(applied)
    applied.name = item.data.name
    delete_faces(applied, ~remaining)
    return applied


def delete_faces(mesh: bpy.types.Mesh, unwanted: Flags) -> None:
    """Delete faces of a sound mesh, and edges and vertices that no other faces use.

    The mesh must not be in edit mode. Edges and vertices that were loose before stay.
    """
    edit = bmesh.new()
    try:
        edit.from_mesh(mesh)
        edit.faces.ensure_lookup_table()
        faces = [edit.faces[number] for number in np.flatnonzero(unwanted)]
        bmesh.ops.delete(edit, geom=faces, context="FACES")
        edit.to_mesh(mesh)
    finally:
        edit.free()
    mesh.update()


def _copy_parents(objects: Mapping[bpy.types.Object, bpy.types.Object]) -> None:
    """Replace the parents of copies by the copies of these parents, where there are any."""
    for copy in objects.values():
        if copy.parent in objects:
            copy.parent = objects[copy.parent]
