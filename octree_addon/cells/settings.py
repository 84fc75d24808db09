"""Options of a build: contents of the octree, size of cells, and maintenance."""

from typing import Literal

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
from ..scope import SizeOptions
from ..ui import OWN_WORDS

_COPY = ("Copy", "Stored in every leaf that it touches")
_KEEP = ("Keep Whole", "Stored once, in the smallest cell that contains it")
_HYBRID = (
    "Automatic",
    "Hybrid: copied if it touches few children of a cell and that is cheap, otherwise kept there",
)
_CLIP = (
    "Clip",
    "Cut at the walls: each leaf that it touches counts its piece. Questions answer as with Copy",
)
_STRADDLERS = "Where to store an item that touches several cells: a straddler"


class KindOptions(OptionGroup):
    """Types of objects without a shape to include in an octree of objects."""

    lights: bool = boolean(
        False, "Lights", "Include lights, each as a point", translation_context=OWN_WORDS
    )
    cameras: bool = boolean(False, "Cameras", "Include cameras, each as a point")
    empties: bool = boolean(False, "Empties", "Include empties, each as large as it is drawn")


class SourceOptions(OptionGroup):
    """Contents of an octree: `scene.octree.source`."""

    source: Literal["TRIANGLES", "OBJECTS"] = enum(
        "TRIANGLES",
        "Contents",
        "What the octree holds; questions count triangles, whatever is built",
        {
            "TRIANGLES": ("Triangles", "Every triangle of the objects' faces"),
            "OBJECTS": (
                "Objects",
                "Whole objects and instances, by their bounding boxes; can be updated live",
            ),
        },
        translation_context=OWN_WORDS,
    )
    scope: Literal["SELECTED", "VISIBLE", "COLLECTION"] = enum(
        "SELECTED",
        "Build From",
        "Which objects the octree is built of",
        {
            "SELECTED": (
                "Selected",
                "The selected objects, and those in Edit Mode",
                "RESTRICT_SELECT_OFF",
            ),
            "VISIBLE": ("Visible", "All objects that the view layer shows", "HIDE_OFF"),
            "COLLECTION": (
                "Collection",
                "The visible objects of a collection",
                "OUTLINER_COLLECTION",
            ),
        },
    )
    collection: str = pointer(
        "collections",
        "Collection",
        "The collection whose objects the octree is built of",
        shown=when(scope, "COLLECTION"),
        operator={"description": "Name of the collection whose objects the octree is built of"},
    )
    kinds: KindOptions = nested(KindOptions(), shown=when(source, "OBJECTS"), heading="With")


class CellOptions(OptionGroup):
    """Largest number of items in a cell, and largest depth of cells."""

    capacity: int = integer(
        32,
        "Capacity",
        "Split a cell that holds more items than this",
        min=1,
        soft_max=1000,
    )
    max_depth: int = integer(
        10,
        "Max Depth",
        "Never split cells that are this many levels below the root",
        min=0,
        max=20,
    )


class LooseOptions(OptionGroup):
    """Enlargement of cells that keep items whole."""

    loose_factor: float = real(
        1.0,
        "Cell Overlap",
        "Enlarge each cell by this factor, so that items on walls sink deeper: a loose octree",
        min=1.0,
        soft_max=2.0,
        step=5,
    )


class BoundsOptions(OptionGroup):
    """The box of the root."""

    bounds: Literal["AUTOMATIC", "OBJECT"] = enum(
        "AUTOMATIC",
        "Bounds",
        "The box that the octree divides",
        {
            "AUTOMATIC": ("Automatic", "The smallest cube around the items"),
            "OBJECT": (
                "Object",
                "The bounding box of an object; items outside it stay at the root",
            ),
        },
    )
    bounds_object: str = pointer(
        "objects",
        "Bounds Object",
        "The object whose bounding box the octree divides",
        shown=when(bounds, "OBJECT"),
        operator={"description": "Name of the object whose bounding box the octree divides"},
    )


