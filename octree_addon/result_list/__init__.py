"""Results feature: one list for the answers to all questions, stored in the file.

Reading order: choosing, columns, then settings, tables, operators, picking, grouping, verbs,
listeners, row_drawing and panel.
"""

import bpy

from ..answers.kept import (
    active_result,
    doubt_names,
    place_for,
    remove_named,
    shown_of,
    titled,
    version_of_result,
    view_of,
)
from ..answers.result_kind import ColoredCells, Contact, ResultKind, kind_of
from ..answers.rows import Column, PersistentIds, Rows, no_instances, numbered
from ..ui import Feature
from .choosing import (
    ActiveResult,
    Side,
    active_of,
    active_row,
    rows_meant,
    sides_of,
)
from .columns import translated, value_text
from .grouping import OCTREE_OT_group_rows, OCTREE_OT_ungroup_rows
from .listeners import has_results, listen_if_kept, uninstall
from .operators import (
    OCTREE_OT_isolate_row,
    OCTREE_OT_mark_row_frames,
    OCTREE_OT_next_row,
    OCTREE_OT_previous_row,
    OCTREE_OT_refresh_result,
    OCTREE_OT_remove_result,
    OCTREE_OT_select_rows,
    OCTREE_OT_show_result,
    OCTREE_OT_sort_rows,
    ResultOperator,
)
from .panel import OCTREE_PT_results, OCTREE_UL_results
from .picking import OCTREE_OT_click_row, OCTREE_OT_fold_row, OCTREE_OT_unpick_rows
from .settings import (
    OctreeListSettings,
    OctreeResult,
    OctreeResultRow,
    OctreeResultsSettings,
)
from .verbs import VERBS

__all__ = [
    "ActiveResult",
    "ColoredCells",
    "Column",
    "Contact",
    "PersistentIds",
    "ResultKind",
    "ResultOperator",
    "Rows",
    "Side",
    "active_of",
    "active_result",
    "active_row",
    "doubt_names",
    "has_results",
    "kind_of",
    "listen_if_kept",
    "no_instances",
    "numbered",
    "place_for",
    "remove_named",
    "rows_meant",
    "shown_of",
    "sides_of",
    "titled",
    "translated",
    "uninstall",
    "value_text",
    "version_of_result",
    "view_of",
]


def draw_menu(menu: bpy.types.Menu, _: bpy.types.Context) -> None:
    """Draw the operators on rows and results."""
    menu.layout.separator()
    for name in ("next_row", "previous_row", "isolate_row", "select_rows", "refresh_result"):
        menu.layout.operator(f"octree.{name}")
    for name in ("group_rows", "ungroup_rows", "mark_row_frames", "remove_result"):
        menu.layout.operator(f"octree.{name}")
    for verb in VERBS:
        menu.layout.operator(verb.bl_idname)


FEATURE = Feature(
    settings={"results": OctreeResultsSettings},
    session_settings=OctreeListSettings,
    groups=(OctreeResultRow, OctreeResult),
    classes=(
        OCTREE_OT_previous_row,
        OCTREE_OT_next_row,
        OCTREE_OT_isolate_row,
        OCTREE_OT_select_rows,
        OCTREE_OT_click_row,
        OCTREE_OT_fold_row,
        OCTREE_OT_unpick_rows,
        OCTREE_OT_group_rows,
        OCTREE_OT_ungroup_rows,
        OCTREE_OT_sort_rows,
        OCTREE_OT_show_result,
        OCTREE_OT_refresh_result,
        OCTREE_OT_remove_result,
        OCTREE_OT_mark_row_frames,
        *VERBS,
        OCTREE_UL_results,
        OCTREE_PT_results,
    ),
    menus=(("OCTREE_MT_select", draw_menu),),
    shortcuts=("octree.previous_row", "octree.next_row", "octree.isolate_row"),
)
