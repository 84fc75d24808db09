"""Masks: a vertex group of kept vertices and a Mask modifier, which hide faces reversibly.

A Mask modifier works by vertices. So a never-seen face stays if all of its corners belong to kept
faces.
"""

from collections import Counter
from collections.abc import Iterable, Mapping

import bpy
import numpy as np

from ...arrays import Flags
from ...reader import polygon_corners

# The name of the vertex group and of the modifier.
NAME = "Never Seen"


def mask(objects: Iterable[bpy.types.Object], meshes: Mapping[int, Flags]) -> Counter[str]:
    """Hide the faces that are not kept in all of the objects that use the meshes.

    `meshes` has flags of kept polygons by session id. An existing mask is overwritten. Returns
    counts: masked `objects`, hidden `faces` of their meshes, never-seen faces `staying`, and a key
    "refused: " plus name for each object with data linked from another file.
    """
    counts: Counter[str] = Counter(objects=0, faces=0, staying=0)
    done: set[bpy.types.Mesh] = set()
    for item in objects:
        mesh = item.data
        if not isinstance(mesh, bpy.types.Mesh) or mesh.session_uid not in meshes:
            continue
        if mesh.library or item.library:
            counts[f"refused: {item.name}"] += 1
            continue
        if mesh.is_editmode:  # by another object than the active one
            continue
        if mesh not in done:
            done.add(mesh)
            counts.update(_write_group(item, mesh, meshes[mesh.session_uid]))
        if meshes[mesh.session_uid].all():
            _remove_modifier(item)
        else:
            _add_modifier(item)
            counts["objects"] += 1
    for mesh in done:
        if meshes[mesh.session_uid].all():
            unmask(each for each in bpy.data.objects if each.data == mesh)
    return counts


def masked_counts(
    objects: Iterable[bpy.types.Object], meshes: Mapping[int, Flags]
) -> Counter[str]:
    """Return the counts `faces` and `staying` of `mask`, without changing anything."""
    used = {item.data for item in objects if isinstance(item.data, bpy.types.Mesh)}
    counts: Counter[str] = Counter(faces=0, staying=0)
    for mesh in used:
        if mesh.session_uid in meshes and not (mesh.library or mesh.is_editmode):
            counts.update(_staying(mesh, meshes[mesh.session_uid])[1])
    return counts


def _staying(mesh: bpy.types.Mesh, kept: Flags) -> tuple[Flags, Counter[str]]:
    """Return flags of the vertices to keep, and counts of hidden faces and faces staying.

    Kept vertices are those of kept faces and those without any face.
    """
    corners, sizes = polygon_corners(mesh)
    stays = np.ones(len(mesh.vertices), np.bool_)
    stays[corners] = False
    stays[corners[np.repeat(kept, sizes)]] = True
    starts = np.cumsum(sizes) - sizes
    whole = np.logical_and.reduceat(stays[corners], starts) if len(sizes) else kept
    return stays, Counter(faces=int((~whole).sum()), staying=int((whole & ~kept).sum()))


def _write_group(item: bpy.types.Object, mesh: bpy.types.Mesh, kept: Flags) -> Counter[str]:
    """Write the vertices to keep into the vertex group; return the counts of `_staying`."""
    stays, counts = _staying(mesh, kept)
    group = item.vertex_groups.get(NAME) or item.vertex_groups.new(name=NAME)
    group.remove(range(len(stays)))
    group.add(np.flatnonzero(stays).tolist(), 1.0, "REPLACE")
    return counts


def _modifier(item: bpy.types.Object) -> bpy.types.Modifier | None:
    found: bpy.types.Modifier | None = item.modifiers.get(NAME)
    is_ours = isinstance(found, bpy.types.MaskModifier) and found.vertex_group == NAME
    return found if is_ours else None


def _add_modifier(item: bpy.types.Object) -> None:
    """Add the modifier as the last one, so that modifiers before it still see the whole mesh."""
    if _modifier(item) is None:
        modifier = item.modifiers.new(NAME, "MASK")
        assert isinstance(modifier, bpy.types.MaskModifier)
        modifier.name, modifier.vertex_group = NAME, NAME
        modifier.show_expanded = False


def _remove_modifier(item: bpy.types.Object) -> bool:
    found = _modifier(item)
    if found is not None:
        item.modifiers.remove(found)
    return found is not None


def unmask(objects: Iterable[bpy.types.Object]) -> int:
    """Remove mask modifiers and their vertex groups; return the number of unmasked objects."""
    masked = [item for item in objects if not item.library and _remove_modifier(item)]
    for item in masked:
        group: bpy.types.VertexGroup | None = item.vertex_groups.get(NAME)
        still_used = any(_modifier(each) for each in bpy.data.objects if each.data == item.data)
        if group is not None and not still_used:
            item.vertex_groups.remove(group)
    return len(masked)


def masked_objects() -> list[bpy.types.Object]:
    """Return the masked objects of the file, except linked ones."""
    return [item for item in bpy.data.objects if not item.library and _modifier(item)]
