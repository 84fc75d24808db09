"""Registry of questions, and their panels: each button with its answer under it."""

from collections.abc import Sequence
from typing import TYPE_CHECKING

import bpy
from bpy.props import EnumProperty

from .. import trees
from ..results import active_result
from ..ui import SelectionOptions, SidebarPanel, column_of, draw_rows, settings_of
from . import last_query
from .box import OCTREE_OT_select_in_box
from .capsule import OCTREE_OT_select_in_capsule
from .collisions import OCTREE_OT_select_collisions
from .frustum import OCTREE_OT_select_in_frustum
from .last_query import SHARED
from .nearest import OCTREE_OT_select_nearest
from .query_operator import MeshOptions, QueryOperator
from .ray import OCTREE_OT_select_on_ray
from .sphere import OCTREE_OT_select_in_sphere

# In the order of menus and panels. A new one goes last: files keep its place among those of Near.
QUESTIONS: tuple[type[QueryOperator], ...] = (
    OCTREE_OT_select_in_frustum,
    OCTREE_OT_select_in_sphere,
    OCTREE_OT_select_in_box,
    OCTREE_OT_select_nearest,
    OCTREE_OT_select_on_ray,
    OCTREE_OT_select_collisions,
    OCTREE_OT_select_in_capsule,
)


# Those that have no panel of their own: one is shown at a time.
NEAR = tuple(
    each
    for each in QUESTIONS
    if each not in (OCTREE_OT_select_in_frustum, OCTREE_OT_select_collisions)
)


class OctreeTabSettings(MeshOptions, SelectionOptions, bpy.types.PropertyGroup):
    """Options that all buttons of the tab share: `scene.octree.tab`; scripts go without."""

    if TYPE_CHECKING:
        near: str
    else:
        near: EnumProperty(
            name="Near",
            description="What is asked around the 3D cursor",
            items=tuple((each.key, each.key.title(), each.bl_description) for each in NEAR),
            default="sphere",
        )


def draw_question(
    column: bpy.types.UILayout, scene: bpy.types.Scene, question: type[QueryOperator]
) -> None:
    """Show a question with the settings that the scene keeps for it, and those of the tab."""
    settings, tab = getattr(settings_of(scene), question.key), settings_of(scene).tab
    rows = question.panel_rows or question.rows_of(settings)
    draw_rows(column, settings, [row for row in rows if row not in SHARED])
    button = column.operator(question.bl_idname)
    for name in SHARED:
        setattr(button, name, getattr(tab, name))


def draw_answer(
    layout: bpy.types.UILayout, scene: bpy.types.Scene, asked: Sequence[type[QueryOperator]]
) -> None:
    """Say what the last question found, if it is one of these, and offer to look into it."""
    query, settings = last_query.get(scene), settings_of(scene).answer
    if query is None or query.title not in {question.bl_label for question in asked}:
        return
    box = layout.box().column()
    if len(asked) > 1:
        box.label(text=query.title)
    for line in (query.found_text, *query.notes[:1]):
        box.label(text=line)
    row = box.row(align=True)
    row.use_property_split = False
    row.prop(settings, "found", toggle=True)
    row.prop(settings, "missed", toggle=True)
    row = box.row(align=True)
    row.use_property_split = False
    if trees.get(scene):
        row.prop(settings, "dim", toggle=True)
    if query.outline:
        row.prop(settings, "outline", toggle=True)
    row = box.row(align=True)
    if query.outline:
        row.operator("octree.show_cells")
    row.operator("octree.prove_it")
    if is_listed(scene, query):
        row.operator("octree.previous_row", text="", icon="TRIA_UP")
        row.operator("octree.next_row", text="", icon="TRIA_DOWN")


def is_listed(scene: bpy.types.Scene, query: last_query.Query) -> bool:
    """Tell whether the list of results shows what a question found."""
    result = active_result(scene)
    return result is not None and result.title == query.title


class OCTREE_PT_camera(SidebarPanel):
    """Ask what a camera has in view."""

    bl_label = "Cameras"
    bl_order = 40

    def draw(self, context: bpy.types.Context) -> None:
        column = column_of(self)
        draw_question(column, context.scene, OCTREE_OT_select_in_frustum)
        draw_answer(column, context.scene, [OCTREE_OT_select_in_frustum])


class OCTREE_PT_cursor(SidebarPanel):
    """Ask what is near the 3D cursor."""

    bl_label = "Near"
    bl_order = 50
    bl_options = {"DEFAULT_CLOSED"}

    def draw(self, context: bpy.types.Context) -> None:
        column, tab = column_of(self), settings_of(context.scene).tab
        row = column.row(align=True)
        row.use_property_split = False
        row.prop(tab, "near", expand=True)
        for question in NEAR:
            if question.key == tab.near:
                draw_question(column, context.scene, question)
        column.operator("octree.probe", icon="RESTRICT_SELECT_OFF")
        draw_answer(column, context.scene, NEAR)


class OCTREE_PT_collisions(SidebarPanel):
    """Ask what touches another object."""

    bl_label = "Collisions"
    bl_order = 70
    bl_options = {"DEFAULT_CLOSED"}

    def draw(self, context: bpy.types.Context) -> None:
        column = column_of(self)
        draw_question(column, context.scene, OCTREE_OT_select_collisions)
        draw_answer(column, context.scene, [OCTREE_OT_select_collisions])
