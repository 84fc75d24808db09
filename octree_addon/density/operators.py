"""Operators that count triangle density, and that decimate copies."""

import json

import bpy
import numpy as np

from ...core import Steps
from ..answers.answer import Answer
from ..answers.asking import QuestionOperator, Told
from ..answers.kept import active_result, numbered_answer
from ..chunks import cell_rows, pack_cells, worst_first
from ..result_list import Column, Rows, no_instances
from ..ui import RefusingOperator, Status, mode_obstacle, plural
from .counting import (
    CountedCells,
    ObjectCounts,
    cells_counted_steps,
    objects_counted_steps,
)
from .decimated import decimate, decimated_collection, remove_decimated
from .settings import DensityOptions

DENSITY = "density"
Counted = CountedCells | ObjectCounts


class OCTREE_OT_density(QuestionOperator[DensityOptions], bpy.types.Operator):
    """Count triangles in cells, or of objects against pixels."""

    bl_idname = "octree.density"
    bl_label = "Density"
    bl_description = (
        "Count triangles in cells, the worst first with what has most in each; or of objects"
        " against the pixels that cameras see of them"
    )
    doing = "Counting triangles"
    key, keeps = "density", ObjectCounts

    def run(self, context: bpy.types.Context, options: DensityOptions) -> Steps[Counted]:
        if options.what == "CELLS":
            return cells_counted_steps(context, options.cell, options.budget)
        return objects_counted_steps(context, options.per_pixel)

    def told(self, context: bpy.types.Context, found: Counted, options: DensityOptions) -> Told:
        if isinstance(found, CountedCells):
            return cells_answer(found, options.by)
        return objects_answer(found)


def cells_answer(counted: CountedCells, by: str) -> Told:
    """Return the answer for cells, the worst first, and its summary."""
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
    shown += [*columns.values(), Column("Cell", "", np.arange(len(names)), tuple(names))]
    text = f"{int(table.triangles.sum()):,} triangles in {plural(len(table), 'cell')}"
    if table.is_over.any():
        text += f", {int(table.is_over.sum()):,} over budget"
    rows = cell_rows(table, counted.world, shown)
    details, marks = pack_cells(table, values[order]), json.dumps(text)
    return Answer(found=None, rows=rows, details=details, marks=marks), text


def objects_answer(counts: ObjectCounts) -> Told:
    """Return the answer for objects, the largest savings first, and its summary."""
    order = np.argsort(-counts.saved, kind="stable")
    owners, triangles = counts.owners[order], counts.triangles[order]
    columns = [
        Column("Per Pixel", "", triangles / counts.pixels[order]),
        Column("Triangles", "", triangles.astype(np.int64)),
        Column("Needed", "", counts.needs[order].astype(np.int64)),
        Column("Pixels", "", counts.pixels[order]),
    ]
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
    title = "Triangles per Pixel"
    return Answer(found=counts, title=title, rows=rows, marks=json.dumps(text)), text


class OCTREE_OT_decimate_to_need(RefusingOperator, bpy.types.Operator):
    """Copy objects with more triangles than they need; add Decimate modifiers to the copies."""

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
    """Delete the decimated copies, and show their originals."""

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
    """Return the pixel counts of the active result; None if it has none in this session."""
    result = active_result(scene)
    answer = numbered_answer(scene, result.number, ObjectCounts) if result else None
    return answer.found if answer else None
