"""The settings groups of the features that have not moved into their own folder yet."""

from ..ui import Feature
from .display import OctreeDisplaySettings
from .hiding import (
    OctreeHiddenObject,
    OctreeHidingSettings,
    OctreeLayerMemory,
    OctreeSceneMemory,
    layer_memory,
)
from .shot import OctreeShotSettings

__all__ = ["OctreeDisplaySettings", "OctreeShotSettings", "layer_memory"]

FEATURE = Feature(
    settings={
        "display": OctreeDisplaySettings,
        "shot": OctreeShotSettings,
        "hiding": OctreeHidingSettings,
        "hidden": OctreeSceneMemory,
    },
    layer_settings=OctreeLayerMemory,
    groups=(OctreeHiddenObject,),
)
