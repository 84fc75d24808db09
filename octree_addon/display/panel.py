"""The Display panel, and its switch in the Overlays popover."""

import bpy

from .. import trees
from ..ui import SubPanel, column_of, draw_hint, settings_of
from . import batches


class OCTREE_PT_display(SubPanel):
    """How the cells are drawn."""

    bl_label = "Display"
    bl_order = 30

    def draw_header(self, context: bpy.types.Context) -> None:
        self.layout.prop(settings_of(context.scene).display, "show", text="")

    def draw(self, context: bpy.types.Context) -> None:
        display = settings_of(context.scene).display
        column = column_of(self)
        column.active = display.show
        column.prop(display, "cells")
        if display.cells == "DEPTH":
            column.prop(display, "depth")
        column.prop(display, "boxes")
        by_setting = column.column()
        by_setting.enabled = display.cells != "QUESTION"
        by_setting.prop(display, "color_by")
        for name in ("line_width", "opacity", "in_front"):
            column.prop(display, name)
        built = trees.get(context.scene)
        drawn, wanted = (built and batches.counts(built)) or (0, 0)
        if drawn < wanted:
            draw_hint(column, f"Drawn: the largest {drawn:,} of {wanted:,} cells", "ERROR")
        self.layout.operator("octree.make_real")


def draw_switch(popover: bpy.types.Panel, context: bpy.types.Context) -> None:
    """Add the display switch to the Overlays popover."""
    display = settings_of(context.scene).display
    popover.layout.prop(display, "show", text="Octree Cells")
