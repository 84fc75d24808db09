"""Example town for trying everything. Reading order: solids, town, operator."""

import bpy

from ..ui import Feature
from .operator import OCTREE_OT_add_example, draw_offer


def draw_menu(menu: bpy.types.Menu, _: bpy.types.Context) -> None:
    """Draw the menu entry that adds the town."""
    menu.layout.separator()
    menu.layout.operator("octree.add_example", icon="HOME")


FEATURE = Feature(
    classes=(OCTREE_OT_add_example,),
    menus=(
        ("OCTREE_MT_object", draw_menu),
        ("VIEW3D_MT_mesh_add", draw_menu),
        ("OCTREE_PT_results", draw_offer),
    ),
)
