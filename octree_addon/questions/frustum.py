"""Select in Camera Frustum: view frustum culling of items, for one camera and frame."""

from typing import TYPE_CHECKING, Any

import bpy
from bpy.props import BoolProperty, PointerProperty, StringProperty

from ...core import Frusta
from ..camera import ViewOptions, view_of
from ..options import Asking
from ..ui import SelectionOptions, named_object, settings_of, tag_redraw
from .outlines import Outline, hexahedron_outline
from .query_operator import VolumeOperator, within


class FrustumOptions(Asking[ViewOptions], SelectionOptions):
    """Options of a frustum: the scene's settings and the properties of the operator."""

    if TYPE_CHECKING:
        relation: str
        invert: bool
    else:
        relation: within("in view")
        invert: BoolProperty(
            name="Outside",
            description="Select what is outside the view instead",
            default=False,
        )


def is_camera(_: Any, item: bpy.types.Object) -> bool:
    """Tell whether the object can be chosen as a camera."""
    return item.type == "CAMERA"


class OctreeFrustumSettings(FrustumOptions, bpy.types.PropertyGroup):
    """Settings of the question about a camera's view: `scene.octree.frustum`."""

    if TYPE_CHECKING:
        camera: bpy.types.Object | None
        show: bool
    else:
        camera: PointerProperty(
            type=bpy.types.Object,
            poll=is_camera,
            name="Camera",
            description="The camera whose view is tested; the scene's camera if empty",
            update=tag_redraw,
        )
        show: BoolProperty(
            name="Show View",
            description="Draw the edges of the camera's view: its frustum",
            default=False,
            update=tag_redraw,
        )


class OCTREE_OT_select_in_frustum(VolumeOperator, FrustumOptions, bpy.types.Operator):
    """Select what a camera sees."""

    bl_idname = "octree.select_in_frustum"
    bl_label = "Select in Camera View"
    bl_description = "Select what is in the view of a camera: its frustum"
    key, settings = "frustum", OctreeFrustumSettings
    rows = ("camera", "margin", "angle", "relation", "kind", "action", "invert", "show")
    panel_rows = ("camera", "relation", "invert", "show", "margin", "angle")

    if TYPE_CHECKING:
        camera: str
    else:
        camera: StringProperty(
            name="Camera",
            description="Name of the camera whose view is tested; the scene's camera if empty",
        )

    def volume(self, context: bpy.types.Context) -> Frusta:
        scene = context.scene
        camera = named_object(scene, self.camera) if self.camera else scene.camera
        depsgraph, wide = context.evaluated_depsgraph_get(), self.taken
        return view_of(camera, scene, depsgraph, margin=wide.margin, angle=wide.angle)


def camera_outline(scene: bpy.types.Scene) -> Outline | None:
    """Return the view that the settings choose; None without a camera that has a frustum."""
    settings, depsgraph = settings_of(scene).frustum, bpy.context.evaluated_depsgraph_get()
    try:
        camera, margin, angle = settings.camera or scene.camera, settings.margin, settings.angle
        view = view_of(camera, scene, depsgraph, margin=margin, angle=angle)
    except ValueError:
        return None  # the operator says why
    return hexahedron_outline(view.corners[0])
