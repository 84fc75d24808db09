"""Never-seen options: views, safety around visible faces, copies."""

from typing import Literal

from ...answers.options import AnswerOptions
from ...hiding import EverythingOption
from ...options import (
    OptionGroup,
    boolean,
    enum,
    integer,
    nested,
    pointer,
    real,
    settings_group,
    string,
    when,
)
from ...selection import SelectionOptions
from ..settings import FrameOptions


class ViewsOptions(OptionGroup):
    """Views to test."""

    views: Literal["OUTSIDE", "SHOT", "INSIDE"] = enum(
        "OUTSIDE",
        "Views",
        "From where the scene is looked at",
        {
            "OUTSIDE": ("Outside", "From all around, in directions spread evenly"),
            "SHOT": ("Cameras", "From cameras, in the current frame or over a shot"),
            "INSIDE": (
                "Inside Volume",
                "From places that fill the box of an object evenly, in all directions;"
                " places inside of solid parts are left out",
            ),
        },
    )
    directions: int = integer(
        64,
        "Directions",
        "From how many directions. More find more of what is seen through slits",
        min=1,
        soft_max=512,
        max=10_000,
        shown=when(views, "OUTSIDE"),
    )
    frames: FrameOptions = nested(FrameOptions(), shown=when(views, "SHOT"))
    volume: str = pointer(
        "objects",
        "Volume",
        "The object whose box is looked around in. It is drawn like all others,"
        " unless it is displayed as bounds or wire",
        operator={"description": "Name of the object whose box is looked around in"},
        shown=when(views, "INSIDE"),
    )
    places: int = integer(
        16,
        "Places",
        "From how many places, six views each",
        min=1,
        soft_max=256,
        max=10_000,
        shown=when(views, "INSIDE"),
    )
    without: str = pointer(
        "objects",
        "Leave Out",
        "An object that is neither looked at nor in the way, such as a backdrop"
        " around everything, which makes the pixels of the views large",
        operator={"description": "Name of an object that is neither looked at nor in the way"},
    )
    resolution: int = integer(
        1024,
        "Resolution",
        "Pixels of the longer side of each view. What is smaller than a pixel may be missed",
        min=8,
        soft_max=4096,
        max=16_384,
    )
    is_open: bool = boolean(
        False,
        "Glass Is Open",
        "Count faces of materials that let light through as not there: what is"
        " behind them is seen. They themselves are always kept",
    )


class FindNeverSeenOptions(ViewsOptions, AnswerOptions):
    """Options of the operator *Find Never Seen*: the views and the result to store."""


class Safety(OptionGroup):
    """Faces and objects to keep in addition to the seen ones."""

    least: int = integer(
        1,
        "Least Samples",
        "Faces that fewer pixels saw than this count as never seen",
        min=1,
        soft_max=100,
    )
    rings: int = integer(
        1,
        "Rings",
        "Keep so many rings of faces around those that were seen. With one,"
        " smooth shading stays as it is",
        min=0,
        soft_max=10,
    )
    distance: float = real(
        0.0,
        "Distance",
        "Keep what is no farther from anything seen than this, for its shadow or reflection",
        min=0.0,
        soft_max=10.0,
        subtype="DISTANCE",
    )
    small: bool = boolean(
        True,
        "Keep Too Small",
        "Keep objects and faces that are too small for the pixels of the views to"
        " tell whether they are hidden",
    )
    material: str = pointer("materials", "Keep Material", "Keep the faces of this material")


class Copying(OptionGroup):
    """Options for copying objects."""

    modifiers: Literal["OWN", "APPLY"] = enum(
        "OWN",
        "Modifiers",
        "What is done with objects whose modifiers change their faces",
        {
            "OWN": ("Keep", "Copy them with all their faces; modifiers stay"),
            "APPLY": ("Apply", "Apply the modifiers in the copy, and delete faces there"),
        },
    )
    whole: Literal["LEAVE_OUT", "COPY"] = enum(
        "LEAVE_OUT",
        "Never Seen",
        "What is done with objects that are never seen",
        {
            "LEAVE_OUT": ("Leave Out", "They are not copied"),
            "COPY": ("Copy", "They are copied as well"),
        },
    )
    originals: Literal["HIDE", "KEEP"] = enum(
        "HIDE",
        "Originals",
        "What is done with the objects that were copied or left out",
        {
            "HIDE": ("Hide", "Hide them in viewports and renders, until Restore Hidden"),
            "KEEP": ("Leave", "Leave them visible"),
        },
    )


class CopyOptions(Copying, Safety):
    """Options of the operator *Delete in Copy*."""

    collection: str = string(
        "", "Collection", "Name of the new collection; Seen if empty", settings=None
    )


class SelectOptions(SelectionOptions, Safety):
    """Options for selecting never-seen objects or faces."""


class HideOptions(EverythingOption, Safety):
    """Options for hiding never-seen objects."""


class MarkOptions(Safety):
    """Options for marking faces or objects with their number of samples."""

    mark: Literal["FACES", "OBJECTS"] = enum(
        "FACES",
        "Mark",
        "What is marked",
        {
            "FACES": ("Faces", "A face attribute of each mesh"),
            "OBJECTS": ("Objects", "A custom property of each object"),
        },
    )
    attribute: str = string(
        "samples_seen", "Attribute", "Name of the attribute or custom property", maxlen=63
    )


class UseOptions(Safety, Copying):
    """The options shown below the result, in the order of the tab."""


class NeverSeenOptions(ViewsOptions, Safety, Copying):
    """All options of *Never Seen*: `scene.octree.never_seen`."""


OctreeNeverSeenSettings = settings_group(NeverSeenOptions, "OctreeNeverSeenSettings")
