"""Never-seen feature: item buffers of many views, and actions on objects that no view shows.

Read in this order: samples, views, stage, counting, question, safety, masks, copies,
forecast; then the operators.
"""

import bpy

from ...ui import Feature
from .counting import samples_steps
from .operators import (
    OCTREE_OT_collect_never_seen,
    OCTREE_OT_copy_never_seen,
    OCTREE_OT_find_never_seen,
    OCTREE_OT_hide_never_seen,
    OCTREE_OT_mark_never_seen,
    OCTREE_OT_mask_never_seen,
    OCTREE_OT_select_never_seen,
    OCTREE_OT_unmask_never_seen,
)
from .panel import (
    NeverSeenKind,
    OCTREE_PT_never_seen,
    draw_never_seen,
)
from .safety import kept_steps
from .samples import OPEN, TOO_SMALL, Facts, Samples, get, keep
from .settings import OctreeNeverSeenSettings, Safety
from .views import SampledViews

__all__ = [
    "OPEN",
    "TOO_SMALL",
    "Facts",
    "Safety",
    "SampledViews",
    "Samples",
    "draw_never_seen",
    "get",
    "keep",
    "kept_steps",
    "samples_steps",
]


def draw_object_menu(menu: bpy.types.Menu, _: bpy.types.Context) -> None:
    """Draw the menu entries that find never-seen objects and faces, and act on them."""
    menu.layout.separator()
    for name in ("find", "collect", "hide", "mark", "mask", "unmask", "copy"):
        menu.layout.operator(f"octree.{name}_never_seen")


def draw_select_menu(menu: bpy.types.Menu, _: bpy.types.Context) -> None:
    """Draw the menu entry that selects never-seen objects."""
    menu.layout.operator("octree.select_never_seen")


FEATURE = Feature(
    settings={"never_seen": OctreeNeverSeenSettings},
    classes=(
        OCTREE_OT_find_never_seen,
        OCTREE_OT_select_never_seen,
        OCTREE_OT_collect_never_seen,
        OCTREE_OT_hide_never_seen,
        OCTREE_OT_mark_never_seen,
        OCTREE_OT_mask_never_seen,
        OCTREE_OT_unmask_never_seen,
        OCTREE_OT_copy_never_seen,
        OCTREE_PT_never_seen,
    ),
    menus=(
        ("OCTREE_MT_object", draw_object_menu),
        ("OCTREE_MT_select", draw_select_menu),
    ),
    kinds=(NeverSeenKind("find_never_seen"),),
)
