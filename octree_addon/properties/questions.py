"""What is asked of the scene's tree."""

from typing import TYPE_CHECKING, Any

import bpy
from bpy.props import BoolProperty, PointerProperty

from ..options import CollisionOptions, FrustumOptions, NearestOptions, RayOptions, SphereOptions
from ..ui import tag_redraw


def is_camera(_: Any, item: bpy.types.Object) -> bool:
    """Tell whether the object can be chosen as a camera."""
    return item.type == "CAMERA"


class OctreeFrustumSettings(FrustumOptions, bpy.types.PropertyGroup):
    """What is asked of a camera's view."""

    if TYPE_CHECKING:
        camera: bpy.types.Object | None
        show: bool
    else:
        camera: PointerProperty(
            type=bpy.types.Object,
            poll=is_camera,
            name="Camera",
            description="The camera whose view is asked; the scene's camera if empty",
            update=tag_redraw,
        )
        show: BoolProperty(
            name="Show Frustum",
            description="Draw the edges of the camera's view",
            default=False,
            update=tag_redraw,
        )


class OctreeCollisionSettings(CollisionOptions, bpy.types.PropertyGroup):
    """What touches another object."""


class OctreeSphereSettings(SphereOptions, bpy.types.PropertyGroup):
    """What is asked of a sphere around the 3D cursor."""


class OctreeNearestSettings(NearestOptions, bpy.types.PropertyGroup):
    """What is nearest to the 3D cursor."""


class OctreeRaySettings(RayOptions, bpy.types.PropertyGroup):
    """What a ray from the 3D cursor meets."""
