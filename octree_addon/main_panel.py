"""The strip at the top of the tab: the banner of what is hidden, and what all buttons share."""

import bpy

from .example import draw_offer
from .hiding import draw_banner
from .ui import Feature, SidebarPanel, column_of, settings_of


class OCTREE_PT_main(SidebarPanel):
    """Restore what is hidden, begin with a town, and choose how all questions select."""

    bl_label = "Octree"
    bl_options = {"HIDE_HEADER"}
    bl_order = 0

    def draw(self, context: bpy.types.Context) -> None:
        column, tab = column_of(self), settings_of(context.scene).tab
        draw_banner(column, context.scene)
        draw_offer(column, context.scene)
        column.prop(tab, "action")
        if context.mode == "EDIT_MESH" or tab.kind != "AUTOMATIC":
            column.prop(tab, "kind")
        if tab.of_original:
            column.prop(tab, "meshes")


FEATURE = Feature(classes=(OCTREE_PT_main,))
