"""Distances: shortest distances of surfaces as result rows, and as dimension lines.

Read measuring, following, then settings and operators. The package `display` draws dimensions and
turns them into objects.
"""

import bpy

from ..ui import Feature
from .following import followed
from .measuring import Dimensions, Pairing, measure_steps, texts
from .operators import (
    QUESTION,
    DistancesKind,
    OCTREE_OT_measure_distances,
    OCTREE_PT_distances,
    draw_distances,
    shown_dimensions,
)
from .settings import OctreeDistanceSettings

__all__ = [
    "Dimensions",
    "Pairing",
    "draw_distances",
    "followed",
    "measure_steps",
    "shown_dimensions",
    "texts",
]


def draw_menu(menu: bpy.types.Menu, _: bpy.types.Context) -> None:
    """Draw the operators of distances in the menu."""
    menu.layout.separator()
    menu.layout.operator("octree.measure_distances")
    menu.layout.operator("octree.make_distances_real")


FEATURE = Feature(
    settings={"distances": OctreeDistanceSettings},
    classes=(OCTREE_OT_measure_distances, OCTREE_PT_distances),
    menus=(("OCTREE_MT_select", draw_menu),),
    shortcuts=("octree.measure_distances",),
    kinds=(DistancesKind(QUESTION),),
)
