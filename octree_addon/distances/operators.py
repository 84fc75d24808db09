"""The Measure Distances operator: exact shortest distances of surfaces, as dimension lines."""

from typing import Any

import bpy

from ...core import Steps
from ..answers.answer import Answer
from ..answers.asking import QuestionOperator, Told
from ..answers.kept import numbered_answer
from ..options import draw_options
from ..result_list import Column, ResultKind, active_result
from ..ui import (
    OptionsPopover,
    column_of,
    draw_button,
    length_text,
    plural,
    settings_of,
)
from .following import column_now
from .measuring import DRAWN, Dimensions, measure_steps, pairing_of
from .settings import DistanceOptions, MeasureOptions

QUESTION = "measure_distances"


class OCTREE_OT_measure_distances(QuestionOperator[MeasureOptions], bpy.types.Operator):
    """Measure the shortest distances between the surfaces of objects."""

    bl_idname = "octree.measure_distances"
    bl_label = "Measure Distances"
    bl_description = (
        "Measure the shortest distances between the surfaces of objects, exactly: each is listed,"
        " and drawn as a dimension line that follows when objects move"
    )
    doing = "Measuring"
    key, keeps = "distances", Dimensions

    def run(self, context: bpy.types.Context, options: MeasureOptions) -> Steps[Dimensions]:
        return measure_steps(context, pairing_of(context, options))

    def told(self, context: bpy.types.Context, found: Dimensions, options: MeasureOptions) -> Told:
        rows, lengths = found.result_rows(), found.found.distances
        shortest = length_text(context.scene, float(lengths[0])) if len(lengths) else "none"
        text = f"{plural(len(rows), 'distance')}, the shortest {shortest}"
        return Answer(found=found.take(slice(DRAWN)), rows=rows), text


class OCTREE_PT_distances(OptionsPopover):
    """Options of *Distances*."""

    bl_label = "Distances"

    def draw(self, context: bpy.types.Context) -> None:
        draw_options(column_of(self), settings_of(context.scene).distances, DistanceOptions)


def shown_dimensions(scene: bpy.types.Scene) -> Dimensions | None:
    """Return the dimensions of the active result; None if it has none or they are hidden."""
    result = active_result(scene)
    if result is None or result.question != QUESTION or not settings_of(scene).distances.show:
        return None
    answer = numbered_answer(scene, result.number, Dimensions)
    return answer.found if answer else None


def draw_distances(layout: bpy.types.UILayout, _: bpy.types.Context) -> None:
    """Draw the button *Distances*."""
    name = OCTREE_OT_measure_distances.bl_idname
    draw_button(layout, name, "OCTREE_PT_distances", text="Distances")


class DistancesKind(ResultKind):
    """The result kind of distances between objects."""

    def summary(self, layout: bpy.types.UILayout, _: bpy.types.Context, result: Any) -> None:
        """Draw the number of measured distances."""
        layout.label(text=plural(result.count, "distance"), translate=False)

    def offer(self, layout: bpy.types.UILayout, context: bpy.types.Context, _: Any) -> None:
        """Draw the switch for dimension lines, and *Make Real*."""
        row = layout.row(align=True)
        row.prop(settings_of(context.scene).distances, "show", toggle=True)
        row.operator("octree.make_distances_real", text="Make Real")

    def now(self, scene: bpy.types.Scene, result: Any, column: Column) -> Column:
        """Return a result column with the values for the current poses of objects."""
        return column_now(scene, result, column)
