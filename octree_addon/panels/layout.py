"""Where our panels are, and how they are laid out."""

from collections.abc import Iterable

import bpy


class SidebarPanel(bpy.types.Panel):
    """Where all our panels are, and how they are laid out."""

    bl_space_type = "VIEW_3D"
    bl_region_type = "UI"
    bl_category = "Octree"


class SubPanel(SidebarPanel):
    """A panel inside the main one."""

    bl_parent_id = "OCTREE_PT_main"


def column_of(panel: bpy.types.Panel) -> bpy.types.UILayout:
    """Return the single column that a panel's properties stand in."""
    panel.layout.use_property_split = True
    panel.layout.use_property_decorate = False
    return panel.layout.column()


def draw_table(
    layout: bpy.types.UILayout, rows: Iterable[tuple[str, str]], *, names: float = 0.5
) -> None:
    """Show names and values, a line each; the names take so much of its width."""
    column = layout.column(align=True)
    for name, value in rows:
        row = column.split(factor=names)
        row.alignment = "RIGHT"
        row.label(text=name)
        row.alignment = "LEFT"
        row.label(text=value)
