"""Linked copies of units (groups of objects that move together), at given poses."""

from collections.abc import Iterable
from typing import Any

import bpy
import numpy as np
from mathutils import Matrix

from ..arrays import Floats
from ..hiding import show_copies


def copy_unit(
    roots: Iterable[bpy.types.Object],
    members: Iterable[bpy.types.Object],
    matrices: list[Floats],
    *,
    link: bool = True,
) -> list[bpy.types.Object]:
    """Return linked copies of `members`, with the copies of `roots` at world matrices, (4, 4).

    The copies are linked into the collections of their originals unless `link` is false. Meshes
    and all other data stay shared. Parents and armatures among `members` are replaced by copies.
    """
    made = {item: item.copy() for item in members}
    for item, copied in made.items():
        inverse = item.matrix_parent_inverse.copy()
        if item.parent in made:
            copied.parent = made[item.parent]
            copied.matrix_parent_inverse = inverse
        bending: list[Any] = [each for each in copied.modifiers if each.type == "ARMATURE"]
        for modifier in bending:
            modifier.object = made.get(modifier.object, modifier.object)
        for collection in item.users_collection if link else ():
            collection.objects.link(copied)
    show_copies(made.items())
    for root, matrix in zip(roots, matrices, strict=True):
        made[root].matrix_world = Matrix(matrix.tolist())
    return list(made.values())


def remove_copies(objects: Iterable[bpy.types.Object]) -> None:
    """Remove copies from the file; keep the data that they share."""
    for item in objects:
        bpy.data.objects.remove(item)


def moved_frame(frame: Floats, origin: Floats, before: Floats) -> Floats:
    """Return the world matrix of an object at `before` after its unit moves to a frame.

    The rotation and the scale of the frame, (4, 4), apply about the unit's origin, (3,).
    """
    back = np.eye(4)
    back[:3, 3] = -origin
    moved: Floats = frame @ back @ before
    return moved
