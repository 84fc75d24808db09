"""Linked copies of units: objects with the same data, put where the original's origin is to be."""

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
    """Copy objects into their collections, unless `link` is off; roots to world matrices, (4, 4).

    Meshes and all other data stay shared; parents and armatures are those among the copies.
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
    """Take copies away again; the data that they share stays."""
    for item in objects:
        bpy.data.objects.remove(item)


def moved_frame(frame: Floats, origin: Floats, before: Floats) -> Floats:
    """Return the world matrix of what stood at `before` when its unit's origin goes to a frame.

    The turn and the scale of a frame, (4, 4), are about the origin, (3,).
    """
    back = np.eye(4)
    back[:3, 3] = -origin
    moved: Floats = frame @ back @ before
    return moved
