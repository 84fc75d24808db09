"""Results panel: the list of rows (UIList), its search, its headers and its buttons."""

import json
from typing import Any

import bpy

from ..answers import kept
from ..answers.kept import active_result, shown_of, view_of
from ..answers.result_kind import kind_of
from ..answers.view import NAME
from ..answers.view3d import is_isolated
from ..scene_index import State
from ..ui import (
    OWN_WORDS,
    SidebarPanel,
    column_of,
    draw_hint,
    plural,
    schedule,
    settings_of,
)
from .choosing import picked_rows
from .columns import cells, fitted_columns, translated
from .row_drawing import LineDrawing
from .verbs import VERBS

# Lines of the list, few enough that a small screen shows all buttons too; buttons per row.
_LINES, _BESIDE = 6, 4


class OCTREE_UL_results(bpy.types.UIList):
    """The rows of the active result, filtered and sorted by the panel's settings."""

    def filter_items(  # type: ignore[override]
        self, context: bpy.types.Context, data: Any, propname: str
    ) -> tuple[list[int], list[int]]:
        result = active_result(context.scene)
        if result is None:
            return [], []
        # Items are empty. The first k items stand for the k lines, from top to bottom.
        return shown_of(context.scene, result).in_list(len(data.rows)), []

    def draw_filter(self, context: bpy.types.Context, layout: bpy.types.UILayout) -> None:
        """Draw nothing: the search field is above the list instead."""

    def draw_item(
        self,
        context: bpy.types.Context,
        layout: bpy.types.UILayout,
        data: Any,
        item: Any,
        icon: int,
        active_data: Any,
        active_property: str,
        index: int = 0,
        flt_flag: int = 0,
    ) -> None:
        result = active_result(context.scene)
        lines = () if result is None else shown_of(context.scene, result).lines
        if index < len(lines):
            LineDrawing(layout, context.scene, result, int(lines[index])).draw()


class OCTREE_PT_results(SidebarPanel):
    """The answers to questions, row by row."""

    bl_label = "Results"
    bl_order = 100

    def draw_header_preset(self, context: bpy.types.Context) -> None:
        result = active_result(context.scene)
        if result is not None:
            self.layout.label(text=count_text(context.scene, result), translate=False)

    def draw(self, context: bpy.types.Context) -> None:
        column = column_of(self)
        column.use_property_split = False
        scene, settings = context.scene, settings_of(context.scene).results
        result = active_result(scene)
        if result is None:
            draw_hint(column, "No results")
            return
        kind = kind_of(result)
        kind.summary(column.column(align=True), context, result)
        draw_names(column, settings)
        keep_current(column, scene, result)
        draw_headers(column, scene, settings, result)
        column.template_list(
            "OCTREE_UL_results", "", kept.list_settings(), "rows", settings, "line",
            rows=_LINES,
        )  # fmt: skip
        if context.mode != "OBJECT":
            draw_hint(column, "Clicks select in Object Mode")
        kind.offer(column, context, result)
        draw_actions(column, context, result)


def draw_names(layout: bpy.types.UILayout, settings: Any) -> None:
    """Draw the name of the active result, and the buttons for it and its neighbors."""
    result = settings.kept[settings.active]
    row = layout.row(align=True)
    row.operator("octree.show_result", text="", icon="TRIA_LEFT").step = -1
    row.operator("octree.show_result", text="", icon="TRIA_RIGHT").step = 1
    row.prop(result, "name", text="")
    row.prop(result, "pinned", text="", icon="PINNED" if result.pinned else "UNPINNED")
    row.operator("octree.refresh_result", text="", icon="FILE_REFRESH")
    row.operator("octree.remove_result", text="", icon="X")


def count_text(scene: bpy.types.Scene, result: Any) -> str:
    """Return the number of matching rows and of all rows, such as "3 of 12 rows"."""
    shown = len(shown_of(scene, result).rows)
    part = "" if shown == result.count else f"{shown:,} of "
    noun = "pair" if view_of(scene, result).rows.are_pairs else "row"
    return part + plural(result.count, noun)


def keep_current(layout: bpy.types.UILayout, scene: bpy.types.Scene, result: Any) -> None:
    """Schedule the filling of the list, and warn if the scene has changed since the answer."""
    if len(kept.list_settings().rows) < len(shown_of(scene, result).lines):
        schedule(kept.fill_list, 0.0)
    state = kept.version_of_result(scene, result).state(scene)
    if state is State.CHANGED and not is_of_frames(result):
        draw_hint(layout, "The scene has changed since", "ERROR")


def is_of_frames(result: Any) -> bool:
    """Return whether the answer is about several frames, so that no frame outdates it."""
    return bool(json.loads(result.options).get("span", "CURRENT") != "CURRENT")


def draw_headers(
    layout: bpy.types.UILayout, scene: bpy.types.Scene, settings: Any, result: Any
) -> None:
    """Draw the search field and the headers of columns."""
    row = layout.row(align=True)
    row.prop(settings, "search", text="", icon="VIEWZOOM")
    fitted = fitted_columns(scene, result)
    row = layout.row(align=True)
    for cell, name, text in zip(
        cells(row, fitted.widths),
        (NAME, *(each.name for each in fitted.columns)),
        (NAME, *fitted.headers),
        strict=True,
    ):
        draw_header(cell, settings, name, text)


def draw_header(layout: bpy.types.UILayout, settings: Any, name: str, text: str) -> None:
    """Draw a header, a button that sorts by its column; the tooltip explains the column."""
    is_sorted = settings.sort == name
    layout.operator(
        "octree.sort_rows", text=translated(text), translate=False, depress=is_sorted
    ).by = name


def draw_picked(layout: bpy.types.UILayout, count: int) -> None:
    """Draw the buttons for groups, and the number of picked rows, which the buttons act on."""
    row = layout.row(align=True)
    row.operator("octree.group_rows", text="Group")
    row.operator("octree.ungroup_rows", text="Ungroup Rows")
    if count:
        row.operator(
            "octree.unpick_rows", text=f"{count:,}", icon="X", translate=False, depress=True
        )


def draw_actions(layout: bpy.types.UILayout, context: bpy.types.Context, result: Any) -> None:
    """Draw the buttons of actions on rows."""
    settings = settings_of(context.scene).results
    row = layout.row(align=True)
    row.operator("octree.previous_row", text="", icon="TRIA_UP")
    row.operator("octree.next_row", text="", icon="TRIA_DOWN")
    isolated = is_isolated(context)
    row.operator("octree.isolate_row", text="Show All" if isolated else "Isolate")
    picked = len(picked_rows(context.scene, result))
    row.operator("octree.select_rows", text="Select Picked" if picked else "Select All")
    draw_picked(layout, picked)
    row = layout.row(align=True)
    row.prop(settings, "follow", toggle=True)
    row.prop(settings, "outline", toggle=True)
    if view_of(context.scene, result).rows.are_pairs:
        dim = row.row(align=True)
        dim.enabled = settings.outline
        dim.prop(settings, "dim", toggle=True)
    buttons = layout.column(align=True)
    for place, verb in enumerate(VERBS):
        if place % _BESIDE == 0:
            row = buttons.row(align=True)
        row.operator(verb.bl_idname, text=verb.button, text_ctxt=OWN_WORDS)
    rows = view_of(context.scene, result).rows
    if rows.seen is not None:
        layout.operator("octree.mark_row_frames")
    if rows.largest is not None:
        layout.operator("octree.go_to_largest")
