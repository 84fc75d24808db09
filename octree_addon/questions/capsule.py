"""Select in Capsule: what is within a radius of the line from the 3D cursor to an object."""

from typing import TYPE_CHECKING

import bpy
import numpy as np
from bpy.props import FloatProperty, FloatVectorProperty, StringProperty
from mathutils import Vector

from ...core import Capsules
from ..ui import SelectionOptions, cursor_place, named_object
from .query_operator import VolumeOperator, within


class CapsuleOptions(SelectionOptions):
    """Options of a capsule: the scene's settings and the properties of the operator."""

    if TYPE_CHECKING:
        radius: float
        relation: str
    else:
        radius: FloatProperty(
            name="Radius",
            description="How far from the line between the 3D cursor and the object",
            default=0.5,
            min=0.0,
            soft_max=100.0,
            subtype="DISTANCE",
        )
        relation: within("in the capsule")


class OctreeCapsuleSettings(CapsuleOptions, bpy.types.PropertyGroup):
    """Settings of the question about a capsule: `scene.octree.capsule`."""


class OCTREE_OT_select_in_capsule(CapsuleOptions, VolumeOperator, bpy.types.Operator):
    """Select what is near the line from the 3D cursor to the active object."""

    bl_idname = "octree.select_in_capsule"
    bl_label = "Select in Capsule"
    bl_description = (
        "Select what is near the line from the 3D cursor to the origin of the active object,"
        " except that object itself"
    )
    key, settings = "capsule", OctreeCapsuleSettings
    rows = ("origin", "object", "radius", "relation", "kind", "action")

    if TYPE_CHECKING:
        origin: Vector
        object: str
    else:
        origin: FloatVectorProperty(
            name="Origin",
            description="Where the capsule starts; the 3D cursor if not given",
            subtype="TRANSLATION",
            options={"SKIP_SAVE"},
        )
        object: StringProperty(
            name="Object",
            description="Name of the object at the end; the active one if not given",
            options={"SKIP_SAVE"},
        )

    def volume(self, context: bpy.types.Context) -> Capsules:
        if not self.properties.is_property_set("origin"):
            self.origin = cursor_place(context.scene)
        if not self.object:
            if context.object is None:
                raise ValueError("There is no active object")
            self.object = context.object.name
        item = named_object(context.scene, self.object)
        evaluated = item.evaluated_get(context.evaluated_depsgraph_get())
        end = np.array(evaluated.matrix_world.translation)
        if not np.isfinite([*self.origin[:], *end]).all():
            raise ValueError(f"{item.name} is nowhere")
        self._uid = item.session_uid
        return Capsules([self.origin[:]], [end], [self.radius])
