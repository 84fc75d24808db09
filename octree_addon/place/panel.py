"""Buttons of Drop, Push Apart and Fill with their options, and the fixes beside their results."""

from typing import Any

import bpy

from .. import audit
from ..options import draw_options
from ..result_list import ResultKind, active_row, view_of
from ..ui import OptionsPopover, column_of, draw_button, plural, settings_of, working
from .settings import DropOptions, FillOptions, PushApartOptions
from .telling import MOVED, NOTE


class OCTREE_PT_drop(OptionsPopover):
    """Options of *Drop*."""

    bl_label = "Drop"

    def draw(self, context: bpy.types.Context) -> None:
        draw_options(column_of(self), settings_of(context.scene).drop, DropOptions)


class OCTREE_PT_push_apart(OptionsPopover):
    """Options of *Push Apart*."""

    bl_label = "Push Apart"

    def draw(self, context: bpy.types.Context) -> None:
        column = column_of(self)
        draw_options(column, settings_of(context.scene).push_apart, PushApartOptions)
        column.operator("octree.push_apart", text="Push All Apart").whose = "ALL"


class OCTREE_PT_fill(OptionsPopover):
    """Options of *Fill*."""

    bl_label = "Fill"

    def draw(self, context: bpy.types.Context) -> None:
        draw_options(column_of(self), settings_of(context.scene).fill, FillOptions)


def draw_drop(layout: bpy.types.UILayout, context: bpy.types.Context) -> None:
    """Draw the button *Drop*, with *Hold* beside it."""
    row = layout.row(align=True)
    draw_button(row, "octree.drop", "OCTREE_PT_drop")
    hold = row.row(align=True)
    hold.enabled = working() is None
    hold.operator("octree.hold", text="", icon="RESTRICT_SELECT_OFF")


def draw_push_apart(layout: bpy.types.UILayout, context: bpy.types.Context) -> None:
    """Draw the button *Push Apart*."""
    draw_button(layout, "octree.push_apart", "OCTREE_PT_push_apart")


def draw_fill(layout: bpy.types.UILayout, context: bpy.types.Context) -> None:
    """Draw the button *Fill*."""
    draw_button(layout, "octree.fill", "OCTREE_PT_fill")


class MovedKind(ResultKind):
    """The result kind of moved objects."""

    def summary(self, layout: bpy.types.UILayout, context: bpy.types.Context, result: Any) -> None:
        """Draw the number of moved objects, and of those with a note."""
        rows = view_of(context.scene, result).rows
        moved, notes = rows.column(MOVED), rows.column(NOTE)
        if moved is None or notes is None:
            return
        noted = sum(bool(notes.words[value]) for value in notes.values.tolist())
        text = f"{plural(int((moved.values != 0).sum()), 'object')} moved"
        layout.label(text=f"{text}, {noted:,} noted" if noted else text, translate=False)


class DropKind(MovedKind):
    """The result kind of dropped objects."""

    def offer(self, layout: bpy.types.UILayout, context: bpy.types.Context, result: Any) -> None:
        """Draw *Push Apart* if an object overlapped something before the drop."""
        notes = view_of(context.scene, result).rows.column(NOTE)
        if notes is not None and any("overlaps" in word for word in notes.words):
            layout.operator("octree.push_apart").whose = "ROW"


class DroppableKind(audit.FloatingKind):
    """The result kind of floating objects, which can be dropped."""

    def offer(self, layout: bpy.types.UILayout, context: bpy.types.Context, result: Any) -> None:
        """Draw the choice of the ground, and *Drop* for the objects of the active row."""
        audit.choose_ground(layout, context)
        row = layout.row()
        row.enabled = active_row(context.scene) >= 0
        row.operator("octree.drop").whose = "ROW"
