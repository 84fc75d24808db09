"""Original meshes: what objects are without modifiers and shape keys, not what is shown."""

from collections.abc import Iterator
from contextlib import contextmanager

import bpy

from .meshes import evaluated_mesh


def original_of(evaluated: bpy.types.Object) -> bpy.types.ID:
    """Return the original mesh of an evaluated object of type MESH.

    The mesh of a curve, text, surface or metaball has no original: it is the one that is shown.
    """
    original: bpy.types.ID = evaluated.original.data
    return original if isinstance(original, bpy.types.Mesh) else evaluated.data


def is_made_by_modifier(shown: bpy.types.Object, owner: bpy.types.Object) -> bool:
    """Tell whether an instance is there by a modifier: geometry nodes, or particles.

    Both are original objects. The mesh of a curve or the like counts as the curve itself.
    """
    return isinstance(shown.data, bpy.types.Mesh) and owner.instance_type == "NONE"


@contextmanager
def original_mesh(evaluated: bpy.types.Object) -> Iterator[bpy.types.Mesh]:
    """Lend the original mesh of an evaluated object of type MESH. Valid inside the `with` only.

    In edit mode it is the cage, which is the original mesh as long as no modifier is shown there.
    """
    original = original_of(evaluated)
    assert isinstance(original, bpy.types.Mesh)
    if not original.is_editmode:
        yield original
        return
    if any(each.show_in_editmode for each in evaluated.original.modifiers):
        name = evaluated.original.name
        raise ValueError(f"Leave Edit Mode first: {name} is shown with modifiers there")
    with evaluated_mesh(evaluated) as mesh:
        yield mesh
