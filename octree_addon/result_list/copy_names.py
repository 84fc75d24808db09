"""Copy Names: the distinct names of the objects of rows, as text."""

from typing import Any

import bpy

from ..answers.kept import doubt_names, view_of
from ..answers.view import View
from ..arrays import Ids
from ..ui import plural
from .choosing import rows_meant
from .operators import ResultOperator, of_picked


class OCTREE_OT_copy_names(ResultOperator, bpy.types.Operator):
    """Copy the names of the objects in rows."""

    bl_idname = "octree.copy_names"
    bl_label = "Copy Names"
    bl_description = (
        "Copy the names of the objects in the picked rows, or in all that the list shows, to the"
        " clipboard, one on each line, each once"
    )
    bl_options = {"REGISTER"}
    button = "Names"

    def use(self, context: bpy.types.Context, result: Any) -> str:
        doubt_names()  # renaming causes no update
        rows = rows_meant(context.scene, result)
        names = names_in(view_of(context.scene, result), rows)
        context.window_manager.clipboard = "\n".join(names)
        return f"{plural(len(names), 'name')} copied" + of_picked(context.scene, result)


def names_in(view: View, rows: Ids) -> list[str]:
    """Return the distinct names of the objects in rows, in the order of the rows."""
    numbers = view.rows.objects[:, rows].T.ravel().tolist()
    return [view.names[number] for number in dict.fromkeys(numbers)]
