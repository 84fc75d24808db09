"""Decimated copies (mesh simplification): linked copies with Decimate modifiers."""

import json
from typing import Any

import bpy
import numpy as np

from ..chunks import named_objects, remove_with_meshes
from ..hiding import hide, plan, show_again, show_copies
from ..selection import link_to_new
from ..written_meshes import sound_copy
from .counting import ObjectCounts

# Custom properties: of the collection, the names of originals; of each copy, its original.
COPIES, COPY = "octree_decimated", "octree_decimated_of"
NAME = "Decimated"
# Least number of triangles that a copy is decimated to.
LEAST = 12


def decimated_collection(scene: bpy.types.Scene) -> bpy.types.Collection | None:
    """Return the collection of decimated copies; None if there is none."""
    return next((each for each in scene.collection.children_recursive if COPIES in each), None)


def is_copy(item: Any) -> bool:
    """Return whether an object is a decimated copy."""
    return COPY in item


def decimate(context: bpy.types.Context, counts: ObjectCounts) -> tuple[int, int]:
    """Copy the objects that have more triangles than they need, and decimate the copies.

    Return the number of copies, and of triangles saved. Raise `ValueError` if there are no copies.
    """
    scene = context.scene
    remove_decimated(context)
    items = {item.session_uid: item for item in scene.objects if item.type == "MESH"}
    needs = np.maximum(counts.needs, LEAST)
    wanted = [
        (items[uid], need, count)
        for uid, need, count in zip(
            counts.owners.tolist(), needs.tolist(), counts.triangles.tolist(), strict=True
        )
        if uid in items and need < count and items[uid].visible_get()
    ]
    if not wanted:
        raise ValueError("No visible mesh has more triangles than it needs")
    copies = []
    sound: dict[bpy.types.Mesh, bpy.types.Mesh] = {}
    for item, need, count in wanted:
        copy = item.copy()
        copy.data = _sound(item, sound)
        copy[COPY] = item.name
        modifier = copy.modifiers.new("Decimate to Need", "DECIMATE")
        assert isinstance(modifier, bpy.types.DecimateModifier)
        modifier.ratio = need / count
        copies.append(copy)
    sources = [item for item, *_ in wanted]
    show_copies(zip(sources, copies, strict=True))
    collection = link_to_new(scene, copies, NAME)
    collection[COPIES] = json.dumps([item.name for item in sources])
    hide(context, plan(context, sources, "EYE"))
    hide(context, plan(context, sources, "RENDER"))
    return len(wanted), sum(count - need for _, need, count in wanted)


def _sound(item: Any, known: dict[bpy.types.Mesh, bpy.types.Mesh]) -> bpy.types.Mesh:
    """Return an object's mesh, or a valid copy: Decimate can crash Blender on an invalid mesh."""
    mesh = item.data
    if mesh not in known:
        groups = [group.name for group in item.vertex_groups]
        made = None if mesh.is_editmode else sound_copy(mesh, groups)
        known[mesh] = mesh if made is None else made.mesh
    return known[mesh]


def remove_decimated(context: bpy.types.Context) -> int:
    """Delete the copies and show their originals; return the number of originals shown."""
    collection = decimated_collection(context.scene)
    if collection is None:
        return 0
    names = json.loads(collection[COPIES])
    remove_with_meshes([item for item in collection.objects if is_copy(item)])
    if not collection.all_objects:
        bpy.data.collections.remove(collection)
    return show_again(context, named_objects(context.scene, names))
