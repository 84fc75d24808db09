"""Never-seen settings: which views are tested, what is kept around what they saw, and copies."""

from typing import TYPE_CHECKING

import bpy
from bpy.props import (
    BoolProperty,
    EnumProperty,
    FloatProperty,
    IntProperty,
    PointerProperty,
    StringProperty,
)

from ..settings import FrameOptions, span_rows


class NeverSeenOptions(FrameOptions):
    """Which views are tested, shared by the scene's settings and the operator."""

    if TYPE_CHECKING:
        views: str
        directions: int
        places: int
        resolution: int
        is_open: bool
    else:
        views: EnumProperty(
            name="Views",
            description="From where the scene is looked at",
            items=(
                ("OUTSIDE", "Outside", "From all around, in directions spread evenly"),
                ("SHOT", "Cameras", "From cameras, in the current frame or over a shot"),
                (
                    "INSIDE",
                    "Inside Volume",
                    "From places that fill the box of an object evenly, in all directions;"
                    " places inside of solid parts are left out",
                ),
            ),
            default="OUTSIDE",
        )
        directions: IntProperty(
            name="Directions",
            description="From how many directions. More find more of what is seen through slits",
            default=64,
            min=1,
            soft_max=512,
            max=10_000,
        )
        places: IntProperty(
            name="Places",
            description="From how many places, six views each",
            default=16,
            min=1,
            soft_max=256,
            max=10_000,
        )
        resolution: IntProperty(
            name="Resolution",
            description="Pixels of the longer side of each view. What is smaller than a pixel may"
            " be missed",
            default=1024,
            min=8,
            soft_max=4096,
            max=16_384,
        )
        is_open: BoolProperty(
            name="Glass Is Open",
            description="Count faces of materials that let light through as not there: what is"
            " behind them is seen. They themselves are always kept",
            default=False,
        )


class SafetyOptions:
    """What is kept around what was seen, shared by the scene's settings and the operators."""

    if TYPE_CHECKING:
        least: int
        rings: int
        distance: float
        small: bool
    else:
        least: IntProperty(
            name="Least Samples",
            description="Faces that fewer pixels saw than this count as never seen",
            default=1,
            min=1,
            soft_max=100,
        )
        rings: IntProperty(
            name="Rings",
            description="Keep so many rings of faces around those that were seen. With one,"
            " smooth shading stays as it is",
            default=1,
            min=0,
            soft_max=10,
        )
        distance: FloatProperty(
            name="Distance",
            description="Keep what is no farther from anything seen than this, for its shadow or"
            " reflection",
            default=0.0,
            min=0.0,
            soft_max=10.0,
            subtype="DISTANCE",
        )
        small: BoolProperty(
            name="Keep Too Small",
            description="Keep objects and faces that are too small for the pixels of the views to"
            " tell whether they are hidden",
            default=True,
        )


class MaterialOption:
    """The name of the material that is kept, of an operator."""

    if TYPE_CHECKING:
        material: str
    else:
        material: StringProperty(
            name="Keep Material",
            description="Keep the faces of this material",
        )


class CopiesOptions:
    """How objects are copied, shared by the scene's settings and the operator."""

    if TYPE_CHECKING:
        modifiers: str
        whole: str
        originals: str
    else:
        modifiers: EnumProperty(
            name="Modifiers",
            description="What is done with objects whose modifiers change their faces",
            items=(
                ("OWN", "Keep", "Copy them with all their faces; modifiers stay"),
                ("APPLY", "Apply", "Apply the modifiers in the copy, and delete faces there"),
            ),
            default="OWN",
        )
        whole: EnumProperty(
            name="Never Seen",
            description="What is done with objects that are never seen",
            items=(
                ("LEAVE_OUT", "Leave Out", "They are not copied"),
                ("COPY", "Copy", "They are copied as well"),
            ),
            default="LEAVE_OUT",
        )
        originals: EnumProperty(
            name="Originals",
            description="What is done with the objects that were copied or left out",
            items=(
                ("HIDE", "Hide", "Hide them in viewports and renders, until Restore Hidden"),
                ("KEEP", "Leave", "Leave them visible"),
            ),
            default="HIDE",
        )


class OctreeNeverSeenSettings(
    NeverSeenOptions, SafetyOptions, CopiesOptions, bpy.types.PropertyGroup
):
    """What is tested, and what is kept: `scene.octree.never_seen`."""

    if TYPE_CHECKING:
        volume: bpy.types.Object | None
        without: bpy.types.Object | None
        material: bpy.types.Material | None
    else:
        volume: PointerProperty(
            type=bpy.types.Object,
            name="Volume",
            description="The object whose box is looked around in. It is drawn like all others,"
            " unless it is displayed as bounds or wire",
        )
        without: PointerProperty(
            type=bpy.types.Object,
            name="Leave Out",
            description="An object that is neither looked at nor in the way, such as a backdrop"
            " around everything, which makes the pixels of the views large",
        )
        material: PointerProperty(
            type=bpy.types.Material,
            name="Keep Material",
            description="Keep the faces of this material",
        )


SAFETY_ROWS = ("least", "rings", "distance", "small", "material")
COPY_ROWS = ("modifiers", "whole", "originals")


def view_rows(options: NeverSeenOptions) -> list[str]:
    """Return the names of the options that count, from top to bottom."""
    by_kind = {
        "OUTSIDE": ["directions"],
        "SHOT": span_rows(options),
        "INSIDE": ["volume", "places"],
    }
    return ["views", *by_kind[options.views], "without", "resolution", "is_open"]
