"""Objects that the file remembers: by pointer, which follows renaming, saving and undo."""

from typing import TYPE_CHECKING

import bpy
from bpy.props import PointerProperty


class OctreeObject(bpy.types.PropertyGroup):
    """One object in a collection of them; none once it is deleted."""

    if TYPE_CHECKING:
        object: bpy.types.Object | None
    else:
        object: PointerProperty(type=bpy.types.Object)
