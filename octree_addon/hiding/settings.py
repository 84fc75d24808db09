"""Hiding settings, and the records of hidden objects: by scene or view layer, and by icon."""

from typing import TYPE_CHECKING, Any, Literal

import bpy
from bpy.props import CollectionProperty, FloatProperty, PointerProperty

from ..options import OptionGroup, boolean, enum, pointer, settings_group


class HidingOptions(OptionGroup):
    """Options of hiding objects: `scene.octree.hiding`."""

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
    """Consent to hide all objects; no setting, so that it is given each time."""

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
    """Records of objects that Octree has hidden by their flags: `scene.octree.hidden`.

    Only objects that were shown before are recorded, so the former flag is known.
    """

    if TYPE_CHECKING:
        monitor: Any  # of OctreeHiddenObject; the type stubs have no growing collection
        render: Any
    else:
        monitor: CollectionProperty(type=OctreeHiddenObject)
        render: CollectionProperty(type=OctreeHiddenObject)


class OctreeLayerMemory(bpy.types.PropertyGroup):
    """Record of objects that Octree has hidden by the eye: `view_layer.octree`.

    Blender copies it with the view layer.
    """

    if TYPE_CHECKING:
        eye: Any
    else:
        eye: CollectionProperty(type=OctreeHiddenObject)
