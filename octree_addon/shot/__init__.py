"""Shot feature: frustum culling of objects and faces, frame by frame.

Read in this order: standing, visibility_result, frames, vertices, kept_octrees, local_mesh,
placements, scene_reader, culling, shot; for what stands behind others render_roles, shown_scene,
seen_items, label_store, pixels, object_columns; then the operators find_seen, answer_operator,
use_seen and go_to_largest.
"""

import bpy

from ..ui import Feature
from . import kept_octrees, visibility_result
from .find_seen import OCTREE_OT_find_seen, pixel_texts
from .go_to_largest import OCTREE_OT_go_to_largest
from .panel import OCTREE_PT_shot
from .pixels import PixelOptions, pixel_steps
from .seen_items import items_of
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
    csv_table,
    get,
    intervals,
    keep,
    objects_of,
)

__all__ = [
    "PixelOptions",
    "Shot",
    "TestedObject",
    "VisibilityResult",
    "csv_table",
    "forget",
    "get",
    "intervals",
    "items_of",
    "keep",
    "objects_of",
    "pixel_steps",
    "pixel_texts",
    "shot_steps",
]


def forget() -> None:
    """Drop every result, and every octree kept for the next question."""
    visibility_result.forget()
    kept_octrees.forget()


def draw_object_menu(menu: bpy.types.Menu, _: bpy.types.Context) -> None:
    """Offer to find what cameras see, and to use the result."""
    menu.layout.separator()
    menu.layout.operator("octree.find_seen")
    menu.layout.operator("octree.collect_seen")
    menu.layout.operator("octree.mark_seen")
    menu.layout.operator("octree.export_seen")
    menu.layout.operator("octree.go_to_largest")


def draw_select_menu(menu: bpy.types.Menu, _: bpy.types.Context) -> None:
    """Offer to select by the result."""
    menu.layout.operator("octree.select_seen")


FEATURE = Feature(
    settings={"shot": OctreeShotSettings, "answers": OctreeAnswerNumbers},
    classes=(
        OCTREE_OT_find_seen,
        OCTREE_OT_select_seen,
        OCTREE_OT_collect_seen,
        OCTREE_OT_mark_seen,
        OCTREE_OT_export_seen,
        OCTREE_OT_go_to_largest,
        OCTREE_PT_shot,
    ),
    menus=(
        ("OCTREE_MT_object", draw_object_menu),
        ("OCTREE_MT_select", draw_select_menu),
    ),
)
