"""Panel of the display settings of cells, and their switch in the Overlays popover."""

import bpy

from .. import trees
from ..ui import SidebarPanel, column_of, draw_hint, plural, settings_of
from . import batches, hover


class OCTREE_PT_display(SidebarPanel):
    """Display settings of cells."""

    bl_label = "Cells"
    bl_parent_id = "OCTREE_PT_tree"
    bl_order = 22
    bl_options = {"DEFAULT_CLOSED"}

    def draw_header(self, context: bpy.types.Context) -> None:
        self.layout.prop(settings_of(context.scene).display, "show", text="")

    def draw(self, context: bpy.types.Context) -> None:
        display, built = settings_of(context.scene).display, trees.get(context.scene)
        column = column_of(self)
        column.active = display.show
        column.prop(display, "cells")
        if display.cells == "DEPTH":
            column.prop(display, "depth")
        if built and built.octree.loose_factor > 1:
            column.prop(display, "boxes")
        by_setting = column.column()
        by_setting.enabled = display.cells != "QUESTION"
        by_setting.prop(display, "color_by")
        for name in ("line_width", "opacity", "least_size", "in_front"):
            column.prop(display, name)
        behind = column.column()
        behind.enabled = not display.in_front
        behind.prop(display, "behind")
        picture = batches.shown_picture(context.scene)
        if built and picture and picture.octree is built.octree and display.show:
            draw_hint(column, plural(picture.wanted, "cell"))
        row = self.layout.row(align=True)
        row.operator("octree.inspect_cells", depress=hover.is_running())
        row.operator("octree.make_real")


def draw_switch(drawn: bpy.types.Panel | bpy.types.Menu, context: bpy.types.Context) -> None:
    """Add the display switch to the Overlays popover or to a menu."""
    display = settings_of(context.scene).display
    drawn.layout.prop(display, "show", text="Octree Cells")
