"""What cameras are asked over a shot."""

from typing import TYPE_CHECKING

import bpy
from bpy.props import PointerProperty

from ..options import ShotOptions


class OctreeShotSettings(ShotOptions, bpy.types.PropertyGroup):
    """What cameras are asked over a shot."""

    if TYPE_CHECKING:
        collection: bpy.types.Collection | None
    else:
        collection: PointerProperty(
            type=bpy.types.Collection,
            name="Collection",
            description="The collection whose objects the cameras are asked about",
        )
