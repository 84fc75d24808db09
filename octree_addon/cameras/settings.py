"""Shot settings: frames, cameras, objects and precision of frustum culling."""

from typing import TYPE_CHECKING, Any

import bpy
from bpy.props import (
    BoolProperty,
    EnumProperty,
    FloatProperty,
    IntProperty,
    PointerProperty,
)

from ..camera import ViewOptions
from ..ui import OWN_WORDS


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
            translation_context=OWN_WORDS,
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
            translation_context=OWN_WORDS,
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


class PixelSettings:
    """How pixels are counted where what stands in front hides; a mixin."""

    if TYPE_CHECKING:
        behind: str
        resolution: int
        samples: int
        least: float
        clear: str
    else:
        behind: EnumProperty(
            name="Behind Others",
            description="Whether what stands in front of an object hides it",
            items=(
                ("IGNORE", "Ignore", "What is in view counts as seen, whatever is before it"),
                (
                    "UNSEEN",
                    "Counts as Unseen",
                    "Only what has pixels of its own in the picture counts as seen: of what"
                    " viewports show, with their modifiers, as far as a render would show it",
                ),
            ),
            default="IGNORE",
        )
        resolution: IntProperty(
            name="Resolution",
            description="Size of the picture whose pixels are counted, in percent of the render's",
            default=50,
            min=1,
            max=100,
            subtype="PERCENTAGE",
        )
        samples: IntProperty(
            name="Samples",
            description="So many by so many samples are taken in each pixel",
            default=1,
            min=1,
            soft_max=4,
            max=16,
        )
        least: FloatProperty(
            name="Least Pixels",
            description="What has fewer pixels counts as too small to be seen",
            default=1.0,
            min=0.0,
            soft_max=100.0,
        )
        clear: EnumProperty(
            name="See-Through",
            description="Faces of materials that let light through, by their shaders: glass,"
            " transparency, an alpha below 1",
            items=(
                ("SOLID", "Hides Others", "They count as solid, and the report names them"),
                ("OPEN", "Left Out", "They neither hide anything nor count as seen themselves"),
            ),
            default="SOLID",
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


class OctreeShotSettings(PixelSettings, ShotOptions, bpy.types.PropertyGroup):
    """What is tested: `scene.octree.shot`."""

    if TYPE_CHECKING:
        collection: bpy.types.Collection | None
    else:
        collection: PointerProperty(
            type=bpy.types.Collection,
            name="Collection",
            description="The collection whose objects are tested",
        )


class OctreeAnswerNumbers(bpy.types.PropertyGroup):
    """Which answers are the last in a state of the scene that undo may bring back, by question."""

    if TYPE_CHECKING:
        find_seen: int
        find_never_seen: int
    else:
        find_seen: IntProperty(options={"HIDDEN"})
        find_never_seen: IntProperty(options={"HIDDEN"})


def span_rows(options: FrameOptions) -> list[str]:
    """Return the names of the options for frames and cameras that count, from top to bottom."""
    spans = {"CURRENT": [], "SCENE": ["step"], "CUSTOM": ["first", "last", "step"]}
    return ["span", *spans[options.span], "cameras"]


def rows_of(options: Any) -> list[str]:
    """Return the names of the options that count, from top to bottom."""
    collection = ["collection"] * (options.scope == "COLLECTION")
    ends = ["behind", "precision", "faces", "margin", "angle"]
    if options.behind == "UNSEEN":
        ends = ["behind", "resolution", "samples", "least", "clear"]
    return [*span_rows(options), "scope", *collection, *ends]
