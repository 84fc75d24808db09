"""Display feature: GPU overlay, cells as a mesh; read cells, lines, batches, then drawing."""

import bpy

from ..ui import Feature
from .batches import counts, keep_only
from .drawing import install, is_installed, uninstall
from .mesh import OCTREE_OT_make_real
from .panel import OCTREE_PT_display, draw_switch
from .settings import OctreeDisplaySettings
from .snapshot import snapshots

__all__ = ["counts", "install", "is_installed", "keep_only", "snapshots", "uninstall"]


def draw_make_real(menu: bpy.types.Menu, _: bpy.types.Context) -> None:
    """Offer to make the cells a mesh."""
    menu.layout.operator("octree.make_real")


FEATURE = Feature(
    settings={"display": OctreeDisplaySettings},
    classes=(OCTREE_OT_make_real, OCTREE_PT_display),
    menus=(
        ("OCTREE_MT_object", draw_make_real),
        ("OCTREE_MT_view", draw_switch),
        ("VIEW3D_PT_overlay", draw_switch),
    ),
)
