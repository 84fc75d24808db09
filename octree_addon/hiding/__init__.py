"""Hiding feature: hide objects and restore exactly those; read plan, then hidden_objects."""

import bpy

from ..ui import Feature
from .hidden_objects import (
    hidden_counts,
    hide,
    is_hiding,
    listen_if_hiding,
    restore,
    uninstall,
)
from .operators import (
    OCTREE_OT_hide_unseen,
    OCTREE_OT_restore_hidden,
    draw_banner,
    draw_hide,
)
from .plan import Plan, plan
from .settings import (
    OctreeHiddenObject,
    OctreeHidingSettings,
    OctreeLayerMemory,
    OctreeSceneMemory,
)

__all__ = [
    "Plan",
    "draw_banner",
    "hidden_counts",
    "hide",
    "is_hiding",
    "listen_if_hiding",
    "plan",
    "restore",
    "uninstall",
]


def draw_menu(menu: bpy.types.Menu, _: bpy.types.Context) -> None:
    """Offer to hide and to restore."""
    menu.layout.separator()
    menu.layout.operator("octree.hide_unseen")
    menu.layout.operator("octree.restore_hidden")


FEATURE = Feature(
    settings={"hiding": OctreeHidingSettings, "hidden": OctreeSceneMemory},
    layer_settings=OctreeLayerMemory,
    groups=(OctreeHiddenObject,),
    classes=(OCTREE_OT_hide_unseen, OCTREE_OT_restore_hidden),
    menus=(
        ("OCTREE_MT_object", draw_menu),
        ("VIEW3D_MT_object_showhide", draw_menu),
        ("OCTREE_PT_shot", draw_hide),
    ),
)
