"""User interface of chunks: buttons, options, summaries of results, and actions on them."""

import json
from typing import Any

import bpy

from ..answers.kept import numbered_answer
from ..options import draw_options, from_values
from ..result_list import ResultKind
from ..scene_index import State
from ..ui import OptionsPopover, column_of, draw_button, draw_hint, plural, settings_of
from .cell_rows import CellKind, cells_in
from .made import made_collection
from .operators import CutFacts, budget_text, preview_text
from .settings import ChunkOptions


class OCTREE_PT_chunks(OptionsPopover):
    """Options for cutting the scene into chunks, and the buttons that cut and restore."""

    bl_label = "Chunks"

    def draw(self, context: bpy.types.Context) -> None:
        column = column_of(self)
        draw_options(column, settings_of(context.scene).chunks, ChunkOptions)
        column.operator("octree.cut_chunks", icon="MOD_EXPLODE")
        if made_collection(context.scene) is not None:
            column.operator("octree.remove_chunks", icon="LOOP_BACK")


def draw_chunks(layout: bpy.types.UILayout, context: bpy.types.Context) -> None:
    """Draw the button that previews chunks, with its options."""
    draw_button(layout, "octree.preview_chunks", "OCTREE_PT_chunks")


class PreviewKind(CellKind):
    """Results that preview the cells of a cut."""

    def summary(self, layout: bpy.types.UILayout, context: bpy.types.Context, result: Any) -> None:
        """Draw the number of cells, and how many are over the budget."""
        cells = cells_in(result)
        if cells is not None:
            budget = budget_text(from_values(ChunkOptions, json.loads(result.options)))
            text = preview_text(len(cells.lower), int(cells.over.sum()), budget)
            layout.label(text=text, translate=False)

    def offer(self, layout: bpy.types.UILayout, context: bpy.types.Context, result: Any) -> None:
        """Draw the button that cuts."""
        draw_button(layout, "octree.cut_chunks", icon="MOD_EXPLODE")


class CutKind(ResultKind):
    """Results with the chunks of a cut."""

    def summary(self, layout: bpy.types.UILayout, context: bpy.types.Context, result: Any) -> None:
        """Draw the number of chunks, and a warning if their sources may have changed."""
        layout.label(text=plural(result.count, "chunk"), translate=False)
        answer = numbered_answer(context.scene, result.number, CutFacts)
        if answer is None or answer.found.version.state(context.scene) is State.CHANGED:
            draw_hint(layout, "Sources may have changed", "ERROR")

    def offer(self, layout: bpy.types.UILayout, context: bpy.types.Context, result: Any) -> None:
        """Draw the buttons that cut again and that restore the sources."""
        row = layout.row(align=True)
        draw_button(row, "octree.cut_chunks", text="Cut Again", icon="MOD_EXPLODE")
        row.operator("octree.remove_chunks", icon="LOOP_BACK")
