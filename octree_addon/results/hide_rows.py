"""Hide: hide what rows are about, until it is restored."""

from typing import Any

import bpy

from ..answers import verbs
from ..arrays import Ids
from ..hiding import EverythingOption, HidingOptions
from ..selection import Subjects
from ..ui import settings_of, take, write_back
from .operators import SubjectsOperator


class OCTREE_OT_hide_rows(HidingOptions, EverythingOption, SubjectsOperator, bpy.types.Operator):
    """Hide the objects of rows."""

    bl_idname = "octree.hide_rows"
    bl_label = "Hide Result Rows"
    bl_description = (
        "Hide the objects of the rows that the list shows, by the icon that Hide Unseen uses. They"
        " are remembered in the file until they are restored"
    )
    button = "Hide"

    def act(self, context: bpy.types.Context, result: Any, rows: Ids, subjects: Subjects) -> str:
        settings = settings_of(context.scene).hiding
        take(self, settings)
        text = verbs.hide(context, subjects, self.icon, everything=self.everything)
        write_back(self, settings)
        return text
