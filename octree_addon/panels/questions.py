"""What can be asked of the scene's tree."""

import bpy

from ..ui import SubPanel, column_of, settings_of


class OCTREE_PT_camera(SubPanel):
    """Ask what a camera sees."""

    bl_label = "Camera"
    bl_order = 40

    def draw(self, context: bpy.types.Context) -> None:
        frustum = settings_of(context.scene).frustum
        column = column_of(self)
        for name in ("camera", "margin", "angle", "relation", "kind", "action", "invert"):
            column.prop(frustum, name)
        column.prop(frustum, "show")
        column.operator("octree.select_in_frustum")


class OCTREE_PT_cursor(SubPanel):
    """Ask what is near the 3D cursor."""

    bl_label = "3D Cursor"
    bl_order = 50
    bl_options = {"DEFAULT_CLOSED"}

    def draw(self, context: bpy.types.Context) -> None:
        settings, column = settings_of(context.scene), column_of(self)
        for name in ("radius", "relation", "kind", "action"):
            column.prop(settings.sphere, name)
        column.operator("octree.select_in_sphere")
        column.separator()
        for name in ("count", "max_distance"):
            column.prop(settings.nearest, name)
        column.operator("octree.select_nearest")
        column.separator()
        for name in ("direction", "hits", "max_distance"):
            column.prop(settings.ray, name)
        column.operator("octree.select_on_ray")


class OCTREE_PT_collisions(SubPanel):
    """Ask what touches another object."""

    bl_label = "Collisions"
    bl_order = 70
    bl_options = {"DEFAULT_CLOSED"}

    def draw(self, context: bpy.types.Context) -> None:
        collisions = settings_of(context.scene).collisions
        column = column_of(self)
        for name in ("margin", "instances", "kind", "action"):
            column.prop(collisions, name)
        column.operator("octree.select_collisions")
