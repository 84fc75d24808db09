"""Panel Never Seen: which views are tested, what they saw, what is kept, and what is done."""

import bpy

from ...answers.verbs import draw_age
from ...ui import SelectionOptions, SidebarPanel, column_of, draw_rows, settings_of
from .forecast import forecast_of
from .masks import masked_objects
from .report import copy_lines, samples_lines
from .samples import ANSWERS, get
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
            forecast = forecast_of(context)
            kept = forecast.kept if forecast else None
            draw_samples(column, samples_lines(found, kept), settings_of(context.scene).tab)
            draw_age(column, context.scene, ANSWERS)
            draw_rows(column, settings, SAFETY_ROWS)
            draw_actions(column)
            draw_rows(column, settings, COPY_ROWS)
            column.operator("octree.copy_never_seen", icon="DUPLICATE")
            if forecast:
                draw_lines(column, copy_lines(forecast.copies))
        if masked_objects():
            column.operator("octree.unmask_never_seen", icon="LOOP_BACK")


def draw_lines(layout: bpy.types.UILayout, lines: list[str]) -> bpy.types.UILayout:
    """Say something in a box, and return that."""
    box = layout.box().column(align=True)
    for line in lines:
        box.label(text=line)
    return box


def draw_samples(layout: bpy.types.UILayout, lines: list[str], tab: SelectionOptions) -> None:
    """Say what was seen, and offer to select the rest."""
    box = draw_lines(layout, lines)
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
