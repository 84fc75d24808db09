"""Sources of chunks: what becomes of each placement at walls, and which mesh it has."""

from collections.abc import Mapping
from typing import Any, NamedTuple

import bpy

from ..answers.rows import numbered
from ..reader import matrices_of
from .shear import are_sheared
from .world import WorldTriangles

# What is done with a placement, as `chunks_steps` counts it: its triangles are cut at walls, or
# assigned to cells, or it stays whole.
CUT, ASSIGN, KEEP = 0, 1, 2


class ChunkSource(NamedTuple):
    """A placement that chunks are made of.

    Attributes
    ----------
    row : int
        Where it stands among the placements of `WorldTriangles`.
    owner, shown : int
        Session ids of the object, or the instancer, and of what it shows.
    label : str
        Its name: "Tree", or of an instance "Tree #3".
    is_instance : bool
        Whether it is no object itself.
    how : int
        `CUT`, `ASSIGN` or `KEEP`.
    own : bool
        Whether its original mesh is taken, with shape keys, and with the modifiers that it has.
    is_sheared : bool
        Whether it will stand by itself, as no object can: its mesh has to be.
    """

    row: int
    owner: int
    shown: int
    label: str
    is_instance: bool
    how: int
    own: bool
    is_sheared: bool

    @property
    def is_read(self) -> bool:
        """Whether meshes are made of its layers, and not only copies of it."""
        return self.how != KEEP or self.is_sheared


def is_edited(item: bpy.types.Object) -> bool:
    """Tell whether a mesh is in edit mode, of another object maybe: its layers are elsewhere."""
    return isinstance(item.data, bpy.types.Mesh) and item.data.is_editmode


def sources_of(world: WorldTriangles, options: Mapping[str, Any]) -> list[ChunkSource]:
    """Return what is done with each placement."""
    placements = world.placements
    items = {item.session_uid: item for item in bpy.data.objects}
    columns = (
        placements.owners, placements.shown, placements.is_instance, placements.intact,
        placements.persistent_ids, are_sheared(matrices_of(placements.matrices)),
    )  # fmt: skip
    found = []
    for row, values in enumerate(zip(*(each.tolist() for each in columns), strict=True)):
        owner, uid, is_instance, intact, numbers, sheared = values
        item = items.get(uid)
        own = intact and item is not None and not (is_instance and uid == owner)
        own = own and not is_edited(item)
        how = {"CUT": CUT, "ASSIGN": ASSIGN}[options["method"]]
        if is_instance and options["instances"] == "WHOLE":
            how = KEEP
        elif item is not None and is_deformed(item):
            how = ASSIGN if own and not is_instance else KEEP
        elif item is not None and any(each.show_viewport for each in item.modifiers):
            own = False
        # An object that is copied keeps its parents.
        sheared &= is_instance or item is None or item.type != "MESH"
        own &= not (sheared and item.modifiers)
        name = items[owner].name if owner in items else ""
        label = numbered(name, numbers) if is_instance else name
        found.append(ChunkSource(row, owner, uid, label, is_instance, how, own, sheared))
    return found


def is_deformed(item: bpy.types.Object) -> bool:
    """Tell whether an armature deforms an object."""
    return any(each.type == "ARMATURE" and each.show_viewport for each in item.modifiers)
