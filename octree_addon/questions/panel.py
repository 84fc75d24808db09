"""Registry of questions with their buttons, options and result summaries."""

from typing import Any, Literal

import bpy

from .. import trees
from ..answers.hints import Hint, draw_hints
from ..answers.result_kind import ResultKind
from ..options import draw_options, enum, settings_group
from ..selection import SelectionOptions
from ..ui import (
    OWN_WORDS,
    OptionsPopover,
    column_of,
    draw_button,
    plural,
    settings_of,
    working,
)
from . import last_query
from .box import OCTREE_OT_select_in_box
from .capsule import OCTREE_OT_select_in_capsule
from .frustum import OCTREE_OT_select_in_frustum
from .last_query import SHARED
from .nearest import OCTREE_OT_select_nearest
from .query_operator import QueryOperator, QuestionOptions, asked_meshes
from .ray import OCTREE_OT_select_on_ray
from .sphere import OCTREE_OT_select_in_sphere

# In the order of menus and panels. Append new ones: files store the index of the item of Near.
QUESTIONS: tuple[type[QueryOperator[Any]], ...] = (
    OCTREE_OT_select_in_frustum,
    OCTREE_OT_select_in_sphere,
    OCTREE_OT_select_in_box,
    OCTREE_OT_select_nearest,
    OCTREE_OT_select_on_ray,
    OCTREE_OT_select_in_capsule,
)


# The questions that share one row, which shows the chosen one.
NEAR = tuple(each for each in QUESTIONS if each is not OCTREE_OT_select_in_frustum)


# Further items of Near, which only the probe shows: no button asks them.
SHOWN = {"axes": ("Axes", "Show how far the next surfaces are along the axes of the world")}


class TabOptions(SelectionOptions):
    """Options that all buttons of the tab share: `scene.octree.tab`; scripts do not use them."""

    meshes: Literal["EVALUATED", "ORIGINAL"] = asked_meshes(settings={})
    near: str = enum(
        "sphere",
        "Near",
        "What is asked around the 3D cursor",
        {each.key: (each.key.title(), each.bl_description) for each in NEAR} | SHOWN,
        translation_context=OWN_WORDS,
    )


OctreeTabSettings = settings_group(TabOptions, "OctreeTabSettings")


def draw_asking(
    layout: bpy.types.UILayout,
    scene: bpy.types.Scene,
    question: type[QueryOperator[Any]],
    options: str,
    **shown: Any,
) -> None:
    """Draw the button of a question, with the shared options of the tab."""
    tab = settings_of(scene).tab
    button = draw_button(layout, question.bl_idname, options, **shown)
    for name in SHARED:
        setattr(button, name, getattr(tab, name))


def draw_question(
    column: bpy.types.UILayout, scene: bpy.types.Scene, question: type[QueryOperator[Any]]
) -> None:
    """Draw the scene's settings of a question."""
    settings = getattr(settings_of(scene), question.key)
    draw_options(column, settings, question.asks, without=QuestionOptions.flat)


def draw_camera(layout: bpy.types.UILayout, context: bpy.types.Context) -> None:
    """Draw the button *Select in Camera View*."""
    draw_asking(layout, context.scene, OCTREE_OT_select_in_frustum, "OCTREE_PT_camera")


def draw_near(layout: bpy.types.UILayout, context: bpy.types.Context) -> None:
    """Draw the row of *Near*: the choice of the question, its button, and the probe."""
    tab = settings_of(context.scene).tab
    question = near_question(tab)
    split = layout.split(factor=0.34, align=True)
    first = split.row(align=True)
    first.prop(tab, "near", text="")
    row = split.row(align=True)
    if question:
        draw_asking(row, context.scene, question, "OCTREE_PT_cursor")
        probe = row.row(align=True)
        probe.operator("octree.probe", text="", icon="RESTRICT_SELECT_OFF")
    else:
        probe = row
        probe.operator("octree.probe", icon="RESTRICT_SELECT_OFF")
    first.enabled = probe.enabled = working() is None


def near_name(tab: Any) -> str:
    """Return the operator id of the button of *Near*; empty if only the probe shows the item."""
    question = near_question(tab)
    return str(question.bl_idname) if question else ""


def near_question(tab: Any) -> type[QueryOperator[Any]] | None:
    """Return the chosen question of *Near*; None if only the probe shows the item."""
    return next((each for each in NEAR if each.key == tab.near), None)


def answered(scene: bpy.types.Scene, result: Any) -> last_query.Query | None:
    """Return the last query if a result of the list is its answer, else None."""
    is_last = settings_of(scene).question_number == result.number
    return last_query.get(scene) if is_last else None


def hints_of(scene: bpy.types.Scene, query: last_query.Query) -> list[Hint]:
    """Return the hints of an answer, each with a button that asks again with other options."""
    if not query.hint:
        return []
    tab = settings_of(scene).tab
    options = {name: getattr(tab, name) for name in SHARED}
    options |= {"instances": True, "span": "CURRENT"}
    return [Hint(query.hint, "Between Instances", "octree.select_collisions", options)]


class OCTREE_PT_camera(OptionsPopover):
    """Options of *Camera View*."""

    bl_label = "Camera View"

    def draw(self, context: bpy.types.Context) -> None:
        draw_question(column_of(self), context.scene, OCTREE_OT_select_in_frustum)


class OCTREE_PT_cursor(OptionsPopover):
    """Options of *Near*."""

    bl_label = "Near"

    def draw(self, context: bpy.types.Context) -> None:
        column, tab = column_of(self), settings_of(context.scene).tab
        column.prop(tab, "near")
        question = near_question(tab)
        if question:
            draw_question(column, context.scene, question)


class QueryKind(ResultKind):
    """The result kind of questions about triangles."""

    def summary(self, layout: bpy.types.UILayout, context: bpy.types.Context, result: Any) -> None:
        """Draw the summary of an answer: pairs or objects first, then triangles."""
        query = answered(context.scene, result)
        if query is None:
            return
        has_pairs = query.pair_rows is not None
        lines = query.notes[:1] if has_pairs else (f"{plural(result.count, 'object')} found",)
        for line in (*lines, query.found_text):
            layout.label(text=line, translate=False)
        if not has_pairs and query.notes:
            layout.label(text=query.notes[0], translate=False)
        draw_hints(layout, hints_of(context.scene, query))

    def offer(self, layout: bpy.types.UILayout, context: bpy.types.Context, result: Any) -> None:
        """Draw the switches for an answer's colors and outline, and the button for its cells."""
        query, settings = answered(context.scene, result), settings_of(context.scene).answer
        if query is None:
            return
        row = layout.row(align=True)
        row.prop(settings, "found", toggle=True)
        row.prop(settings, "fade", toggle=True)
        has_tree = trees.get(context.scene) is not None
        if has_tree:  # a row has no room for four buttons
            row = layout.row(align=True)
        row.prop(settings, "missed", toggle=True)
        if has_tree:
            row.prop(settings, "dim", toggle=True)
        if query.outline:
            row = layout.row(align=True)
            row.prop(settings, "outline", toggle=True)
            row.operator("octree.show_cells", text="Cells")
