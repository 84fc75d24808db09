"""What a scene remembers, saved in the file and undone with it: `settings_of(scene)`."""

import bpy
from bpy.props import PointerProperty

from .build import OctreeBuildSettings, bounds_object, build_options
from .display import OctreeDisplaySettings, tag_redraw
from .questions import OctreeFrustumSettings, OctreeSphereSettings
from .scene import OctreeSettings, OctreeSource, settings_of

__all__ = [
    "OctreeBuildSettings",
    "OctreeDisplaySettings",
    "OctreeSettings",
    "bounds_object",
    "build_options",
    "settings_of",
    "tag_redraw",
]

CLASSES = (
    OctreeBuildSettings,
    OctreeDisplaySettings,
    OctreeFrustumSettings,
    OctreeSphereSettings,
    OctreeSource,
    OctreeSettings,
)


def register() -> None:
    """Register the groups and give every scene its own."""
    for group in CLASSES:
        bpy.utils.register_class(group)
    pointer = PointerProperty(type=OctreeSettings)  # type: ignore[func-returns-value]
    bpy.types.Scene.octree = pointer  # type: ignore[attr-defined]


def unregister() -> None:
    """Take the settings from the scenes; their values stay in the file."""
    del bpy.types.Scene.octree  # type: ignore[attr-defined]
    for group in reversed(CLASSES):
        bpy.utils.unregister_class(group)
