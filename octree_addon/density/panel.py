"""Density in the tab: its button and options, the summary of a result, and its actions."""

import json
from typing import Any

import bpy

from ..chunks import CellKind
from ..options import draw_options
from ..ui import OptionsPopover, column_of, draw_button, settings_of
from .decimated import decimated_collection
from .operators import counts_of
from .settings import DensityOptions


class OCTREE_PT_density(OptionsPopover):
    """Options of *Density*."""

    bl_label = "Density"

    def draw(self, context: bpy.types.Context) -> None:
        column = column_of(self)
        draw_options(column, settings_of(context.scene).density, DensityOptions)
        if decimated_collection(context.scene) is not None:
            column.operator("octree.remove_decimated", icon="LOOP_BACK")


def draw_density(layout: bpy.types.UILayout, context: bpy.types.Context) -> None:
    """Draw the button *Density*."""
    draw_button(layout, "octree.density", "OCTREE_PT_density")


class DensityKind(CellKind):
    """The result kind of triangle counts."""

    def summary(self, layout: bpy.types.UILayout, context: bpy.types.Context, result: Any) -> None:
        """Draw the summary of the counts."""
        layout.label(text=json.loads(result.marks), translate=False)

    def offer(self, layout: bpy.types.UILayout, context: bpy.types.Context, result: Any) -> None:
        """Draw *Decimate to Need* if pixels were counted."""
        if counts_of(context.scene) is not None:
            layout.operator("octree.decimate_to_need", icon="MOD_DECIM")