class UpkeepOptions(OptionGroup):
    """Maintenance of an octree while objects are added, moved and removed."""

    merge_below: int = integer(
        4,
        "Min Items",
        "Merge the children of a cell with fewer items than this; at most the capacity",
        min=1,
        soft_max=1000,
    )
    merge: Literal["EAGER", "DEFERRED"] = enum(
        "EAGER",
        "Merge Cells",
        "When cells are merged, and the root shrinks",
        {
            "EAGER": ("At Once", "With every change"),
            "DEFERRED": ("Deferred", "At an interval, while Live is on"),
        },
    )
    grow_above: int = integer(
        0,
        "Max Outside",
        "Double the root while more items than this lie outside it",
        min=0,
        soft_max=1000,
    )
    shrink_below: int = integer(
        0,
        "Min Outside",
        "Make the fullest child the root while at most this many items lie outside it",
        min=0,
        soft_max=1000,
    )


def _min_size() -> float:
    """Return the option for the smallest size of cells."""
    return real(
        0.0,
        "Min Cell Size",
        "Never split into cells with edges shorter than this",
        min=0.0,
        soft_max=10.0,
        subtype="DISTANCE",
    )


# The classes named Plain have the options that change often; panels show them first.
class PlainBuildOptions(OptionGroup):
    """Frequently changed options of an octree of triangles."""

    cells: CellOptions = nested(CellOptions())
    straddlers: Literal["COPY", "KEEP", "HYBRID", "CLIP"] = enum(
        "COPY",
        "Overlapping Triangles",
        _STRADDLERS,
        {"COPY": _COPY, "KEEP": _KEEP, "HYBRID": _HYBRID, "CLIP": _CLIP},
    )
    loose: LooseOptions = nested(LooseOptions(), shown=when(straddlers, "KEEP"))
    hybrid_limit: int = integer(
        4,
        "Copy Limit",
        "Copy an item while it touches at most this many children of a cell",
        min=1,
        max=8,
        shown=when(straddlers, "HYBRID"),
    )


class BuildOptions(PlainBuildOptions):
    """Options of an octree of triangles: `scene.octree.build`."""

    split: Literal["MIDDLE", "MEDIAN"] = enum(
        "MIDDLE",
        "Split",
        "Where a cell is divided",
        {
            "MIDDLE": ("Middle", "At its center, into eight children of equal size"),
            "MEDIAN": ("Median", "At the median of the items on each axis, for balance"),
        },
    )
    min_size: float = _min_size()
    box: BoundsOptions = nested(BoundsOptions())


class PlainObjectOptions(OptionGroup):
    """Frequently changed options of an octree of objects."""

    cells: CellOptions = nested(CellOptions(capacity=8))
    straddlers: Literal["KEEP", "COPY"] = enum(
        "KEEP", "Overlapping Objects", _STRADDLERS, {"KEEP": _KEEP, "COPY": _COPY}
    )
    loose: LooseOptions = nested(LooseOptions(loose_factor=1.25), shown=when(straddlers, "KEEP"))


class ObjectOptions(PlainObjectOptions):
    """Options of an octree of objects and its maintenance: `scene.octree.objects`."""

    upkeep: UpkeepOptions = nested(UpkeepOptions())
    min_size: float = _min_size()
    box: BoundsOptions = nested(BoundsOptions())


class RebuildOptions(BuildOptions, SizeOptions):
    """Options of an octree of either kind; defaults come from the settings of its kind."""

    upkeep: UpkeepOptions = nested(UpkeepOptions())


class NewTreeOptions(SourceOptions, RebuildOptions):
    """Contents and options of a new octree."""


OctreeSourceSettings = settings_group(SourceOptions, "OctreeSourceSettings")
OctreeBuildSettings = settings_group(BuildOptions, "OctreeBuildSettings")
OctreeObjectSettings = settings_group(ObjectOptions, "OctreeObjectSettings")
