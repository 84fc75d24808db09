"""Clear the scene's octree."""

import bpy

from .. import trees
from ..ui import Status, settings_of


class OCTREE_OT_clear(bpy.types.Operator):
    """Remove the octree of the scene, in memory and on the screen."""

    bl_idname = "octree.clear"
    bl_label = "Clear Octree"
    bl_description = "Remove the octree of the scene, in memory and on the screen"
    bl_options = {"REGISTER", "UNDO"}

    @classmethod
    def poll(cls, context: bpy.types.Context) -> bool:
        if not settings_of(context.scene).tree_number:
            cls.poll_message_set("There is no octree")
            return False
        return True

    def execute(self, context: bpy.types.Context) -> Status:
        trees.clear(context.scene)
        return {"FINISHED"}
