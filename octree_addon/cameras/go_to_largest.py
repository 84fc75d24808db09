"""Go to Largest: set the frame in which the object of the active result row has most pixels."""

from typing import Any

import bpy

from ..result_list import ResultOperator, active_result, active_row, view_of


class OCTREE_OT_go_to_largest(ResultOperator, bpy.types.Operator):
    """Go to the frame with the most visible pixels of an object."""

    bl_idname = "octree.go_to_largest"
    bl_label = "Go to Largest"
    bl_description = (
        "Set the frame in which the object of the active row takes most of the picture of a camera"
    )

    @classmethod
    def obstacle(cls, context: bpy.types.Context) -> str:
        result = active_result(context.scene)
        if result is None or view_of(context.scene, result).rows.largest is None:
            return "Find what cameras see first, with Behind Others, and show what was seen"
        return "" if active_row(context.scene) >= 0 else "Click a row first"

    def use(self, context: bpy.types.Context, result: Any) -> str:
        scene, row = context.scene, active_row(context.scene)
        view = view_of(scene, result)
        assert view.rows.largest is not None
        scene.frame_set(int(view.rows.largest[row]))
        return f"{view.label(row, 0)} is largest in frame {scene.frame_current}"
