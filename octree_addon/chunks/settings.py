"""Chunk settings: what a cell may have, where walls are, what is cut or whole."""

from collections.abc import Mapping
from typing import TYPE_CHECKING, Any

import bpy
from bpy.props import EnumProperty, FloatProperty, IntProperty

from ..ui import OWN_WORDS


class CellBudgetOptions:
    """Cells by budget."""

    if TYPE_CHECKING:
        counted: str
        triangles: int
        objects: int
        texels: int
        least_triangles: int
        least_size: float
        cell: float
        tree: str
    else:
        counted: EnumProperty(
            name="Budget",
            description="What of a cell may not have more than a budget",
            items=(
                ("TRIANGLES", "Triangles", "Triangles, those that walls make included"),
                ("OBJECTS", "Objects", "Objects and instances"),
                (
                    "TEXELS",
                    "Texels",
                    "Pixels of the images of materials, as many as UV maps lay on triangles",
                ),
            ),
            default="TRIANGLES",
            translation_context=OWN_WORDS,
        )
        triangles: IntProperty(
            name="Triangles",
            description="Divide a cell that has more triangles than this",
            default=50_000,
            min=1,
            soft_max=1_000_000,
            translation_context=OWN_WORDS,
        )
        objects: IntProperty(
            name="Objects",
            description="Divide a cell that has more objects and instances than this",
            default=100,
            min=1,
            soft_max=10_000,
            translation_context=OWN_WORDS,
        )
        texels: IntProperty(
            name="Texels",
            description="Divide a cell that has more pixels of images than this",
            default=4096**2,
            min=1,
            soft_max=16 * 4096**2,
            translation_context=OWN_WORDS,
        )
        least_triangles: IntProperty(
            name="Least Triangles",
            description="Never divide a cell that has fewer triangles than this",
            default=1_000,
            min=0,
            soft_max=100_000,
        )
        least_size: FloatProperty(
            name="Least Size",
            description="Never divide into cells with edges shorter than this",
            default=0.25,
            min=0.0,
            soft_max=100.0,
            subtype="DISTANCE",
        )
        cell: FloatProperty(
            name="Cell",
            description="Edges of cells are this length, doubled or halved as often as needed,"
            " counted from the origin of the world: nothing that moves elsewhere shifts a wall",
            default=1.0,
            min=1e-4,
            soft_max=1_000.0,
            subtype="DISTANCE",
        )
        tree: EnumProperty(
            name="Divide",
            description="Along which axes a cell is divided",
            items=(
                ("OCTREE", "Octree", "In eight, along all axes"),
                ("QUADTREE", "Quadtree", "In four, seen from above: for terrain"),
            ),
            default="OCTREE",
        )


class ChunkOptions(CellBudgetOptions):
    """What is cut, and how: the scene's settings and the operators' properties."""

    if TYPE_CHECKING:
        scope: str
        method: str
        instances: str
    else:
        scope: EnumProperty(
            name="From",
            description="Which objects are made chunks of",
            items=(
                ("VISIBLE", "Visible", "All objects that the view layer shows"),
                ("SELECTED", "Selected", "The selected objects"),
            ),
            default="VISIBLE",
        )
        method: EnumProperty(
            name="Faces",
            description="What is done with faces that a wall crosses",
            items=(
                ("CUT", "Cut", "Cut them at the wall; seams stay closed"),
                ("ASSIGN", "Assign", "Keep them whole, in the cell that holds their center"),
            ),
            default="CUT",
        )
        instances: EnumProperty(
            name="Instances",
            description="What is done with instances",
            items=(
                ("WHOLE", "Whole", "Each goes to the cell of its center, and shares its mesh"),
                ("REAL", "Made Real", "Those that a wall crosses are cut; the others stay whole"),
            ),
            default="WHOLE",
        )


# The option that holds the budget, by what is counted.
LIMITS = {"TRIANGLES": "triangles", "OBJECTS": "objects", "TEXELS": "texels"}
CHUNK_OPTIONS = (
    "scope",
    "counted",
    *LIMITS.values(),
    "least_triangles",
    "least_size",
    "cell",
    "tree",
    "method",
    "instances",
)


def chunk_rows(options: ChunkOptions) -> list[str]:
    """Return the names of the options that count, from top to bottom."""
    unused = {*LIMITS.values()} - {LIMITS[options.counted]}
    return [name for name in CHUNK_OPTIONS if name not in unused]


def limit_of(options: Mapping[str, Any]) -> int:
    """Return the budget of a cell, of what options count."""
    limit: int = options[LIMITS[options["counted"]]]
    return limit


class OctreeChunkSettings(ChunkOptions, bpy.types.PropertyGroup):
    """How chunks are made: `scene.octree.chunks`."""
