"""Select in Capsule: items within a radius of the segment from the 3D cursor to an object."""

from typing import Literal

import bpy
import numpy as np

from ...core import Capsules
from ..options import real, settings_group, string, vector
from ..ui import active_name, cursor_place, named_object
from .query_operator import VolumeOperator, VolumeOptions, within


class CapsuleOptions(VolumeOptions):
    """Options of *Select in Capsule*: `scene.octree.capsule`."""

    origin: tuple[float, float, float] = vector(
        (0.0, 0.0, 0.0),
        "Origin",
        "Where the capsule starts; the 3D cursor if not given",
        settings=None,
        subtype="TRANSLATION",
        options={"SKIP_SAVE"},
    )
    object: str = string(
        "",
        "Object",
        "Name of the object at the end; the active one if not given",
        data="objects",
        settings=None,
        options={"SKIP_SAVE"},
    )
    radius: float = real(
        0.5,
        "Radius",
        "How far from the line between the 3D cursor and the object",
        min=0.0,
        soft_max=100.0,
        subtype="DISTANCE",
    )
    relation: Literal["TOUCHING", "INSIDE"] = within("in the capsule")


class OCTREE_OT_select_in_capsule(VolumeOperator[CapsuleOptions], bpy.types.Operator):
    """Select what is near the line from the 3D cursor to the active object."""

    bl_idname = "octree.select_in_capsule"
    bl_label = "Select in Capsule"
    bl_description = (
        "Select what is near the line from the 3D cursor to the origin of the active object,"
        " except that object itself"
    )
    key, settings = "capsule", settings_group(CapsuleOptions, "OctreeCapsuleSettings")

    def volume(self, context: bpy.types.Context) -> Capsules:
        if not self.properties.is_property_set("origin"):
            self.put(origin=cursor_place(context.scene))
        if not self.taken.object:
            self.put(object=active_name(context))
        options = self.taken
        item = named_object(context.scene, options.object)
        evaluated = item.evaluated_get(context.evaluated_depsgraph_get())
        end = np.array(evaluated.matrix_world.translation)
        if not np.isfinite([*options.origin, *end]).all():
            raise ValueError(f"{item.name} is nowhere")
        self._uid = item.session_uid
        return Capsules([options.origin], [end], [options.radius])
