"""Everything that a scene remembers of its octree: `settings_of(scene)`."""

from typing import TYPE_CHECKING, Any

import bpy
from bpy.props import CollectionProperty, IntProperty, PointerProperty

from ..options import SourceOptions, option_names
from .answers import OctreeAnswerSettings
from .build import OctreeBuildSettings, OctreeObjectSettings
from .display import OctreeDisplaySettings
from .hiding import OctreeHidingSettings, OctreeSceneMemory
from .live import OctreeLiveSettings
from .objects import OctreeObject
from .questions import (
    OctreeCollisionSettings,
    OctreeFrustumSettings,
    OctreeNearestSettings,
    OctreeRaySettings,
    OctreeSphereSettings,
)
from .shot import OctreeShotSettings
from .source import OctreeSourceSettings


class OctreeSettings(bpy.types.PropertyGroup):
    """Everything that a scene remembers of its octree; the tree itself lives in `trees`."""

    if TYPE_CHECKING:
        source: OctreeSourceSettings
        build: OctreeBuildSettings
        objects: OctreeObjectSettings
        live: OctreeLiveSettings
        display: OctreeDisplaySettings
        frustum: OctreeFrustumSettings
        sphere: OctreeSphereSettings
        shot: OctreeShotSettings
        nearest: OctreeNearestSettings
        ray: OctreeRaySettings
        collisions: OctreeCollisionSettings
        hiding: OctreeHidingSettings
        hidden: OctreeSceneMemory
        answer: OctreeAnswerSettings
        built_of: OctreeSourceSettings
        sources: Any  # of OctreeObject; the stubs know no collection that grows
        tree_number: int
        question_number: int
    else:
        source: PointerProperty(type=OctreeSourceSettings)
        build: PointerProperty(type=OctreeBuildSettings)
        objects: PointerProperty(type=OctreeObjectSettings)
        live: PointerProperty(type=OctreeLiveSettings)
        display: PointerProperty(type=OctreeDisplaySettings)
        frustum: PointerProperty(type=OctreeFrustumSettings)
        sphere: PointerProperty(type=OctreeSphereSettings)
        shot: PointerProperty(type=OctreeShotSettings)
        nearest: PointerProperty(type=OctreeNearestSettings)
        ray: PointerProperty(type=OctreeRaySettings)
        collisions: PointerProperty(type=OctreeCollisionSettings)
        hiding: PointerProperty(type=OctreeHidingSettings)
        hidden: PointerProperty(type=OctreeSceneMemory)
        answer: PointerProperty(type=OctreeAnswerSettings)
        built_of: PointerProperty(type=OctreeSourceSettings)
        sources: CollectionProperty(type=OctreeObject)
        tree_number: IntProperty(description="Which tree belongs to the scene; 0 is none", min=0)
        question_number: IntProperty(description="Which question was its last; 0 is none", min=0)

    def how(self, source: str) -> OctreeBuildSettings | OctreeObjectSettings:
        """Return how a tree of "TRIANGLES" or "OBJECTS" is built."""
        return self.objects if source == "OBJECTS" else self.build

    def note_source(self, scope: str) -> None:
        """Remember of what a tree is built, by the settings but for the scope."""
        for name in option_names(SourceOptions):
            setattr(self.built_of, name, getattr(self.source, name))
        self.built_of.collection = self.source.collection
        self.built_of.scope = scope


def settings_of(scene: bpy.types.Scene) -> OctreeSettings:
    """Return what the scene remembers."""
    settings: OctreeSettings = scene.octree  # type: ignore[attr-defined]
    return settings
