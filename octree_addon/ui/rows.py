"""Sidebar and redo panel layout: property rows, tables, hints, panel base classes."""

from collections.abc import Iterable
from types import SimpleNamespace
from typing import Any, Literal

import bpy

from .progress import working


class SidebarPanel(bpy.types.Panel):
    """Where all our panels are; the place of each among the others is `bl_order`."""

    bl_space_type = "VIEW_3D"
    bl_region_type = "UI"
    bl_category = "Octree"


class OptionsPopover(bpy.types.Panel):
    """The options of a button, opened beside it: they take no room of the tab."""

    bl_space_type = "VIEW_3D"
    bl_region_type = "HEADER"
    bl_label = "Options"
    bl_ui_units_x = 13


def draw_button(layout: bpy.types.UILayout, name: str, options: str = "", **shown: Any) -> Any:
    """Put the button of an operator into a row of its own, with its options beside it.

    While the operator works, its progress stands there instead, and all other buttons wait.

    Parameters
    ----------
    layout : bpy.types.UILayout
        Where the row stands.
    name : str
        The operator, such as "octree.audit".
    options : str, optional
        The panel with its options.
    **shown : Any
        What the button shows: `text`, `icon`.

    Returns
    -------
    bpy.types.OperatorProperties
        What the button calls it with.
    """
    now, row = working(), layout.row(align=True)
    if now is not None and now.name == name:
        bar = row.split(factor=0.7, align=True)
        bar.progress(factor=now.part, text=f"{now.text} {now.part:.0%}")
        bar.operator("octree.cancel_work")
        return SimpleNamespace()
    row.enabled = now is None
    button = row.operator(name, **shown)
    if options:
        draw_popover(row, options)
    return button


def draw_popover(layout: bpy.types.UILayout, options: str) -> None:
    """Put a small button into a row that opens a panel of options."""
    layout.popover(options, text="", icon="DOWNARROW_HLT")


def column_of(drawn: bpy.types.Panel | bpy.types.Operator) -> bpy.types.UILayout:
    """Return the single column that the properties of a panel or a redo panel stand in.

    It waits while work goes on that began with what the scene is like now.
    """
    drawn.layout.use_property_split = True
    drawn.layout.use_property_decorate = False
    drawn.layout.enabled = working() is None
    return drawn.layout.column()


def draw_hint(
    layout: bpy.types.UILayout, text: str, icon: Literal["INFO", "ERROR"] = "INFO"
) -> None:
    """Put a sentence under the properties that it is about."""
    row = layout.row()
    row.alignment = "RIGHT"
    row.label(text=text, icon=icon)


def draw_table(
    layout: bpy.types.UILayout, rows: Iterable[tuple[str, str]], *, names: float = 0.5
) -> None:
    """Show names and values, a line each; the names take this share of the width."""
    column = layout.column(align=True)
    for name, value in rows:
        row = column.split(factor=names)
        row.alignment = "RIGHT"
        row.label(text=name)
        row.alignment = "LEFT"
        row.label(text=value)
