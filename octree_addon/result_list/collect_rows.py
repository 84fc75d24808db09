"""Collect: link the objects of rows into a new collection."""

from typing import Any

import bpy

from ..answers import verbs
from ..arrays import Ids
from ..options import string
from ..selection import Subjects
from .operators import RowsOptions, SubjectsOperator


class CollectRowsOptions(RowsOptions):
    """The rows, and the name of the new collection."""

    collection: str = string(
        "", "Collection", "Name of the new collection; that of the result if empty"
    )


class OCTREE_OT_collect_rows(SubjectsOperator[CollectRowsOptions], bpy.types.Operator):
    """Gather the objects of rows in a new collection."""

    bl_idname = "octree.collect_rows"
    bl_label = "Collect Result Rows"
    bl_description = (
        "Link the objects of the picked rows, or of all that the list shows, into a new"
        " collection; they also stay in their present collections"
    )
    button = "Collect"

    def act(self, context: bpy.types.Context, result: Any, rows: Ids, subjects: Subjects) -> str:
        return verbs.collect(context, subjects, self.taken.collection or result.name)
