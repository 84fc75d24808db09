"""Chunk settings: how many triangles a cell may have, where walls are, what is cut or whole."""

from typing import TYPE_CHECKING

import bpy
from bpy.props import EnumProperty, FloatProperty, IntProperty

from ..ui import OWN_WORDS


class CellBudgetOptions:
    """Cells by budget."""

    if TYPE_CHECKING:
        triangles: int
        least_triangles: int
        least_size: float
        cell: float
        tree: str
    else:
        triangles: IntProperty(
            name="Triangles",
            description="Divide a cell that has more triangles than this",
            default=50_000,
            min=1,
            soft_max=1_000_000,
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


CHUNK_ROWS = (
    "scope",
    "triangles",
    "least_triangles",
    "least_size",
    "cell",
    "tree",
    "method",
    "instances",
)


class OctreeChunkSettings(ChunkOptions, bpy.types.PropertyGroup):
    """How chunks are made: `scene.octree.chunks`."""
