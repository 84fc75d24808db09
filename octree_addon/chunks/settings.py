"""Options of chunks: the budget of a cell, the positions of walls, and the cutting of faces."""

from typing import Literal

from ..answers.options import AnswerOptions
from ..options import OptionGroup, enum, integer, real, settings_group, when
from ..ui import OWN_WORDS


class ChunkOptions(OptionGroup):
    """Options of cutting objects into chunks: `scene.octree.chunks`."""

    scope: Literal["VISIBLE", "SELECTED"] = enum(
        "VISIBLE",
        "From",
        "Which objects are made chunks of",
        {
            "VISIBLE": ("Visible", "All objects that the view layer shows"),
            "SELECTED": ("Selected", "The selected objects"),
        },
    )
    counted: Literal["TRIANGLES", "OBJECTS", "TEXELS"] = enum(
        "TRIANGLES",
        "Budget",
        "What of a cell may not have more than a budget",
        {
            "TRIANGLES": ("Triangles", "Triangles, those that walls make included"),
            "OBJECTS": ("Objects", "Objects and instances"),
            "TEXELS": (
                "Texels",
                "Pixels of the images of materials, as many as UV maps lay on triangles",
            ),
        },
        translation_context=OWN_WORDS,
    )
    triangles: int = integer(
        50_000,
        "Triangles",
        "Divide a cell that has more triangles than this",
        min=1,
        soft_max=1_000_000,
        translation_context=OWN_WORDS,
        shown=when(counted, "TRIANGLES"),
        argument="--triangles",
    )
    objects: int = integer(
        100,
        "Objects",
        "Divide a cell that has more objects and instances than this",
        min=1,
        soft_max=10_000,
        translation_context=OWN_WORDS,
        shown=when(counted, "OBJECTS"),
        argument="--objects",
    )
    texels: int = integer(
        4096**2,
        "Texels",
        "Divide a cell that has more pixels of images than this",
        min=1,
        soft_max=16 * 4096**2,
        translation_context=OWN_WORDS,
        shown=when(counted, "TEXELS"),
        argument="--texels",
    )
    least_triangles: int = integer(
        1_000,
        "Least Triangles",
        "Never divide a cell that has fewer triangles than this",
        min=0,
        soft_max=100_000,
        argument="--least-triangles",
    )
    least_size: float = real(
        0.25,
        "Least Size",
        "Never divide into cells with edges shorter than this",
        min=0.0,
        soft_max=100.0,
        subtype="DISTANCE",
        argument="--least-size",
    )
    cell: float = real(
        1.0,
        "Cell",
        "Edges of cells are this length, doubled or halved as often as needed,"
        " counted from the origin of the world: nothing that moves elsewhere shifts a wall",
        min=1e-4,
        soft_max=1_000.0,
        subtype="DISTANCE",
        argument="--cell",
    )
    tree: Literal["OCTREE", "QUADTREE"] = enum(
        "OCTREE",
        "Divide",
        "Along which axes a cell is divided",
        {
            "OCTREE": ("Octree", "In eight, along all axes"),
            "QUADTREE": ("Quadtree", "In four, seen from above: for terrain"),
        },
    )
    method: Literal["CUT", "ASSIGN"] = enum(
        "CUT",
        "Faces",
        "What is done with faces that a wall crosses",
        {
            "CUT": ("Cut", "Cut them at the wall; seams stay closed"),
            "ASSIGN": ("Assign", "Keep them whole, in the cell that holds their center"),
        },
    )
    instances: Literal["WHOLE", "REAL"] = enum(
        "WHOLE",
        "Instances",
        "What is done with instances",
        {
            "WHOLE": ("Whole", "Each goes to the cell of its center, and shares its mesh"),
            "REAL": ("Made Real", "Those that a wall crosses are cut; the others stay whole"),
        },
    )

    @property
    def budget(self) -> int:
        """Largest amount of the counted quantity in a cell."""
        limits = {"TRIANGLES": self.triangles, "OBJECTS": self.objects, "TEXELS": self.texels}
        return limits[self.counted]


class KeptChunkOptions(ChunkOptions, AnswerOptions):
    """Options of cutting objects into chunks, and of storing the answer."""


OctreeChunkSettings = settings_group(ChunkOptions, "OctreeChunkSettings")
