"""Original meshes: object data without modifiers and shape keys."""

from collections.abc import Iterator
from contextlib import contextmanager

import bpy

from .meshes import evaluated_mesh


def original_of(evaluated: bpy.types.Object) -> bpy.types.ID:
    """Return the original mesh of an evaluated object of type MESH.

    Curves, texts, surfaces and metaballs have no original mesh: their evaluated one is returned.
    """
    original: bpy.types.ID = evaluated.original.data
    return original if isinstance(original, bpy.types.Mesh) else evaluated.data


def is_made_by_modifier(shown: bpy.types.Object, owner: bpy.types.Object) -> bool:
    """Return whether a modifier (geometry nodes or particles) has made an instance.

    `shown` is the instanced object, `owner` the instancer, both original. The mesh of a curve,
    text, surface or metaball counts as the object itself, not as made by a modifier.
    """
    return isinstance(shown.data, bpy.types.Mesh) and owner.instance_type == "NONE"


@contextmanager
def original_mesh(evaluated: bpy.types.Object) -> Iterator[bpy.types.Mesh]:
    """Provide the original mesh of an evaluated object of type MESH.

    In edit mode it is the cage, which equals the original mesh unless modifiers are shown in edit
    mode; these raise a `ValueError`. The mesh is valid inside the `with` block only.
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
