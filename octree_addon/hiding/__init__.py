"""Hiding feature: hide objects, and restore exactly these.

Reading order: plan, then hidden_objects.
"""

import bpy

from ..ui import Feature
from .hidden_objects import (
    hidden_count,
    hidden_counts,
    hide,
    is_hiding,
    listen_if_hiding,
    restore,
    show_again,
    show_copies,
    uninstall,
)
from .operators import OCTREE_OT_restore_hidden, draw_restore, hidden_text, plan_lines
from .plan import Plan, plan
from .settings import (
    EverythingOption,
    HidingOptions,
    OctreeHiddenObject,
    OctreeHidingSettings,
    OctreeLayerMemory,
    OctreeSceneMemory,
)

__all__ = [
    "EverythingOption",
    "HidingOptions",
    "Plan",
    "draw_restore",
    "hidden_count",
    "hidden_counts",
    "hidden_text",
    "hide",
    "is_hiding",
    "listen_if_hiding",
    "plan",
    "plan_lines",
    "restore",
    "show_again",
    "show_copies",
    "uninstall",
]


def draw_menu(menu: bpy.types.Menu, _: bpy.types.Context) -> None:
    """Draw the operator Restore Hidden."""
    menu.layout.operator("octree.restore_hidden")


FEATURE = Feature(
    settings={"hiding": OctreeHidingSettings, "hidden": OctreeSceneMemory},
    layer_settings=OctreeLayerMemory,
    groups=(OctreeHiddenObject,),
    classes=(OCTREE_OT_restore_hidden,),
    menus=(("OCTREE_MT_object", draw_menu), ("VIEW3D_MT_object_showhide", draw_menu)),
    shortcuts=("octree.restore_hidden",),
)
