"""How the scene's tree of objects follows them."""

from typing import TYPE_CHECKING

import bpy
from bpy.props import BoolProperty, FloatProperty


class OctreeLiveSettings(bpy.types.PropertyGroup):
    """How the scene's tree of objects follows them."""

    if TYPE_CHECKING:
        pairs: bool
        interval: float
    else:
        pairs: BoolProperty(
            name="Pairs",
            description="Note which objects begin and which cease to overlap, box against box",
            default=True,
        )
        interval: FloatProperty(
            name="Merge Every",
            description="Seconds between two merges of cells, if these are deferred",
            default=1.0,
            min=0.05,
            soft_max=60.0,
            subtype="TIME_ABSOLUTE",
        )
