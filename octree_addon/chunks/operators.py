"""Operators that preview chunks, cut them and restore the sources; Esc drops unfinished work."""

from collections.abc import Mapping
from dataclasses import replace
from typing import NamedTuple

import bpy
import numpy as np

from ...core import Steps, between
from ..answers.answer import Answer
from ..answers.asking import QuestionOperator, Told
from ..answers.kept import numbered_answer
from ..result_list import Column, Rows, no_instances
from ..scene_index import Version, version_of
from ..ui import (
    RefusingOperator,
    Status,
    mode_obstacle,
    plural,
    settings_of,
)
from .cell_rows import cell_rows, pack_cells, worst_first
from .cutting import (
    SceneCut,
    SourceTrace,
    cell_names,
    cut_steps,
    scene_chunks_steps,
    texels_if_counted,
)
from .made import (
    Made,
    chunks_in,
    link_made,
    made_collection,
    make_steps,
    remove_all,
    shown_sources,
    sources_in,
)
from .settings import ChunkOptions, KeptChunkOptions
from .sources import sources_of
from .world import CellTable, WorldTriangles, cell_table, world_steps

PREVIEW, CUT = "preview_chunks", "cut_chunks"
# Progress at the end of reading, and at the end of cutting, before objects are made.
_READ, _CUT = 0.5, 0.6


class Previewed(NamedTuple):
    """Cells of a preview: their triangles, a table of their contents, and their names."""

    world: WorldTriangles
    table: CellTable
    names: list[str]


class CutFacts(NamedTuple):
    """Record of a cut in this session: the version of the sources, and their traces.

    `uids` are the session ids of the owner and of the shown object of each source, by label.
    """

    version: Version
    traces: Mapping[str, SourceTrace]
    uids: Mapping[str, tuple[int, int]]


class OCTREE_OT_preview_chunks(QuestionOperator[KeptChunkOptions], bpy.types.Operator):
    """Preview of the cells that the scene would be cut into, with their contents."""

    bl_idname = "octree.preview_chunks"
    bl_label = "Preview Chunks"
    bl_description = (
        "Show the cells that Cut Chunks would cut the scene into, colored by how many triangles"
        " each would have; nothing is changed"
    )
    doing = "Finding cells"
    key, may_edit = "chunks", False

    def run(self, context: bpy.types.Context, options: KeptChunkOptions) -> Steps[Previewed]:
        with shown_sources(context):
            also = sources_in(context.scene)
            world = yield from between(0.0, _READ, world_steps(context, options.scope, also))
            texels = texels_if_counted(context, world, options)
        sources = sources_of(world, options)
        yield _READ
        dividing = scene_chunks_steps(world, sources, options, texels)
        found = yield from between(_READ, 1.0, dividing)
        return Previewed(world, cell_table(found, world), cell_names(found))

    def told(
        self, context: bpy.types.Context, found: Previewed, options: KeptChunkOptions
    ) -> Told:
        order = worst_first(found.table, found.table.totals)
        table = found.table.take(order)
        names = tuple(found.names[number] for number in order.tolist())
        counts = {
            "TEXELS": Column("Texels", "", np.round(table.totals).astype(np.int64)),
            "TRIANGLES": Column("Triangles", "", table.triangles.astype(np.int64)),
            "OBJECTS": Column("Objects", "", table.objects.astype(np.int64)),
        }
        first = counts.pop(options.counted)
        counts.pop("TEXELS", None)
        cells = Column("Cell", "", np.arange(len(table)), names)
        answer = Answer(
            found=None,
            title="Chunks Preview",
            rows=cell_rows(table, found.world, (first, *counts.values(), cells)),
            details=pack_cells(table, table.totals),
        )
        return answer, preview_text(len(table), int(table.is_over.sum()), budget_text(options))


def preview_text(cells: int, over: int, budget: str) -> str:
    """Return a text with the number of cells, and how many of them are over the budget."""
    return f"{plural(cells, 'cell')}, {f'{over:,}' if over else 'none'} over {budget}"


def budget_text(options: ChunkOptions) -> str:
    """Return the budget of a cell as text, such as "50,000 triangles"."""
    return plural(options.budget, options.counted.lower().removesuffix("s"))


