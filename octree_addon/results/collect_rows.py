"""Collect: link what rows are about into a new collection."""

from typing import TYPE_CHECKING, Any

import bpy
from bpy.props import StringProperty

from ..answers import verbs
from ..arrays import Ids
from ..selection import Subjects
from .operators import SubjectsOperator


class OCTREE_OT_collect_rows(SubjectsOperator, bpy.types.Operator):
    """Gather the objects of rows in a new collection."""

    bl_idname = "octree.collect_rows"
    bl_label = "Collect Result Rows"
    bl_description = (
        "Link the objects of the picked rows, or of all that the list shows, into a new"
        " collection; they also stay in their present collections"
    )
    button = "Collect"

    if TYPE_CHECKING:
        collection: str
    else:
        collection: StringProperty(
            name="Collection",
            description="Name of the new collection; that of the result if empty",
        )

    def act(self, context: bpy.types.Context, result: Any, rows: Ids, subjects: Subjects) -> str:
        return verbs.collect(context, subjects, self.collection or result.name)
