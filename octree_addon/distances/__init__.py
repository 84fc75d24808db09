"""Distances feature: shortest distances of surfaces as rows, and as dimensions that follow.

Read measuring, following, then settings and operators; `display` draws them and makes them real.
"""

import bpy

from ..ui import Feature
from .following import followed
from .laser import (
    AXES,
    LASER,
    LaserKind,
    LaserLines,
    OCTREE_OT_measure_laser,
    laser_lines,
    shown_laser,
)
from .measuring import Dimensions, Pairing, measure_steps, texts
from .operators import (
    QUESTION,
    DistancesKind,
    OCTREE_OT_measure_distances,
    OCTREE_PT_distances,
    draw_distances,
    shown_dimensions,
)
from .settings import OctreeDistanceSettings, OctreeLaserSettings

__all__ = [
    "AXES",
    "LASER",
    "Dimensions",
    "LaserLines",
    "Pairing",
    "draw_distances",
    "followed",
    "laser_lines",
    "measure_steps",
    "shown_dimensions",
    "shown_laser",
    "texts",
]


def draw_menu(menu: bpy.types.Menu, _: bpy.types.Context) -> None:
    """Offer to measure distances, and to make them real."""
    menu.layout.separator()
    menu.layout.operator("octree.measure_distances")
    menu.layout.operator("octree.measure_laser")
    menu.layout.operator("octree.make_distances_real")


FEATURE = Feature(
    settings={"distances": OctreeDistanceSettings, "laser": OctreeLaserSettings},
    classes=(OCTREE_OT_measure_distances, OCTREE_OT_measure_laser, OCTREE_PT_distances),
    menus=(("OCTREE_MT_select", draw_menu),),
    shortcuts=("octree.measure_distances", "octree.measure_laser"),
    kinds=(DistancesKind(QUESTION), LaserKind(LASER)),
)
