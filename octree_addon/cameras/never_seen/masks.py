"""Masks: a vertex group of what is kept and a Mask modifier, which hide faces and can be removed.

A Mask keeps vertices: of the faces that are never seen, those stay whose corners are all corners
of faces that are kept.
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
    """Hide the faces that are not kept, by mesh and polygon, in every object that uses the mesh.

    A mask that is there is written anew. Counts the `objects`; the `faces` of their meshes that
    are hidden; `staying`, those that are never seen but stay; and `refused`, the names of objects
    whose data are linked from another file, under "refused: " and the name.
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
        if mesh.is_editmode:  # of an object that is not the active one
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
    """Return the `faces` and `staying` that `mask` would count; change nothing."""
    used = {item.data for item in objects if isinstance(item.data, bpy.types.Mesh)}
    counts: Counter[str] = Counter(faces=0, staying=0)
    for mesh in used:
        if mesh.session_uid in meshes and not (mesh.library or mesh.is_editmode):
            counts.update(_staying(mesh, meshes[mesh.session_uid])[1])
    return counts


def _staying(mesh: bpy.types.Mesh, kept: Flags) -> tuple[Flags, Counter[str]]:
    """Return which vertices stay, of kept faces and of none, and how many faces that hides."""
    corners, sizes = polygon_corners(mesh)
    stays = np.ones(len(mesh.vertices), np.bool_)
    stays[corners] = False
    stays[corners[np.repeat(kept, sizes)]] = True
    starts = np.cumsum(sizes) - sizes
    whole = np.logical_and.reduceat(stays[corners], starts) if len(sizes) else kept
    return stays, Counter(faces=int((~whole).sum()), staying=int((whole & ~kept).sum()))


def _write_group(item: bpy.types.Object, mesh: bpy.types.Mesh, kept: Flags) -> Counter[str]:
    """Put the vertices that stay into the vertex group of the mesh."""
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
    """Add the modifier as the last one: what moves vertices goes on to see all of the mesh."""
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
    """Remove the masks, modifiers and vertex groups; return how many objects had one."""
    masked = [item for item in objects if not item.library and _remove_modifier(item)]
    for item in masked:
        group: bpy.types.VertexGroup | None = item.vertex_groups.get(NAME)
        still_used = any(_modifier(each) for each in bpy.data.objects if each.data == item.data)
        if group is not None and not still_used:
            item.vertex_groups.remove(group)
    return len(masked)


def masked_objects() -> list[bpy.types.Object]:
    """Return the objects of the file that are masked."""
    return [item for item in bpy.data.objects if not item.library and _modifier(item)]
