"""Settings of a build: what the tree holds, how finely it divides, how it is maintained."""

from typing import TYPE_CHECKING

import bpy
from bpy.props import BoolProperty, EnumProperty, FloatProperty, IntProperty, PointerProperty

from ..ui import OWN_WORDS

_COPY = ("COPY", "Copy", "Stored in every leaf that it touches")
_KEEP = ("KEEP", "Keep Whole", "Stored once, in the smallest cell that contains it")
_HYBRID = (
    "HYBRID",
    "Automatic",
    "Hybrid: copied if it touches few children of a cell and that is cheap, otherwise kept there",
)
_CLIP = (
    "CLIP",
    "Clip",
    "Cut at the walls: each leaf that it touches counts its piece. Questions answer as with Copy",
)

# What these say is the same of triangles and of objects; their defaults are not.
_CAPACITY = {
    "name": "Capacity",
    "description": "Split a cell that holds more items than this",
    "min": 1,
    "soft_max": 1000,
}
_STRADDLERS = "Where to store an item that touches several cells: a straddler"
_LOOSE_FACTOR = {
    "name": "Cell Overlap",
    "description": (
        "Enlarge each cell by this factor, so that items on walls sink deeper: a loose octree"
    ),
    "min": 1.0,
    "soft_max": 2.0,
    "step": 5,
}


class SourceOptions:
    """Sources of a build: the scene's settings and the properties of the operator."""

    if TYPE_CHECKING:
        source: str
        scope: str
        lights: bool
        cameras: bool
        empties: bool
    else:
        source: EnumProperty(
            name="Contents",
            translation_context=OWN_WORDS,
            description="What the octree holds; questions count triangles, whatever is built",
            items=(
                ("TRIANGLES", "Triangles", "Every triangle of the objects' faces"),
                (
                    "OBJECTS",
                    "Objects",
                    "Whole objects and instances, by their bounding boxes; can be updated live",
                ),
            ),
            default="TRIANGLES",
        )
        scope: EnumProperty(
            name="Build From",
            description="Which objects the octree is built of",
            items=(
                (
                    "SELECTED", "Selected", "The selected objects, and those in Edit Mode",
                    "RESTRICT_SELECT_OFF", 0,
                ),
                ("VISIBLE", "Visible", "All objects that the view layer shows", "HIDE_OFF", 1),
                (
                    "COLLECTION", "Collection", "The visible objects of a collection",
                    "OUTLINER_COLLECTION", 2,
                ),
            ),
            default="SELECTED",
        )  # fmt: skip
        lights: BoolProperty(
            name="Lights",
            translation_context=OWN_WORDS,
            description="Include lights, each as a point",
            default=False,
        )
        cameras: BoolProperty(
            name="Cameras",
            description="Include cameras, each as a point",
            default=False,
        )
        empties: BoolProperty(
            name="Empties",
            description="Include empties, each as large as it is drawn",
            default=False,
        )


class CellOptions:
    """How finely space is divided, whatever it holds."""

    if TYPE_CHECKING:
        max_depth: int
        min_size: float
        bounds: str
    else:
        max_depth: IntProperty(
            name="Max Depth",
            description="Never split cells that are this many levels below the root",
            default=10,
            min=0,
            max=20,
        )
        min_size: FloatProperty(
            name="Min Cell Size",
            description="Never split into cells with edges shorter than this",
            default=0.0,
            min=0.0,
            soft_max=10.0,
            subtype="DISTANCE",
        )
        bounds: EnumProperty(
            name="Bounds",
            description="The box that the octree divides",
            items=(
                ("AUTOMATIC", "Automatic", "The smallest cube around the items"),
                (
                    "OBJECT",
                    "Object",
                    "The bounding box of an object; items outside it stay at the root",
                ),
            ),
            default="AUTOMATIC",
        )


