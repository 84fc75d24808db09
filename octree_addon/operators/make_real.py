"""Make a mesh of the cells that are shown."""

import bpy

from .. import questions, trees
from ..cells import look_of, shaded_cells
from ..cells_mesh import cells_to_mesh
from ..preferences import limits
from ..ui import Status, settings_of

NAME = "Octree Cells"


class OCTREE_OT_make_real(bpy.types.Operator):
    """Turn the cells that are shown into a mesh object of edges in their colors."""

    bl_idname = "octree.make_real"
    bl_label = "Make Real"
    bl_description = "Turn the cells that are shown into a mesh object of edges in their colors"
    bl_options = {"REGISTER", "UNDO"}

    @classmethod
    def poll(cls, context: bpy.types.Context) -> bool:
        if context.mode != "OBJECT":
            cls.poll_message_set("Go to Object Mode")
            return False
        if trees.get(context.scene) is None:
            cls.poll_message_set("Build an octree first")
            return False
        return True

    def execute(self, context: bpy.types.Context) -> Status:
        scene = context.scene
        octree, query = trees.get(scene).octree, questions.get(scene)
        look = look_of(settings_of(scene).display, limits().cells)
        shown = shaded_cells(octree, look, query.states if query else None)
        if not len(shown.cells):
            self.report({"ERROR"}, "No cells are shown")
            return {"CANCELLED"}
        colors = shown.palette[shown.shades]
        mesh = cells_to_mesh(octree, shown.cells, boxes=look.boxes, colors=colors, name=NAME)
        self._select_only(context, bpy.data.objects.new(NAME, mesh))
        left_out = shown.wanted - len(shown.cells)
        note = f", {left_out:,} smaller ones left out" if left_out else ""
        self.report({"INFO"}, f"Mesh of {len(shown.cells):,} cells{note}")
        return {"FINISHED"}

    def _select_only(self, context: bpy.types.Context, item: bpy.types.Object) -> None:
        """Put a new object into the collection that new objects go to, as Blender does."""
        context.collection.objects.link(item)
        for other in list(context.view_layer.objects.selected):
            other.select_set(False)
        item.select_set(True)
        context.view_layer.objects.active = item
