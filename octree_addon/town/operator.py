"""Operator that adds the example town, and its button in almost empty scenes."""

from itertools import islice

import bpy
from mathutils import Euler

from ..result_list import active_result
from ..selection import Subjects, select_objects
from ..ui import RefusingOperator, Status, mode_obstacle
from .town import NAME, build_town, free_place

# The button is shown if a scene has fewer mesh objects than _FEW, and at most _MANY objects.
_FEW, _MANY = 3, 1000


class OCTREE_OT_add_example(RefusingOperator, bpy.types.Operator):
    """Operator that adds a small town to try all questions on."""

    bl_idname = "octree.add_example"
    bl_label = "Add Example Town"
    bl_description = (
        "Add a small town to try everything on: houses and trees, a camera that drives into it,"
        " two collisions, and a tower that is never in view. All is in one collection, beside what"
        " is there; its camera becomes the scene's"
    )
    bl_options = {"REGISTER", "UNDO"}

    @classmethod
    def obstacle(cls, context: bpy.types.Context) -> str:
        names = [each.name for each in context.scene.collection.children]
        other = "The scene has an example town" if NAME in names else ""
        if context.scene.library:
            other = "This scene is linked and cannot be changed"
        return mode_obstacle(context, may_edit=False) or other

    def invoke(self, context: bpy.types.Context, event: bpy.types.Event) -> Status:
        status = self.execute(context)
        town = context.scene.collection.children[NAME]
        # Move the 3D cursor to a car inside a house, so that questions find something.
        car = next(item for item in town.objects if item.name.startswith("Car"))
        context.scene.cursor.location = car.location
        region = getattr(context.space_data, "region_3d", None)
        if region and region.view_perspective != "CAMERA":
            region.view_rotation = Euler((1.0, 0, -0.55)).to_quaternion()
            region.view_distance = 34
            region.view_location = context.scene.camera.location.x, -2, 0
        return status

    def execute(self, context: bpy.types.Context) -> Status:
        select_objects(context.view_layer, Subjects(), "REPLACE")
        town = build_town(context.scene, free_place(context.view_layer))
        self.report({"INFO"}, f"{len(town.objects)} objects added in the collection {town.name}")
        return {"FINISHED"}


def draw_offer(panel: bpy.types.Panel, context: bpy.types.Context) -> None:
    """Draw a button that adds the town to an almost empty scene without results."""
    scene = context.scene
    if active_result(scene) is not None:
        return
        # A view layer stores the number of its objects; a scene would have to count them.
    if len(context.view_layer.objects) > _MANY:
        return
    meshes = (item for item in scene.objects if item.type == "MESH")
    if len(list(islice(meshes, _FEW))) < _FEW:
        panel.layout.operator("octree.add_example", icon="HOME")
