"""Registry of questions, and their panels: what can be asked, and the last answer."""

import bpy

from ..ui import SubPanel, column_of, draw_rows, settings_of
from . import last_query
from .box import OCTREE_OT_select_in_box
from .collisions import OCTREE_OT_select_collisions
from .frustum import OCTREE_OT_select_in_frustum
from .nearest import OCTREE_OT_select_nearest
from .query_operator import QueryOperator
from .ray import OCTREE_OT_select_on_ray
from .sphere import OCTREE_OT_select_in_sphere

# In the order of menus and panels.
QUESTIONS: tuple[type[QueryOperator], ...] = (
    OCTREE_OT_select_in_frustum,
    OCTREE_OT_select_in_sphere,
    OCTREE_OT_select_in_box,
    OCTREE_OT_select_nearest,
    OCTREE_OT_select_on_ray,
    OCTREE_OT_select_collisions,
)


def draw_questions(drawn: bpy.types.Panel, scene: bpy.types.Scene, panel: str) -> None:
    """Show the questions that name a panel, with the settings that the scene keeps for each."""
    column = column_of(drawn)
    questions = [question for question in QUESTIONS if question.panel == panel]
    for question in questions:
        settings = getattr(settings_of(scene), question.key)
        draw_rows(column, settings, question.panel_rows or question.rows_of(settings))
        column.operator(question.bl_idname)
        if question is not questions[-1]:
            column.separator()


class OCTREE_PT_camera(SubPanel):
    """Ask what a camera sees."""

    bl_label = "Camera"
    bl_order = 40

    def draw(self, context: bpy.types.Context) -> None:
        draw_questions(self, context.scene, "OCTREE_PT_camera")


class OCTREE_PT_cursor(SubPanel):
    """Ask what is near the 3D cursor."""

    bl_label = "3D Cursor"
    bl_order = 50
    bl_options = {"DEFAULT_CLOSED"}

    def draw(self, context: bpy.types.Context) -> None:
        draw_questions(self, context.scene, "OCTREE_PT_cursor")


class OCTREE_PT_collisions(SubPanel):
    """Ask what touches another object."""

    bl_label = "Collisions"
    bl_order = 70
    bl_options = {"DEFAULT_CLOSED"}

    def draw(self, context: bpy.types.Context) -> None:
        draw_questions(self, context.scene, "OCTREE_PT_collisions")


class OCTREE_PT_answer(SubPanel):
    """The last query: what was found, how it is shown, and whether it is right."""

    bl_label = "Last Question"
    bl_order = 90

    @classmethod
    def poll(cls, context: bpy.types.Context) -> bool:
        return last_query.get(context.scene) is not None

    def draw(self, context: bpy.types.Context) -> None:
        query, settings = last_query.get(context.scene), settings_of(context.scene)
        column = column_of(self)
        column.label(text=query.title)
        column.label(text=query.found_text)
        for note in query.notes[:1]:
            column.label(text=note)
        column.prop(settings.answer, "found")
        if query.outline:
            column.prop(settings.answer, "outline")
            column.operator("octree.show_cells")
        column.operator("octree.prove_it")
