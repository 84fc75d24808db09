"""Sound copies of unsound meshes, with all layers."""

from collections.abc import Sequence
from typing import NamedTuple

import bpy

from ..arrays import Ids
from ..reader import is_sound, mesh_layers
from .assembly import whole_arrays
from .groups import blended_groups, write_groups
from .layers import write_keys, write_mesh


class SoundCopy(NamedTuple):
    """A sound mesh, and the source polygon of each of its polygons, (p,)."""

    mesh: bpy.types.Mesh
    polygons: Ids


def sound_copy(mesh: bpy.types.Mesh, groups: Sequence[str] = ()) -> SoundCopy | None:
    """Return a sound copy of a mesh, with all layers; None if the mesh itself is sound.

    Polygons with a repeated vertex are split into triangles. If two polygons have the same
    vertices, the second polygon gets copies of them. Elements with NaN or infinity are left out.

    Parameters
    ----------
    mesh : bpy.types.Mesh
        A mesh that is not in edit mode.
    groups : sequence of str, optional
        Names of the vertex groups of its object.
    """
    if is_sound(mesh):
        return None
    layers = mesh_layers(mesh, groups=bool(groups))
    arrays = whole_arrays(layers)
    positions = layers.positions[arrays.numbers]
    made = write_mesh(mesh.name, layers, arrays, positions, [*mesh.materials], all_slots=True)
    item = bpy.data.objects.new(mesh.name, made)
    try:
        if groups:
            write_groups(item, groups, blended_groups(layers.groups, arrays.points))
        write_keys(item, layers, arrays)
    except BaseException:
        bpy.data.batch_remove([item, made])
        raise
    bpy.data.objects.remove(item)
    return SoundCopy(made, arrays.polygons)
