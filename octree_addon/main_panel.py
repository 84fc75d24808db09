"""The main panel: what is hidden, how to restore it, and the build; it holds all others."""

import bpy

from .build import draw_build
from .hiding import draw_banner
from .ui import Feature, SidebarPanel, column_of


class OCTREE_PT_main(SidebarPanel):
    """Build, rebuild and clear."""

    bl_label = "Octree"

    def draw(self, context: bpy.types.Context) -> None:
        column = column_of(self)
        draw_banner(column, context.scene)
        draw_build(column, context.scene)


FEATURE = Feature(classes=(OCTREE_PT_main,))
