"""Preferences: the limit on triangles, by the user or by default; shortcuts."""

from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

import bpy
from bpy.props import IntProperty

from . import shortcuts
from .ui import Feature

PACKAGE = __package__.rpartition(".")[0]


@dataclass(frozen=True)
class Limits:
    """How much is taken on without a question."""

    triangles: int = 5_000_000


class OctreePreferences(bpy.types.AddonPreferences):
    """The limits and the shortcuts, as the user sees them."""

    bl_idname = PACKAGE

    if TYPE_CHECKING:
        triangle_limit: int
    else:
        triangle_limit: IntProperty(
            name="Triangle Limit",
            description="Ask before reading more triangles than this for an octree or a question",
            default=Limits.triangles,
            min=1,
            soft_max=100_000_000,
        )

    def draw(self, context: bpy.types.Context) -> None:
        layout = self.layout
        layout.use_property_split = True
        layout.prop(self, "triangle_limit")
        layout.label(text="Shortcuts")
        shortcuts.draw(layout, context)


def limits() -> Limits:
    """Return the user's limits, or the defaults where the add-on runs without preferences."""
    addons = bpy.context.preferences.addons
    if PACKAGE not in addons:
        return Limits()
    preferences: Any = addons[PACKAGE].preferences
    return Limits(preferences.triangle_limit)


FEATURE = Feature(classes=(OctreePreferences,))
