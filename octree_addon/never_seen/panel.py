"""Panel Never Seen: which views are tested, what they saw, what is kept, and what is done."""

import bpy

from ..questions import SelectionOptions
from ..shot.panel import draw_age
from ..ui import SidebarPanel, column_of, draw_rows, settings_of
from .masks import masked_objects
from .report import samples_lines
from .samples import ANSWERS, Samples, get
from .settings import COPY_ROWS, SAFETY_ROWS, view_rows


class OCTREE_PT_never_seen(SidebarPanel):
    """Find what no view sees, and take it away."""

    bl_label = "Never Seen"
    bl_parent_id = "OCTREE_PT_camera"
    bl_order = 42
    bl_options = {"DEFAULT_CLOSED"}

    def draw(self, context: bpy.types.Context) -> None:
        settings = settings_of(context.scene).never_seen
        column = column_of(self)
        draw_rows(column, settings, view_rows(settings))
        column.operator("octree.find_never_seen", icon="HIDE_ON")
        found = get(context.scene)
        if found:
            draw_samples(column, found, settings_of(context.scene).tab)
            draw_age(column, context.scene, ANSWERS)
            draw_rows(column, settings, SAFETY_ROWS)
            draw_actions(column)
            draw_rows(column, settings, COPY_ROWS)
            column.operator("octree.copy_never_seen", icon="DUPLICATE")
        if masked_objects():
            column.operator("octree.unmask_never_seen", icon="LOOP_BACK")


def draw_samples(layout: bpy.types.UILayout, found: Samples, tab: SelectionOptions) -> None:
    """Say what was seen, and offer to select the rest."""
    box = layout.box().column(align=True)
    for line in samples_lines(found):
        box.label(text=line)
    row = box.row(align=True)
    for kind, text in (("OBJECTS", "Select Objects"), ("FACES", "Select Faces")):
        button = row.operator("octree.select_never_seen", text=text)
        button.kind, button.action = kind, tab.action


def draw_actions(layout: bpy.types.UILayout) -> None:
    """Offer what is done with all that is never seen."""
    row = layout.row(align=True)
    row.operator("octree.collect_never_seen", text="Collect")
    row.operator("octree.hide_never_seen", text="Hide")
    row.operator("octree.mask_never_seen", text="Mask")
    row.operator("octree.mark_never_seen", text="Mark")