class OCTREE_OT_cut_chunks(QuestionOperator[KeptChunkOptions], bpy.types.Operator):
    """Operator that cuts the scene into chunks, in a collection for each cell; hides sources."""

    bl_idname = "octree.cut_chunks"
    bl_label = "Cut Chunks"
    bl_description = (
        "Cut what is visible into chunks, in a collection beside it, with all attributes and"
        " without cracks. The objects themselves stay as they are, hidden until Restore Sources."
        " Cut again, only what has changed is cut"
    )
    bl_options = {"UNDO"}
    doing = "Cutting chunks"
    key, keeps, may_edit = "chunks", CutFacts, False

    def run(
        self, context: bpy.types.Context, options: KeptChunkOptions
    ) -> Steps[tuple[SceneCut, Made]]:
        known = standing_traces(context.scene)
        with shown_sources(context):
            also = sources_in(context.scene)
            cut = yield from between(0.0, _CUT, cut_steps(context, options, also, known))
        made = yield from between(_CUT, 1.0, make_steps(context.scene, cut))
        return cut, made

    def told(
        self, context: bpy.types.Context, found: tuple[SceneCut, Made], options: KeptChunkOptions
    ) -> Told:
        cut, made = found
        root = link_made(context, cut, made)
        uids = {each.label: (each.owner, each.shown) for each in cut.sources}
        owners = frozenset(owner for owner, _ in uids.values())
        # Sources are hidden now, so a fingerprint of the visible scene leaves them out.
        version = replace(version_of(context.scene), reading=None, objects=owners)
        facts = CutFacts(version, cut.traces, uids)
        items = chunks_in(root)
        answer = Answer(found=facts, title="Chunks", rows=cut_rows(cut, items))
        return answer, cut_text(cut, made, budget_text(options))


def cut_rows(cut: SceneCut, items: list[bpy.types.Object]) -> Rows:
    """Return a row for each chunk: its object, its triangles, those of its cell, and the cell."""
    counts = cut.found.counts
    of = {
        (part.source.label, cut.names[part.cell]): (part.triangles, part.cell)
        for part in cut.parts
    }
    found = [(item, *of[item["octree_source"], item["octree_chunk"]]) for item in items]
    found.sort(key=lambda each: (-int(counts[each[2]]), each[2], -each[1]))
    uids = np.array([item.session_uid for item, *_ in found], np.intp)
    cells = np.array([cell for *_, cell in found], np.intp)
    columns = (
        Column("Triangles", "", np.array([count for _, count, _ in found], np.int64)),
        Column("In Cell", "", counts[cells].astype(np.int64)),
        Column("Cell", "", cells, tuple(cut.names)),
    )
    return Rows(uids[None], no_instances(len(uids)), columns)


def cut_text(cut: SceneCut, made: Made, budget: str) -> str:
    """Return a text with the numbers of chunks, of newly cut ones, and of cells over budget."""
    chunks, fresh = len(made.fresh) + len(made.kept), len(made.fresh)
    text = f"{plural(chunks, 'chunk')} in {plural(len(cut.names), 'cell')}"
    if made.kept:
        text += f", {fresh:,} of them cut again"
    over = int(cut.found.is_over.sum())
    return f"{text}; {plural(over, 'cell')} over {budget}" if over else text


def standing_traces(scene: bpy.types.Scene) -> dict[str, SourceTrace]:
    """Return the traces of unchanged sources whose chunks still exist, by label."""
    there = {
        (item["octree_source"], item["octree_chunk"], item["octree_signature"])
        for item in chunks_in(made_collection(scene))
    }
    facts = [
        answer.found
        for result in settings_of(scene).results.kept
        if (answer := numbered_answer(scene, result.number, CutFacts))
    ]
    return {
        label: trace
        for each in facts[-1:]
        for label, trace in each.traces.items()
        if replace(each.version, objects=frozenset(each.uids[label])).is_same(scene)
        and all((label, name, signature) in there for name, _, signature in trace.parts)
    }


class OCTREE_OT_remove_chunks(RefusingOperator, bpy.types.Operator):
    """Operator that deletes all chunks, and shows their sources again."""

    bl_idname = "octree.remove_chunks"
    bl_label = "Restore Sources"
    bl_description = "Delete all chunks of the scene, and show again what they were cut from"
    bl_options = {"REGISTER", "UNDO"}

    @classmethod
    def obstacle(cls, context: bpy.types.Context) -> str:
        other = "" if made_collection(context.scene) else "There are no chunks"
        return mode_obstacle(context, may_edit=False) or other

    def execute(self, context: bpy.types.Context) -> Status:
        chunks, shown = remove_all(context)
        text = f"{plural(chunks, 'chunk')} deleted, {plural(shown, 'object')} shown again"
        self.report({"INFO"}, text)
        return {"FINISHED"}
