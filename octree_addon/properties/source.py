"""What the scene's tree is built of."""

from typing import TYPE_CHECKING

import bpy
from bpy.props import PointerProperty

from ..options import SourceOptions, option_names
from ..ui import settings_of


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


def note_source(scene: bpy.types.Scene, scope: str) -> None:
    """Remember what the scene's tree is built of: all settings of the source but the scope."""
    settings = settings_of(scene)
    for name in (*option_names(SourceOptions), "collection"):
        setattr(settings.built_of, name, getattr(settings.source, name))
    settings.built_of.scope = scope
