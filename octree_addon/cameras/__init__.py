"""Cameras feature: visibility over frames, by view frusta or with occlusion; Never Seen.

Read in this order: visibility_result, frames, frusta, in_view, shot; for occlusion
render_roles, shown_scene, seen_items, label_store, pixels, object_columns; then the operators
find_seen, use_seen, hide_unseen and go_to_largest. The package `table` needs no Blender.
"""

import bpy

from ..ui import Feature
from .find_seen import OCTREE_OT_find_seen, pixel_texts
from .go_to_largest import OCTREE_OT_go_to_largest
from .hide_unseen import OCTREE_OT_hide_unseen, OCTREE_PT_hiding
from .panel import OCTREE_PT_shot, SeenKind, draw_shot
from .pixels import PixelOptions, pixel_steps
from .settings import OctreeAnswerNumbers, OctreeShotSettings
from .shot import Shot, shot_steps
from .use_seen import (
    OCTREE_OT_collect_seen,
    OCTREE_OT_export_seen,
    OCTREE_OT_mark_seen,
    OCTREE_OT_select_seen,
)
from .visibility_result import (
    TestedObject,
    VisibilityResult,
    get,
    keep,
)

__all__ = [
    "PixelOptions",
    "Shot",
    "TestedObject",
    "VisibilityResult",
    "draw_shot",
    "get",
    "keep",
    "pixel_steps",
    "pixel_texts",
    "shot_steps",
]


def draw_object_menu(menu: bpy.types.Menu, _: bpy.types.Context) -> None:
    """Draw menu entries for finding what cameras see, and for actions on the result."""
    menu.layout.separator()
    menu.layout.operator("octree.find_seen")
    menu.layout.operator("octree.collect_seen")
    menu.layout.operator("octree.mark_seen")
    menu.layout.operator("octree.export_seen")
    menu.layout.operator("octree.go_to_largest")


def draw_hide_menu(menu: bpy.types.Menu, _: bpy.types.Context) -> None:
    """Draw the menu entry that hides unseen objects."""
    menu.layout.separator()
    menu.layout.operator("octree.hide_unseen")


def draw_select_menu(menu: bpy.types.Menu, _: bpy.types.Context) -> None:
    """Draw the menu entry that selects seen or unseen objects."""
    menu.layout.operator("octree.select_seen")


FEATURE = Feature(
    settings={"shot": OctreeShotSettings, "answers": OctreeAnswerNumbers},
    classes=(
        OCTREE_OT_find_seen,
        OCTREE_OT_select_seen,
        OCTREE_OT_collect_seen,
        OCTREE_OT_mark_seen,
        OCTREE_OT_export_seen,
        OCTREE_OT_hide_unseen,
        OCTREE_OT_go_to_largest,
        OCTREE_PT_hiding,
        OCTREE_PT_shot,
    ),
    menus=(
        ("OCTREE_MT_object", draw_object_menu),
        ("OCTREE_MT_object", draw_hide_menu),
        ("OCTREE_MT_select", draw_select_menu),
        ("VIEW3D_MT_object_showhide", draw_hide_menu),
    ),
    shortcuts=("octree.find_seen", "octree.hide_unseen"),
    kinds=(SeenKind("find_seen"),),
)
