"""Density, its snapshot, and Decimate modifiers on copies: operators."""

import json
from collections.abc import Mapping
from typing import Any

import bpy
import numpy as np

from ...core import Steps
from ..answers.answer import Answer
from ..answers.kept import active_result, keep, numbered_answer
from ..arrays import UNUSED
from ..chunks import cell_rows, pack_cells, worst_first
from ..options import Asking, as_json
from ..results import Column, Rows, no_instances, view_of
from ..ui import (
    RefusingOperator,
    Status,
    SteppedOperator,
    mode_obstacle,
    plural,
    settings_of,
)
from .counting import (
    CountedCells,
    ObjectCounts,
    SparseObjects,
    cells_counted_steps,
    objects_counted_steps,
    sparse_steps,
)
from .decimated import decimate, decimated_collection, remove_decimated
from .settings import DensityOptions

DENSITY = "density"
TITLES = {"CELLS": "Density", "PIXELS": "Triangles per Pixel", "SPARSE": "Sparse Objects"}
Counted = CountedCells | ObjectCounts | SparseObjects


class OCTREE_OT_density(Asking[DensityOptions], SteppedOperator, bpy.types.Operator):
    """Show where triangles are: in cells, against pixels, or in sparse objects."""

    bl_idname = "octree.density"
    bl_label = "Density"
    bl_description = (
        "Count triangles in cells, the worst first with what has most in each; or of objects"
        " against the pixels that cameras see of them; or find large objects that are nearly"
        " empty"
    )
    bl_options = {"REGISTER", "UNDO"}
    doing = "Counting triangles"

    @classmethod
    def obstacle(cls, context: bpy.types.Context) -> str:
        return mode_obstacle(context, may_edit=True)

    def steps(self, context: bpy.types.Context) -> Steps[Any]:
        options = self.take(settings_of(context.scene).density)
        if options.what == "CELLS":
            return cells_counted_steps(context, options.cell, options.budget)
        if options.what == "PIXELS":
            return objects_counted_steps(context, options.per_pixel)
        return sparse_steps(context)

    def finish(self, context: bpy.types.Context, result: Counted) -> Status:
        settings, options = settings_of(context.scene).density, self.taken
        self.write_back(settings)
        before = _snapshot(settings, options.what)
        if isinstance(result, CountedCells):
            answer, text = cells_answer(result, options.by, before)
        elif isinstance(result, ObjectCounts):
            answer, text = objects_answer(result, _names(context.scene), before)
        else:
            answer, text = sparse_answer(result)
        keep(
            context,
            Answer(
                found=result,
                title=TITLES[options.what],
                question=DENSITY,
                options=as_json(options),
                rows=answer[0],
                details=answer[1],
                marks=json.dumps(text),
            ),
            kind=ObjectCounts if isinstance(result, ObjectCounts) else None,
        )
        self.report({"INFO"}, text)
        return {"FINISHED"}


_Packed = tuple[Rows, bytes]


def cells_answer(
    counted: CountedCells, by: str, before: Mapping[str, float] | None
) -> tuple[_Packed, str]:
    """Return the rows of cells, the worst first, and what to say of them."""
    values = counted.values(by)
    order = worst_first(counted.table, values)
    table, names = counted.table.take(order), [counted.names[each] for each in order.tolist()]
    density = Column("Per m\u00b3", "", counted.densities[order])
    columns = {
        "TRIANGLES": Column("Triangles", "", table.triangles.astype(np.int64)),
        "OBJECTS": Column("Objects", "", table.objects.astype(np.int64)),
        "MATERIALS": Column("Materials", "", table.materials.astype(np.int64)),
        "VOLUME": density,
    }
    shown = [columns.pop(by)]
    if before is not None:
        shown.append(_change(names, table.triangles.tolist(), before))
    shown += [*columns.values(), Column("Cell", "", np.arange(len(names)), tuple(names))]
    text = f"{int(table.triangles.sum()):,} triangles in {plural(len(table), 'cell')}"
    if table.is_over.any():
        text += f", {int(table.is_over.sum()):,} over budget"
    rows = cell_rows(table, counted.world, shown)
    return (rows, pack_cells(table, values[order])), text + _compared(
        table.triangles.sum(), before
    )


def objects_answer(
    counts: ObjectCounts, names: Mapping[int, str], before: Mapping[str, float] | None
) -> tuple[_Packed, str]:
    """Return the rows of objects, those that save most first, and what to say of them."""
    order = np.argsort(-counts.saved, kind="stable")
    owners, triangles = counts.owners[order], counts.triangles[order]
    columns = [
        Column("Per Pixel", "", triangles / counts.pixels[order]),
        Column("Triangles", "", triangles.astype(np.int64)),
        Column("Needed", "", counts.needs[order].astype(np.int64)),
        Column("Pixels", "", counts.pixels[order]),
    ]
    if before is not None:
        of = [names.get(uid, "") for uid in owners.tolist()]
        columns.insert(1, _change(of, triangles.tolist(), before))
    total, saved = int(counts.triangles.sum()), int(counts.saved.sum())
    many = counts.saved > 0
    text = f"{plural(len(owners), 'object')} seen, {total:,} triangles"
    if saved:
        part = counts.needs[many].sum() / max(int(counts.triangles[many].sum()), 1)
        text = (
            f"Decimate {plural(int(many.sum()), 'object')} to {part:.0%}:"
            f" {saved:,} of {total:,} triangles go"
        )
    rows = Rows(owners[None], no_instances(len(owners)), tuple(columns))
    return (rows, b""), text + _compared(total, before)


