"""Copy Names: the objects of the rows that the list shows, as text, each once."""

from typing import Any

import bpy

from ..answers.kept import doubt_names, shown_of, view_of
from ..answers.view import View
from ..arrays import Ids
from ..ui import plural
from .operators import ResultOperator


class OCTREE_OT_copy_names(ResultOperator, bpy.types.Operator):
    """Copy the names of the objects in the rows that the list shows."""

    bl_idname = "octree.copy_names"
    bl_label = "Copy Names"
    bl_description = (
        "Copy the names of the objects in the rows that the list shows to the clipboard, one on"
        " each line, each once"
    )
    bl_options = {"REGISTER"}
    button = "Names"

    def use(self, context: bpy.types.Context, result: Any) -> str:
        doubt_names()  # no update tells of a rename
        rows = shown_of(context.scene, result).rows
        names = names_in(view_of(context.scene, result), rows)
        context.window_manager.clipboard = "\n".join(names)
        return f"{plural(len(names), 'name')} copied"


def names_in(view: View, rows: Ids) -> list[str]:
    """Return the names of the objects in some rows, in their order and each once."""
    numbers = view.rows.objects[:, rows].T.ravel().tolist()
    return [view.names[number] for number in dict.fromkeys(numbers)]
