"""Select what a camera sees, or what is near the 3D cursor, by asking the scene's octree."""

from typing import TYPE_CHECKING

import bpy
from bpy.props import FloatVectorProperty, StringProperty
from mathutils import Vector

from ...core import Frusta, Spheres, query
from ..answers import Asked
from ..camera import camera_frusta
from ..options import FrustumOptions, SphereOptions
from ..trees import BuiltTree
from ..ui import named_object, settings_of, take, write_back
from .asking import AskSteps, SelectOperator


class VolumeOperator(SelectOperator):
    """What questions about a volume share."""

    if TYPE_CHECKING:
        relation: str

    def volume(self, context: bpy.types.Context) -> Frusta | Spheres:
        """Take the scene's settings, and return what is asked about by them."""
        raise NotImplementedError

    def prepare(self, context: bpy.types.Context) -> None:
        self.volume(context)

    def ask_steps(self, context: bpy.types.Context, built: BuiltTree) -> AskSteps:
        volume, relation = self.volume(context), self.relation.lower()
        _, items = query(built.octree, volume, relation=relation)
        yield 1.0
        return Asked(built.octree, self.bl_label, volume, items, relation)


class OCTREE_OT_select_in_frustum(FrustumOptions, VolumeOperator, bpy.types.Operator):
    """Select what a camera sees."""

    bl_idname = "octree.select_in_frustum"
    bl_label = "Select in Camera Frustum"
    bl_description = "Select what a camera sees"

    if TYPE_CHECKING:
        camera: str
    else:
        camera: StringProperty(
            name="Camera",
            description="Name of the camera whose view is asked; the scene's camera if empty",
        )

    def volume(self, context: bpy.types.Context) -> Frusta:
        scene, depsgraph = context.scene, context.evaluated_depsgraph_get()
        settings = settings_of(scene).frustum
        take(self, settings)
        camera = named_object(scene, self.camera) if self.camera else scene.camera
        if camera is None:
            raise ValueError("The scene has no camera")
        return camera_frusta(
            camera.evaluated_get(depsgraph),
            scene,
            depsgraph,
            margin=self.margin,
            angle=self.angle,
        )

    def remember(self, scene: bpy.types.Scene) -> None:
        write_back(self, settings_of(scene).frustum)

    def draw(self, context: bpy.types.Context) -> None:
        """Draw the redo panel."""
        layout = self.layout
        layout.use_property_split = True
        layout.prop_search(self, "camera", context.scene, "objects")
        for name in ("margin", "angle", "relation", "kind", "action", "invert"):
            layout.prop(self, name)


class OCTREE_OT_select_in_sphere(SphereOptions, VolumeOperator, bpy.types.Operator):
    """Select what is near the 3D cursor."""

    bl_idname = "octree.select_in_sphere"
    bl_label = "Select in Sphere"
    bl_description = "Select what is near the 3D cursor"

    if TYPE_CHECKING:
        center: Vector
    else:
        center: FloatVectorProperty(
            name="Center",
            description="Center of the sphere; the 3D cursor if not given",
            subtype="TRANSLATION",
            options={"SKIP_SAVE"},
        )

    def volume(self, context: bpy.types.Context) -> Spheres:
        take(self, settings_of(context.scene).sphere)
        if not self.properties.is_property_set("center"):
            self.center = context.scene.cursor.location
        return Spheres([self.center[:]], [self.radius])

    def remember(self, scene: bpy.types.Scene) -> None:
        write_back(self, settings_of(scene).sphere)

    def draw(self, context: bpy.types.Context) -> None:
        """Draw the redo panel."""
        layout = self.layout
        layout.use_property_split = True
        for name in ("center", "radius", "relation", "kind", "action"):
            layout.prop(self, name)
