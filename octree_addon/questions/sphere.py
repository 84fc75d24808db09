"""Select in Sphere: range query, what is within a radius of the 3D cursor."""

from typing import TYPE_CHECKING

import bpy
from bpy.props import EnumProperty, FloatProperty, FloatVectorProperty
from mathutils import Vector

from ...core import Spheres
from .query_operator import SelectionOptions, VolumeOperator


class SphereOptions(SelectionOptions):
    """What is near the 3D cursor: the scene's settings and the properties of the operator."""

    if TYPE_CHECKING:
        radius: float
        relation: str
    else:
        radius: FloatProperty(
            name="Radius",
            description="Radius of the sphere around the 3D cursor",
            default=1.0,
            min=0.0,
            soft_max=100.0,
            subtype="DISTANCE",
        )
        relation: EnumProperty(
            name="Precision",
            description="How exact the answer is",
            items=(
                ("TOUCHING", "Exact", "Triangles that touch the sphere"),
                (
                    "CANDIDATES",
                    "Whole Cells",
                    "Every triangle of the cells that touch the sphere: potential colliders",
                ),
            ),
            default="TOUCHING",
        )


class OctreeSphereSettings(SphereOptions, bpy.types.PropertyGroup):
    """What is asked of a sphere around the 3D cursor."""


class OCTREE_OT_select_in_sphere(SphereOptions, VolumeOperator, bpy.types.Operator):
    """Select what is near the 3D cursor."""

    bl_idname = "octree.select_in_sphere"
    bl_label = "Select in Sphere"
    bl_description = "Select what is near the 3D cursor"
    key, settings = "sphere", OctreeSphereSettings
    rows = ("center", "radius", "relation", "kind", "action")

    if TYPE_CHECKING:
        center: Vector
    else:
        center: FloatVectorProperty(
            name="Center",
            description="Center of the sphere; the 3D cursor if not given",
            subtype="TRANSLATION",
            options={"SKIP_SAVE"},
        )

    def needs_tree(self) -> bool:
        return self.relation == "CANDIDATES"

    def volume(self, context: bpy.types.Context) -> Spheres:
        if not self.properties.is_property_set("center"):
            self.center = context.scene.cursor.location
        return Spheres([self.center[:]], [self.radius])
