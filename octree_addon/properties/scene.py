"""Everything that a scene remembers of its octree: `settings_of(scene)`."""

from typing import TYPE_CHECKING, Any

import bpy
from bpy.props import CollectionProperty, IntProperty, PointerProperty

from .answers import OctreeAnswerSettings
from .build import OctreeBuildSettings
from .display import OctreeDisplaySettings
from .hiding import OctreeHidingSettings, OctreeSceneMemory
from .objects import OctreeObject
from .questions import OctreeFrustumSettings, OctreeSphereSettings


class OctreeSettings(bpy.types.PropertyGroup):
    """Everything that a scene remembers of its octree; the tree itself lives in `trees`."""

    if TYPE_CHECKING:
        build: OctreeBuildSettings
        display: OctreeDisplaySettings
        frustum: OctreeFrustumSettings
        sphere: OctreeSphereSettings
        hiding: OctreeHidingSettings
        hidden: OctreeSceneMemory
        answer: OctreeAnswerSettings
        sources: Any  # of OctreeObject; the stubs know no collection that grows
        tree_number: int
        question_number: int
    else:
        build: PointerProperty(type=OctreeBuildSettings)
        display: PointerProperty(type=OctreeDisplaySettings)
        frustum: PointerProperty(type=OctreeFrustumSettings)
        sphere: PointerProperty(type=OctreeSphereSettings)
        hiding: PointerProperty(type=OctreeHidingSettings)
        hidden: PointerProperty(type=OctreeSceneMemory)
        answer: PointerProperty(type=OctreeAnswerSettings)
        sources: CollectionProperty(type=OctreeObject)
        tree_number: IntProperty(description="Which tree belongs to the scene; 0 is none", min=0)
        question_number: IntProperty(description="Which question was its last; 0 is none", min=0)


def settings_of(scene: bpy.types.Scene) -> OctreeSettings:
    """Return what the scene remembers."""
    settings: OctreeSettings = scene.octree  # type: ignore[attr-defined]
    return settings
