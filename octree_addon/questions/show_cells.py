"""Show Its Cells: octree cells, colored by how the last query visits them."""

from typing import Any

import bpy

from ...core import Steps
from .. import trees
from ..built_tree import BuiltTree
from ..cells import fresh_tree_steps, keep_tree
from ..ui import Status, SteppedOperator, settings_of
from . import last_query


class OCTREE_OT_show_cells(SteppedOperator, bpy.types.Operator):
    """Show the cells that the last query visits; build the octree first if necessary."""

    bl_idname = "octree.show_cells"
    bl_label = "Show Its Cells"
    bl_description = (
        "Show which cells of the octree the last question visits. If there is none, or it is out"
        " of date, it is built first"
    )
    bl_options = {"REGISTER", "UNDO"}

    @classmethod
    def obstacle(cls, context: bpy.types.Context) -> str:
        return "" if last_query.get(context.scene) else "Ask a question first"

    def steps(self, context: bpy.types.Context) -> Steps[Any]:
        return fresh_tree_steps(context)

    def finish(self, context: bpy.types.Context, result: BuiltTree) -> Status:
        scene = context.scene
        if trees.get(scene) is not result:
            keep_tree(scene, result)
        display = settings_of(scene).display
        display.cells, display.show = "QUESTION", True
        return {"FINISHED"}
