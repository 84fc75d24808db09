"""The settings groups of the features that have not moved into their own folder yet."""

from ..ui import Feature, settings_of, tag_redraw
from .answers import OctreeAnswerSettings
from .build import (
    OctreeBuildSettings,
    OctreeObjectSettings,
    bounds_object,
    build_options,
    build_settings,
    object_options,
)
from .live import OctreeLiveSettings
from .questions import (
    OctreeCollisionSettings,
    OctreeFrustumSettings,
    OctreeNearestSettings,
    OctreeRaySettings,
    OctreeSphereSettings,
)
from .source import OctreeSourceSettings, kinds_of, note_source

__all__ = [
    "OctreeBuildSettings",
    "OctreeFrustumSettings",
    "OctreeObjectSettings",
    "OctreeSourceSettings",
    "bounds_object",
    "build_options",
    "build_settings",
    "kinds_of",
    "note_source",
    "object_options",
    "settings_of",
    "tag_redraw",
]

FEATURE = Feature(
    settings={
        "source": OctreeSourceSettings,
        "build": OctreeBuildSettings,
        "objects": OctreeObjectSettings,
        "built_of": OctreeSourceSettings,
        "live": OctreeLiveSettings,
        "frustum": OctreeFrustumSettings,
        "sphere": OctreeSphereSettings,
        "nearest": OctreeNearestSettings,
        "ray": OctreeRaySettings,
        "collisions": OctreeCollisionSettings,
        "answer": OctreeAnswerSettings,
    },
)
