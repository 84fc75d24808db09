"""Switch Live on and off."""

import bpy

from .. import live, trees
from ..reader import ObjectSource
from ..ui import Status


class OCTREE_OT_live(bpy.types.Operator):
    """Have the octree follow its objects, or stop it: animation, playback and dragging."""

    bl_idname = "octree.live"
    bl_label = "Toggle Live Octree"
    bl_description = (
        "Have the octree of objects follow them while they are dragged, animated, added and"
        " removed, or stop it"
    )
    # No undo: what follows is no part of the file.
    bl_options = {"REGISTER"}

    @classmethod
    def poll(cls, context: bpy.types.Context) -> bool:
        built = trees.get(context.scene)
        if built is None or not isinstance(built.source, ObjectSource):
            cls.poll_message_set("Build an octree of objects first")
            return False
        return True

    def execute(self, context: bpy.types.Context) -> Status:
        scene = context.scene
        if live.get(scene):
            live.stop(scene)
            return {"FINISHED"}
        follower = live.start(scene, context.evaluated_depsgraph_get())
        self.report({"INFO"}, f"Following {len(follower.tree):,} objects and instances")
        return {"FINISHED"}
