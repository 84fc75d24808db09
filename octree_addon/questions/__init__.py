"""Questions feature, a file each; read outlines, last_query and query_operator, then any.

A question is a `Query` (what was asked: its outline, its trace), options that
the scene and the operator share, and an operator (which rows it shows, what it asks the tree).
`QUESTIONS` names its operator; settings, menus and panels follow from that.
"""

import bpy

from ..ui import Feature, settings_of
from .collisions import OVER_FRAMES, CollisionOperator, CollisionOptions
from .frustum import camera_outline
from .last_query import (
    OctreeAnswerSettings,
    Query,
    QueryRecord,
    get,
    is_before_tree,
    is_current,
    is_empty,
    shared_of,
)
from .outlines import Outline
from .panel import (
    QUESTIONS,
    OCTREE_PT_camera,
    OCTREE_PT_cursor,
    OctreeTabSettings,
    QueryKind,
    TabOptions,
    draw_asking,
    draw_camera,
    draw_near,
    draw_question,
    near_name,
)
from .show_cells import OCTREE_OT_show_cells
from .status import draw_status

__all__ = [
    "OVER_FRAMES",
    "QUESTIONS",
    "CollisionOperator",
    "CollisionOptions",
    "Outline",
    "Query",
    "QueryKind",
    "QueryRecord",
    "TabOptions",
    "camera_outline",
    "draw_asking",
    "draw_camera",
    "draw_near",
    "draw_question",
    "get",
    "is_before_tree",
    "is_current",
    "is_empty",
    "near_name",
    "shared_of",
]


def draw_menu(menu: bpy.types.Menu, _: bpy.types.Context) -> None:
    """Offer to ask."""
    for question in QUESTIONS:
        menu.layout.operator(question.bl_idname)


def draw_view_menu(menu: bpy.types.Menu, context: bpy.types.Context) -> None:
    """Offer to show more of an answer, and what a camera has in view."""
    settings = settings_of(context.scene)
    menu.layout.prop(settings.frustum, "show", text="Camera View")
    menu.layout.prop(settings.answer, "found")
    menu.layout.prop(settings.answer, "missed")
    menu.layout.prop(settings.answer, "outline", text="Outline of Question")
    menu.layout.separator()
    menu.layout.operator("octree.show_cells")


FEATURE = Feature(
    settings={each.key: each.settings for each in QUESTIONS}
    | {"answer": OctreeAnswerSettings, "tab": OctreeTabSettings},
    classes=(
        *QUESTIONS,
        OCTREE_OT_show_cells,
        OCTREE_PT_camera,
        OCTREE_PT_cursor,
    ),
    menus=(
        ("OCTREE_MT_select", draw_menu),
        ("OCTREE_MT_view", draw_view_menu),
        ("STATUSBAR_HT_header", draw_status),
    ),
    shortcuts=tuple(each.bl_idname for each in QUESTIONS),
    kinds=tuple(QueryKind(each.bl_idname.partition(".")[2]) for each in QUESTIONS),
)