def sparse_answer(found: SparseObjects) -> tuple[_Packed, str]:
    """Return the rows of sparse objects, the emptiest first, and what to say of them."""
    placements = found.world.placements
    instances = placements.persistent_ids[found.rows].copy()
    instances[~placements.is_instance[found.rows]] = UNUSED
    columns = (
        Column("Fill", "PERCENT", 100 * found.fills),
        Column("Size", "LENGTH", found.sizes),
        Column("Area", "AREA", found.areas),
    )
    owners = placements.owners[found.rows].astype(np.intp)
    text = f"{plural(len(owners), 'large object')} with nearly empty boxes"
    return (Rows(owners[None], instances[None], columns), b""), text


def _change(names: list[str], values: list[int], before: Mapping[str, float]) -> Column:
    more = [value - before.get(name, 0) for name, value in zip(names, values, strict=True)]
    return Column("Change", "", np.array(more, np.int64))


def _compared(total: float, before: Mapping[str, float] | None) -> str:
    if before is None:
        return ""
    return f"; {int(total - sum(before.values())):+,} since the snapshot"


def _snapshot(settings: Any, what: str) -> dict[str, float] | None:
    """Return what a snapshot has of these counts; None if there is none."""
    try:
        kept: Any = json.loads(settings.snapshot or "{}").get(what)
    except (ValueError, AttributeError):
        return None
    return kept if isinstance(kept, dict) else None


def _names(scene: bpy.types.Scene) -> dict[int, str]:
    return {item.session_uid: item.name for item in scene.objects}


class OCTREE_OT_snapshot_density(RefusingOperator, bpy.types.Operator):
    """Keep the counts of the active result, so that later ones are compared with them."""

    bl_idname = "octree.snapshot_density"
    bl_label = "Take Snapshot"
    bl_description = (
        "Keep the triangles of each row in the file. From then on Density tells how many more or"
        " fewer there are"
    )
    bl_options = {"REGISTER", "UNDO"}

    @classmethod
    def obstacle(cls, context: bpy.types.Context) -> str:
        result = active_result(context.scene)
        is_there = result is not None and result.question == DENSITY
        return "" if is_there else "Ask for the density first"

    def execute(self, context: bpy.types.Context) -> Status:
        result, settings = active_result(context.scene), settings_of(context.scene).density
        view, what = view_of(context.scene, result), json.loads(result.options)["what"]
        triangles, cells = view.rows.column("Triangles"), view.rows.column("Cell")
        if triangles is None:
            return self.refuse(ValueError("Of sparse objects there is no snapshot"))
        names = [view.label(row, 0) for row in range(len(view.rows))]
        if cells is not None:
            names = [cells.words[number] for number in cells.values.tolist()]
        kept = {
            "CELLS": _snapshot(settings, "CELLS"),
            "PIXELS": _snapshot(settings, "PIXELS"),
            what: dict(zip(names, triangles.values.tolist(), strict=True)),
        }
        settings.snapshot = json.dumps(kept)
        self.report({"INFO"}, f"Snapshot of {plural(len(names), 'row')} taken")
        return {"FINISHED"}


class OCTREE_OT_decimate_to_need(RefusingOperator, bpy.types.Operator):
    """Copy objects with more triangles than pixels, with Decimate modifiers on the copies."""

    bl_idname = "octree.decimate_to_need"
    bl_label = "Decimate to Need"
    bl_description = (
        "Copy the objects that have more triangles than cameras need, and give the copies"
        " Decimate modifiers. The objects themselves stay as they are, hidden until Remove"
        " Decimated"
    )
    bl_options = {"REGISTER", "UNDO"}

    @classmethod
    def obstacle(cls, context: bpy.types.Context) -> str:
        other = mode_obstacle(context, may_edit=False)
        return other or ("" if counts_of(context.scene) else "Count triangles per pixel first")

    def execute(self, context: bpy.types.Context) -> Status:
        counts = counts_of(context.scene)
        assert counts is not None
        try:
            objects, saved = decimate(context, counts)
        except ValueError as error:
            return self.refuse(error)
        text = f"{plural(objects, 'object')} decimated: {saved:,} triangles go"
        self.report({"INFO"}, text)
        return {"FINISHED"}


class OCTREE_OT_remove_decimated(RefusingOperator, bpy.types.Operator):
    """Delete the decimated copies, and show what they were copied from."""

    bl_idname = "octree.remove_decimated"
    bl_label = "Remove Decimated"
    bl_description = "Delete the copies of Decimate to Need, and show again what they are of"
    bl_options = {"REGISTER", "UNDO"}

    @classmethod
    def obstacle(cls, context: bpy.types.Context) -> str:
        other = mode_obstacle(context, may_edit=False)
        is_there = decimated_collection(context.scene) is not None
        return other or ("" if is_there else "Nothing is decimated")

    def execute(self, context: bpy.types.Context) -> Status:
        self.report({"INFO"}, f"{plural(remove_decimated(context), 'object')} shown again")
        return {"FINISHED"}


def counts_of(scene: bpy.types.Scene) -> ObjectCounts | None:
    """Return the counts of the active result, if it is about pixels and of this session."""
    result = active_result(scene)
    answer = numbered_answer(scene, result.number, ObjectCounts) if result else None
    return answer.found if answer else None
