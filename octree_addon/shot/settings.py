"""Shot settings: frames, cameras, objects and precision of frustum culling."""

from typing import TYPE_CHECKING

import bpy
from bpy.props import BoolProperty, EnumProperty, IntProperty, PointerProperty

from ..camera import ViewOptions


class FrameOptions:
    """Which cameras look in which frames."""

    if TYPE_CHECKING:
        cameras: str
        span: str
        first: int
        last: int
        step: int
    else:
        cameras: EnumProperty(
            name="Cameras",
            description="Which cameras are tested",
            items=(
                ("SCENE", "Scene Camera", "The scene's camera, which markers may switch"),
                ("SELECTED", "Selected", "Every selected camera, in every frame"),
                ("ALL", "All", "Every camera of the scene, in every frame"),
            ),
            default="SCENE",
        )
        span: EnumProperty(
            name="Frames",
            description="Which frames are tested. An object seen in any of them counts as seen",
            items=(
                ("CURRENT", "Current", "Only the current frame"),
                ("SCENE", "Scene Range", "The frame range of the scene, or its preview range"),
                ("CUSTOM", "Custom", "From a first to a last frame"),
            ),
            default="CURRENT",
        )
        first: IntProperty(name="First", description="The first frame", default=1)
        last: IntProperty(name="Last", description="The last frame", default=250)
        step: IntProperty(
            name="Step",
            description="Test every frame (1), every second frame (2), and so on",
            default=1,
            min=1,
            soft_max=25,
        )


class ShotOptions(FrameOptions, ViewOptions):
    """What is tested, shared by the scene's settings and the operator."""

    if TYPE_CHECKING:
        scope: str
        precision: str
        faces: bool
    else:
        scope: EnumProperty(
            name="Objects",
            description="Which objects are tested against the cameras",
            items=(
                ("VISIBLE", "Visible", "Every object that is visible in any of the frames"),
                ("SELECTED", "Selected", "The selected objects"),
                ("COLLECTION", "Collection", "The objects of a collection and of those inside it"),
            ),
            default="VISIBLE",
        )
        precision: EnumProperty(
            name="Precision",
            description="When an object counts as seen, no matter what is in front of it",
            items=(
                ("EXACT", "Exact", "When any part of one of its triangles is in view"),
                (
                    "BOX",
                    "Box",
                    "When its box touches the view: faster; may count too much, never too little",
                ),
            ),
            default="EXACT",
        )
        faces: BoolProperty(
            name="Faces",
            description="Find the faces that are seen as well; always exact",
            default=False,
        )


class SeenOptions:
    """Which part of the last visibility result is taken."""

    if TYPE_CHECKING:
        part: str
    else:
        part: EnumProperty(
            name="Take",
            description="Which part of the last result is used",
            items=(
                ("SEEN", "Seen", "What at least one camera saw in at least one frame"),
                ("UNSEEN", "Unseen", "What no camera saw in any frame"),
            ),
            default="SEEN",
        )


class OctreeShotSettings(ShotOptions, bpy.types.PropertyGroup):
    """What is tested: `scene.octree.shot`."""

    if TYPE_CHECKING:
        collection: bpy.types.Collection | None
    else:
        collection: PointerProperty(
            type=bpy.types.Collection,
            name="Collection",
            description="The collection whose objects are tested",
        )


def span_rows(options: FrameOptions) -> list[str]:
    """Return the names of the options for frames and cameras that count, from top to bottom."""
    spans = {"CURRENT": [], "SCENE": ["step"], "CUSTOM": ["first", "last", "step"]}
    return ["span", *spans[options.span], "cameras"]


def rows_of(options: ShotOptions) -> list[str]:
    """Return the names of the options that count, from top to bottom."""
    collection = ["collection"] * (options.scope == "COLLECTION")
    ends = ["precision", "faces", "margin", "angle"]
    return [*span_rows(options), "scope", *collection, *ends]
