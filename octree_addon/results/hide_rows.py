"""Hide: hide what rows are about, until it is restored."""

from typing import Any

import bpy

from ..answers import verbs
from ..answers.kept import active_result, view_of
from ..arrays import Ids
from ..hiding import EverythingOption, HidingOptions, plan
from ..selection import Subjects
from ..ui import Status, column_of, draw_rows, settings_of, take, write_back
from .choosing import row_subjects, rows_meant
from .operators import SubjectsOperator


class OCTREE_OT_hide_rows(HidingOptions, EverythingOption, SubjectsOperator, bpy.types.Operator):
    """Hide the objects of rows."""

    bl_idname = "octree.hide_rows"
    bl_label = "Hide Result Rows"
    bl_description = (
        "Hide the objects of the picked rows, or of all that the list shows, by the icon that Hide"
        " Unseen uses. They are remembered in the file until they are restored"
    )
    button = "Hide"

    def invoke(self, context: bpy.types.Context, event: bpy.types.Event) -> Status:
        """Ask first where nothing would stay visible."""
        take(self, settings_of(context.scene).hiding)
        try:
            result = active_result(context.scene)
            rows = rows_meant(context.scene, result, self.rows)
        except ValueError as error:
            return self.refuse(error)
        found = row_subjects(context.scene, view_of(context.scene, result), rows)
        objects = found.among(context.scene.objects)
        if not bpy.app.background and plan(context, objects, self.icon).is_everything:
            return context.window_manager.invoke_props_dialog(self)
        return self.execute(context)

    def draw(self, context: bpy.types.Context) -> None:
        draw_rows(column_of(self), self, ("rows", "icon", "everything"))

    def act(self, context: bpy.types.Context, result: Any, rows: Ids, subjects: Subjects) -> str:
        settings = settings_of(context.scene).hiding
        take(self, settings)
        text = verbs.hide(context, subjects, self.icon, everything=self.everything)
        write_back(self, settings)
        return text
