"""Questions: spatial queries of the scene, one file each.

Read outlines, last_query and query_operator first, then any question. A question consists of a
`Query` (the answer, its outline and its trace), of options that the scene and the operator share,
and of an operator (the test itself and the result's rows). `QUESTIONS` lists the operators;
settings, menus and panels are derived from it.
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
    """Draw the buttons of all questions in the menu."""
    for question in QUESTIONS:
        menu.layout.operator(question.bl_idname)


def draw_view_menu(menu: bpy.types.Menu, context: bpy.types.Context) -> None:
    """Draw the switches for an answer's colors and outline, and for the camera's frustum."""
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
