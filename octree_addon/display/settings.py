"""Settings for drawing the scene's built octree: `scene.octree.display`."""

from typing import TYPE_CHECKING

import bpy
from bpy.props import BoolProperty, EnumProperty, FloatProperty, IntProperty

from ..ui import tag_redraw


class OctreeDisplaySettings(bpy.types.PropertyGroup):
    """Settings for drawing the scene's built octree."""

    if TYPE_CHECKING:
        show: bool
        cells: str
        depth: int
        boxes: str
        color_by: str
        line_width: float
        opacity: float
        behind: bool
        in_front: bool
        least_size: float
    else:
        show: BoolProperty(
            name="Display",
            description="Draw the cells of the octree in every 3D view that shows overlays",
            default=True,
            update=tag_redraw,
        )
        cells: EnumProperty(
            name="Cells",
            description="Which cells are drawn",
            items=(
                ("ALL", "All", "Every cell"),
                (
                    "OCCUPIED_AND_INTERNAL",
                    "Divided and Filled",
                    "Every cell that was split, and every leaf with items",
                ),
                ("LEAVES", "Undivided", "Every cell that was not split: the leaves"),
                ("OCCUPIED_LEAVES", "Filled", "Every cell that holds items: the occupied leaves"),
                ("DEPTH", "One Depth", "The cells at one depth"),
                (
                    "QUESTION",
                    "Last Question",
                    "Every cell that the last question visited: outside, crossed or inside",
                ),
            ),
            default="OCCUPIED_LEAVES",
            update=tag_redraw,
        )
        depth: IntProperty(
            name="Depth",
            description="The level that is drawn; the root is 0",
            default=1,
            min=0,
            max=20,
            update=tag_redraw,
        )
        boxes: EnumProperty(
            name="Cell Size",
            description="Which box of a cell is drawn",
            items=(
                ("TIGHT", "As Divided", "The cell itself: its tight box"),
                ("LOOSE", "With Overlap", "The cell enlarged by Cell Overlap: its loose box"),
            ),
            default="TIGHT",
            update=tag_redraw,
        )
        color_by: EnumProperty(
            name="Color By",
            description="What the color of a cell shows",
            items=(
                ("DEPTH", "Depth", "The level of the cell, from the root to the deepest"),
                ("FILL", "Fill", "Number of items in the cell, from none to the capacity"),
            ),
            default="DEPTH",
            update=tag_redraw,
        )
        line_width: FloatProperty(
            name="Line Width",
            description="Width of the lines, multiplied by the resolution scale of the interface",
            default=1.0,
            min=1.0,
            max=10.0,
            subtype="PIXEL",
            update=tag_redraw,
        )
        opacity: FloatProperty(
            name="Opacity",
            description="Opacity of the lines",
            default=0.6,
            min=0.0,
            max=1.0,
            subtype="FACTOR",
            update=tag_redraw,
        )
        behind: BoolProperty(
            name="Behind Surfaces",
            description="Draw lines that surfaces hide as well, but faintly",
            default=True,
            update=tag_redraw,
        )
        in_front: BoolProperty(
            name="In Front",
            description="Draw the cells in front of the scene",
            default=False,
            update=tag_redraw,
        )
        least_size: FloatProperty(
            name="Least Size",
            description="Where cells look smaller than this, the larger ones that they are in are"
            " drawn instead; multiplied by the resolution scale of the interface",
            default=16.0,
            min=0.0,
            soft_max=50.0,
            subtype="PIXEL",
            update=tag_redraw,
        )
