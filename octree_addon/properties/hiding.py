"""How objects are hidden, and which ones we have hidden, by each icon of the Outliner."""

from typing import TYPE_CHECKING, Any

import bpy
from bpy.props import CollectionProperty, FloatProperty, PointerProperty

from ..options import HidingOptions


class OctreeHidingSettings(HidingOptions, bpy.types.PropertyGroup):
    """How objects are hidden."""

    if TYPE_CHECKING:
        protect: bpy.types.Collection | None
    else:
        protect: PointerProperty(
            type=bpy.types.Collection,
            name="Protect",
            description="Never hide the objects of this collection and of those inside it",
        )


class OctreeHiddenObject(bpy.types.PropertyGroup):
    """One object that we have hidden, and the frame that it was hidden in."""

    if TYPE_CHECKING:
        object: bpy.types.Object | None
        frame: float
    else:
        object: PointerProperty(type=bpy.types.Object)
        frame: FloatProperty()


class OctreeSceneMemory(bpy.types.PropertyGroup):
    """What we have hidden by the icons whose flags belong to the objects.

    An object is remembered only if it was shown before, so its former flag needs no place.
    """

    if TYPE_CHECKING:
        monitor: Any  # of OctreeHiddenObject; the stubs know no collection that grows
        render: Any
    else:
        monitor: CollectionProperty(type=OctreeHiddenObject)
        render: CollectionProperty(type=OctreeHiddenObject)


class OctreeLayerMemory(bpy.types.PropertyGroup):
    """What we have hidden by the eye, which belongs to the view layer, and is copied with it."""

    if TYPE_CHECKING:
        eye: Any
    else:
        eye: CollectionProperty(type=OctreeHiddenObject)


def layer_memory(layer: bpy.types.ViewLayer) -> OctreeLayerMemory:
    """Return what the view layer remembers."""
    memory: OctreeLayerMemory = layer.octree  # type: ignore[attr-defined]
    return memory
