"""Layout of the sidebar and the redo panel: buttons, hints, tables and base classes of panels."""

from collections.abc import Iterable
from types import SimpleNamespace
from typing import Any, Literal

import bpy

from .progress import working


class SidebarPanel(bpy.types.Panel):
    """Base of all panels in the tab Octree of the sidebar, sorted by `bl_order`."""

    bl_space_type = "VIEW_3D"
    bl_region_type = "UI"
    bl_category = "Octree"


class OptionsPopover(bpy.types.Panel):
    """Base of the panels with the options of a button, opened as a popover beside it."""

    bl_space_type = "VIEW_3D"
    bl_region_type = "HEADER"
    bl_label = "Options"
    bl_ui_units_x = 13


def draw_button(layout: bpy.types.UILayout, name: str, options: str = "", **shown: Any) -> Any:
    """Draw the button of an operator in its own row, with a popover of options beside it.

    While the operator runs, its progress bar replaces the button; while another one runs, the
    button is disabled.

    Parameters
    ----------
    layout : bpy.types.UILayout
        The layout of the row.
    name : str
        The operator, such as "octree.audit".
    options : str, optional
        The panel with the options.
    **shown : Any
        Arguments for the look of the button: `text`, `icon`.

    Returns
    -------
    bpy.types.OperatorProperties
        The arguments of the operator, to be set; a dummy while the progress is shown.
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
    """Draw a small button that opens a panel of options."""
    layout.popover(options, text="", icon="DOWNARROW_HLT")


def column_of(drawn: bpy.types.Panel | bpy.types.Operator) -> bpy.types.UILayout:
    """Return the column for the properties of a panel or redo panel.

    It is disabled while an operator runs, because the work depends on the present scene.
    """
    drawn.layout.use_property_split = True
    drawn.layout.use_property_decorate = False
    drawn.layout.enabled = working() is None
    return drawn.layout.column()


def draw_hint(
    layout: bpy.types.UILayout, text: str, icon: Literal["INFO", "ERROR"] = "INFO"
) -> None:
    """Draw a sentence, aligned to the right."""
    row = layout.row()
    row.alignment = "RIGHT"
    row.label(text=text, icon=icon)


def draw_table(
    layout: bpy.types.UILayout, rows: Iterable[tuple[str, str]], *, names: float = 0.5
) -> None:
    """Draw names and values, one pair per line; `names` is the names' fraction of the width."""
    column = layout.column(align=True)
    for name, value in rows:
        row = column.split(factor=names)
        row.alignment = "RIGHT"
        row.label(text=name)
        row.alignment = "LEFT"
        row.label(text=value)
