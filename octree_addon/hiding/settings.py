"""Hiding settings, and the record of hidden objects: by scene, view layer and icon."""

from typing import TYPE_CHECKING, Any

import bpy
from bpy.props import (
    BoolProperty,
    CollectionProperty,
    EnumProperty,
    FloatProperty,
    PointerProperty,
)


class HidingOptions:
    """The icon, shared by the scene's settings and the operator."""

    if TYPE_CHECKING:
        icon: str
    else:
        icon: EnumProperty(
            name="Icon",
            description="Which icon of the Outliner hides the objects",
            items=(
                (
                    "EYE",
                    "Eye",
                    "Hide in the viewports of this view layer. Animation stays live, as the"
                    " objects are still evaluated: playback gets no faster. Renders show them",
                    "HIDE_OFF",
                    0,
                ),
                (
                    "MONITOR",
                    "Monitor",
                    "Disable in all viewports. The objects are not evaluated: playback gets"
                    " faster, their animation stands still until they are restored."
                    " Renders show them",
                    "RESTRICT_VIEW_OFF",
                    1,
                ),
                (
                    "RENDER",
                    "Render",
                    "Disable in renders, where their shadows and reflections will be missing"
                    " too. Viewports still show them",
                    "RESTRICT_RENDER_OFF",
                    2,
                ),
            ),
            default="EYE",
        )


class EverythingOption:
    """Whether all may be hidden; no setting, so that it is said each time."""

    if TYPE_CHECKING:
        everything: bool
    else:
        everything: BoolProperty(
            name="Hide Everything",
            description="Hide the objects even if no surface stays visible",
            default=False,
            options={"SKIP_SAVE"},
        )


class OctreeHidingSettings(HidingOptions, bpy.types.PropertyGroup):
    """How objects are hidden: `scene.octree.hiding`."""

    if TYPE_CHECKING:
        protect: bpy.types.Collection | None
    else:
        protect: PointerProperty(
            type=bpy.types.Collection,
            name="Protect",
            description="Never hide the objects of this collection and of those inside it",
        )


class OctreeHiddenObject(bpy.types.PropertyGroup):
    """One object that Octree has hidden, and the frame in which it was hidden."""

    if TYPE_CHECKING:
        object: bpy.types.Object | None
        frame: float
    else:
        object: PointerProperty(type=bpy.types.Object)
        frame: FloatProperty()


class OctreeSceneMemory(bpy.types.PropertyGroup):
    """Objects that Octree has hidden by their flags: `scene.octree.hidden`.

    An object is kept only if it was shown before, so its former flag needs no place.
    """

    if TYPE_CHECKING:
        monitor: Any  # of OctreeHiddenObject; the stubs know no collection that grows
        render: Any
    else:
        monitor: CollectionProperty(type=OctreeHiddenObject)
        render: CollectionProperty(type=OctreeHiddenObject)


class OctreeLayerMemory(bpy.types.PropertyGroup):
    """Objects that Octree has hidden by the eye: `view_layer.octree`, copied with its layer."""

    if TYPE_CHECKING:
        eye: Any
    else:
        eye: CollectionProperty(type=OctreeHiddenObject)