class BuildOptions(CellOptions):
    """How a tree of triangles is built: the scene's settings and the operator's properties."""

    if TYPE_CHECKING:
        capacity: int
        split: str
        straddlers: str
        hybrid_limit: int
        loose_factor: float
    else:
        capacity: IntProperty(**_CAPACITY, default=32)
        split: EnumProperty(
            name="Split",
            description="Where a cell is divided",
            items=(
                ("MIDDLE", "Middle", "At its center, into eight children of equal size"),
                ("MEDIAN", "Median", "At the median of the items on each axis, for balance"),
            ),
            default="MIDDLE",
        )
        straddlers: EnumProperty(
            name="Overlapping Triangles",
            description=_STRADDLERS,
            items=(_COPY, _KEEP, _HYBRID, _CLIP),
            default="COPY",
        )
        hybrid_limit: IntProperty(
            name="Copy Limit",
            description="Copy an item while it touches at most this many children of a cell",
            default=4,
            min=1,
            max=8,
        )
        loose_factor: FloatProperty(**_LOOSE_FACTOR, default=1.0)


class UpkeepOptions:
    """How a tree is maintained while objects are added, moved and removed."""

    if TYPE_CHECKING:
        merge_below: int
        merge: str
        grow_above: int
        shrink_below: int
    else:
        merge_below: IntProperty(
            name="Min Items",
            description=(
                "Merge the children of a cell with fewer items than this; at most the capacity"
            ),
            default=4,
            min=1,
            soft_max=1000,
        )
        merge: EnumProperty(
            name="Merge Cells",
            description="When cells are merged, and the root shrinks",
            items=(
                ("EAGER", "At Once", "With every change"),
                ("DEFERRED", "Deferred", "At an interval, while Live is on"),
            ),
            default="EAGER",
        )
        grow_above: IntProperty(
            name="Max Outside",
            description="Double the root while more items than this lie outside it",
            default=0,
            min=0,
            soft_max=1000,
        )
        shrink_below: IntProperty(
            name="Min Outside",
            description=(
                "Make the fullest child the root while at most this many items lie outside it"
            ),
            default=0,
            min=0,
            soft_max=1000,
        )


class ObjectOptions(CellOptions, UpkeepOptions):
    """How a tree of objects is built and kept: the scene's settings."""

    if TYPE_CHECKING:
        capacity: int
        straddlers: str
        loose_factor: float
    else:
        capacity: IntProperty(**_CAPACITY, default=8)
        straddlers: EnumProperty(
            name="Overlapping Objects",
            description=_STRADDLERS,
            items=(_KEEP, _COPY),
            default="KEEP",
        )
        loose_factor: FloatProperty(**_LOOSE_FACTOR, default=1.25)


# What panels show by the source of the tree: first what is often changed, then the rest.
PLAIN = ("capacity", "max_depth", "straddlers", "loose_factor", "hybrid_limit")
ADVANCED = {
    "TRIANGLES": ("split", "min_size", "bounds"),
    "OBJECTS": ("merge_below", "merge", "grow_above", "shrink_below", "min_size", "bounds"),
}


class OctreeSourceSettings(SourceOptions, bpy.types.PropertyGroup):
    """Sources of the next build: `scene.octree.source`."""

    if TYPE_CHECKING:
        collection: bpy.types.Collection | None
    else:
        collection: PointerProperty(
            type=bpy.types.Collection,
            name="Collection",
            description="The collection whose objects the octree is built of",
        )


class BoundsSettings:
    """The object whose box a tree divides; a mixin."""

    if TYPE_CHECKING:
        bounds_object: bpy.types.Object | None
    else:
        bounds_object: PointerProperty(
            type=bpy.types.Object,
            name="Bounds Object",
            description="The object whose bounding box the octree divides",
        )


class OctreeBuildSettings(BoundsSettings, BuildOptions, bpy.types.PropertyGroup):
    """How the scene's tree of triangles is built."""


class OctreeObjectSettings(BoundsSettings, ObjectOptions, bpy.types.PropertyGroup):
    """How the scene's tree of objects is built and kept."""
