"""Density: triangle counts in cells and against pixels, and decimated copies of objects.

Read settings, counting, budget, shares, decimated, operators, then panel.
"""

import bpy

from ..ui import Feature
from .counting import CountedCells, cells_counted_steps
from .operators import (
    DENSITY,
    OCTREE_OT_decimate_to_need,
    OCTREE_OT_density,
    OCTREE_OT_remove_decimated,
)
from .panel import DensityKind, OCTREE_PT_density, draw_density
from .settings import OctreeDensitySettings

__all__ = ["CountedCells", "cells_counted_steps", "draw_density"]


def draw_menu(menu: bpy.types.Menu, _: bpy.types.Context) -> None:
    """Draw the operators of density in the menu."""
    menu.layout.separator()
    for name in ("density", "decimate_to_need", "remove_decimated"):
        menu.layout.operator(f"octree.{name}")


FEATURE = Feature(
    settings={"density": OctreeDensitySettings},
    classes=(
        OCTREE_OT_density,
        OCTREE_OT_decimate_to_need,
        OCTREE_OT_remove_decimated,
        OCTREE_PT_density,
    ),
    menus=(("OCTREE_MT_object", draw_menu),),
    kinds=(DensityKind(DENSITY),),
)
