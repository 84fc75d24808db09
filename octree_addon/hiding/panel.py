"""The Hide panel, and the banner of the main panel with the way back."""

import bpy

from ..ui import SubPanel, column_of, draw_rows, settings_of
from .hidden_objects import hidden_counts
from .operators import hidden_count_text


def draw_banner(layout: bpy.types.UILayout, scene: bpy.types.Scene) -> None:
    """Say what we have hidden and offer to restore it, as long as there is anything."""
    counts = hidden_counts(scene)
    if not counts:
        return
    box = layout.box().column(align=True)
    for icon, count in counts.items():
        box.label(text=hidden_count_text(icon, count), icon="HIDE_ON")
    box.operator("octree.restore_hidden", icon="LOOP_BACK")


class OCTREE_PT_hiding(SubPanel):
    """Hide what the cameras did not see."""

    bl_label = "Hide"
    bl_options = {"DEFAULT_CLOSED"}
    bl_order = 80

    def draw(self, context: bpy.types.Context) -> None:
        column = column_of(self)
        draw_rows(column, settings_of(context.scene).hiding, ("icon", "protect"))
        column.operator("octree.hide_unseen")
