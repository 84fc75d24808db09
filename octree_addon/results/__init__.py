"""Results feature: one list for the answers to all questions, kept in the file.

Read rows, view, fingerprints, revisions, kept, lines, choosing, columns, then settings, tables,
operators, listeners and panel.
"""

import bpy

from ..ui import Feature
from .choosing import (
    Side,
    active_contact,
    active_objects,
    active_sides,
    sides_of,
)
from .columns import value_text
from .fingerprints import (
    has_changed,
    known_fingerprint,
    note_asked,
    noted_fingerprint,
    unchanged,
)
from .kept import (
    active_result,
    doubt_names,
    drop_pointers,
    forget,
    has_pointers,
    keep_result,
    listen,
    options_of,
    place_for,
    remove_named,
    shown_of,
    stop_listening,
    titled,
    view_of,
    write_rows,
)
from .lines import LINES, Contact, Lines
from .listeners import compare_later, compare_soon, has_results, listen_if_kept, uninstall
from .operators import (
    OCTREE_OT_clear_results,
    OCTREE_OT_copy_rows,
    OCTREE_OT_export_rows,
    OCTREE_OT_isolate_row,
    OCTREE_OT_mark_row_frames,
    OCTREE_OT_next_row,
    OCTREE_OT_previous_row,
    OCTREE_OT_refresh_result,
    OCTREE_OT_remove_result,
    OCTREE_OT_select_rows,
    OCTREE_OT_show_result,
    OCTREE_OT_sort_rows,
)
from .panel import OCTREE_PT_results, OCTREE_UL_results, draw_labels, fresh_view
from .revisions import (
    holds,
    is_as_at,
    listen_to_changes,
    notice_losses,
    result_holds,
    revision,
)
from .rows import Column, PersistentIds, Rows, no_instances, numbered
from .settings import (
    OctreeListSettings,
    OctreeResult,
    OctreeResultObject,
    OctreeResultRow,
    OctreeResultsSettings,
)

__all__ = [
    "LINES",
    "Column",
    "Contact",
    "Lines",
    "PersistentIds",
    "Rows",
    "Side",
    "active_contact",
    "active_objects",
    "active_result",
    "active_sides",
    "compare_later",
    "compare_soon",
    "doubt_names",
    "draw_labels",
    "drop_pointers",
    "forget",
    "fresh_view",
    "has_changed",
    "has_pointers",
    "has_results",
    "holds",
    "is_as_at",
    "keep_result",
    "known_fingerprint",
    "listen",
    "listen_if_kept",
    "listen_to_changes",
    "no_instances",
    "note_asked",
    "noted_fingerprint",
    "notice_losses",
    "numbered",
    "options_of",
    "place_for",
    "remove_named",
    "result_holds",
    "revision",
    "shown_of",
    "sides_of",
    "stop_listening",
    "titled",
    "unchanged",
    "uninstall",
    "value_text",
    "view_of",
    "write_rows",
]


def draw_menu(menu: bpy.types.Menu, _: bpy.types.Context) -> None:
    """Offer to go through the results, and to take them elsewhere."""
    menu.layout.separator()
    for name in ("next_row", "previous_row", "isolate_row", "select_rows", "refresh_result"):
        menu.layout.operator(f"octree.{name}")
    for name in ("copy_rows", "export_rows", "mark_row_frames", "remove_result", "clear_results"):
        menu.layout.operator(f"octree.{name}")


FEATURE = Feature(
    settings={"results": OctreeResultsSettings},
    session_settings=OctreeListSettings,
    groups=(OctreeResultObject, OctreeResultRow, OctreeResult),
    classes=(
        OCTREE_OT_previous_row,
        OCTREE_OT_next_row,
        OCTREE_OT_isolate_row,
        OCTREE_OT_select_rows,
        OCTREE_OT_sort_rows,
        OCTREE_OT_show_result,
        OCTREE_OT_copy_rows,
        OCTREE_OT_export_rows,
        OCTREE_OT_refresh_result,
        OCTREE_OT_remove_result,
        OCTREE_OT_clear_results,
        OCTREE_OT_mark_row_frames,
        OCTREE_UL_results,
        OCTREE_PT_results,
    ),
    menus=(("OCTREE_MT_select", draw_menu),),
)
