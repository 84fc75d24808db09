"""Select in Camera Frustum: view frustum culling of items, for one camera and frame."""

from typing import Any, Literal

import bpy

from ...core import Frusta
from ..camera import ViewOptions, view_of
from ..options import boolean, nested, pointer, settings_group
from ..ui import named_object, settings_of, tag_redraw
from .outlines import Outline, hexahedron_outline
from .query_operator import VolumeOperator, VolumeOptions, within


def is_camera(_: Any, item: bpy.types.Object) -> bool:
    """Return whether the object can be chosen as a camera."""
    return item.type == "CAMERA"


class FrustumOptions(VolumeOptions):
    """Options of *Select in Camera View*: `scene.octree.frustum`."""

    camera: str = pointer(
        "objects",
        "Camera",
        "The camera whose view is tested; the scene's camera if empty",
        empty="Scene Camera",
        settings={"poll": is_camera, "update": tag_redraw},
        operator={
            "description": "Name of the camera whose view is tested; the scene's camera if empty"
        },
    )
    relation: Literal["TOUCHING", "INSIDE"] = within("in view")
    invert: bool = boolean(False, "Outside", "Select what is outside the view instead")
    show: bool = boolean(
        False,
        "Show View",
        "Draw the edges of the camera's view: its frustum",
        settings={"update": tag_redraw},
        operator=None,
    )
    wide: ViewOptions = nested(ViewOptions())


class OCTREE_OT_select_in_frustum(VolumeOperator[FrustumOptions], bpy.types.Operator):
    """Select the items in a camera's frustum."""

    bl_idname = "octree.select_in_frustum"
    bl_label = "Select in Camera View"
    bl_description = "Select what is in the view of a camera: its frustum"
    key, settings = "frustum", settings_group(FrustumOptions, "OctreeFrustumSettings")

    def inverts(self, options: FrustumOptions) -> bool:
        return options.invert

    def volume(self, context: bpy.types.Context) -> Frusta:
        scene, options = context.scene, self.taken
        camera = named_object(scene, options.camera) if options.camera else scene.camera
        depsgraph, wide = context.evaluated_depsgraph_get(), options.wide
        return view_of(camera, scene, depsgraph, margin=wide.margin, angle=wide.angle)


def camera_outline(scene: bpy.types.Scene) -> Outline | None:
    """Return the outline of the chosen camera's frustum; None without a valid camera."""
    settings, depsgraph = settings_of(scene).frustum, bpy.context.evaluated_depsgraph_get()
    try:
        camera, margin, angle = settings.camera or scene.camera, settings.margin, settings.angle
        view = view_of(camera, scene, depsgraph, margin=margin, angle=angle)
    except ValueError:
        return None  # the operator reports the reason
    return hexahedron_outline(view.corners[0])
