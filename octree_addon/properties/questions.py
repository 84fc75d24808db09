"""What is asked of the scene's tree."""

from typing import TYPE_CHECKING, Any

import bpy
from bpy.props import PointerProperty

from ..options import FrustumOptions, SphereOptions


def is_camera(_: Any, item: bpy.types.Object) -> bool:
    """Tell whether the object can be chosen as a camera."""
    return item.type == "CAMERA"


class OctreeFrustumSettings(FrustumOptions, bpy.types.PropertyGroup):
    """What is asked of a camera's view."""

    if TYPE_CHECKING:
        camera: bpy.types.Object | None
    else:
        camera: PointerProperty(
            type=bpy.types.Object,
            poll=is_camera,
            name="Camera",
            description="The camera whose view is asked; the scene's camera if empty",
        )


class OctreeSphereSettings(SphereOptions, bpy.types.PropertyGroup):
    """What is asked of a sphere around the 3D cursor."""
