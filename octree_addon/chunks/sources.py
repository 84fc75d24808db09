"""Sources of chunks: what becomes of each placement at walls, and which mesh it has."""

from typing import NamedTuple

import bpy

from ..answers.rows import numbered
from ..reader import MAKERS, matrices_of
from .settings import ChunkOptions
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
    is_copied : bool
        Whether a copy of its object shows it and nothing else. Of what a modifier makes, no object
        has the mesh; and a copy of an object whose modifiers make instances makes them once more.
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
        """Whether meshes are made of its layers, and not only copies of it."""
        return self.how != KEEP or self.is_sheared or not self.is_copied


def is_edited(item: bpy.types.Object) -> bool:
    """Tell whether a mesh is in edit mode, of another object maybe: its layers are elsewhere."""
    return isinstance(item.data, bpy.types.Mesh) and item.data.is_editmode


def sources_of(world: WorldTriangles, options: ChunkOptions) -> list[ChunkSource]:
    """Return what is done with each placement."""
    placements = world.placements
    items = {item.session_uid: item for item in bpy.data.objects}
    columns = (
        placements.owners, placements.shown, placements.is_instance, placements.intact,
        placements.persistent_ids, are_sheared(matrices_of(placements.matrices)),
    )  # fmt: skip
    makers = _instancers(world)
    found = []
    # Every attribute counts here: there may be tens of thousands of placements.
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
        # An object that is copied keeps its parents.
        sheared = sheared and (is_instance or item is None or item.type != "MESH")
        own = own and not (sheared and item.modifiers)
        name = items[owner].name if owner in items else ""
        label = numbered(name, numbers) if is_instance else name
        found.append(
            ChunkSource(row, owner, uid, label, is_instance, how, own, sheared, is_copied)
        )
    return found


def _instancers(world: WorldTriangles) -> set[int]:
    """Return the session ids of the objects of which anything in the scene is an instance."""
    placements = world.index.placements
    return set(placements.owners[placements.is_instance].tolist())
