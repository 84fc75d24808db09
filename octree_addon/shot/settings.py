"""What cameras see over a shot: the scene's settings and the properties of operators."""

from typing import TYPE_CHECKING

import bpy
from bpy.props import BoolProperty, EnumProperty, IntProperty, PointerProperty

from ..camera import ViewOptions


class ShotOptions(ViewOptions):
    """What is tested, shared by the scene's settings and the operator."""

    if TYPE_CHECKING:
        scope: str
        cameras: str
        span: str
        first: int
        last: int
        step: int
        precision: str
        faces: bool
    else:
        scope: EnumProperty(
            name="Objects",
            description="Which objects the cameras are asked about",
            items=(
                ("VISIBLE", "Visible", "Whatever is visible in any of the frames"),
                ("SELECTED", "Selected", "The selected objects"),
                ("COLLECTION", "Collection", "The objects of a collection and of those inside it"),
            ),
            default="VISIBLE",
        )
        cameras: EnumProperty(
            name="Cameras",
            description="Which cameras are asked",
            items=(
                ("SCENE", "Scene Camera", "The camera of the scene, switched by markers"),
                ("SELECTED", "Selected", "Every selected camera, in every frame"),
                ("ALL", "All", "Every camera of the scene, in every frame"),
            ),
            default="SCENE",
        )
        span: EnumProperty(
            name="Frames",
            description="In which frames the cameras are asked. What is seen once is seen",
            items=(
                ("CURRENT", "Current", "The current frame alone"),
                ("SCENE", "Scene Range", "The frame range of the scene, or its preview range"),
                ("CUSTOM", "Custom", "From a first to a last frame"),
            ),
            default="CURRENT",
        )
        first: IntProperty(name="First", description="The first frame", default=1)
        last: IntProperty(name="Last", description="The last frame", default=250)
        step: IntProperty(
            name="Step",
            description="Ask in every frame (1), in every second (2), and so on",
            default=1,
            min=1,
            soft_max=25,
        )
        precision: EnumProperty(
            name="Precision",
            description="When an object counts as seen, whatever stands in front of it",
            items=(
                ("EXACT", "Exact", "When at least a point of one of its triangles is in view"),
                (
                    "BOX",
                    "Box",
                    "When its box touches the view: faster, but never less than is really seen",
                ),
            ),
            default="EXACT",
        )
        faces: BoolProperty(
            name="Faces",
            description="Find the faces that are seen, too; always exact",
            default=False,
        )


class SeenOptions:
    """Which part of the last visibility result is taken."""

    if TYPE_CHECKING:
        part: str
    else:
        part: EnumProperty(
            name="Take",
            description="Which part of what the cameras were asked about",
            items=(
                ("SEEN", "Seen", "What any camera saw in any frame"),
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
            description="The collection whose objects the cameras are asked about",
        )


def rows_of(options: ShotOptions) -> list[str]:
    """Return the names of the options that count, from top to bottom."""
    spans = {"CURRENT": [], "SCENE": ["step"], "CUSTOM": ["first", "last", "step"]}
    collection = ["collection"] * (options.scope == "COLLECTION")
    ends = ["precision", "faces", "margin", "angle"]
    return ["scope", *collection, "cameras", "span", *spans[options.span], *ends]
