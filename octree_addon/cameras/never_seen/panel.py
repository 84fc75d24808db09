"""Never Seen in the tab: its button, its options, what it answered, and what is done with it."""

from typing import Any

import bpy

from ...answers.verbs import draw_age
from ...ui import OptionsPopover, SelectionOptions, column_of, draw_button, draw_rows, settings_of
from .forecast import forecast_of
from .masks import masked_objects
from .report import copy_lines, samples_lines
from .samples import ANSWERS
from .settings import COPY_ROWS, SAFETY_ROWS, view_rows

# Lines of the answer that stand above the list: how many objects, and how many faces.
_SAID = 2


class OCTREE_PT_never_seen(OptionsPopover):
    """Which views are tested, and what is kept of what they do not see."""

    bl_label = "Never Seen"

    def draw(self, context: bpy.types.Context) -> None:
        settings = settings_of(context.scene).never_seen
        column = column_of(self)
        draw_rows(column, settings, view_rows(settings))
        if masked_objects():
            column.operator("octree.unmask_never_seen", icon="LOOP_BACK")


def draw_never_seen(layout: bpy.types.UILayout, context: bpy.types.Context) -> None:
    """Show the button that asks what no view sees."""
    draw_button(layout, "octree.find_never_seen", "OCTREE_PT_never_seen")


def say_never_seen(layout: bpy.types.UILayout, context: bpy.types.Context, result: Any) -> None:
    """Say what no view saw: what the buttons under the list will take."""
    found = ANSWERS.of_result(context.scene, result)
    if found is not None:
        forecast = forecast_of(context)
        for line in samples_lines(found, forecast.kept if forecast else None)[:_SAID]:
            layout.label(text=line, translate=False)
        draw_age(layout, context.scene, ANSWERS)


def offer_never_seen(layout: bpy.types.UILayout, context: bpy.types.Context, result: Any) -> None:
    """Say how it was found out, and offer to take away what was never seen."""
    found = ANSWERS.of_result(context.scene, result)
    if found is None:
        return
    settings, forecast = settings_of(context.scene).never_seen, forecast_of(context)
    draw_select(layout, settings_of(context.scene).tab)
    draw_actions(layout)
    layout.operator("octree.copy_never_seen", icon="DUPLICATE")
    more = samples_lines(found, forecast.kept if forecast else None)[_SAID:]
    draw_lines(layout, [*(copy_lines(forecast.copies) if forecast else []), *more])
    column = layout.column()
    column.use_property_split = True
    draw_rows(column, settings, (*SAFETY_ROWS, *COPY_ROWS))


def draw_lines(layout: bpy.types.UILayout, lines: list[str]) -> None:
    """Say something in a box."""
    box = layout.box().column(align=True)
    for line in lines:
        box.label(text=line, translate=False)


def draw_select(layout: bpy.types.UILayout, tab: SelectionOptions) -> None:
    """Offer to select what was never seen."""
    row = layout.row(align=True)
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
