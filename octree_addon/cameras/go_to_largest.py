"""Go to Largest: set the frame in which the object of the active result row has most pixels."""

import bpy

from ..results import active_result, view_of
from ..ui import RefusingOperator, Status, settings_of


class OCTREE_OT_go_to_largest(RefusingOperator, bpy.types.Operator):
    """Go to the frame that shows most of an object."""

    bl_idname = "octree.go_to_largest"
    bl_label = "Go to Largest"
    bl_description = (
        "Set the frame in which the object of the active row takes most of the picture of a camera"
    )
    bl_options = {"REGISTER", "UNDO"}

    @classmethod
    def obstacle(cls, context: bpy.types.Context) -> str:
        result = active_result(context.scene)
        if result is None or view_of(context.scene, result).rows.largest is None:
            return "Find what cameras see first, with Behind Others, and show what was seen"
        is_row = 0 <= settings_of(context.scene).results.row < result.count
        return "" if is_row else "Click a row first"

    def execute(self, context: bpy.types.Context) -> Status:
        scene = context.scene
        view, row = view_of(scene, active_result(scene)), settings_of(scene).results.row
        assert view.rows.largest is not None
        scene.frame_set(int(view.rows.largest[row]))
        self.report({"INFO"}, f"{view.label(row, 0)} is largest in frame {scene.frame_current}")
        return {"FINISHED"}
