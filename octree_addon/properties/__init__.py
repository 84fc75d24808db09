"""What a scene remembers, saved in the file and undone with it: `settings_of(scene)`."""

import bpy
from bpy.props import PointerProperty

from .answers import OctreeAnswerSettings
from .build import (
    OctreeBuildSettings,
    OctreeObjectSettings,
    bounds_object,
    build_options,
    object_options,
)
from .display import OctreeDisplaySettings, tag_redraw
from .hiding import (
    OctreeHiddenObject,
    OctreeHidingSettings,
    OctreeLayerMemory,
    OctreeSceneMemory,
    layer_memory,
)
from .live import OctreeLiveSettings
from .objects import OctreeObject
from .questions import (
    OctreeCollisionSettings,
    OctreeFrustumSettings,
    OctreeNearestSettings,
    OctreeRaySettings,
    OctreeSphereSettings,
)
from .scene import OctreeSettings, settings_of
from .shot import OctreeShotSettings
from .source import OctreeSourceSettings, kinds_of

__all__ = [
    "OctreeBuildSettings",
    "OctreeDisplaySettings",
    "OctreeFrustumSettings",
    "OctreeObjectSettings",
    "OctreeSettings",
    "OctreeShotSettings",
    "OctreeSourceSettings",
    "bounds_object",
    "build_options",
    "kinds_of",
    "layer_memory",
    "object_options",
    "settings_of",
    "tag_redraw",
]

CLASSES = (
    OctreeNearestSettings,
    OctreeRaySettings,
    OctreeObject,
    OctreeSourceSettings,
    OctreeBuildSettings,
    OctreeObjectSettings,
    OctreeLiveSettings,
    OctreeDisplaySettings,
    OctreeFrustumSettings,
    OctreeSphereSettings,
    OctreeShotSettings,
    OctreeCollisionSettings,
    OctreeHidingSettings,
    OctreeHiddenObject,
    OctreeSceneMemory,
    OctreeLayerMemory,
    OctreeAnswerSettings,
    OctreeSettings,
)


def register() -> None:
    """Register the groups and give every scene and view layer its own."""
    for group in CLASSES:
        bpy.utils.register_class(group)
    pointer = PointerProperty(type=OctreeSettings)  # type: ignore[func-returns-value]
    bpy.types.Scene.octree = pointer  # type: ignore[attr-defined]
    pointer = PointerProperty(type=OctreeLayerMemory)  # type: ignore[func-returns-value]
    bpy.types.ViewLayer.octree = pointer  # type: ignore[attr-defined]


def unregister() -> None:
    """Take the settings from scenes and view layers; their values stay in the file."""
    del bpy.types.ViewLayer.octree  # type: ignore[attr-defined]
    del bpy.types.Scene.octree  # type: ignore[attr-defined]
    for group in reversed(CLASSES):
        bpy.utils.unregister_class(group)
