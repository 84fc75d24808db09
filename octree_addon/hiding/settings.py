"""Hiding settings, and the record of hidden objects: by scene, view layer and icon."""

from typing import TYPE_CHECKING, Any, Literal

import bpy
from bpy.props import CollectionProperty, FloatProperty, PointerProperty

from ..options import OptionGroup, boolean, enum, pointer, settings_group


class HidingOptions(OptionGroup):
    """How objects are hidden: `scene.octree.hiding`."""

    icon: Literal["EYE", "MONITOR", "RENDER"] = enum(
        "EYE",
        "Icon",
        "Which icon of the Outliner hides the objects",
        {
            "EYE": (
                "Eye",
                "Hide in the viewports of this view layer. Animation stays live, as the"
                " objects are still evaluated: playback gets no faster. Renders show them",
                "HIDE_OFF",
            ),
            "MONITOR": (
                "Monitor",
                "Disable in all viewports. The objects are not evaluated: playback gets"
                " faster, their animation stands still until they are restored."
                " Renders show them",
                "RESTRICT_VIEW_OFF",
            ),
            "RENDER": (
                "Render",
                "Disable in renders, where their shadows and reflections will be missing"
                " too. Viewports still show them",
                "RESTRICT_RENDER_OFF",
            ),
        },
    )
    protect: str = pointer(
        "collections",
        "Protect",
        "Never hide the objects of this collection and of those inside it",
        operator=None,
    )


class EverythingOption(OptionGroup):
    """Whether all may be hidden; no setting, so that it is said each time."""

    everything: bool = boolean(
        False,
        "Hide Everything",
        "Hide the objects even if no surface stays visible",
        settings=None,
        options={"SKIP_SAVE"},
    )


OctreeHidingSettings = settings_group(HidingOptions, "OctreeHidingSettings")


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
