"""Hide: hide the objects of rows until they are restored."""

from typing import Any

import bpy

from ..answers import verbs
from ..answers.kept import active_result, view_of
from ..arrays import Ids
from ..hiding import EverythingOption, HidingOptions, plan
from ..selection import Subjects
from ..ui import Status, settings_of
from .choosing import row_subjects, rows_meant
from .operators import RowsOptions, SubjectsOperator


class HideRowsOptions(RowsOptions, HidingOptions, EverythingOption):
    """The rows, and the icon that hides their objects."""


class OCTREE_OT_hide_rows(SubjectsOperator[HideRowsOptions], bpy.types.Operator):
    """Hide the objects of rows."""

    bl_idname = "octree.hide_rows"
    bl_label = "Hide Result Rows"
    bl_description = (
        "Hide the objects of the picked rows, or of all that the list shows, by the icon that Hide"
        " Unseen uses. They are remembered in the file until they are restored"
    )
    button = "Hide"

    def invoke(self, context: bpy.types.Context, event: bpy.types.Event) -> Status:
        """Open a dialog first if no surface would stay visible."""
        options = self.take(settings_of(context.scene).hiding)
        try:
            result = active_result(context.scene)
            rows = rows_meant(context.scene, result, options.rows)
        except ValueError as error:
            return self.refuse(error)
        found = row_subjects(context.scene, view_of(context.scene, result), rows)
        objects = found.among(context.scene.objects)
        if not bpy.app.background and plan(context, objects, options.icon).is_everything:
            return context.window_manager.invoke_props_dialog(self)
        return self.execute(context)

    def act(self, context: bpy.types.Context, result: Any, rows: Ids, subjects: Subjects) -> str:
        settings = settings_of(context.scene).hiding
        options = self.take(settings)
        text = verbs.hide(context, subjects, options.icon, everything=options.everything)
        self.write_back(settings)
        return text
