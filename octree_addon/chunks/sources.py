"""Sources of chunks: how each placement is treated at walls, and which mesh it has."""

from typing import NamedTuple

import bpy

from ..answers.rows import numbered
from ..reader import MAKERS, matrices_of
from .settings import ChunkOptions
from .shear import are_sheared
from .world import WorldTriangles

# Modes of a placement, as `chunks_steps` numbers them: cut triangles at walls, assign whole
# triangles to cells, or keep the placement whole.
CUT, ASSIGN, KEEP = 0, 1, 2


class ChunkSource(NamedTuple):
    """A placement that chunks are made of.

    Attributes
    ----------
    row : int
        Row of the placement in `WorldTriangles`.
    owner, shown : int
        Session ids of the object (of an instance, its instancer), and of the shown object.
    label : str
        Name of the object, such as "Tree"; of an instance, "Tree #3".
    is_instance : bool
        True for an instance, False for an object.
    how : int
        `CUT`, `ASSIGN` or `KEEP`.
    own : bool
        True if the original mesh is used, with its shape keys and modifiers; False if the
        evaluated mesh is.
    is_sheared : bool
        True if the chunk needs a shear that an object without parents cannot have; then its
        vertices are sheared.
    is_copied : bool
        True if a copy of the object shows this placement and nothing else. False for meshes that
        a modifier instances, and for objects whose modifiers would make their instances again.
    """

    row: int
    owner: int
    shown: int
    label: str
    is_instance: bool
    how: int
    own: bool
    is_sheared: bool
    is_copied: bool

    @property
    def is_read(self) -> bool:
        """True if the mesh layers have to be read, because a copy of the object is not enough."""
        return self.how != KEEP or self.is_sheared or not self.is_copied


def is_edited(item: bpy.types.Object) -> bool:
    """Return whether the mesh of an object is in Edit Mode, in this object or another user.

    In Edit Mode, the mesh itself does not hold its layers.
    """
    return isinstance(item.data, bpy.types.Mesh) and item.data.is_editmode


def sources_of(world: WorldTriangles, options: ChunkOptions) -> list[ChunkSource]:
    """Return a source for each placement, in order."""
    placements = world.placements
    items = {item.session_uid: item for item in bpy.data.objects}
    columns = (
        placements.owners, placements.shown, placements.is_instance, placements.intact,
        placements.persistent_ids, are_sheared(matrices_of(placements.matrices)),
    )  # fmt: skip
    makers = _instancers(world)
    found = []
    # Attribute access is a large part of the time for tens of thousands of placements.
    is_editing = any(mesh.is_editmode for mesh in bpy.data.meshes)
    for row, values in enumerate(zip(*(each.tolist() for each in columns), strict=True)):
        owner, uid, is_instance, intact, numbers, sheared = values
        item = items.get(uid)
        shown = [] if item is None else [each for each in item.modifiers if each.show_viewport]
        own = intact and item is not None and not (is_instance and uid == owner)
        own = own and not (is_editing and is_edited(item))
        may_make = any(each.type in MAKERS for each in shown)
        is_copied = not (may_make and (is_instance or owner in makers))
        own = own and is_copied
        how = {"CUT": CUT, "ASSIGN": ASSIGN}[options.method]
        if is_instance and options.instances == "WHOLE":
            how = KEEP
        elif any(each.type == "ARMATURE" for each in shown):
            how = ASSIGN if own and not is_instance else KEEP
        elif shown:
            own = False
        # A copied object keeps its parents, and with them its shear.
        sheared = sheared and (is_instance or item is None or item.type != "MESH")
        own = own and not (sheared and item.modifiers)
        name = items[owner].name if owner in items else ""
        label = numbered(name, numbers) if is_instance else name
        found.append(
            ChunkSource(row, owner, uid, label, is_instance, how, own, sheared, is_copied)
        )
    return found


def _instancers(world: WorldTriangles) -> set[int]:
    """Return the session ids of all objects that instance anything in the scene."""
    placements = world.index.placements
    return set(placements.owners[placements.is_instance].tolist())
