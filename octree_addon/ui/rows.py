"""Rows of the sidebar and of redo panels: properties, tables, hints, and where panels stand."""

from collections.abc import Iterable
from typing import Any, Literal

import bpy

# Text properties of operators that name something, and where it is looked up.
_SEARCHED = {
    "bounds_object": "objects",
    "camera": "objects",
    "collection": "collections",
    "object": "objects",
}


class SidebarPanel(bpy.types.Panel):
    """Where all our panels are."""

    bl_space_type = "VIEW_3D"
    bl_region_type = "UI"
    bl_category = "Octree"


class SubPanel(SidebarPanel):
    """A panel inside the main one; its place among the others is `bl_order`."""

    bl_parent_id = "OCTREE_PT_main"


def column_of(drawn: bpy.types.Panel | bpy.types.Operator) -> bpy.types.UILayout:
    """Return the single column that the properties of a panel or a redo panel stand in."""
    drawn.layout.use_property_split = True
    drawn.layout.use_property_decorate = False
    return drawn.layout.column()


def draw_rows(layout: bpy.types.UILayout, owner: Any, names: Iterable[str]) -> None:
    """Show properties, a row each, as far as their owner has them.

    Parameters
    ----------
    layout : bpy.types.UILayout
        Where they are shown.
    owner : bpy.types.Operator or bpy.types.PropertyGroup
        An operator names what the scene's settings point at; the name can be searched for.
    names : iterable of str
        Which of its properties, in this order.
    """
    known = getattr(owner, "properties", owner).bl_rna.properties
    for name in names:
        if name in known and known[name].type == "STRING" and name in _SEARCHED:
            place = bpy.context.scene if _SEARCHED[name] == "objects" else bpy.data
            layout.prop_search(owner, name, place, _SEARCHED[name])
        elif name in known:
            layout.prop(owner, name)


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
