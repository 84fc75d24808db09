"""Sound copies of meshes that are not sound, with all that they show."""

from collections.abc import Sequence
from typing import NamedTuple

import bpy

from ..arrays import Ids
from ..reader import is_sound, mesh_layers
from .assembly import whole_arrays
from .groups import blended_groups, write_groups
from .layers import write_keys, write_mesh


class SoundCopy(NamedTuple):
    """A sound mesh, and the polygon of its source that each of its polygons is of, (p,)."""

    mesh: bpy.types.Mesh
    polygons: Ids


def sound_copy(mesh: bpy.types.Mesh, groups: Sequence[str] = ()) -> SoundCopy | None:
    """Return a copy that is sound, with all layers; None of a mesh that is sound itself.

    Polygons that have a vertex twice are divided into triangles, of those that share their
    vertices the second gets its own, and what is not finite is left out.

    Parameters
    ----------
    mesh : bpy.types.Mesh
        Not in edit mode.
    groups : sequence of str, optional
        The names of its vertex groups.
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
