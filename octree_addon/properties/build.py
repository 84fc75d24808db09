"""How the scene's tree is built, and what the core is told of it."""

from typing import TYPE_CHECKING, Any

import bpy
from bpy.props import PointerProperty

from ..options import BuildOptions


class OctreeBuildSettings(BuildOptions, bpy.types.PropertyGroup):
    """How the scene's tree is built."""

    if TYPE_CHECKING:
        bounds_object: bpy.types.Object | None
    else:
        bounds_object: PointerProperty(
            type=bpy.types.Object,
            name="Bounds Object",
            description="The object whose bounding box the octree divides",
        )


def build_options(settings: BuildOptions) -> dict[str, Any]:
    """Return the keyword arguments of `build_octree` but for `bounds`."""
    return {
        "capacity": settings.capacity,
        "max_depth": settings.max_depth,
        "min_size": settings.min_size,
        "straddlers": settings.straddlers.lower(),
        "loose_factor": settings.loose_factor if settings.straddlers == "KEEP" else 1.0,
    }


def bounds_object(settings: OctreeBuildSettings) -> bpy.types.Object | None:
    """Return the object whose box is the root; none if the bounds are automatic."""
    return settings.bounds_object if settings.bounds == "OBJECT" else None
