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
from .display import OctreeDisplaySettings
from .hiding import (
    OctreeHiddenObject,
    OctreeHidingSettings,
    OctreeLayerMemory,
    OctreeSceneMemory,
    layer_memory,
)
from .live import OctreeLiveSettings
from .questions import (
    OctreeCollisionSettings,
    OctreeFrustumSettings,
    OctreeNearestSettings,
    OctreeRaySettings,
    OctreeSphereSettings,
)
from .shot import OctreeShotSettings
from .source import OctreeSourceSettings, kinds_of, note_source

__all__ = [
    "OctreeBuildSettings",
    "OctreeDisplaySettings",
    "OctreeFrustumSettings",
    "OctreeObjectSettings",
    "OctreeShotSettings",
    "OctreeSourceSettings",
    "bounds_object",
    "build_options",
    "build_settings",
    "kinds_of",
    "layer_memory",
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
        "display": OctreeDisplaySettings,
        "frustum": OctreeFrustumSettings,
        "sphere": OctreeSphereSettings,
        "shot": OctreeShotSettings,
        "nearest": OctreeNearestSettings,
        "ray": OctreeRaySettings,
        "collisions": OctreeCollisionSettings,
        "hiding": OctreeHidingSettings,
        "hidden": OctreeSceneMemory,
        "answer": OctreeAnswerSettings,
    },
    layer_settings=OctreeLayerMemory,
    groups=(OctreeHiddenObject,),
)
