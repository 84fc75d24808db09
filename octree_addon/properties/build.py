"""How the scene's trees of triangles and of objects are built, and what the core is told."""

from typing import TYPE_CHECKING, Any

import bpy
from bpy.props import PointerProperty

from ..options import BuildOptions, ObjectOptions
from ..ui import settings_of


class BoundsSettings:
    """The object whose box a tree divides; a mixin."""

    if TYPE_CHECKING:
        bounds_object: bpy.types.Object | None
    else:
        bounds_object: PointerProperty(
            type=bpy.types.Object,
            name="Bounds Object",
            description="The object whose bounding box the octree divides",
        )


class OctreeBuildSettings(BoundsSettings, BuildOptions, bpy.types.PropertyGroup):
    """How the scene's tree of triangles is built."""


class OctreeObjectSettings(BoundsSettings, ObjectOptions, bpy.types.PropertyGroup):
    """How the scene's tree of objects is built and kept."""


def build_settings(
    scene: bpy.types.Scene, source: str
) -> OctreeBuildSettings | OctreeObjectSettings:
    """Return how the scene's tree of "TRIANGLES" or "OBJECTS" is built."""
    settings = settings_of(scene)
    return settings.objects if source == "OBJECTS" else settings.build


def build_options(settings: Any) -> dict[str, Any]:
    """Return the keyword arguments of `build_octree` but for `bounds`."""
    return {
        "capacity": settings.capacity,
        "max_depth": settings.max_depth,
        "min_size": settings.min_size,
        "split": settings.split.lower(),
        "straddlers": settings.straddlers.lower(),
        "hybrid_limit": settings.hybrid_limit,
        "loose_factor": settings.loose_factor if settings.straddlers == "KEEP" else 1.0,
    }


def object_options(settings: Any) -> dict[str, Any]:
    """Return the keyword arguments of `DynamicOctree` but for `bounds`."""
    return {
        "capacity": settings.capacity,
        "merge_below": settings.merge_below,
        "max_depth": settings.max_depth,
        "min_size": settings.min_size,
        "straddlers": settings.straddlers.lower(),
        "loose_factor": settings.loose_factor if settings.straddlers == "KEEP" else 1.0,
        "merge": settings.merge.lower(),
        "grow_above": settings.grow_above,
        "shrink_below": settings.shrink_below,
    }


def bounds_object(settings: Any) -> bpy.types.Object | None:
    """Return the object whose box is the root; none if the bounds are automatic."""
    return settings.bounds_object if settings.bounds == "OBJECT" else None
