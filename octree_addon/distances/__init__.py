"""Distances feature: shortest distances of surfaces as rows, and as dimensions that follow.

Read measuring, following, then settings and operators; `display` draws them and makes them real.
"""

import bpy

from .. import results
from ..ui import Feature
from .following import column_now, followed
from .laser import (
    AXES,
    LASER,
    LaserLines,
    OCTREE_OT_measure_laser,
    laser_lines,
    shown_laser,
)
from .measuring import Dimensions, Pairing, measure_steps, texts
from .operators import (
    QUESTION,
    OCTREE_OT_measure_distances,
    OCTREE_PT_distances,
    draw_distances,
    offer_distances,
    say_distances,
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


results.LINES[QUESTION] = results.Lines((), lambda *_: (), lambda *_: None, now=column_now)
results.ANSWERS[QUESTION] = results.Said(say_distances, offer_distances)
results.ANSWERS[LASER] = results.Said(say_distances, offer_distances)
FEATURE = Feature(
    settings={"distances": OctreeDistanceSettings, "laser": OctreeLaserSettings},
    classes=(OCTREE_OT_measure_distances, OCTREE_OT_measure_laser, OCTREE_PT_distances),
    menus=(("OCTREE_MT_select", draw_menu),),
    shortcuts=("octree.measure_distances", "octree.measure_laser"),
)
