"""Shot options: frames, cameras, objects and precision of frustum culling."""

from typing import TYPE_CHECKING, Literal

import bpy
from bpy.props import IntProperty

from ..answers.options import AnswerOptions
from ..camera import ViewOptions
from ..options import (
    OptionGroup,
    boolean,
    enum,
    integer,
    nested,
    pointer,
    real,
    settings_group,
    when,
)
from ..ui import OWN_WORDS


class FrameOptions(OptionGroup):
    """Cameras and frames to test."""

    span: Literal["CURRENT", "SCENE", "CUSTOM"] = enum(
        "CURRENT",
        "Frames",
        "Which frames are tested. An object seen in any of them counts as seen",
        {
            "CURRENT": ("Current", "Only the current frame"),
            "SCENE": ("Scene Range", "The frame range of the scene, or its preview range"),
            "CUSTOM": ("Custom", "From a first to a last frame"),
        },
        translation_context=OWN_WORDS,
    )
    first: int = integer(1, "First", "The first frame", shown=when(span, "CUSTOM"))
    last: int = integer(250, "Last", "The last frame", shown=when(span, "CUSTOM"))
    step: int = integer(
        1,
        "Step",
        "Test every frame (1), every second frame (2), and so on",
        min=1,
        soft_max=25,
        shown=when(span, "SCENE", "CUSTOM"),
    )
    cameras: Literal["SCENE", "SELECTED", "ALL"] = enum(
        "SCENE",
        "Cameras",
        "Which cameras are tested",
        {
            "SCENE": ("Scene Camera", "The scene's camera, which markers may switch"),
            "SELECTED": ("Selected", "Every selected camera, in every frame"),
            "ALL": ("All", "Every camera of the scene, in every frame"),
        },
    )


class ShotOptions(OptionGroup):
    """Options of *What Cameras See*: `scene.octree.shot`."""

    frames: FrameOptions = nested(FrameOptions())
    scope: Literal["VISIBLE", "SELECTED", "COLLECTION"] = enum(
        "VISIBLE",
        "Objects",
        "Which objects are tested against the cameras",
        {
            "VISIBLE": ("Visible", "Every object that is visible in any of the frames"),
            "SELECTED": ("Selected", "The selected objects"),
            "COLLECTION": ("Collection", "The objects of a collection and of those inside it"),
        },
    )
    collection: str = pointer(
        "collections",
        "Collection",
        "The collection whose objects are tested",
        operator={"description": "Name of the collection whose objects are tested"},
        shown=when(scope, "COLLECTION"),
    )
    behind: Literal["IGNORE", "UNSEEN"] = enum(
        "IGNORE",
        "Behind Others",
        "Whether what stands in front of an object hides it",
        {
            "IGNORE": ("Ignore", "What is in view counts as seen, whatever is before it"),
            "UNSEEN": (
                "Counts as Unseen",
                "Only what has pixels of its own in the picture counts as seen: of what"
                " viewports show, with their modifiers, as far as a render would show it",
            ),
        },
    )
    precision: Literal["EXACT", "BOX"] = enum(
        "EXACT",
        "Precision",
        "When an object counts as seen, no matter what is in front of it",
        {
            "EXACT": ("Exact", "When any part of one of its triangles is in view"),
            "BOX": (
                "Box",
                "When its box touches the view: faster; may count too much, never too little",
            ),
        },
        translation_context=OWN_WORDS,
        shown=when(behind, "IGNORE"),
    )
    faces: bool = boolean(
        False,
        "Faces",
        "Find the faces that are seen as well; always exact",
        shown=when(behind, "IGNORE"),
    )
    wide: ViewOptions = nested(ViewOptions(), shown=when(behind, "IGNORE"))
    resolution: int = integer(
        50,
        "Resolution",
        "Size of the picture whose pixels are counted, in percent of the render's",
        min=1,
        max=100,
        subtype="PERCENTAGE",
        shown=when(behind, "UNSEEN"),
    )
    samples: int = integer(
        1,
        "Samples",
        "So many by so many samples are taken in each pixel",
        min=1,
        soft_max=4,
        max=16,
        shown=when(behind, "UNSEEN"),
    )
    least: float = real(
        1.0,
        "Least Pixels",
        "What has fewer pixels counts as too small to be seen",
        min=0.0,
        soft_max=100.0,
        shown=when(behind, "UNSEEN"),
    )
    clear: Literal["SOLID", "OPEN"] = enum(
        "SOLID",
        "See-Through",
        "Faces of materials that let light through, by their shaders: glass,"
        " transparency, an alpha below 1",
        {
            "SOLID": ("Hides Others", "They count as solid, and the report names them"),
            "OPEN": ("Left Out", "They neither hide anything nor count as seen themselves"),
        },
        shown=when(behind, "UNSEEN"),
    )


class FindSeenOptions(ShotOptions, AnswerOptions):
    """Options of the operator *Find What Cameras See*: the shot and the result to store."""


OctreeShotSettings = settings_group(ShotOptions, "OctreeShotSettings")


class SeenOptions(OptionGroup):
    """Choice between the seen and the unseen part of the last visibility result."""

    part: Literal["SEEN", "UNSEEN"] = enum(
        "SEEN",
        "Take",
        "Which part of the last result is used",
        {
            "SEEN": ("Seen", "What at least one camera saw in at least one frame"),
            "UNSEEN": ("Unseen", "What no camera saw in any frame"),
        },
    )


class OctreeAnswerNumbers(bpy.types.PropertyGroup):
    """Numbers of the last answers, one for each question; stored in the scene, so undo applies."""

    if TYPE_CHECKING:
        find_seen: int
        find_never_seen: int
    else:
        find_seen: IntProperty(options={"HIDDEN"})
        find_never_seen: IntProperty(options={"HIDDEN"})
