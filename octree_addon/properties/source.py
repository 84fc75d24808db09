"""What the scene's tree is built of."""

from typing import TYPE_CHECKING

import bpy
from bpy.props import PointerProperty

from ..options import SourceOptions


class OctreeSourceSettings(SourceOptions, bpy.types.PropertyGroup):
    """What the scene's tree is built of."""

    if TYPE_CHECKING:
        collection: bpy.types.Collection | None
    else:
        collection: PointerProperty(
            type=bpy.types.Collection,
            name="Collection",
            description="The collection whose objects the octree is built of",
        )


def kinds_of(source: SourceOptions) -> list[str]:
    """Return the types of objects without a shape that are wanted."""
    chosen = {"LIGHT": source.lights, "CAMERA": source.cameras, "EMPTY": source.empties}
    return [kind for kind, is_wanted in chosen.items() if is_wanted]
